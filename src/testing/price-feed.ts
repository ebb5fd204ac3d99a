// What a test holds in its hands: a session of its own, whether in process or on a shared server. Both are moved through the admin.
import { type AdminClient, createAdminClient } from '../client/admin.js'
import { type Client, createClient } from '../client/client.js'
import { countOf, PriceFeedMockError } from '../errors.js'
import { wait } from '../hosts/timers.js'
import type { ScenarioInput } from '../mock.js'
import type { SessionBodyInput } from '../service/session-settings.js'
import { type Fetch, type Place, realTime } from './test-target.js'

/** A request as the journal tells of it. */
export type JournaledRequest = Awaited<ReturnType<AdminClient['listRequests']>>['requests'][number]

/** Which requests of a journal. */
export interface RequestFilter {
  readonly endpoint?: keyof Client | undefined
  /** 0 for those that got no reply. */
  readonly status?: number | undefined
  /**
   * In any case.
   * @default all but OPTIONS: a browser asks those of itself
   */
  readonly method?: string | undefined
}

/** The clock of a session, moved from a test. */
export interface SessionClock {
  /** Virtual milliseconds since the epoch. */
  now(): Promise<number>
  /** Sets it: ISO 8601 with Z, or seconds since the epoch. */
  set(at: string | number): Promise<void>
  /** Moves it on: `"2m"`, or seconds; negative seconds go back. */
  advance(by: string | number): Promise<void>
  freeze(): Promise<void>
  /** Lets it run, `speed` times as fast as real time. */
  run(speed?: number): Promise<void>
}

/** A session that belongs to one test. */
export interface PriceFeed {
  /** Its id, for the admin. */
  readonly id: string
  /** Base addresses for the application under test; in process only `fetch` reaches them. */
  readonly baseUrl: string
  readonly historyUrl: string
  /** Opens the protected endpoints. */
  readonly apiKey: string
  /** Whose signatures to trust: address with `0x`, and compressed public key, in hex. */
  readonly signer: { readonly address: string; readonly publicKey: string }
  /** What reaches the addresses: the global `fetch` of a server, a function in process. */
  readonly fetch: Fetch
  /** The five endpoints, typed. */
  readonly client: Client
  readonly clock: SessionClock
  /** Applies a scenario from now on, by name or as an object; its faults have not fired yet. */
  setScenario(scenario: ScenarioInput): Promise<void>
  /** Holds feeds at prices in quote units; null lets go. */
  setPrices(prices: Readonly<Record<string, number | null>>): Promise<void>
  /** What the session was asked, oldest first. */
  requests(filter?: RequestFilter): Promise<JournaledRequest[]>
  /**
   * Waits until the session has been asked so often, in real time that fake timers cannot stop.
   * @throws PriceFeedMockError REQUESTS_NOT_SEEN after `timeoutMs`: 4000 in vitest, 15000 in Playwright, sooner than a test gives up
   */
  waitForRequests(count: number, filter?: RequestFilter & { readonly timeoutMs?: number }): Promise<JournaledRequest[]>
  /**
   * Fails when a fault of the scenario has touched nothing since it was applied, or when it has none: then the test has tested
   * less than it says.
   * @throws PriceFeedMockError FAULTS_NOT_FIRED with every planned fault, its hits and why it missed
   */
  expectFaultsFired(): Promise<void>
}

/** What a session of a test begins with: a body of `POST /_mock/sessions`. */
export type PriceFeedOptions = Omit<SessionBodyInput, 'id'>

/** Real milliseconds between two looks at the journal. */
const LOOK_EVERY_MS = 10

/** A clock as it stands: virtual milliseconds since the epoch, and how it goes on. */
export interface ClockReading {
  readonly nowMs: number
  readonly speed: number
  readonly frozen: boolean
}

/** A session, and what only a kit needs: its clock in full, and its end. */
export interface OpenPriceFeed {
  readonly feed: PriceFeed
  readClock(): Promise<ClockReading>
  end(): Promise<void>
}

