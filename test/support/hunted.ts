// A consumer to hunt, as arithmetic: it polls at fixed times and fails as soon as it meets certain faults. No mock answers it.
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { canActOn, stageOf } from '../../src/faults/fault.js'
import { FAULTS } from '../../src/faults/index.js'
import type { HuntFault, HuntRequest, HuntRun, HuntScenario } from '../../src/hunt/hunt.js'
import { parseDuration } from '../../src/settings/time.js'

/** How often it asks an endpoint, in seconds. */
export type Polls = Readonly<Record<string, number>>

const secondsOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : (parseDuration(text)?.seconds ?? 0)

/** The endpoints that each fault can act on. */
const REACH = new Map<string, ReadonlySet<string>>(
  FAULTS.map(fault => [fault.name, new Set(ENDPOINTS.map(({ name }) => name).filter(name => canActOn(fault, name)))]),
)

/** Whether a fault is applied to a request, as far as the hunt plans it. `earlier` are the times of those before it. */
type IsHit = (request: HuntRequest, earlier: readonly number[]) => boolean

function toIsHit(one: HuntFault, index: number): IsHit {
  const fault = FAULTS.find(({ name }) => name === one.fault)!
  const isCounted = stageOf(fault) !== 'market'
  const reach = REACH.get(one.fault)!
  const [from = 0, length = Number.POSITIVE_INFINITY, repeat = Number.POSITIVE_INFINITY] = [
    secondsOf(one.from),
    secondsOf(one.for),
    secondsOf(one.repeat),
  ]
  return ({ at, endpoint }, earlier) => {
    const passed = at / 1000 - from
    const inWindow = repeat === Number.POSITIVE_INFINITY ? passed : passed % repeat
    if (passed < 0 || inWindow >= length || !reach.has(endpoint!)) return false
    if (one.endpoints !== undefined && !one.endpoints.includes(endpoint!)) return false
    const { requests, chance } = one
    // As in a session, another place in the list is another choice.
    if (chance !== undefined) return ((earlier.length + 1) * (7 + 2 * index)) % 100 < chance * 100
    if (requests === undefined || !isCounted) return true
    const ordinal = earlier.filter(time => time >= at - inWindow * 1000).length + 1
    if (typeof requests === 'string') return requests.split(',').includes(String(ordinal))
    return 'first' in requests ? ordinal <= requests.first : ordinal % requests.every === 0
  }
}

const FEEDS = ['BTCUSD', 'ETHUSD']
/** The virtual time of a run. */
const SECONDS = 120
const USUAL: Polls = { batch: 2, candles: 10 }

/** The requests of a consumer that meets no fault, in their order, by its polls. */
const PLANS = new WeakMap<Polls, readonly Omit<HuntRequest & { endpoint: string }, 'faults'>[]>()
function planOf(polls: Polls) {
  const plan =
    PLANS.get(polls) ??
    Object.entries(polls)
      .flatMap(([endpoint, every]) =>
        Array.from({ length: Math.ceil(SECONDS / every) }, (_, i) => ({
          at: i * every * 1000,
          endpoint,
          // A batch names both; others ask for one after the other.
          feeds: endpoint === 'batch' ? FEEDS : [FEEDS[i % 2]!],
          status: 200,
          ordinal: i + 1,
        })),
      )
      .sort((a, b) => a.at - b.at)
  PLANS.set(polls, plan)
  return plan.map(request => ({ ...request, faults: [] as string[] }))
}

/**
 * Runs the consumer.
 * @param fails the output of its failure for the faults that one reply has; undefined if it goes on
 */
export function runHunted(
  scenario: HuntScenario,
  fails: (faults: readonly HuntFault[], request: HuntRequest) => string | undefined,
  polls: Polls = USUAL,
): HuntRun {
  const requests = planOf(polls)
  const areHits = scenario.faults.map(toIsHit)
  const hits = scenario.faults.map(() => 0)
  const times = new Map(Object.keys(polls).map(endpoint => [endpoint, [] as number[]]))
  for (const [i, request] of requests.entries()) {
    const earlier = times.get(request.endpoint)!
    const met = scenario.faults.filter((_, n) => {
      const hit = areHits[n]!(request, earlier)
      if (hit) hits[n]!++
      return hit
    })
    earlier.push(request.at)
    request.faults.push(...met.map(({ fault }) => fault))
    const output = fails(met, request)
    if (output !== undefined) return { failed: true, output, requests: requests.slice(0, i + 1), hits, ms: request.at }
  }
  return { failed: false, output: '', requests, hits, ms: SECONDS * 1000 }
}
