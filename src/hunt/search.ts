// The order in which a hunt tries scenarios: packs of several kinds in turns with the built-in scenarios, and singles at the end.
import { canActOn, type Fault, stageOf } from '../faults/fault.js'
import { hashText, scatter } from '../market/random.js'
import { adaptScenario, toFeedsOf } from './adapt.js'
import { familyOf } from './causes.js'
import { fillSlots, isOfOneFeed, MAX_TOGETHER, type Placed, requestSlotsOf, type Slots, slotsOf } from './layers.js'
import { isLasting, type Probe, probesOf, toFault } from './probes.js'
import type { Profile } from './profile.js'
import type { HuntFault, HuntRun, HuntScenario } from './types.js'
import { toDuration } from './values.js'

/** A scenario to run. */
export interface Trial {
  readonly label: string
  readonly scenario: HuntScenario
}

/** The scenarios of a hunt, one after the other. */
export interface Search {
  /** Undefined once everything was tried. */
  next(): Trial | undefined
  /** Takes the result of a trial: faults that were not met are tried once more. */
  done(trial: Trial, run: HuntRun): void
}

/** The input of a search. */
export interface SearchOptions {
  readonly faults: readonly Fault[]
  readonly scenarios: Readonly<Record<string, HuntScenario>>
  readonly profile: Profile
  readonly seed: string
  /** Whether a fault, or a built-in scenario, is left out from now on. */
  isExcluded(name: string): boolean
}

/** The kinds of packs and their turns. */
const TURNS = [
  ...['plain', 'requests', 'lasting', 'clock', 'feeds to the end', 'requests', 'lasting'],
  ...['one feed', 'requests', 'moving', 'lasting', 'feeds to the end', 'clock', 'requests'],
  ...['lasting', 'plain', 'feeds to the end', 'requests', 'lasting', 'down', 'clock', 'lasting', 'moving', 'one feed'],
] as const
type Kind = (typeof TURNS)[number] | 'single'
/** The kinds whose queues begin with what was in the fewest packs. */
const RANKED = ['plain', 'moving', 'one feed', 'requests', 'feeds to the end'] as const

/** Built-in scenarios that are tried in turns with packs. Those after them add few faults, so each waits for some packs. */
const [FIRST_BUILT_INS, LATER] = [10, 4]

/** Times at which programs have failed, each with a fault that belongs to it. */
const CLOCKS: readonly { readonly at: string; readonly fault: HuntFault }[] = [
  // A Sunday: a minute later, currencies and metals open.
  { at: '2025-07-27T20:59:00Z', fault: { fault: 'market/closed' } },
  { at: '2038-01-19T03:13:30Z', fault: { fault: 'market/shock', options: { change: -0.1 } } },
  { at: '2025-07-25T20:59:30Z', fault: { fault: 'market/closed' } },
  { at: '2028-02-28T23:59:30Z', fault: { fault: 'market/drift', options: { change: 0.1, per: '10m' } } },
]

/** A list that begins elsewhere. */
const rotated = <T>(list: readonly T[], by: number): T[] => list.map((_, i) => list[(i + by) % list.length]!)

/** Sorts a list by chance, the same for the same seed. */
function shuffled<T>(list: readonly T[], seed: string, keyOf: (item: T) => string): T[] {
  const keys = new Map(list.map(item => [item, scatter(hashText(`${seed}:${keyOf(item)}`))]))
  return [...list].sort((a, b) => keys.get(a)! - keys.get(b)!)
}