/** Makes a session in a place; `end` deletes it. `patienceMs` is how long its requests are waited for unless a call says otherwise. */
export async function openPriceFeed(
  { url, fetch }: Place,
  options: PriceFeedOptions,
  patienceMs: number,
): Promise<OpenPriceFeed> {
  const admin = createAdminClient({ url, fetch })
  const { id, baseUrl, historyUrl, apiKey, signer } = await admin.createSession({ body: options })
  const change = async (body: Parameters<AdminClient['changeSession']>[0]['body']): Promise<void> => {
    await admin.changeSession({ id, body })
  }
  const readClock = async (): Promise<ClockReading> => {
    const { at, speed, frozen } = (await admin.getSession({ id })).clock
    return { nowMs: Date.parse(at), speed, frozen }
  }
  const requests = async ({ endpoint, status, method }: RequestFilter = {}): Promise<JournaledRequest[]> => {
    const { requests: all } = await admin.listRequests({ id, query: { endpoint } })
    return all
      .filter(entry => (method === undefined ? entry.method !== 'OPTIONS' : entry.method === method.toUpperCase()))
      .filter(entry => status === undefined || entry.status === status)
  }
  const feed: PriceFeed = {
    id,
    baseUrl,
    historyUrl,
    apiKey,
    signer: { address: signer.address, publicKey: signer.publicKey },
    fetch,
    client: createClient({ baseUrl, historyUrl, apiKey, fetch }),
    clock: {
      now: async () => (await readClock()).nowMs,
      set: at => change({ clock: { at } }),
      advance: by => change({ clock: { advance: by } }),
      freeze: () => change({ clock: { frozen: true } }),
      run: speed => change({ clock: { frozen: false, ...(speed === undefined ? {} : { speed }) } }),
    },
    setScenario: scenario => change({ scenario }),
    setPrices: prices => change({ prices }),
    requests,
    async waitForRequests(count, { timeoutMs = patienceMs, ...filter } = {}) {
      for (const deadline = realTime() + timeoutMs; ; await wait(LOOK_EVERY_MS)) {
        const seen = await requests(filter)
        if (seen.length >= count) return seen
        if (realTime() >= deadline) throw notSeen(count, seen.length, filter, timeoutMs)
      }
    },
    async expectFaultsFired() {
      const { faults } = await admin.summarizeRequests({ id })
      if (faults.length === 0) throw nonePlanned()
      const silent = faults.filter(({ hits }) => hits === 0)
      if (silent.length > 0) throw notFired(faults, silent.length)
    },
  }
  return {
    feed,
    readClock,
    async end() {
      await admin.deleteSession({ id })
    },
  }
}

function notSeen(want: number, got: number, filter: RequestFilter, timeoutMs: number): PriceFeedMockError {
  const which = Object.entries(filter).map(([key, value]) => `${key} ${value}`)
  return new PriceFeedMockError('REQUESTS_NOT_SEEN', `${countOf(got, 'request')} in ${timeoutMs} ms, not ${want}.`, {
    details: [
      ['got', String(got)],
      ['want', [`at least ${want}`, ...which].join(', ')],
    ],
  })
}

/** A scenario that was forgotten, or that is calm. */
function nonePlanned(): PriceFeedMockError {
  return new PriceFeedMockError('FAULTS_NOT_FIRED', 'No fault is planned in this session, so none has fired.', {
    details: [['fix', "await priceFeed.setScenario('stale-btc') before, or begin with priceFeedOptions: { scenario }"]],
  })
}

type Planned = Awaited<ReturnType<AdminClient['summarizeRequests']>>['faults']

/** A table of what was planned and what became of it. */
function notFired(faults: Planned, silent: number): PriceFeedMockError {
  const width = Math.max(...faults.map(({ fault }) => fault.length))
  const lines = faults.map(({ fault, planned, hits, misses, lastMiss }) => {
    const why =
      hits > 0 ? '' : misses === 0 ? '   its endpoints were not asked' : `   ${misses} missed, last: ${lastMiss}`
    return ['fault', `${fault.padEnd(width)}  ${planned}: ${countOf(hits, 'hit')}${why}`] as const
  })
  const shortMessage = `${silent} of ${countOf(faults.length, 'planned fault')} never fired.`
  return new PriceFeedMockError('FAULTS_NOT_FIRED', shortMessage, { details: lines })
}
