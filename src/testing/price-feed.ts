// The session of a test, in process or on a server. Both are controlled through the admin.
import * as z from 'zod/mini'
import {
  type AdminClient,
  createAdminClient,
  type JournaledRequest,
  listAllRequests,
  type ReportCard,
  type VerdictInput,
} from '../client/admin.js'
import { type Client, createClient } from '../client/client.js'
import { ENDPOINTS } from '../endpoints/index.js'
import { countOf, type Detail, PriceFeedMockError } from '../errors.js'
import { realTime, wait } from '../hosts/real-time.js'
import { advanceWithTimers, type FakeTimers } from '../hosts/virtual-delays.js'
import { assertScenario, type ScenarioInput, type WithScenario } from '../scenario-input.js'
import { MAX_JOURNAL_ENTRIES } from '../service/journal.js'
import type { PricesInput, SessionBodyInput } from '../service/session-settings.js'
import { assertNoProblems, findUnknownKeys, integer, parseOrThrow } from '../settings/schema.js'
import type { Checked, Duration, Instant } from '../settings/time.js'
import type { AppUrls, ForwardTarget } from './forward.js'
import { type RoutablePage, routeToSession } from './page-route.js'
import { createSessionHandlers, findMsw, type SessionHandler } from './session-handlers.js'
import type { Fetch, TestTarget } from './test-target.js'

export type { JournaledRequest, ReportCard, VerdictInput }

/** Selects requests of the journal. */
export interface RequestFilter {
  readonly endpoint?: keyof Client | undefined
  /** 0 selects requests without a reply. */
  readonly status?: number | undefined
  /**
   * Case does not matter.
   * @default all but OPTIONS, which browsers send by themselves
   */
  readonly method?: string | undefined
}

/** Controls the clock of a session. */
export interface SessionClock {
  /** Virtual milliseconds since the epoch. */
  now(): Promise<number>
  /** Sets it: ISO 8601 with Z, or seconds since the epoch. */
  set<At extends string>(at: Checked<At, Instant> | number): Promise<void>
  /**
   * Moves it on: `"2m"`, or seconds; negative seconds go back. With `timers`, the fake timers of the test move with it, second by
   * second, so that a request of a timer finds the clock at its own second; for more than 600 seconds in 600 longer steps.
   * @throws PriceFeedMockError OPTIONS_INVALID for other timers, or if timers would go back
   * @example
   * vi.useFakeTimers({ now: await priceFeed.clock.now() })
   * await priceFeed.clock.advance('1m', { timers: vi })
   */
  advance(by: Duration | number, options?: { readonly timers?: FakeTimers | undefined }): Promise<void>
  freeze(): Promise<void>
  /** Lets it run, `speed` times as fast as real time. */
  run(speed?: number): Promise<void>
}

