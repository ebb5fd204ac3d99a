// A consumer to hunt, as arithmetic: it polls at fixed times and fails as soon as it meets certain faults. No mock answers it.
import { canActOn, stageOf } from '../../src/faults/fault.js'
import { FAULTS } from '../../src/faults/index.js'
import type { HuntFault, HuntRequest, HuntRun, HuntScenario } from '../../src/hunt/hunt.js'
import { parseDuration } from '../../src/settings/time.js'

/** How often it asks an endpoint, in seconds. */
export type Polls = Readonly<Record<string, number>>

const secondsOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : (parseDuration(text)?.seconds ?? 0)

/** Whether a fault is applied to a request, as far as the hunt plans it. `earlier` are the times of those before it. */
type IsHit = (request: HuntRequest, earlier: readonly number[]) => boolean

function toIsHit(one: HuntFault, index: number): IsHit {
  const fault = FAULTS.find(({ name }) => name === one.fault)!
  const isCounted = stageOf(fault) !== 'market'
  const [from = 0, length = Number.POSITIVE_INFINITY, repeat = Number.POSITIVE_INFINITY] = [
    secondsOf(one.from),
    secondsOf(one.for),
    secondsOf(one.repeat),
  ]
  return ({ at, endpoint }, earlier) => {
    const passed = at / 1000 - from
    const inWindow = passed % repeat
    if (passed < 0 || inWindow >= length || !canActOn(fault, endpoint!)) return false
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

/**
 * Runs the consumer.
 * @param fails the output of its failure for the faults that one reply has; undefined if it goes on
 */
export function runHunted(
  scenario: HuntScenario,
  fails: (faults: readonly HuntFault[], request: HuntRequest) => string | undefined,
  polls: Polls = { batch: 2, candles: 10 },
  seconds = 120,
): HuntRun {
  const requests = Object.entries(polls)
    .flatMap(([endpoint, every]) =>
      Array.from({ length: Math.ceil(seconds / every) }, (_, i) => ({
        at: i * every * 1000,
        endpoint,
        feeds: endpoint === 'batch' ? ['BTCUSD', 'ETHUSD'] : ['BTCUSD'],
        status: 200,
        ordinal: i + 1,
        faults: [] as string[],
      })),
    )
    .sort((a, b) => a.at - b.at)
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
  return { failed: false, output: '', requests, hits, ms: seconds * 1000 }
}
