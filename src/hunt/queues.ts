// The faults that a hunt has still to try, in a queue for each kind of pack.
import { canActOn, type Fault, stageOf } from '../faults/fault.js'
import { hashText, scatter } from '../market/random.js'
import { familyOf } from './causes.js'
import { isOfOneFeed, type Placed } from './layers.js'
import { isLasting, type Probe, probesOf } from './probes.js'
import type { Profile } from './profile.js'
import type { HuntFault } from './types.js'

/** A time at which programs have failed, with a fault that belongs to it. */
export interface ClockTrial {
  readonly at: string
  readonly fault: HuntFault
}

const CLOCKS: readonly ClockTrial[] = [
  // A Sunday: a minute later, currencies and metals open.
  { at: '2025-07-27T20:59:00Z', fault: { fault: 'market/closed' } },
  { at: '2038-01-19T03:13:30Z', fault: { fault: 'market/shock', options: { change: -0.1 } } },
  { at: '2025-07-25T20:59:30Z', fault: { fault: 'market/closed' } },
  { at: '2028-02-28T23:59:30Z', fault: { fault: 'market/drift', options: { change: 0.1, per: '10m' } } },
]

/** The queues whose first is what was in the fewest packs. */
const RANKED = ['plain', 'moving', 'one feed', 'requests', 'feeds for long'] as const

/** The faults that wait, by the kind of pack. */
export type Waiting = Record<(typeof RANKED)[number] | 'lasting' | 'down' | 'single', Probe[]> & { clock: ClockTrial[] }

/** Sorts a list by chance, the same for the same seed. */
function shuffled<T>(list: readonly T[], seed: string, keyOf: (item: T) => string): T[] {
  const keys = new Map(list.map(item => [item, scatter(hashText(`${seed}:${keyOf(item)}`))]))
  return [...list].sort((a, b) => keys.get(a)! - keys.get(b)!)
}

const isOf = (stages: RegExp) => (probe: Probe) => stages.test(stageOf(probe.fault))
const isMove = ({ fault }: Probe): boolean => familyOf({ fault: fault.name }) === 'move'

/**
 * Creates the queues for a consumer.
 * @param frequent endpoints that are tried together
 */
export function createQueues(faults: readonly Fault[], profile: Profile, frequent: readonly string[], seed: string) {
  const { endpoints, feeds } = profile
  const names = endpoints.map(({ endpoint }) => endpoint)
  const all = probesOf(faults, profile, frequent)
  const everywhere = probesOf(faults, profile, names)
  const lasting = everywhere.filter(isLasting)
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
    down: endpoints.length > 1 ? queueOf('down', notEverywhere) : [],
    requests: queueOf('requests', probesOf(faults, profile, []).filter(isOf(/tick|signature|series|reply|wire/))),
    clock: CLOCKS.filter(({ fault }) => faults.some(({ name }) => name === fault.fault)),
    single: queueOf('single'),
  }

  /** Packs that each fault was in: what no pack had yet goes first, as do first values. */
  const timesIn = new Map<Probe, number>()
  /** Faults that some pack had, at whatever endpoint: those wait for half a round. */
  const namesIn = new Set<string>()
  /** Faults that one endpoint of the consumer alone can show. */
  const specific = new Set(
    faults.filter(fault => names.length > 1 && names.filter(name => canActOn(fault, name)).length === 1),
  )
  const rankIn = (probe: Probe): number =>
    (timesIn.get(probe) ?? 0) +
    (specific.has(probe.fault) ? probe.round / 2 - 0.25 : probe.round) +
    (namesIn.has(probe.fault.name) ? 0.5 : 0)
  const ranked = (queue: readonly Probe[]): Probe[] => {
    const ranks = new Map(queue.map(probe => [probe, rankIn(probe)]))
    return [...queue].sort((a, b) => ranks.get(a)! - ranks.get(b)!)
  }
  const isRetried = new Set<Probe>()

  return {
    /** Packs take their faults out of these lists. */
    waiting,
    /** Sorts what waits, without faults that are left out from now on. */
    sort(isExcluded: (name: string) => boolean): void {
      for (const queue of Object.values(waiting))
        for (let i = queue.length - 1; i >= 0; i--) if (isExcluded(nameOf(queue[i]!))) queue.splice(i, 1)
      for (const kind of RANKED) waiting[kind] = ranked(waiting[kind])
    },
    /** Takes note of the faults of a pack. */
    note(placed: readonly Placed[]): void {
      for (const { probe } of placed) {
        timesIn.set(probe, (timesIn.get(probe) ?? 0) + 1)
        // Endpoints differ little under a fault, but one that is late is another matter for each.
        if (!/^(wire|reply\/(latency|status))/.test(probe.fault.name)) namesIn.add(probe.fault.name)
      }
    },
    /** Puts a fault of a pack that was not met back, once: among single requests, or else among the plain ones. */
    retry(probe: Probe, isOfRequest: boolean): void {
      if (isRetried.has(probe)) return
      isRetried.add(probe)
      timesIn.delete(probe)
      waiting[isOfRequest ? 'requests' : 'plain'].unshift(probe)
    },
    isOutage,
  }
}

const nameOf = (queued: Probe | ClockTrial): string => ('round' in queued ? queued.fault.name : queued.fault.fault)