/** The session of one test. */
export interface PriceFeed {
  /** Id of the session, for the admin. */
  readonly id: string
  /** Base addresses for the application under test. In process, only `fetch` reaches them. */
  readonly baseUrl: string
  readonly historyUrl: string
  /** API key of the protected endpoints. */
  readonly apiKey: string
  /** The expected signer: address with `0x` and compressed public key, both in hex. */
  readonly signer: { readonly address: string; readonly publicKey: string }
  /** Sends requests to the base addresses, like the global `fetch`, also under fake timers. In process it is the only way. */
  readonly fetch: Fetch
  /** The five endpoints, typed. */
  readonly client: Client
  readonly clock: SessionClock
  /**
   * Request handlers of msw for the addresses that the application uses. They answer from this session and leave other requests
   * alone.
   * @throws PriceFeedMockError OPTIONS_INVALID if an address is invalid, HANDLERS_UNAVAILABLE if msw is not installed
   * @example
   * server.use(...priceFeed.handlers({ baseUrl: 'https://api.example' }))
   */
  handlers(urls: AppUrls): SessionHandler[]
  /**
   * Routes the addresses that the application uses, in a Playwright page or context, to this session. Other requests go to
   * the network. CORS is enforced as a browser does. A route cannot show `wire/truncate` and `wire/dribble`.
   * @throws PriceFeedMockError OPTIONS_INVALID if an address is invalid
   * @example
   * await priceFeed.route(page, { baseUrl: 'https://api.example' })
   */
  route(page: RoutablePage, urls: AppUrls): Promise<void>
  /**
   * Applies a scenario from now on, by name or as an object; its faults have not fired yet.
   * @throws PriceFeedMockError SESSION_INVALID for null, which only `endScenario` may mean
   */
  setScenario(scenario: ScenarioInput): Promise<void>
  /**
   * Ends the scenario now. Prices that were published under it stay as they are, in histories and candles too, which
   * `setScenario('calm')` would rewrite.
   */
  endScenario(): Promise<void>
  /**
   * Rebases feeds to prices in quote units. They keep moving from there, and feeds derived from them follow, except with
   * `{ price, alone: true }`. `null` removes the override.
   */
  setPrices(prices: PricesInput): Promise<void>
  /**
   * The requests of the session, oldest first: the newest 1,000, as many as a journal keeps.
   * @throws PriceFeedMockError OPTIONS_INVALID if the filter is invalid
   */
  requests(filter?: RequestFilter): Promise<JournaledRequest[]>
  /**
   * Waits for a number of requests, in real time even under fake timers.
   * @throws PriceFeedMockError REQUESTS_NOT_SEEN after `timeoutMs`: by default 4000 in vitest and 15000 in Playwright;
   * OPTIONS_INVALID if the filter is invalid, or for more than 1,000, which no journal keeps
   */
  waitForRequests(
    count: number,
    filter?: RequestFilter & { readonly timeoutMs?: number | undefined },
  ): Promise<JournaledRequest[]>
  /**
   * Fails if the scenario has no faults, or if one of them has not been applied to any answer since the scenario was set, or
   * could not be shown by `route`. Reports requests that went to another session meanwhile.
   * @throws PriceFeedMockError FAULTS_NOT_FIRED, listing all planned faults with their hits and misses
   */
  expectFaultsFired(): Promise<void>
  /**
   * The requests of the app and their replies, second by second in virtual time, between the changes of the market and the faults: text of at most 60
   * lines besides a heading and dates, each below 500 characters. The kits for vitest and Playwright show it when a test fails.
   */
  timeline(): Promise<string>
  /** The report card of the consumer: checks on the requests of the session, and verdicts. */
  report(): Promise<ReportCard>
  /**
   * Adds a verdict to the report, for behaviour that HTTP cannot show. It replaces the one on the same case.
   * @throws PriceFeedMockError ADMIN_REFUSED if it is invalid, or too long
   * @example
   * await priceFeed.verdict({ case: 'stale-btc', ok: orders.length === 0, why: 'traded on an old price' })
   */
  verdict(verdict: VerdictInput): Promise<void>
}

/** Options of a session: a body of `POST /_mock/sessions`. */
export type PriceFeedOptions = Omit<WithScenario<SessionBodyInput>, 'id'>

const POLL_INTERVAL_MS = 10

/** A session with the functions that only the kits need. */
export type OpenPriceFeed = Awaited<ReturnType<typeof openSession>>

/**
 * Creates a session on a target; `end` deletes it.
 * @param waitTimeoutMs the default timeout of `waitForRequests`
 */
