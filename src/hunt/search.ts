// The order in which a hunt tries scenarios: packs of several kinds in turns with the built-in scenarios, and singles at the end.
import { canActOn, type Fault, stageOf } from '../faults/fault.js'
import { missingFeed } from '../faults/tick/missing-feed.js'
import { hashText, scatter } from '../market/random.js'
import { builtInTrials } from './adapt.js'
import { familyOf } from './causes.js'
import { clocksOf, coursesOf, moveOf } from './courses.js'
import { fillSlots, isOfOneFeed, MAX_TOGETHER, type Placed, requestSlotsOf, type Slots, slotsOf } from './layers.js'
import { isLasting, type Probe, probesOf, toFault } from './probes.js'
import { type EndpointUse, type Profile, profileOf } from './profile.js'
import type { HuntFault, HuntRun, HuntScenario, Trial } from './types.js'
import { toDuration } from './values.js'

/** The scenarios of a hunt, one after the other. */
export type Search = ReturnType<typeof createSearch>

const TURNS = [
  'plain',
  'requests',
  'seldom',
  'lasting',
  'clock',
  'course',
  'feeds for long',
  'beside',
  'requests',
  'seldom',
  'course',
  'lasting',
  'one feed',
  'requests',
  'course',
  'seldom',
  'clock',
  'down',
  'clock',
  'feed beside',
  'requests',
  'feeds for long',
  'course',
  'seldom',
  'lasting',
  'requests',
  'clock',
  'course',
  'seldom',
  'plain',
  'beside',
  'requests',
  'course',
  'feeds for long',
  'seldom',
  'moving',
  'lasting',
  'course',
  'in trouble',
  'down',
  'lasting',
  'one feed',
  'in trouble',
  'clock',
  'feed beside',
  'in trouble',
] as const
type Kind = (typeof TURNS)[number] | 'single'

/** Stands for the clocks of scenarios among what is left out: a consumer with a clock of its own finds every price old. */
export const OTHER_CLOCKS = 'other clocks'

interface Pack {
  readonly placed: readonly Placed[]
  /** The faults under them. */
  readonly under?: readonly HuntFault[]
  readonly at?: string
  /** Whether those under them are a trial of their own. */
  readonly isOwnTrial?: true
}

/** Built-in scenarios that are tried in turns with packs. Those after them add few faults, so each waits for some packs. */
const [FIRST_BUILT_INS, LATER] = [10, 4]

const rotated = <T>(list: readonly T[], by: number): T[] => list.map((_, i) => list[(i + by) % list.length]!)

/**
 * Starts a search.
 * @param isExcluded whether a fault, or a built-in scenario, is left out from now on
 */
