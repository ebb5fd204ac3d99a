// The faults that are still to be tried, in queues by the kind of pack that takes them, the likeliest first.
import { canActOn, type Fault, stageOf } from '../faults/fault.js'
import { hashText, scatter } from '../market/random.js'
import { familyOf } from './causes.js'
import { isLasting, isOfOneFeed, type Placed, type Probe, probesOf } from './probes.js'
import type { EndpointUse, Profile } from './profile.js'

/** The queues whose first is what was in the fewest packs. */
const RANKED = ['plain', 'moving', 'one feed', 'requests', 'feeds for long'] as const

/** The queues by kind. */
export type Waiting = Record<
  (typeof RANKED)[number] | 'lasting' | 'beside' | 'feed beside' | 'seldom' | 'down' | 'in trouble' | 'single',
  Probe[]
>

/** Faults that pass unchecked at an endpoint that is asked seldom, the likeliest first. */
const SELDOM_CHECKED = (
  'tick/missing-feed signature/truncated signature/other-feed tick/ts-skew tick/ts-backwards series/late-revision ' +
  'signature/tampered-price tick/wrong-expo tick/other-expo reply/missing-field reply/high-low-swapped ' +
  'series/time-unit reply/numbers-as-strings series/null-values series/time-skew series/high-below-low'
).split(' ')
/** Requests up to which an endpoint is asked so seldom that what it leads to may need a run that is calm otherwise. */
export const SELDOM = 5

/** Sorts a list by chance, the same for the same seed. */
function shuffled<T>(list: readonly T[], seed: string, keyOf: (item: T) => string): T[] {
  const keys = new Map(list.map(item => [item, scatter(hashText(`${seed}:${keyOf(item)}`))]))
  return [...list].sort((a, b) => keys.get(a)! - keys.get(b)!)
}

const isOf = (stages: RegExp) => (probe: Probe) => stages.test(stageOf(probe.fault))
const isMove = ({ fault }: Probe): boolean => familyOf({ fault: fault.name }) === 'move'

/**
 * Creates the queues for a consumer: the faults that are still to be tried, by the kind of pack.
 * @param frequent endpoints that are tried together
 */
