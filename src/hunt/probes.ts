// The faults that a hunt tries, all that can act on an endpoint of the consumer, each with several values; and their places in a run:
// windows that are followed by calm, or single requests, so that the consumer meets all of them.
import { canActOn, type Fault, stageOf } from '../faults/fault.js'
import { EVERY_NTH_FAULTS } from '../faults/options.js'
import type { EndpointUse, Profile } from './profile.js'
import type { HuntFault } from './types.js'
import { toDuration, valuesOf } from './values.js'

/** A fault with options, and the endpoints to try it on. */
export interface Probe {
  readonly fault: Fault
  readonly options: HuntFault['options']
  /** Endpoints of the consumer on which the fault can act. */
  readonly endpoints: readonly string[]
  /** Feeds that its options are for; undefined for any. */
  readonly feeds?: readonly string[]
  /** Its number among the values of its fault for these endpoints, from 0. */
  readonly round: number
}

/**
 * The names of the faults that a consumer can never meet.
 * @param others endpoints that it asks in trouble only
 */
export const leftOutOf = (faults: readonly Fault[], profile: Profile, others: readonly string[] = []): string[] =>
  faults
    .filter(fault => endpointsOf(fault, profile).length === 0 && !others.some(one => canActOn(fault, one)))
    .map(({ name }) => name)

/**
 * All probes, those of the first values first.
 * @param frequent endpoints that are tried together; any other has probes of its own
 */
export function probesOf(faults: readonly Fault[], profile: Profile, frequent: readonly string[]): Probe[] {
  const probes = faults.flatMap(fault => {
    const endpoints = endpointsOf(fault, profile)
    const together = endpoints.filter(one => frequent.includes(one))
    const groups = [together, ...endpoints.filter(one => !frequent.includes(one)).map(one => [one])]
    const chosen = stageOf(fault) === 'market' ? [endpoints] : groups
    const values = valuesOf(fault, profile)
    return chosen.flatMap(group => {
      const own = values.map(
        ({ endpoints: only = group, ...rest }) => [group.filter(one => only.includes(one)), rest] as const,
      )
      return own
        .filter(([endpoints]) => endpoints.length > 0)
        .map(([endpoints, { feeds, ...options }], round) => ({
          fault,
          options,
          endpoints,
          round,
          ...(feeds === undefined ? {} : { feeds }),
        }))
    })
  })
  return probes.sort((a, b) => a.round - b.round)
}

function endpointsOf(fault: Fault, { endpoints }: Profile): string[] {
  const isOfOrder = fault.name.startsWith('signature/batch-')
  return endpoints
    .filter(({ endpoint, feeds }) => canActOn(fault, endpoint) && (!isOfOrder || feeds.length > 1))
    .map(({ endpoint }) => endpoint)
}

/** Whether it may last: an outage, or a fault of the market. Others concern single replies. */
export const isLasting = ({ fault }: Probe): boolean =>
  /^(market|wire)$/.test(stageOf(fault)) || /^reply\/(status|latency|rate-limit)$/.test(fault.name)

/** Whether a consumer rightly keeps quiet for a while after it. */
const isFollowedByQuiet = ({ fault, options }: Probe): boolean =>
  fault.name === 'reply/rate-limit' || options?.retryAfter !== undefined || /^4(01|29)$/.test(String(options?.status))

/** The fault of a scenario for a probe. Selectors that its stage does not take are left out. */
export function toFault({ fault, options, feeds }: Probe, selectors: Omit<HuntFault, 'fault' | 'options'>): HuntFault {
  const { requests, endpoints, ...others } = selectors
  const stage = stageOf(fault)
  return {
    fault: fault.name,
    ...others,
    ...(feeds === undefined ? {} : { feeds }),
    ...(endpoints === undefined || stage === 'market' || stage === 'series' ? {} : { endpoints }),
    ...(requests === undefined || stage === 'market' ? {} : { requests }),
    ...(options === undefined || Object.keys(options).length === 0 ? {} : { options }),
  }
}

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
 * @param first 2 for even requests, 3 for odd ones: a consumer may ask for two feeds in turn
 */
export function requestSlotsOf(profile: Profile, first: 2 | 3): Slots {
  const { endpoints } = profile
  const most = Math.min(MAX_REQUESTS, Math.floor(MAX_REQUESTS_OF_ALL / endpoints.length))
  const slotsFor = (use: EndpointUse): Slot[] =>
    use.requests <= FEW_REQUESTS ? requestSlots(profile, use, most, 2, 1) : requestSlots(profile, use, most, first)
  return { slots: endpoints.flatMap(slotsFor), frequent: [] }
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
