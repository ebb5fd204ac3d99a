// Packs of faults for one run, each in a window of its own that is followed by calm, so that the consumer meets all of them.
import { stageOf } from '../faults/fault.js'
import { isFollowedByQuiet, type Probe, toFault } from './probes.js'
import type { EndpointUse, Profile } from './profile.js'
import type { HuntFault } from './types.js'
import { toDuration } from './values.js'

/** Maximum number of windows in a run. */
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
export interface Slots {
  readonly slots: readonly Slot[]
  /** Endpoints that are asked often enough for windows of time. */
  readonly frequent: readonly string[]
}

/**
 * The slots that fit a consumer.
 * @param isEarly whether windows begin with the first request, and not after some calm
 */
export function slotsOf({ start, seconds, endpoints }: Profile, isEarly: boolean): Slots {
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
  const single = rare.flatMap(({ endpoint, requests }) =>
    Array.from({ length: Math.max(1, Math.min(MAX_WINDOWS, Math.floor(requests / 2))) }, (_, i): Slot => {
      const which = requests < 2 ? 1 : 2 * i + (isEarly ? 1 : 2)
      return { selectors: { endpoints: [endpoint], requests: String(which) }, endpoint }
    }),
  )
  const frequent = endpoints.filter(use => !rare.includes(use)).map(({ endpoint }) => endpoint)
  return { slots: [...windows, ...single], frequent }
}

/** Whether a probe can be placed in a slot. */
function fits({ fault, endpoints }: Probe, { endpoint }: Slot, frequent: readonly string[]): boolean {
  if (stageOf(fault) === 'market') return endpoint === undefined
  return endpoint === undefined ? endpoints.some(one => frequent.includes(one)) : endpoints.includes(endpoint)
}

/** A probe in its place. */
export interface Placed {
  readonly probe: Probe
  readonly fault: HuntFault
}

/**
 * Takes probes out of a queue and places them, at most one in each slot. Those after which a consumer keeps quiet come last.
 * @param feedsOf the feeds of a probe; undefined for all
 */
export function fillSlots(
  queue: Probe[],
  { slots, frequent }: Slots,
  feedsOf: (i: number) => readonly string[] | undefined = () => undefined,
): Placed[] {
  const kinds = [...new Set(slots.map(({ endpoint }) => endpoint))]
  return kinds.flatMap(kind => {
    const own = slots.filter(({ endpoint }) => endpoint === kind)
    const taken: Probe[] = []
    for (let i = 0; i < queue.length && taken.length < own.length; ) {
      if (fits(queue[i]!, own[0]!, frequent)) taken.push(...queue.splice(i, 1))
      else i++
    }
    const sorted = [...taken.filter(one => !isFollowedByQuiet(one)), ...taken.filter(isFollowedByQuiet)]
    return sorted.map((probe, i) => {
      const feeds = feedsOf(i)
      return { probe, fault: toFault(probe, { ...own[i]!.selectors, ...(feeds === undefined ? {} : { feeds }) }) }
    })
  })
}