export async function openSession({ url, fetch, token }: TestTarget, options: PriceFeedOptions, waitTimeoutMs: number) {
  const admin = createAdminClient({ url, fetch, token })
  const openedAt = realTime()
  const msw = await findMsw()
  const { id, baseUrl, historyUrl, apiKey, signer } = await admin.createSession({ body: options })
  const change = async (body: Parameters<AdminClient['changeSession']>[0]['body']): Promise<void> => {
    await admin.changeSession({ id, body })
  }
  const advance = (by: string | number): Promise<void> => change({ clock: { advance: by } })
  const readClock = async () => {
    const { at, speed, frozen } = (await admin.getSession({ id })).clock
    return { nowMs: Date.parse(at), speed, frozen }
  }
  const requests = async (filter: RequestFilter = {}): Promise<JournaledRequest[]> => {
    parseOrThrow(filterSchema, filter, 'OPTIONS_INVALID', 'The filter of requests()')
    const { endpoint, status, method } = filter
    const all = await listAllRequests(admin, { id, query: { endpoint } })
    return all
      .filter(entry => (method === undefined ? entry.method !== 'OPTIONS' : entry.method === method.toUpperCase()))
      .filter(entry => status === undefined || entry.status === status)
  }
  const ended = new AbortController()
  const session: ForwardTarget = { baseUrl, historyUrl, apiKey, fetch, signal: ended.signal }
  /** The faults that routes could not show since the scenario was set, with the number of their replies. */
  const hidden = new Map<string, { readonly reason: string; readonly count: number }>()
  const hide = (fault: string, reason: string): void =>
    void hidden.set(fault, { reason, count: (hidden.get(fault)?.count ?? 0) + 1 })
  const elsewhere = (): Promise<readonly Detail[]> => findElsewhere(admin, id, openedAt)

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
      async set(at) {
        assertGiven('clock.set(at)', at, 'ISO 8601 with Z, or seconds since the epoch')
        await change({ clock: { at } })
      },
      async advance(by, options = {}) {
        assertGiven('clock.advance(by)', by, 'a duration such as "2m", or seconds')
        assertNoProblems('OPTIONS_INVALID', 'clock.advance(by, options)', findUnknownKeys(options, ['timers']))
        const timers = options?.timers
        await (timers === undefined ? advance(by) : advanceWithTimers(advance, by, timers))
      },
      freeze: () => change({ clock: { frozen: true } }),
      run: speed => change({ clock: { frozen: false, ...(speed === undefined ? {} : { speed }) } }),
    },
    handlers: urls => createSessionHandlers(session, urls, msw),
    route: (page, urls) => routeToSession(page, session, urls, hide),
    async setScenario(scenario) {
      assertScenario(scenario)
      await change({ scenario })
      hidden.clear()
    },
    endScenario: () => change({ scenario: null }),
    async setPrices(prices) {
      assertGiven('setPrices(prices)', prices, 'prices by feed, such as { BTCUSD: 100.5 }')
      await change({ prices })
    },
    requests,
    async waitForRequests(count, options = {}) {
      parseOrThrow(waitSchema, { ...options, count }, 'OPTIONS_INVALID', 'waitForRequests(count, filter)')
      const { timeoutMs = waitTimeoutMs, ...filter } = options
      for (const deadline = realTime() + timeoutMs; ; await wait(POLL_INTERVAL_MS)) {
        const seen = await requests(filter)
        if (seen.length >= count) return seen
        if (realTime() >= deadline) throw notSeen(count, seen.length, filter, timeoutMs, await elsewhere())
      }
    },
    async expectFaultsFired() {
      const { faults } = await admin.summarizeRequests({ id })
      if (faults.length === 0)
        throw new PriceFeedMockError('FAULTS_NOT_FIRED', 'No fault is planned in this session, so none has fired.', {
          fix: "await priceFeed.setScenario('stale-btc') before, or begin with priceFeedOptions: { scenario }",
        })
      const hitsOf = (name: string): number =>
        faults.filter(({ fault }) => fault === name).reduce((sum, { hits }) => sum + hits, 0)
      const planned = faults.map(one => {
        const unseen = hidden.get(one.fault)
        return { ...one, hidden: unseen !== undefined && unseen.count >= hitsOf(one.fault) ? unseen.reason : undefined }
      })
      const silent = planned.filter(({ hits, hidden }) => hits === 0 || hidden !== undefined)
      if (silent.length > 0) throw notFired(planned, silent.length, await elsewhere())
    },
    timeline: async () => (await admin.showTimeline({ id })).text,
    report: () => admin.reportConsumer({ id }),
    async verdict(body) {
      await admin.addVerdict({ id, body })
    },
  }
  return {
    feed,
    readClock,
    async end() {
      ended.abort()
      await admin.deleteSession({ id })
    },
  }
}