export function createQueues(faults: readonly Fault[], profile: Profile, frequent: readonly string[], seed: string) {
  const { endpoints, feeds } = profile
  const names = endpoints.map(({ endpoint }) => endpoint)
  const all = probesOf(faults, profile, frequent)
  const everywhere = probesOf(faults, profile, names)
  const lasting = everywhere.filter(isLasting)
  const ofEndpoints = probesOf(faults, profile, [])
  /** Each endpoint gone alone. Probes of their own: those that wait for single requests do not count as tried by them. */
  const outages = probesOf(faults, profile, []).filter(
    ({ fault, round }) => fault.name === 'reply/status' && round === 0,
  )
  /** Whether a fault takes one endpoint of several away. */
  const isOutage = (probe: Probe): boolean => outages.includes(probe)
  const queueOf = (kind: keyof Waiting, probes: readonly Probe[] = all): Probe[] =>
    shuffled(probes, `${seed} ${kind}`, ({ fault, endpoints, round }) => `${fault.name} ${endpoints} ${round}`).sort(
      (a, b) => a.round - b.round,
    )
  /** An outage and a rejected key first; outages of one endpoint later, and moves of the market: other packs have them as well. */
  const rankOf = (probe: Probe): number =>
    probe.round - (probe.fault.name === 'reply/status' ? 3 : 0) + (isMove(probe) || isOutage(probe) ? 1.5 : 0)
  const placeOf = ({ fault }: Probe): number => {
    const place = SELDOM_CHECKED.indexOf(fault.name)
    return place < 0 ? SELDOM_CHECKED.length : place
  }
  /** The order of those beside the main endpoint: each fault with its first values, the likeliest first, then with its second ones. */
  const bySeldom = (a: Probe, b: Probe): number => a.round - b.round || placeOf(a) - placeOf(b)
  /** How the endpoint of a probe is used, or the first of several. */
  const useOf = (probe: Probe): EndpointUse => endpoints.find(one => probe.endpoints.includes(one.endpoint))!
  const isOfSeldom = (probe: Probe): boolean =>
    useOf(probe).requests <= SELDOM && SELDOM_CHECKED.includes(probe.fault.name)
  /** The answer of an endpoint that does not know a feed. */
  const isNotFound = ({ options }: Probe): boolean => options?.status === 404
  /** Whether it can be of one feed at one endpoint, where that is not as good as one of the whole endpoint, or of the market. */
  const isBesideOthers = (probe: Probe): boolean => {
    const { endpoint, feeds, isByFeed } = useOf(probe)
    if (feeds.length < 2) return false
    if (isByFeed && isNotFound(probe)) return true
    return endpoint !== names[0] && stageOf(probe.fault) !== 'market' && isOfOneFeed(probe)
  }
  const notEverywhere = all.filter(({ endpoints: own }) => own.length < endpoints.length)
  const waiting: Waiting = {
    plain: queueOf('plain'),
    lasting: queueOf('lasting', names.length > 1 ? [...lasting, ...outages] : lasting).sort(
      (a, b) => rankOf(a) - rankOf(b),
    ),
    moving: queueOf(
      'moving',
      all.filter(probe => !isMove(probe)),
    ),
    // A request names all of its feeds, so faults of replies would be those of plain packs.
    'one feed': feeds.length > 1 ? queueOf('one feed', all.filter(isOf(/market|tick|signature/))) : [],
    'feeds for long': queueOf('feeds for long', everywhere.filter(isOfOneFeed)),
    // The endpoint that is asked most is that of most packs.
    beside: queueOf('beside', ofEndpoints.filter(isOf(/tick|signature|series/)))
      .filter(one => !one.endpoints.includes(names[0]!))
      .sort(bySeldom),
    seldom: queueOf('seldom', ofEndpoints.filter(isOfSeldom)).sort(bySeldom),
    'feed beside': queueOf('feed beside', ofEndpoints.filter(isBesideOthers)).sort(
      (a, b) => Number(isNotFound(b)) - Number(isNotFound(a)) || bySeldom(a, b),
    ),
    down: endpoints.length > 1 ? queueOf('down', notEverywhere) : [],
    requests: queueOf('requests', ofEndpoints.filter(isOf(/tick|signature|series|reply|wire/))),
    single: queueOf('single'),
    'in trouble': [],
  }

  /** Packs that each fault was in: what no pack had yet goes first, as do first values. */
  const timesIn = new Map<Probe, number>()
  /** Faults that some pack had, at whatever endpoint: those wait for half a round. */
  const namesIn = new Set<string>()
  /** Faults that one endpoint of the consumer alone can show. */
  const specific = new Set(
    faults.filter(fault => names.length > 1 && names.filter(name => canActOn(fault, name)).length === 1),
  )
  /** Also one of the high or the low alone. */
  const isSpecific = ({ fault, options }: Probe): boolean => specific.has(fault) || options?.only !== undefined
  const rankIn = (probe: Probe): number =>
    (timesIn.get(probe) ?? 0) +
    (isSpecific(probe) ? probe.round / 2 - 0.25 : probe.round) +
    (namesIn.has(probe.fault.name) ? 0.5 : 0)
  const ranked = (queue: readonly Probe[]): Probe[] => {
    const ranks = new Map(queue.map(probe => [probe, rankIn(probe)]))
    return [...queue].sort((a, b) => ranks.get(a)! - ranks.get(b)!)
  }
  const isRetried = new Set<Probe>()
  const learned = new Set(names)

  return {
    /** Packs take their faults out of these lists. */
    waiting,
    /** Sorts what waits, without faults that are left out from now on. */
    sort(isExcluded: (name: string) => boolean): void {
      for (const queue of Object.values(waiting))
        for (let i = queue.length - 1; i >= 0; i--) if (isExcluded(queue[i]!.fault.name)) queue.splice(i, 1)
      for (const kind of RANKED) waiting[kind] = ranked(waiting[kind])
    },
    note(placed: readonly Placed[]): void {
      for (const { probe } of placed) {
        timesIn.set(probe, (timesIn.get(probe) ?? 0) + 1)
        // Endpoints differ little under a fault, but one that is late is another matter for each.
        if (!/^(wire|reply\/(latency|status))/.test(probe.fault.name)) namesIn.add(probe.fault.name)
      }
    },
    /** Adds the faults of endpoints that the consumer asks only in trouble: a fallback, a second source for a price that jumps. */
    learn(seen: readonly EndpointUse[]): void {
      for (const use of seen.filter(({ endpoint }) => !learned.has(endpoint))) {
        learned.add(use.endpoint)
        const own = probesOf(faults, { ...profile, endpoints: [use] }, [])
        const queue = queueOf('in trouble', own.filter(isOf(/tick|signature|series|reply|wire/)))
        waiting['in trouble'].push(...queue.sort(bySeldom))
      }
    },
    /** Takes the first fault of each of some endpoints out of a queue. */
    takeOneOfEach(kind: keyof Waiting, of: readonly string[], isTaken = (_: Probe) => true): Probe[] {
      const own = of.flatMap(name => waiting[kind].find(one => one.endpoints.includes(name) && isTaken(one)) ?? [])
      waiting[kind] = waiting[kind].filter(one => !own.includes(one))
      return own
    },
    /** Puts a fault of a pack that was not met back, once: among single requests, or else among the plain ones. */
    retry(probe: Probe, isOfRequest: boolean): void {
      if (isRetried.has(probe)) return
      isRetried.add(probe)
      timesIn.delete(probe)
      waiting[isOfRequest ? 'requests' : 'plain'].unshift(probe)
    },
    isOutage,
    useOf,
  }
}
