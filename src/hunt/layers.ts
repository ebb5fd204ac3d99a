// Packs of faults for one run, each in a window of its own that is followed by calm, so that the consumer meets all of them.
// And built-in scenarios, fitted to a run: a part that lasts longer than the consumer would never be met as a whole.
import { type Fault, stageOf } from '../faults/fault.js'
import { EVERY_NTH_FAULTS } from '../faults/options.js'
import { toFeedKey } from '../market/feeds.js'
import { endOf, isFollowedByQuiet, type Probe, probesOf, secondsOf, toDuration, toFault } from './probes.js'
import type { EndpointUse, Profile } from './profile.js'
import type { HuntFault, HuntScenario, Trial } from './types.js'

const MAX_WINDOWS = 10
/** Requests in a window and in the calm after it. */
const REQUESTS_PER_WINDOW = 4

/** A place for a fault: a window of time, or a request of an endpoint that is asked seldom. */
interface Slot {
  readonly selectors: Pick<HuntFault, 'from' | 'for' | 'requests' | 'endpoints'>
  /** The endpoint for which it is; undefined for all that are asked often. */
  readonly endpoint: string | undefined
}

/** The slots of a run, in the order of time. */
export type Slots = Readonly<ReturnType<typeof slotsOf>>

/** Maximum number of disturbed requests of an endpoint in a run, and of all. */
const MAX_REQUESTS = 20
const MAX_REQUESTS_OF_ALL = 60
/** Requests up to which an endpoint is asked so seldom that all but the first are disturbed. */
const FEW_REQUESTS = 8

/**
 * The slots of single requests: every second one of each endpoint is disturbed, which is twice as many as windows can be. One bad
 * reply is enough for a consumer that breaks on it.
 */
export function requestSlotsOf(profile: Profile): Slots {
  const { endpoints } = profile
  const most = Math.min(MAX_REQUESTS, Math.floor(MAX_REQUESTS_OF_ALL / endpoints.length))
  const stepOf = ({ requests }: EndpointUse): number => (requests <= FEW_REQUESTS ? 1 : 2)
  return { slots: endpoints.flatMap(use => requestSlots(profile, use, most, 2, stepOf(use))), frequent: [] }
}

/** Slots for the requests of an endpoint from one on, every second one by default, or for its only one. */
function requestSlots(
  { endpoints }: Profile,
  { endpoint, requests }: EndpointUse,
  most: number,
  first: number,
  step = 2,
): Slot[] {
  const count = Math.max(1, Math.min(most, Math.floor((requests + 1 - first) / step) || 0))
  return Array.from({ length: count }, (_, i) => ({
    selectors: {
      ...(endpoints.length > 1 && { endpoints: [endpoint] }),
      requests: String(requests < 2 ? 1 : step * i + first),
    },
    endpoint,
  }))
}

/**
 * The slots that fit a consumer.
 * @param isEarly whether windows begin with the first request, and not after some calm
 */
export function slotsOf(profile: Profile, isEarly: boolean) {
  const { start, seconds, endpoints } = profile
  const most = endpoints[0]?.requests ?? 0
  const count = Math.min(MAX_WINDOWS, Math.floor(most / REQUESTS_PER_WINDOW), Math.floor(seconds / 2))
  const width = seconds / count
  const windows = Array.from({ length: count < 2 ? 0 : count }, (_, i): Slot => {
    const from = Math.round(start + width * (isEarly ? i : i + 0.4))
    const selectors = { ...(from > 0 ? { from: toDuration(from) } : {}), for: toDuration(Math.ceil(width / 2)) }
    return { selectors, endpoint: undefined }
  })
  const isRare = ({ requests, interval }: EndpointUse): boolean => requests < 2 * count || interval > width / 2
  const rare = endpoints.filter(use => windows.length === 0 || isRare(use))
  const single = rare.flatMap(use => requestSlots(profile, use, MAX_WINDOWS, isEarly ? 1 : 2))
  /** Endpoints that are asked often enough for windows of time. */
  const frequent: readonly string[] = endpoints.filter(use => !rare.includes(use)).map(({ endpoint }) => endpoint)
  return { slots: [...windows, ...single], frequent }
}

