// Scenarios on every host: the same requests at the same times have the same results, failures included. Differences between hosts
// must be those of docs/hosts.md.
import { beforeAll, expect, inject, it, vi } from 'vitest'
import type * as Timers from '../../src/hosts/real-time.js'
import { createMock } from '../../src/index.js'
import { KEY } from '../support/ask.js'
import type { Asked, Experience, FallibleHost, HostKind } from '../support/hosts/host.js'
import { waited } from '../support/hosts/waited.js'
import { AT, describeHosts, HOSTS, REFERENCE } from '../support/hosts.js'

// Hosts record their waits instead of waiting, so that tests compare exact milliseconds. The page of the worker does the same.
vi.mock('../../src/hosts/real-time.js', async importOriginal => {
  const { hurried } = await import('../support/hosts/waited.js')
  return hurried(await importOriginal<typeof Timers>())
})

/** Seconds of the scenario at which all requests are sent. */
const TIMES = [0, 15, 35, 65, 85, 125]
const CHART = 'feeds-data?feedids=btcusd,ethusd&feed=btcusd&type=1&interval=1m'
const ENDPOINTS = [
  '/prices/BTCUSD/latest',
  '/prices/batch?feedIds=BTCUSD,ETHUSD,SOLUSD,USDCUSD,EURUSD',
  '/prices/queryHistory?feedIds=BTCUSD,ETHUSD&minutes=5',
  '/prices/evm/crypto?feedIds=BTCUSD,SOLUSD,USDCUSD,XAUUSD',
  `/charting/${CHART}`,
]
type Request = readonly [method: string, path: string, headers: Asked['headers']]
const REQUESTS: readonly Request[] = [
  ...ENDPOINTS.map(path => ['GET', path, KEY] as const),
  ['GET', `/trading-view/${CHART}`, KEY],
  ['GET', '/prices/NOUSD/latest', KEY],
  ['GET', '/prices/batch', KEY],
  ...ENDPOINTS.map(path => ['HEAD', path, KEY] as const),
  ...ENDPOINTS.map(path => ['GET', path, {}] as const),
]
/** Requests that no fault affects, sent before and after the first move of the clock. */
const UNTOUCHED: readonly Request[] = [
  ...ENDPOINTS.map(path => ['OPTIONS', path, {}] as const),
  ...ENDPOINTS.map(path => ['POST', path, KEY] as const),
]
const requestsAt = (time: number): readonly Request[] => (time <= 15 ? [...REQUESTS, ...UNTOUCHED] : REQUESTS)

/** A request, its result, and the real milliseconds of its waits. */
type Step = { readonly what: string; readonly seen: Experience; readonly waits: readonly number[] }
interface Walk {
  readonly steps: readonly Step[]
  /** The journal, but for its measured times. */
  readonly journal: readonly object[]
}

/** Enough candles for every fault of a series, few enough for hundreds of charts. */
const SETTINGS = { clock: { at: AT, frozen: true }, policy: { candles: 60 } }
const SESSION = '/_mock/sessions/default'

/** Sends all requests at all times. Where the reference got silence, the request is aborted after it was served. */
async function walk(host: FallibleHost, reference?: Walk): Promise<Walk> {
  const steps: Step[] = []
  waited.length = 0
  for (const [i, time] of TIMES.entries()) {
    const advance = { clock: { advance: time - (TIMES[i - 1] ?? 0) } }
    if (i > 0) await host.request(SESSION, { method: 'PATCH', headers: JSON_BODY, body: JSON.stringify(advance) })
    for (const [method, path, headers = {}] of requestsAt(time)) {
      const isSilent = reference?.steps[steps.length]?.seen.kind === 'silence'
      const ask = isSilent ? giveUpOnceServed(steps.length + 1) : host.experience
      const seen = await ask.call(host, path, { method, headers })
      steps.push({ what: `${time} s: ${method} ${path} ${steps.length}`, seen, waits: waited.splice(0) })
    }
  }

  /** Sends a request and aborts it when the journal has this many: the mock has served it without a reply. */
  function giveUpOnceServed(count: number): FallibleHost['experience'] {
    return async (path, asked) => {
      const caller = new AbortController()
      const experience = host.experience(path, { ...asked, signal: caller.signal })
      let isOver = false
      experience.then(() => (isOver = true))
      while (!isOver && (await journalOf(host, count - 1)).length === 0);
      caller.abort()
      return experience
    }
  }
  return { steps, journal: await journalOf(host) }
}

const JSON_BODY = { 'content-type': 'application/json' }

/** The entries of the journal after one of them. */
async function journalOf(host: FallibleHost, after = 0): Promise<object[]> {
  const { requests } = JSON.parse((await host.request(`${SESSION}/requests?after=${after}`)).body)
  return requests.map(({ receivedAt: _received, durationMs: _took, ...entry }: Record<string, unknown>) => entry)
}

/** Failures of hosts (docs/hosts.md): errors without a reply and of a truncated body, and whether its part arrives completely. */
const FAILS: Readonly<Record<string, { nothing: string; broken: string; partComes: boolean }>> = {
  http: { nothing: 'ECONNRESET', broken: 'ECONNRESET', partComes: true },
  express: { nothing: 'ECONNRESET', broken: 'ECONNRESET', partComes: true },
  fetch: { nothing: 'TypeError: fetch failed', broken: 'TypeError: terminated', partComes: true },
  msw: { nothing: 'TypeError: Failed to fetch', broken: 'TypeError: terminated', partComes: false },
  worker: { nothing: 'TypeError: Failed to fetch', broken: 'TypeError: network error', partComes: false },
}