export function createSearch(
  faults: readonly Fault[],
  scenarios: Readonly<Record<string, HuntScenario>>,
  profile: Profile,
  seed: string,
  isExcluded: (name: string) => boolean,
) {
  const { start, seconds, endpoints, feeds, busiest } = profile
  const early = slotsOf(profile, true)
  const late = slotsOf(profile, false)
  const requestSlots = ([2, 3] as const).map(first => requestSlotsOf(profile, first))
  const names = endpoints.map(({ endpoint }) => endpoint)
  const queues = createQueues(faults, profile, early.frequent, seed)
  const { waiting, isOutage, useOf } = queues
  const courses = [...coursesOf(profile)]
  const clocks = [...clocksOf(profile)]
  const builtIn = builtInTrials(scenarios, faults, profile)
  /** Faults in their trials, to try again what was not met. */
  const placedIn = new Map<Trial, readonly Placed[]>()
  let turn = 0
  let packs = 0
  let moves = 0
  let requestPacks = 0
  const packsOf = new Map<Kind, number>()
  /** Endpoints that were gone in the latest of their packs. */
  const wasDown = new Set<string>()
  let isBuiltInNext = false
  const laterBuiltIns = builtIn.length - FIRST_BUILT_INS

  const from = (part: number): string => toDuration(start + seconds * part)
  /** After some calm, in runs that are long enough for some. */
  const since = (part: number): Pick<HuntFault, 'from'> => (seconds < 4 ? {} : { from: from(part) })
  const alone = (queue: Probe[], timeOf: (probe: Probe) => Pick<HuntFault, 'from' | 'for'> = () => ({})): Placed[] =>
    queue.splice(0, 1).map(probe => ({
      probe,
      fault: toFault(probe, {
        ...(probe.endpoints.length < endpoints.length && { endpoints: probe.endpoints }),
        ...timeOf(probe),
      }),
    }))
  const takeOneOfEach = (kind: keyof Waiting, of: readonly string[]): Probe[] => {
    const own = of.flatMap(name => waiting[kind].find(one => one.endpoints.includes(name)) ?? [])
    waiting[kind] = waiting[kind].filter(one => !own.includes(one))
    return own
  }
  /** After some calm, to the end; a pause that the service asks for goes on by itself, and should have an end. */
  const lastingTime = ({ options }: Probe): Pick<HuntFault, 'from' | 'for'> => {
    if (seconds < 4) return {}
    return options?.retryAfter === undefined ? { from: from(0.25) } : { from: from(0.1), for: toDuration(seconds / 10) }
  }

  /** The first request of each endpoint is asked to wait, and its second one for another time, so that pauses of one moment overlap. */
  const twoPauses = (longer: number): HuntFault[] =>
    ['1', '2'].map((requests, i) => ({
      fault: 'reply/status',
      requests,
      from: busiest === undefined ? from(0.08) : toDuration(busiest),
      for: toDuration(seconds / 10),
      options: { status: 429, retryAfter: i === longer ? toDuration(seconds / 10) : '3s' },
    }))

  /** Faults of single requests, which leave the rest of a run as it is: even and odd ones in turn. */
  const ofRequests = (together = 1): Placed[] =>
    fillSlots(waiting.requests, requestSlots[requestPacks++ % 2]!, [], together)

  /** Makes the next pack of a kind, of which there were `count`. */
  const makers: Readonly<Record<Kind, (count: number, slots: Slots) => Pack>> = {
    clock() {
      const clock = clocks.shift()
      if (clock === undefined || isExcluded(OTHER_CLOCKS) || clock.faults.every(({ fault }) => isExcluded(fault)))
        return { placed: [] }
      const isClosed = clock.faults.some(({ fault }) => fault === 'market/closed')
      return { placed: isClosed ? [] : ofRequests(), under: clock.faults, at: clock.at, isOwnTrial: true }
    },
    course() {
      const course = courses.shift()
      if (course === undefined || course.every(({ fault }) => isExcluded(fault))) return { placed: [] }
      const isSteady = course.every(({ from }) => from === undefined)
      return { placed: isSteady ? ofRequests() : [], under: course, isOwnTrial: true }
    },
    lasting(count) {
      const placed = alone(waiting.lasting, lastingTime)
      const under = count < 2 && placed.length > 0 && seconds >= 20 ? twoPauses(count) : []
      // A second endpoint goes when the first has been gone for a while.
      const isSecond = placed.some(({ probe }) => isOutage(probe)) && waiting.lasting.slice(0, 1).some(isOutage)
      const second = isSecond ? alone(waiting.lasting, () => ({ from: from(0.6) })) : []
      return { placed: [...placed, ...second], under }
    },
    single: () => ({ placed: alone(waiting.single) }),
    moving: (_, slots) => ({ placed: fillSlots(waiting.moving, slots), under: moveOf(moves++, profile) }),
    'one feed': (_, slots) => ({ placed: fillSlots(waiting['one feed'], slots, rotated(feeds, packs)) }),
    'feeds for long'(count) {
      // A state that a fallback covers for a while shows in a long window, and one that never ends to the end.
      const windows: readonly Pick<HuntFault, 'from' | 'for'>[] =
        seconds < 4 || count % 2 === 0
          ? [since(0.25)]
          : [0.1, 0.4, 0.7].map(part => ({ from: from(part), for: toDuration(seconds * 0.25) }))
      const slots = windows.map(selectors => ({ selectors, endpoint: undefined }))
      const placed = fillSlots(waiting['feeds for long'], { slots, frequent: names }, rotated(feeds, packs))
      return { placed, under: count % 4 < 2 ? [] : moveOf(moves++, profile) }
    },
    beside(count) {
      // One at each of them, to the end: an endpoint that is asked seldom meets few faults of single requests.
      const placed = takeOneOfEach('beside', names.slice(1)).map(probe => ({
        probe,
        fault: toFault(probe, { ...since(0.1), endpoints: probe.endpoints }),
      }))
      return { placed, under: count % 2 === 0 ? [] : moveOf(moves++, profile) }
    },
    seldom() {
      const requests = { first: SELDOM }
      const placed = takeOneOfEach('seldom', names).map(probe => ({
        probe,
        fault: toFault(probe, { requests, endpoints: probe.endpoints }),
      }))
      return { placed }
    },
    'feed beside'(count) {
      // From the start, and after what the consumer has learnt meanwhile; of the first feed, and of the last one.
      const placed = takeOneOfEach('feed beside', names).map(probe => {
        const { feeds } = useOf(probe)
        const only = feeds.at(count % 4 < 2 ? 0 : -1)!
        const time = count % 2 === 0 ? {} : since(0.4)
        return { probe, fault: toFault(probe, { ...time, endpoints: probe.endpoints, feeds: [only] }) }
      })
      return { placed }
    },
    'in trouble'(count, { slots }) {
      const name = waiting['in trouble'][0]?.endpoints[0]
      if (name === undefined) return { placed: [] }
      const windows = slots.filter(({ endpoint }) => endpoint === undefined).map(({ selectors }) => selectors)
      const own = (windows.length > 0 ? windows : [since(0.1)]).map(selectors => ({
        selectors: { ...selectors, endpoints: [name] },
        endpoint: name,
      }))
      const placed = fillSlots(waiting['in trouble'], { slots: own, frequent: [] })
      const gone = { fault: 'reply/status', endpoints: names, ...since(0.1) }
      const jumps = own.map(({ selectors: { from } }, i) => ({
        fault: 'market/shock',
        ...(from === undefined ? {} : { from }),
        options: { change: i % 2 === 0 ? 0.12 : -0.11 },
      }))
      return { placed, under: count % 2 === 0 ? [gone] : jumps }
    },
    requests: count => ({ placed: ofRequests(count % 2 === 0 ? 1 : MAX_TOGETHER) }),
    down(_, slots) {
      const [first] = waiting.down
      const down = endpoints.find(({ endpoint }) => first !== undefined && !first.endpoints.includes(endpoint))
      if (down === undefined) return { placed: [] }
      const other = waiting.down.filter(({ endpoints }) => endpoints.includes(down.endpoint))
      const own = waiting.down.filter(one => !other.includes(one))
      const placed = fillSlots(own, slots)
      waiting.down.splice(0, waiting.down.length, ...other, ...own)
      // First gone, then without a feed, so that a fallback is asked for that one.
      const isGone = !wasDown.delete(down.endpoint)
      if (isGone) wasDown.add(down.endpoint)
      const omits = !isGone && canActOn(missingFeed, down.endpoint) && down.feeds.length > 1
      const under = {
        ...(omits ? { fault: missingFeed.name, feeds: down.feeds.slice(0, 1) } : { fault: 'reply/status' }),
        endpoints: [down.endpoint],
        ...since(0.1),
      }
      return isExcluded(under.fault) ? { placed: [] } : { placed, under: [under] }
    },
    plain(_, slots) {
      const placed = fillSlots(waiting.plain, slots)
      return { placed: placed.length > 0 ? placed : alone(waiting.plain) }
    },
  }

  function nextPack(kinds: readonly Kind[]): Trial | undefined {
    for (let tries = 0; tries < kinds.length; tries++) {
      const kind = kinds[turn++ % kinds.length]!
      queues.sort(isExcluded)
      const count = packsOf.get(kind) ?? 0
      packsOf.set(kind, count + 1)
      const { placed, under = [], at, isOwnTrial = false } = makers[kind](count, packs % 2 === 0 ? late : early)
      if (placed.length === 0 && !isOwnTrial) continue
      queues.note(placed)
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
      if (isExcluded(one.label) || (one.scenario.clock !== undefined && isExcluded(OTHER_CLOCKS))) continue
      const left = one.scenario.faults.filter(({ fault }) => !isExcluded(fault))
      if (left.length > 0) return { ...one, scenario: { ...one.scenario, faults: left } }
    }
  }

  return {
    /** Undefined once everything was tried. */
    next(): Trial | undefined {
      isBuiltInNext = !isBuiltInNext && (builtIn.length > laterBuiltIns || packs % LATER === 0)
      const [first, second] = isBuiltInNext
        ? [nextBuiltIn, () => nextPack(TURNS)]
        : [() => nextPack(TURNS), nextBuiltIn]
      return first() ?? second() ?? nextPack(['single'])
    },
    /** Takes the result of a trial: faults that were not met are tried once more. */
    done(trial: Trial, { hits, failed, requests, ms }: HuntRun): void {
      queues.learn(profileOf({ requests, ms }, profile.known).endpoints)
      const placed = placedIn.get(trial) ?? []
      placedIn.delete(trial)
      const before = trial.scenario.faults.length - placed.length
      for (const [i, { probe, fault }] of placed.entries()) {
        if ((hits[before + i] ?? 0) === 0 || failed) queues.retry(probe, fault.requests !== undefined)
      }
    },
  }
}