/** Refuses a call without its argument, which JSON would leave out: nothing would change. */
function assertGiven(call: string, value: unknown, want: string): void {
  // A Map would become an empty object on its way.
  if (value === undefined || value instanceof Map)
    assertNoProblems('OPTIONS_INVALID', call, [{ at: 'argument', got: value && 'a Map', want }])
}

/** Maximum number of other sessions that an error looks at. */
const MAX_OTHERS = 20

/** The requests that reached sessions no test has created, such as `default`, since a time: the application may use another address or key. */
async function findElsewhere(admin: AdminClient, own: string, since: number): Promise<Detail[]> {
  const { sessions } = await admin.listSessions()
  const others = sessions.filter(
    ({ id, created, requests }) => id !== own && requests > 0 && (id === 'default' || !created),
  )
  const notes: Detail[] = []
  for (const { id } of others.slice(-MAX_OTHERS)) {
    const requests = await listAllRequests(admin, { id })
    const meanwhile = requests.filter(({ receivedAt, method }) => receivedAt >= since && method !== 'OPTIONS')
    const last = meanwhile.at(-1)
    if (last === undefined) continue
    const newest = `the newest ${last.method} ${last.target} with ${last.status === 0 ? 'no reply' : `status ${last.status}`}`
    notes.push(['note', `${countOf(meanwhile.length, 'request')} went to the session ${id} meanwhile, ${newest}`])
  }
  if (notes.length > 0) notes.push(['fix', FIX_ELSEWHERE])
  return notes
}

const FIX_ELSEWHERE =
  'use baseUrl and apiKey of priceFeed, or its handlers({ baseUrl }) or route(page, { baseUrl }) with the address of your app'

function notSeen(
  want: number,
  got: number,
  filter: RequestFilter,
  timeoutMs: number,
  notes: readonly Detail[],
): PriceFeedMockError {
  const which = Object.entries(filter).flatMap(([key, value]) => (value === undefined ? [] : [`${key} ${value}`]))
  return new PriceFeedMockError('REQUESTS_NOT_SEEN', `${countOf(got, 'request')} in ${timeoutMs} ms, not ${want}.`, {
    details: [['got', String(got)], ['want', [`at least ${want}`, ...which].join(', ')], ...notes],
  })
}

type Planned = readonly (Awaited<ReturnType<AdminClient['summarizeRequests']>>['faults'][number] & {
  /** Why no reply showed it. */
  readonly hidden: string | undefined
})[]

/** The error for faults that were never applied or shown, with a table of all faults. */
function notFired(faults: Planned, silent: number, notes: readonly Detail[]): PriceFeedMockError {
  const width = Math.max(...faults.map(({ fault }) => fault.length))
  const lines = faults.map(({ fault, planned, hits, misses, lastMiss, hidden }): Detail => {
    const shown = hidden === undefined ? '' : `   not shown: ${hidden}`
    const missed = misses === 0 ? 'no endpoint that it acts on was asked' : `${misses} missed, last: ${lastMiss}`
    return ['fault', `${fault.padEnd(width)}  ${planned}: ${countOf(hits, 'hit')}${hits > 0 ? shown : `   ${missed}`}`]
  })
  const shortMessage = `${silent} of ${countOf(faults.length, 'planned fault')} never fired.`
  return new PriceFeedMockError('FAULTS_NOT_FIRED', shortMessage, { details: [...lines, ...notes] })
}

const filterSchema = z.partial(
  z.strictObject({
    endpoint: z.enum(ENDPOINTS.map(({ name }) => name)),
    status: integer(0, 999, 'a status as a number, such as 401, or 0 where none was sent'),
    method: z.string({ error: 'a method such as "GET"' }),
  }),
)
const waitSchema = z.extend(filterSchema, {
  count: integer(0, MAX_JOURNAL_ENTRIES, `a number of requests, such as 1; a journal keeps ${MAX_JOURNAL_ENTRIES}`),
  // Infinity leaves the end to the test.
  timeoutMs: z.optional(z.custom<number>(ms => typeof ms === 'number' && ms >= 0, 'milliseconds, 0 or more')),
})