/** The expected result on a host for a result in process. `seen` is the actual one. */
function dueOn({ name }: HostKind, due: Experience, seen: Experience): Experience {
  if (name === REFERENCE.name) return due
  const { nothing, broken, partComes } = FAILS[name]!
  if (due.kind === 'nothing') return { ...due, error: nothing }
  if (due.kind === 'broken') {
    const part = seen.kind === 'broken' && due.body.startsWith(seen.body) ? seen.body : due.body
    return { ...due, error: broken, body: partComes ? due.body : part }
  }
  if (due.kind !== 'reply') return due
  // These clients follow a redirect. Nothing is there, and each says so in its own words.
  const isFollowed = due.headers.location !== undefined && ['fetch', 'msw', 'worker'].includes(name)
  if (isFollowed) return { kind: 'nothing', error: seen.kind === 'nothing' ? seen.error : nothing }
  const isClosed = due.headers['access-control-allow-origin'] === undefined
  return isClosed && name === 'worker' ? { kind: 'nothing', error: nothing } : due
}

/** Outcomes of no built-in scenario: each ordinal of each endpoint has another one. */
const OUTCOMES = {
  faults: [
    { fault: 'wire/timeout', requests: '1', options: { closeAfterMs: 30_000 } },
    { fault: 'wire/truncate', requests: '2', options: { fraction: 0.999 } },
    { fault: 'wire/truncate', requests: '3', options: { fraction: 0 } },
    { fault: 'reply/latency', requests: '3,6,15', options: { ms: 60_000, jitterMs: 5000 } },
    { fault: 'wire/dribble', requests: '4', options: { pieces: 7, everyMs: 9000 } },
    { fault: 'reply/no-cors', requests: '5' },
    // No redirect: msw in Node follows one that has no Location as well, to ".../null".
    ...[204, 205, 300, 304, 500, 599].map((status, i) => ({
      fault: 'reply/status',
      requests: String(6 + i),
      options: { status },
    })),
    { fault: 'wire/truncate', requests: '12' },
    { fault: 'wire/reset', requests: '13' },
    { fault: 'wire/timeout', requests: '14' },
    { fault: 'wire/refused', requests: '15' },
  ],
}
/** Built-in scenarios that a host could distort: replies that are late, break off, never come, or have unusual bodies or candles. */
const WIRE_SCENARIOS = [
  'calm',
  'chaos',
  'flaky-network',
  'silence',
  'slow-network',
  'odd-bodies',
  'proxy-error-page',
  'candle-pathologies',
]
// The worker takes seconds for each, and handles the others as msw in Node does.
const isWorker = inject('workerHost') !== undefined
const BUILT_IN = inject('isFull') && !isWorker ? createMock().scenarios.names : WIRE_SCENARIOS
const IN_SHORT_RUN = isWorker ? ['outcomes'] : [...WIRE_SCENARIOS, 'outcomes']
const ALL_SCENARIOS = { ...Object.fromEntries(BUILT_IN.map(name => [name, name])), outcomes: OUTCOMES }
const SCENARIOS = Object.fromEntries(
  Object.entries(ALL_SCENARIOS).filter(([name]) =>
    inject('isRest') ? !IN_SHORT_RUN.includes(name) : inject('isFull') || IN_SHORT_RUN.includes(name),
  ),
)
const references = new Map<string, Walk>()

beforeAll(async () => {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    const host = await REFERENCE.start({ ...SETTINGS, scenario: scenario as never })
    references.set(name, await walk(host))
    await host.stop()
  }
})

it('default: the scenarios have every kind of result, and waits', () => {
  const steps = [...references.values()].flatMap(walk => walk.steps)
  const count = (kind: Experience['kind']) => steps.filter(({ seen }) => seen.kind === kind).length
  expect(steps).toHaveLength(references.size * TIMES.flatMap(requestsAt).length)
  expect(count('reply')).toBeGreaterThan(steps.length * (isWorker ? 0.6 : BUILT_IN === WIRE_SCENARIOS ? 0.8 : 0.9))
  // The scenarios that `npm test` has run have these.
  if (inject('isRest')) return
  for (const kind of ['nothing', 'broken', 'silence'] as const)
    expect(count(kind), kind).toBeGreaterThan(isWorker ? 4 : 5)
  expect(steps.flatMap(({ waits }) => waits).length).toBeGreaterThan(isWorker ? 40 : 100)
})

/** The hosts that are compared with the reference. */
const OTHERS = HOSTS.filter(({ name }) => name !== REFERENCE.name)
/** After `npm test`, which has had the hosts' own part in all, each of the other scenarios takes its turn on one of the hosts. */
const isItsTurn = (kind: HostKind, index: number): boolean =>
  !inject('isRest') || (kind.name === REFERENCE.name ? index === 0 : OTHERS[index % OTHERS.length] === kind)

describeHosts('scenarios', (start, kind) => {
  it.each(Object.entries(SCENARIOS).filter((_, i) => isItsTurn(kind, i)))('behavior: %s', async (name, scenario) => {
    const host = start({ ...SETTINGS, scenario: scenario as never })
    const reference = references.get(name)!
    const { steps, journal } = await walk(host, reference)
    for (const [i, { what, seen, waits }] of steps.entries()) {
      const due = reference.steps[i]!
      expect({ seen, waits }, what).toEqual({ seen: dueOn(kind, due.seen, seen), waits: due.waits })
    }
    expect(journal).toEqual(reference.journal)
  })
})