/** The queues whose first is what was in the fewest packs. */
const RANKED = ['plain', 'moving', 'one feed', 'requests', 'feeds for long', 'in trouble'] as const

type Waiting = Record<
  (typeof RANKED)[number] | 'lasting' | 'beside' | 'feed beside' | 'seldom' | 'down' | 'single',
  Probe[]
>

/** Faults that pass unchecked at an endpoint that is asked seldom, the likeliest first. */
const SELDOM_CHECKED = [
  'tick/missing-feed',
  'signature/truncated',
  'signature/other-feed',
  'tick/ts-skew',
  'tick/ts-backwards',
  'signature/tampered-price',
  'tick/wrong-expo',
  'tick/other-expo',
  'reply/missing-field',
  'reply/high-low-swapped',
]
/** Requests up to which an endpoint is asked so seldom that what it leads to may need a run that is calm otherwise. */
const SELDOM = 3

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
function createQueues(faults: readonly Fault[], profile: Profile, frequent: readonly string[], seed: string) {
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
  /** Its place among those beside the main endpoint. */
  const seldomOf = ({ fault, round }: Probe): number => {
    const place = SELDOM_CHECKED.indexOf(fault.name)
    return round + (place < 0 ? SELDOM_CHECKED.length : place)
  }
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
      .sort((a, b) => seldomOf(a) - seldomOf(b)),
    seldom: queueOf('seldom', ofEndpoints.filter(isOfSeldom)).sort(
      (a, b) => a.round - b.round || seldomOf(a) - seldomOf(b),
    ),
    'feed beside': queueOf('feed beside', ofEndpoints.filter(isBesideOthers)).sort(
      (a, b) => Number(isNotFound(b)) - Number(isNotFound(a)) || seldomOf(a) - seldomOf(b),
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
        waiting['in trouble'].push(...queueOf('in trouble', own.filter(isOf(/tick|signature|series|reply|wire/))))
      }
    },
    /** Puts a fault of a pack that was not met back, once: among single requests, or else among the plain ones. */
    retry(probe: Probe, isOfRequest: boolean): void {
      if (isRetried.has(probe)) return
      isRetried.add(probe)
      timesIn.delete(probe)
      const isOfTrouble = !probe.endpoints.some(name => names.includes(name))
      waiting[isOfTrouble ? 'in trouble' : isOfRequest ? 'requests' : 'plain'].unshift(probe)
    },
    isOutage,
    useOf,
  }
}