function fits({ fault, endpoints }: Probe, { endpoint }: Slot, frequent: readonly string[]): boolean {
  if (stageOf(fault) === 'market') return endpoint === undefined
  return endpoint === undefined ? endpoints.some(one => frequent.includes(one)) : endpoints.includes(endpoint)
}

/** A probe in its place. */
export interface Placed {
  readonly probe: Probe
  readonly fault: HuntFault
}

/** Maximum number of probes in a slot, and in a run: a scenario has at most 100 faults, and the market may move under them. */
export const MAX_TOGETHER = 4
const MAX_PLACED = 90

/** Whether a fault changes one candle in several, and leaves the others to faults like it. */
const isOfSomeCandles = ({ fault, options }: Probe): boolean =>
  EVERY_NTH_FAULTS.some(name => name === fault.name) && options?.every === undefined

/** Whether a fault concerns one feed alone. The signature of a batch covers all of its feeds. */
export const isOfOneFeed = ({ fault, endpoints }: Probe): boolean =>
  (endpoints.includes('batch') ? /^(market|tick)$/ : /^(market|tick|signature)$/).test(stageOf(fault))

/** Whether two probes can share a slot: each has candles or, where each gets one, a feed of its own. */
function areApart(a: Probe, b: Probe, hasFeeds: boolean): boolean {
  if (a.fault === b.fault) return false
  return [a, b].every(isOfSomeCandles) || (hasFeeds && [a, b].every(isOfOneFeed))
}

/**
 * Takes probes out of a queue and places them, one in each slot and beside it others that do not hide it. Those after which a consumer
 * keeps quiet come last.
 * @param feeds the feeds in turn, where each probe gets one
 * @param together the maximum number of probes in a slot: a consumer that refuses a chart for one candle does not see the others
 */
export function fillSlots(
  queue: Probe[],
  { slots, frequent }: Slots,
  feeds: readonly string[] = [],
  together = MAX_TOGETHER,
): Placed[] {
  const kinds = [...new Set(slots.map(({ endpoint }) => endpoint))]
  const most = feeds.length === 0 ? together : Math.min(together, feeds.length)
  let room = MAX_PLACED
  return kinds.flatMap(kind => {
    const own = slots.filter(({ endpoint }) => endpoint === kind)
    const groups: Probe[][] = []
    const isOpenTo = (probe: Probe) => (group: readonly Probe[]) =>
      group.length < most && group.every(other => areApart(probe, other, feeds.length > 0))
    for (const probe of queue.filter(one => fits(one, own[0]!, frequent))) {
      if (room === 0) break
      const group = groups.length < own.length ? groups[groups.push([]) - 1] : groups.find(isOpenTo(probe))
      if (group?.push(probe)) room--
    }
    const taken = new Set(groups.flat())
    queue.splice(0, queue.length, ...queue.filter(probe => !taken.has(probe)))
    const isQuiet = (group: readonly Probe[]): boolean => group.some(isFollowedByQuiet)
    const sorted = [...groups.filter(group => !isQuiet(group)), ...groups.filter(isQuiet)]
    return sorted.flatMap((group, i) =>
      group.map((probe, j) => {
        const feed = feeds[(i + j) % feeds.length]
        const selectors = { ...own[i]!.selectors, ...(feed === undefined ? {} : { feeds: [feed] }) }
        return { probe, fault: toFault(probe, selectors) }
      }),
    )
  })
}

/** Faults whose options hold for the price of their feed. */
const PRICED = /^market\/(path|price)$/

/**
 * A scenario for a consumer of other feeds: each feed that it does not ask for is replaced by one that it asks for and the scenario
 * does not name. Faults that have no feed then are left out.
 */
export function toFeedsOf(scenario: HuntScenario, { feeds }: Profile): HuntScenario {
  const named = [...new Set(scenario.faults.flatMap(fault => fault.feeds ?? []).map(toFeedKey))]
  const others = feeds.filter(feed => !named.includes(feed))
  const unasked = named.filter(feed => !feeds.includes(feed))
  const toOwn = (id: string): string[] => {
    const at = unasked.indexOf(toFeedKey(id))
    return at < 0 ? [id] : others.slice(at, at + 1)
  }
  const faults = scenario.faults.flatMap((fault): HuntFault[] => {
    if (feeds.length === 0 || fault.feeds === undefined || PRICED.test(fault.fault)) return [fault]
    const own = fault.feeds.flatMap(toOwn)
    return own.length === 0 ? [] : [{ ...fault, feeds: own }]
  })
  return { ...scenario, faults }
}

