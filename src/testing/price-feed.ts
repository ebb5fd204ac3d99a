// What a test holds in its hands: a session of its own, whether in process or on a shared server. Both are moved through the admin.
import { type AdminClient, createAdminClient } from '../client/admin.js'
import { type Client, createClient } from '../client/client.js'
import { countOf, PriceFeedMockError } from '../errors.js'
import { createFetch } from '../hosts/fetch.js'
import { wait } from '../hosts/timers.js'
import { createMock, type MockOptions, type ScenarioInput } from '../mock.js'
import type { SessionBodyInput } from '../service/session-settings.js'

/** What sends requests, as the global `fetch` does. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>

/** A request as the journal tells of it. */
export type JournaledRequest = Awaited<ReturnType<AdminClient['listRequests']>>['requests'][number]

/** Which requests of a journal. */
export interface RequestFilter {
  readonly endpoint?: 'candles' | 'batch' | 'history' | 'evm' | 'latest' | undefined
  readonly status?: number | undefined
}

/** The clock of a session, moved from a test. */
export interface SessionClock {
  /** Virtual milliseconds since the epoch. */
  now(): Promise<number>
  /** Sets it: ISO 8601 with Z, or seconds since the epoch. */
  set(at: string | number): Promise<void>
  /** Moves it forward: `"2m"`, or seconds. */
  advance(by: string | number): Promise<void>
  freeze(): Promise<void>
  /** Lets it run, `speed` times as fast as real time. */
  run(speed?: number): Promise<void>
}

/** A session that belongs to one test. */
export interface PriceFeed {
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
  /** Applies a scenario from now on, by name or as an object. */
  setScenario(scenario: ScenarioInput): Promise<void>
  /** Holds feeds at prices in quote units; null lets go. */
  setPrices(prices: Readonly<Record<string, number | null>>): Promise<void>
  /** What the session was asked, oldest first. */
  requests(filter?: RequestFilter): Promise<JournaledRequest[]>
  /**
   * Waits until the session has been asked so often, in real time that fake timers cannot stop.
   * @throws PriceFeedMockError REQUESTS_NOT_SEEN after `timeoutMs` (5000)
   */
  waitForRequests(count: number, filter?: RequestFilter & { readonly timeoutMs?: number }): Promise<JournaledRequest[]>
  /**
   * Fails when a fault of the scenario has touched nothing since it was applied: then the test has tested less than it says.
   * @throws PriceFeedMockError FAULTS_NOT_FIRED with every planned fault, its hits and why it missed
   */
  expectFaultsFired(): Promise<void>
}

/** What a session of a test begins with: a body of `POST /_mock/sessions`. */
export type PriceFeedOptions = Omit<SessionBodyInput, 'id'>

/** Real milliseconds between two looks at the journal. */
const LOOK_EVERY_MS = 10

/** A mock in process, as a place where sessions can be made. */
export function inProcess(options: MockOptions = {}): Place {
  const fetch = createFetch(createMock({ realTime: Date.now, ...options }))
  return { url: 'http://price-feed-mock.test', fetch }
}

/** Where sessions can be made: a server, or a mock in process. */
export interface Place {
  /** Without a slash at the end. */
  readonly url: string
  readonly fetch: Fetch
}

/** Makes a session in a place; `end` deletes it. */
export async function openPriceFeed(
  { url, fetch }: Place,
  options: PriceFeedOptions,
): Promise<{ feed: PriceFeed; id: string; end(): Promise<void> }> {
  const admin = createAdminClient({ url, fetch })
  const { id, baseUrl, historyUrl, apiKey, signer } = await admin.createSession({ body: options })
  const change = async (body: Parameters<AdminClient['changeSession']>[0]['body']): Promise<void> => {
    await admin.changeSession({ id, body })
  }
  const requests = async (filter: RequestFilter = {}): Promise<JournaledRequest[]> => {
    const { endpoint, status } = filter
    const query = { endpoint, ...(status === undefined ? {} : { status: String(status) }) }
    return (await admin.listRequests({ id, query })).requests
  }
  const feed: PriceFeed = {
    baseUrl,
    historyUrl,
    apiKey,
    signer: { address: signer.address, publicKey: signer.publicKey },
    fetch,
    client: createClient({ baseUrl, historyUrl, apiKey, fetch }),
    clock: {
      now: async () => Date.parse((await admin.getSession({ id })).clock.at),
      set: at => change({ clock: { at } }),
      advance: by => change({ clock: { advance: by } }),
      freeze: () => change({ clock: { frozen: true } }),
      run: speed => change({ clock: { frozen: false, ...(speed === undefined ? {} : { speed }) } }),
    },
    setScenario: scenario => change({ scenario }),
    setPrices: prices => change({ prices }),
    requests,
    async waitForRequests(count, { timeoutMs = 5000, ...filter } = {}) {
      for (let waited = 0; ; waited += LOOK_EVERY_MS) {
        const seen = await requests(filter)
        if (seen.length >= count) return seen
        if (waited >= timeoutMs) throw notSeen(count, seen.length, filter, timeoutMs)
        await wait(LOOK_EVERY_MS)
      }
    },
    async expectFaultsFired() {
      const { faults } = await admin.summarizeRequests({ id })
      const silent = faults.filter(({ hits }) => hits === 0)
      if (silent.length > 0) throw notFired(faults, silent.length)
    },
  }
  return {
    feed,
    id,
    async end() {
      await admin.deleteSession({ id })
    },
  }
}

function notSeen(want: number, got: number, filter: RequestFilter, timeoutMs: number): PriceFeedMockError {
  const which = Object.entries(filter).map(([key, value]) => `${key} ${value}`)
  return new PriceFeedMockError('REQUESTS_NOT_SEEN', `${countOf(got, 'request')} in ${timeoutMs} ms, not ${want}.`, {
    facts: [
      ['got', String(got)],
      ['want', [`at least ${want}`, ...which].join(', ')],
    ],
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
  const sentence = `${silent} of ${countOf(faults.length, 'planned fault')} never fired.`
  return new PriceFeedMockError('FAULTS_NOT_FIRED', sentence, { facts: lines })
}