/** Starts a search. */
export function createSearch({ faults, scenarios, profile, seed, isExcluded }: SearchOptions): Search {
  const { start, seconds, endpoints, feeds } = profile
  const early = slotsOf(profile, true)
  const late = slotsOf(profile, false)
  const requestSlots = requestSlotsOf(profile)
  const all = probesOf(faults, profile, early.frequent)
  const names = endpoints.map(({ endpoint }) => endpoint)
  const everywhere = probesOf(faults, profile, names)
  const lasting = everywhere.filter(isLasting)
  /** Each endpoint gone alone. */
  const outages = probesOf(faults, profile, []).filter(
    ({ fault, round }) => fault.name === 'reply/status' && round === 0,
  )
  const queueOf = (kind: Kind, probes: readonly Probe[] = all): Probe[] =>
    shuffled(probes, `${seed} ${kind}`, ({ fault, endpoints, round }) => `${fault.name} ${endpoints} ${round}`).sort(
      (a, b) => a.round - b.round,
    )
  const isOf = (stages: RegExp) => (probe: Probe) => stages.test(stageOf(probe.fault))
  const isOutage = (probe: Probe): boolean => outages.includes(probe)
  const isMove = ({ fault }: Probe): boolean => familyOf({ fault: fault.name }) === 'move'
  /** An outage and a rejected key first; outages of one endpoint later, and moves of the market: other packs have them as well. */
  const rankOf = (probe: Probe): number =>
    probe.round - (probe.fault.name === 'reply/status' ? 3 : 0) + (isMove(probe) || isOutage(probe) ? 1.5 : 0)
  const queues = {
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
    'feeds to the end': queueOf('feeds to the end', everywhere.filter(isOfOneFeed)),
    down:
      endpoints.length > 1
        ? queueOf(
            'down',
            all.filter(({ endpoints: own }) => own.length < endpoints.length),
          )
        : [],
    requests: queueOf('requests', probesOf(faults, profile, []).filter(isOf(/tick|signature|series|reply|wire/))),
    clock: [...CLOCKS].filter(({ fault }) => faults.some(({ name }) => name === fault.fault)),
    single: queueOf('single'),
  }
  const builtIn = orderOf(scenarios, faults, profile)
  /** Packs that each probe was in: what no pack had yet goes first, as do first values. */
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
  /** Faults in their trials, to try again what was not met. */
  const placedIn = new Map<Trial, readonly Placed[]>()
  const isRepeated = new Set<Probe>()
  let turn = 0
  let packs = 0
  let moves = 0
  let turnsOfRequests = 0
  let turnsToTheEnd = 0
  let isBuiltInNext = false
  const laterBuiltIns = builtIn.length - FIRST_BUILT_INS

  const from = (part: number): string => toDuration(start + seconds * part)
  /** A course of the market under other faults: slowly, at once with a publisher that sticks to the new price, at once. */
  const moveOf = (n: number): HuntFault[] => {
    const change = [-0.35, 0.5][(n >> 1) % 2]!
    if (n % 2 === 0) return [{ fault: 'market/drift', options: { change, per: toDuration(seconds) } }]
    const shock = { fault: 'market/shock', from: from(0.3), options: { change } }
    const stuck = { fault: 'market/stale', from: toDuration(start + seconds * 0.3 + 1), for: toDuration(seconds * 0.1) }
    return n % 4 === 1 ? [shock, stuck] : [shock]
  }
  const alone = (queue: Probe[], timeOf: (probe: Probe) => Pick<HuntFault, 'from' | 'for'> = () => ({})): Placed[] =>
    queue.splice(0, 1).map(probe => ({
      probe,
      fault: toFault(probe, {
        ...(probe.endpoints.length < endpoints.length && { endpoints: probe.endpoints }),
        ...timeOf(probe),
      }),
    }))
  /** After some calm, to the end; a pause that the service asks for goes on by itself, and should have an end. */
  const lastingTime = ({ options }: Probe): Pick<HuntFault, 'from' | 'for'> => {
    if (seconds < 4) return {}
    return options?.retryAfter === undefined ? { from: from(0.25) } : { from: from(0.1), for: toDuration(seconds / 10) }
  }

  /** The next pack of a kind; empty if there is none. */
  function packOf(kind: Kind): { placed: readonly Placed[]; under?: readonly HuntFault[]; at?: string } {
    const slots: Slots = packs % 2 === 0 ? late : early
    switch (kind) {
      case 'clock': {
        const clock = queues.clock.shift()
        if (clock === undefined || isExcluded(clock.fault.fault)) return { placed: [] }
        return { placed: [], under: [clock.fault], at: clock.at }
      }
      case 'lasting': {
        const placed = alone(queues.lasting, lastingTime)
        // A second endpoint goes when the first has been gone for a while.
        const isSecond = placed.some(({ probe }) => isOutage(probe)) && queues.lasting.slice(0, 1).some(isOutage)
        return { placed: isSecond ? [...placed, ...alone(queues.lasting, () => ({ from: from(0.6) }))] : placed }
      }
      case 'single':
        return { placed: alone(queues.single) }
      case 'moving':
        return { placed: fillSlots(queues.moving, slots), under: moveOf(moves++) }
      case 'one feed':
        return { placed: fillSlots(queues['one feed'], slots, rotated(feeds, packs)) }
      case 'feeds to the end': {
        const slot = { selectors: seconds < 4 ? {} : { from: from(0.25) }, endpoint: undefined }
        const placed = fillSlots(queues[kind], { slots: [slot], frequent: names }, rotated(feeds, packs))
        return { placed, under: turnsToTheEnd++ % 2 === 0 ? [] : moveOf(moves++) }
      }
      case 'requests':
        return { placed: fillSlots(queues.requests, requestSlots, [], turnsOfRequests++ % 2 === 0 ? 1 : MAX_TOGETHER) }
      case 'down': {
        const [first] = queues.down
        const down = endpoints.find(({ endpoint }) => first !== undefined && !first.endpoints.includes(endpoint))
        if (down === undefined) return { placed: [] }
        const other = queues.down.filter(({ endpoints }) => endpoints.includes(down.endpoint))
        const own = queues.down.filter(one => !other.includes(one))
        const placed = fillSlots(own, slots)
        queues.down.splice(0, queues.down.length, ...other, ...own)
        const under = { fault: 'reply/status', endpoints: [down.endpoint], ...(seconds < 4 ? {} : { from: from(0.1) }) }
        return isExcluded(under.fault) ? { placed: [] } : { placed, under: [under] }
      }
      default: {
        const placed = fillSlots(queues.plain, slots)
        return { placed: placed.length > 0 ? placed : alone(queues.plain) }
      }
    }
  }

  function nextPack(kinds: readonly Kind[]): Trial | undefined {
    for (let tries = 0; tries < kinds.length; tries++) {
      const kind = kinds[turn++ % kinds.length]!
      for (const queue of Object.values(queues))
        for (let i = queue.length - 1; i >= 0; i--) if (isExcluded(nameOf(queue[i]!))) queue.splice(i, 1)
      for (const name of RANKED) queues[name] = ranked(queues[name])
      const { placed, under = [], at } = packOf(kind)
      if (placed.length === 0 && at === undefined) continue
      for (const { probe } of placed) {
        timesIn.set(probe, (timesIn.get(probe) ?? 0) + 1)
        // Endpoints differ little under a fault, but one that is late is another matter for each.
        if (!/^(wire|reply\/(latency|status))/.test(probe.fault.name)) namesIn.add(probe.fault.name)
      }
      const list = [...under.filter(({ fault }) => !isExcluded(fault)), ...placed.map(one => one.fault)]
      packs++
      const trial = {
        label: `${kind}: ${[...new Set(list.map(({ fault }) => fault))].join(', ')}`,
        scenario: {
          title: kind,
          why: 'A trial of a hunt.',
          ...(at === undefined ? {} : { clock: { at } }),
          faults: list,
        },
      }
      placedIn.set(trial, placed)
      return trial
    }
    return undefined
  }

  function nextBuiltIn(): Trial | undefined {
    for (;;) {
      const one = builtIn.shift()
      if (one === undefined) return undefined
      if (isExcluded(one.label)) continue
      const left = one.scenario.faults.filter(({ fault }) => !isExcluded(fault))
      if (left.length > 0) return { ...one, scenario: { ...one.scenario, faults: left } }
    }
  }

  return {
    next() {
      isBuiltInNext = !isBuiltInNext && (builtIn.length > laterBuiltIns || packs % LATER === 0)
      const [first, second] = isBuiltInNext
        ? [nextBuiltIn, () => nextPack(TURNS)]
        : [() => nextPack(TURNS), nextBuiltIn]
      return first() ?? second() ?? nextPack(['single'])
    },
    done(trial, { hits, failed }) {
      const placed = placedIn.get(trial) ?? []
      placedIn.delete(trial)
      const before = trial.scenario.faults.length - placed.length
      for (const [i, { probe }] of placed.entries()) {
        if ((hits[before + i] ?? 0) > 0 && !failed) continue
        if (isRepeated.has(probe)) continue
        isRepeated.add(probe)
        queues.plain.unshift(probe)
      }
    },
  }
}

const nameOf = (queued: Probe | (typeof CLOCKS)[number]): string =>
  'round' in queued ? queued.fault.name : queued.fault.fault

/** Parts of built-in scenarios in the order in which they add the most kinds of faults, without those that the consumer cannot meet. */
function orderOf(
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