const TIMES = ['from', 'for', 'repeat'] as const

/**
 * A scenario as one or more that fit into a run. Windows become shorter, but not shorter than two requests; where that is not enough,
 * each of the scenarios gets some of the faults.
 */
export function adaptScenario(scenario: HuntScenario, { start, seconds, endpoints }: Profile): HuntScenario[] {
  const { loop, faults } = scenario
  // A run without time has no windows.
  if (seconds < 2)
    return faults.map(({ from, for: _, repeat, ...fault }) => ({ ...withoutLoop(scenario), faults: [fault] }))
  const whole = loop === undefined ? Math.max(0, ...faults.map(endOf)) : secondsOf(loop)
  if (whole <= start + seconds) return [scenario]
  const windows = faults.flatMap(one => (one.for === undefined ? [] : secondsOf(one.for)))
  const factor = seconds / whole
  const least = Math.max(1, 2 * Math.min(...endpoints.map(({ interval }) => interval), seconds / 2))
  const shortest = Math.min(...windows) * factor
  // Faults in the order of their windows, as many in a run as have room.
  const parts = shortest >= least ? 1 : Math.min(faults.length, Math.ceil(least / shortest))
  return Array.from({ length: parts }, (_, part) => {
    const size = Math.ceil(faults.length / parts)
    const own = faults.slice(part * size, (part + 1) * size)
    const first = Math.min(...own.map(({ from }) => secondsOf(from)))
    const length = parts === 1 ? whole : Math.max(...own.map(endOf)) - first
    const scale = (text: string, less = 0): string => toDuration((secondsOf(text) - less) * (seconds / length))
    const fitted = own.map(fault => {
      const times = Object.fromEntries(
        TIMES.flatMap(key => (fault[key] === undefined ? [] : [[key, scale(fault[key], key === 'from' ? first : 0)]])),
      )
      // The pauses that replies ask for become shorter as well, or the consumer would miss what comes next.
      const { retryAfter } = fault.options ?? {}
      const pause = (text: string): number => Math.min(secondsOf(text), Math.max(secondsOf(scale(text)), seconds / 8))
      const options = typeof retryAfter === 'string' && {
        options: { ...fault.options, retryAfter: toDuration(pause(retryAfter)) },
      }
      const next = { ...fault, ...times, ...options }
      // Rounding must not make a window longer than its repetition.
      if (next.repeat !== undefined && secondsOf(next.for) > secondsOf(next.repeat)) next.for = next.repeat
      return next
    })
    return { ...withoutLoop(scenario), faults: fitted }
  }).filter(({ faults }) => faults.length > 0)
}

const withoutLoop = ({ loop, ...scenario }: HuntScenario): HuntScenario => scenario

/**
 * Parts of built-in scenarios in the order in which they add the most kinds of faults, without those that the consumer cannot meet.
 */
export function builtInTrials(
  scenarios: Readonly<Record<string, HuntScenario>>,
  faults: readonly Fault[],
  profile: Profile,
): Trial[] {
  const canMeet = new Set<string>(probesOf(faults, profile, []).map(({ fault }) => fault.name))
  // A fault that stays is another one than the same in a window.
  const idOf = ({ fault, options, for: length, chance, requests }: HuntFault): string =>
    `${fault} ${JSON.stringify(options)} ${(length ?? chance ?? requests) === undefined}`
  const left = Object.entries(scenarios).flatMap(([label, scenario]) => {
    const faults = toFeedsOf(scenario, profile).faults.filter(({ fault }) => canMeet.has(fault))
    const parts = faults.length === 0 ? [] : adaptScenario({ ...scenario, faults }, profile)
    return parts.map(part => ({ trial: { label, scenario: part }, unseen: new Set(part.faults.map(idOf)) }))
  })
  const order: Trial[] = []
  while (left.length > 0) {
    const best = left.reduce((a, b) => (b.unseen.size > a.unseen.size ? b : a))
    left.splice(left.indexOf(best), 1)
    for (const id of best.unseen) for (const other of left) other.unseen.delete(id)
    order.push(best.trial)
  }
  return order
}
