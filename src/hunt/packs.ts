// The packs of a hunt: the faults that one run tries together. Each kind takes its faults out of the queues and gives them their times.
import { canActOn, type Fault, stageOf } from '../faults/fault.js'
import { missingFeed } from '../faults/tick/missing-feed.js'
import { clocksOf, coursesOf, moveOf } from './courses.js'
import {
  fillSlots,
  isOfOneFeed,
  MAX_TOGETHER,
  type Placed,
  type Probe,
  requestSlotsOf,
  type Slots,
  slotsOf,
  toFault,
} from './probes.js'
import { type EndpointUse, type Profile, profileOf } from './profile.js'
import { createQueues, SELDOM, type Waiting } from './queues.js'
import type { HuntFault, HuntRun, HuntScenario } from './types.js'
import { timeAt, toDuration, windowOf } from './values.js'

/** The kinds of packs. */
export type Kind = keyof Waiting | 'clock' | 'course'

/** Faults to try together in one run. */
export interface Pack {
  readonly placed: readonly Placed[]
  /** The faults under them. */
  readonly under?: readonly HuntFault[]
  readonly at?: string
  /** Whether those under them are a trial of their own. */
  readonly isOwnTrial?: true
  /** The scenario that has them, whose loop is taken as well. */
  readonly like?: HuntScenario
  readonly way?: Way
}

/** Ways to make a consumer ask an endpoint that it asks only in trouble: once more what did it, an outage of the others, jumps. */
type Way = 'again' | 'gone' | 'jumps'

interface Trouble {
  /** The trial in which it asked most often, and how often. */
  readonly scenario: HuntScenario
  readonly requests: number
  /** The next one first. One that did not make it ask is taken out. */
  readonly ways: readonly Way[]
}

/** Stands for the clocks of scenarios among what is left out: a consumer with a clock of its own finds every price old. */
export const OTHER_CLOCKS = 'other clocks'

/** Packs after which an endpoint that is asked only in trouble gets its next faults: few, since most of what guards it is new. */
const TROUBLE_EVERY = 4
/** Requests from which on an endpoint meets several faults in a run, one after the other. */
const LEAST_OF_WINDOWS = 9
/** Maximum number of requests with faults in a run that repeats what led to an endpoint. */
const MAX_TROUBLED = 12

/**
 * Starts making packs for a consumer.
 * @param isExcluded whether a fault is left out from now on
 */
export function createPacks(
  faults: readonly Fault[],
  profile: Profile,
  seed: string,
  isExcluded: (name: string) => boolean,
) {
  const supply = createSupply(faults, profile, seed, isExcluded)
  const { troubles } = supply
  const counts = new Map<Kind, number>()
  let made = 0
  let nextTrouble = 0
  return {
    made: (): number => made,
    /** Whether the next pack should be for an endpoint that the consumer asks only in trouble. */
    isTroubleDue: (): boolean => made >= nextTrouble && troubles.names().some(supply.isWantedInTrouble),
    /** Makes the next pack of a kind. Undefined if nothing of that kind is left. */
    make(kind: Kind): Pack | undefined {
      supply.sort(isExcluded)
      if (kind === 'in trouble') nextTrouble = made + TROUBLE_EVERY
      const count = counts.get(kind) ?? 0
      counts.set(kind, count + 1)
      const turn = { count, slots: supply.slots[made % 2]!, feeds: rotated(profile.feeds, made) }
      const pack = MAKERS[kind](supply, turn)
      if (pack.placed.length === 0 && !pack.isOwnTrial) return undefined
      supply.note(pack.placed)
      made++
      return pack
    },
    /** Takes the result of a run, with a pack or without one: faults that were not met are tried once more. */
    done({ placed, way }: Pack, scenario: HuntScenario, { hits, failed, requests, ms }: HuntRun): void {
      const seen = profileOf({ requests, ms }, profile.catalogue).endpoints
      supply.learn(seen)
      const before = scenario.faults.length - placed.length
      const unmet = placed.filter((_, i) => (hits[before + i] ?? 0) === 0)
      if (way === undefined) {
        for (const { probe, fault } of failed ? placed : unmet) supply.retry(probe, fault.requests !== undefined)
        if (!failed) for (const use of seen) troubles.reach(use, scenario)
        return
      }
      const name = placed[0]!.probe.endpoints[0]!
      if (unmet.length === placed.length && !failed) troubles.leave(name, way)
      supply.waiting['in trouble'].unshift(...unmet.map(({ probe }) => probe))
    },
  }
}

const rotated = <T>(list: readonly T[], by: number): T[] => list.map((_, i) => list[(i + by) % list.length]!)

type Supply = Readonly<ReturnType<typeof createSupply>>

/** Creates what packs are made of: all that was not tried yet. */
function createSupply(faults: readonly Fault[], profile: Profile, seed: string, isExcluded: (name: string) => boolean) {
  const names = profile.endpoints.map(({ endpoint }) => endpoint)
  const [early, late] = [slotsOf(profile, true), slotsOf(profile, false)]
  const requestSlots = ([2, 3] as const).map(first => requestSlotsOf(profile, first))
  const queues = createQueues(faults, profile, early.frequent, seed)
  const { waiting } = queues
  let moves = 0
  let requestPacks = 0
  return {
    ...queues,
    faults,
    profile,
    isExcluded,
    /** The endpoints that are asked without faults. */
    names,
    /** In turn: windows after some calm, and from the first request on. */
    slots: [late, early],
    courses: [...coursesOf(profile)],
    clocks: [...clocksOf(profile)],
    troubles: createTroubles(names),
    /** Endpoints that were gone in the latest of their packs. */
    wasDown: new Set<string>(),
    nextMove: (): HuntFault[] => moveOf(moves++, profile),
    /** Places faults of single requests, which leave the rest of a run as it is: even and odd ones in turn. */
    placeRequests: (together = 1): Placed[] =>
      fillSlots(waiting.requests, requestSlots[requestPacks++ % 2]!, [], together),
    isWantedInTrouble: (name: string): boolean =>
      waiting['in trouble'].some(({ fault, endpoints }) => endpoints.includes(name) && !isExcluded(fault.name)),
  }
}

/** The place of a pack among the others. */
interface Turn {
  /** Packs of its kind before it. */
  readonly count: number
  readonly slots: Slots
  /** The feeds of the consumer, another one first each time. */
  readonly feeds: readonly string[]
}

const EMPTY: Pack = { placed: [] }

/** How a pack of each kind is made. It takes its faults out of the supply. */
const MAKERS: Readonly<Record<Kind, (supply: Supply, turn: Turn) => Pack>> = {
  clock({ clocks, isExcluded, placeRequests }) {
    const clock = clocks.shift()
    if (clock === undefined || isExcluded(OTHER_CLOCKS) || clock.faults.every(({ fault }) => isExcluded(fault)))
      return EMPTY
    const isClosed = clock.faults.some(({ fault }) => fault === 'market/closed')
    return { placed: isClosed ? [] : placeRequests(), under: clock.faults, at: clock.at, isOwnTrial: true }
  },
  course({ courses, isExcluded, placeRequests }) {
    const course = courses.shift()
    if (course === undefined || course.every(({ fault }) => isExcluded(fault))) return EMPTY
    const isSteady = course.every(({ from }) => from === undefined)
    return { placed: isSteady ? placeRequests() : [], under: course, isOwnTrial: true }
  },
  lasting({ profile, waiting, isOutage }, { count }) {
    const placed = placeFirst(waiting.lasting, profile, probe => lastingTime(profile, probe))
    const under = count < 2 && placed.length > 0 && profile.seconds >= 20 ? twoPauses(profile, count) : []
    // A second endpoint goes when the first has been gone for a while.
    const isSecond = placed.some(({ probe }) => isOutage(probe)) && waiting.lasting.slice(0, 1).some(isOutage)
    const second = isSecond ? placeFirst(waiting.lasting, profile, () => ({ from: timeAt(profile, 0.6) })) : []
    return { placed: [...placed, ...second], under }
  },
  single: ({ profile, waiting }) => ({ placed: placeFirst(waiting.single, profile) }),
  moving: ({ waiting, nextMove }, { slots }) => ({ placed: fillSlots(waiting.moving, slots), under: nextMove() }),
  'one feed': ({ waiting }, { slots, feeds }) => ({ placed: fillSlots(waiting['one feed'], slots, feeds) }),
  'feeds for long'({ profile, names, waiting, nextMove }, { count, feeds }) {
    // A state that a fallback covers for a while shows in a long window, and one that never ends to the end.
    const windows: readonly Time[] =
      profile.seconds < 4 || count % 2 === 0
        ? [afterCalm(profile, 0.25)]
        : [0.1, 0.4, 0.7].map(part => windowOf(profile, part, 0.25))
    const slots = windows.map(selectors => ({ selectors, endpoint: undefined }))
    const placed = fillSlots(waiting['feeds for long'], { slots, frequent: names }, feeds)
    return { placed, under: count % 4 < 2 ? [] : nextMove() }
  },
  beside({ profile, takeOneOfEach, nextMove }, { count }) {
    // Some at each of them, up to the end: an endpoint that is asked seldom meets few faults of single requests.
    const placed = profile.endpoints.slice(1).flatMap(({ endpoint, requests }) => {
      const windows = requests < LEAST_OF_WINDOWS ? 1 : 3
      const length = 0.9 / windows
      return Array.from({ length: windows }).flatMap((_, i) => {
        const end = i < windows - 1 && { for: toDuration(profile.seconds * length) }
        const time = { ...afterCalm(profile, 0.1 + i * length), ...end }
        return takeOneOfEach('beside', [endpoint]).map(probe => ({
          probe,
          fault: toFault(probe, { ...time, endpoints: probe.endpoints }),
        }))
      })
    })
    return { placed, under: count % 2 === 0 ? [] : nextMove() }
  },
  seldom({ profile, takeOneOfEach }) {
    const placed = profile.endpoints.flatMap(({ endpoint, feeds }) => {
      const first = takeOneOfEach('seldom', [endpoint])
      const isShared = feeds.length > 1 && first.every(isOfOneFeed)
      const second = isShared ? takeOneOfEach('seldom', [endpoint], isOfOneFeed) : []
      return [...first, ...second].map((probe, i) => {
        // Two share a run: that of the first feed, and that of the last one.
        const own = second.length > 0 && { feeds: [feeds.at(-i)!] }
        return { probe, fault: toFault(probe, { requests: { first: SELDOM }, endpoints: probe.endpoints, ...own }) }
      })
    })
    return { placed }
  },
  'feed beside'({ profile, names, takeOneOfEach, useOf }, { count }) {
    // From the start, and after what the consumer has learnt meanwhile; of the first feed, and of the last one.
    const placed = takeOneOfEach('feed beside', names).map(probe => {
      const only = useOf(probe).feeds.at(count % 4 < 2 ? 0 : -1)!
      const time = count % 2 === 0 ? {} : afterCalm(profile, 0.4)
      return { probe, fault: toFault(probe, { ...time, endpoints: probe.endpoints, feeds: [only] }) }
    })
    return { placed }
  },
  'in trouble'(supply, { slots }) {
    const trouble = supply.troubles.take(supply.isWantedInTrouble)
    if (trouble === undefined) return EMPTY
    return trouble.way === 'again' ? repeatTrouble(supply, trouble) : causeTrouble(supply, trouble, slots)
  },
  requests: ({ placeRequests }, { count }) => ({ placed: placeRequests(count % 2 === 0 ? 1 : MAX_TOGETHER) }),
  down({ profile, waiting, wasDown, isExcluded }, { slots }) {
    const [first] = waiting.down
    const down = profile.endpoints.find(({ endpoint }) => first !== undefined && !first.endpoints.includes(endpoint))
    if (down === undefined) return EMPTY
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
      ...afterCalm(profile, 0.1),
    }
    return isExcluded(under.fault) ? EMPTY : { placed, under: [under] }
  },
  plain({ profile, waiting }, { slots }) {
    const placed = fillSlots(waiting.plain, slots)
    return { placed: placed.length > 0 ? placed : placeFirst(waiting.plain, profile) }
  },
}

type Time = Pick<HuntFault, 'from' | 'for'>

/** After some calm, in runs that are long enough for some. */
const afterCalm = (profile: Profile, part: number): Time => (profile.seconds < 4 ? {} : { from: timeAt(profile, part) })

/** After some calm, to the end; a pause that the service asks for goes on by itself, and should have an end. */
function lastingTime(profile: Profile, { options }: Probe): Time {
  if (options?.retryAfter === undefined || profile.seconds < 4) return afterCalm(profile, 0.25)
  return windowOf(profile, 0.1, 0.1)
}

/** The first request of each endpoint is asked to wait, and its second one for another time, so that pauses of one moment overlap. */
function twoPauses(profile: Profile, longer: number): HuntFault[] {
  const { seconds, busiest } = profile
  return ['1', '2'].map((requests, i) => ({
    fault: 'reply/status',
    requests,
    from: busiest === undefined ? timeAt(profile, 0.08) : toDuration(busiest),
    for: toDuration(seconds / 10),
    options: { status: 429, retryAfter: i === longer ? toDuration(seconds / 10) : '3s' },
  }))
}

/** Places the first fault of a queue in a run of its own. */
function placeFirst(queue: Probe[], profile: Profile, timeOf: (probe: Probe) => Time = () => ({})): Placed[] {
  return queue.splice(0, 1).map(probe => {
    const own = probe.endpoints.length < profile.endpoints.length && { endpoints: probe.endpoints }
    return { probe, fault: toFault(probe, { ...own, ...timeOf(probe) }) }
  })
}

type NextTrouble = Trouble & { readonly name: string; readonly way: Way }

/** Repeats the trial in which the consumer asked an endpoint, now with faults of that endpoint. */
function repeatTrouble(supply: Supply, { name, way, scenario, requests }: NextTrouble): Pack {
  const slots = Array.from({ length: Math.min(MAX_TROUBLED, requests + 2) }, (_, i) => ({
    selectors: { endpoints: [name], requests: String(i + 1) },
    endpoint: name,
  }))
  const placed = fillSlots(supply.waiting['in trouble'], { slots, frequent: [] }, [], 1)
  return { placed, under: scenario.faults.flatMap(one => onUsual(supply, one)), like: scenario, way }
}

/** The fault at the endpoints alone that are asked without faults. */
function onUsual({ faults, names }: Supply, one: HuntFault): HuntFault[] {
  const fault = faults.find(({ name }) => name === one.fault)!
  if (/market|series/.test(stageOf(fault))) return [one]
  const endpoints = (one.endpoints ?? names).filter(name => names.includes(name) && canActOn(fault, name))
  return endpoints.length === 0 ? [] : [{ ...one, endpoints }]
}

/** Makes the consumer ask an endpoint, by an outage of the others or by jumps, in windows with faults of that endpoint. */
function causeTrouble({ profile, names, waiting }: Supply, { name, way }: NextTrouble, { slots }: Slots): Pack {
  const windows = slots.filter(({ endpoint }) => endpoint === undefined).map(({ selectors }) => selectors)
  const own = (windows.length > 0 ? windows : [afterCalm(profile, 0.1)]).map(selectors => ({
    selectors: { ...selectors, endpoints: [name] },
    endpoint: name,
  }))
  const placed = fillSlots(waiting['in trouble'], { slots: own, frequent: [] })
  const gone = { fault: 'reply/status', endpoints: names, ...afterCalm(profile, 0.1) }
  const jumps = own.map(({ selectors: { from } }, i) => ({
    fault: 'market/shock',
    ...(from === undefined ? {} : { from }),
    options: { change: i % 2 === 0 ? 0.12 : -0.11 },
  }))
  // A second source may have another limit of age: near the end its last price gets older and older.
  const old = { fault: 'market/stale', ...windowOf(profile, 0.75, 0.2) }
  return { placed, under: way === 'gone' ? [gone, old] : jumps, way }
}

/**
 * Creates the record of how each endpoint that the consumer asks only in trouble is reached: the endpoints in turns, and the ways to each.
 * @param usual endpoints that it asks without faults
 */
function createTroubles(usual: readonly string[]) {
  const troubles = new Map<string, Trouble>()
  return {
    names: (): string[] => [...troubles.keys()],
    /** The next endpoint that is wanted, and the next way to it. */
    take(isWanted: (name: string) => boolean): NextTrouble | undefined {
      const found = [...troubles].find(([name]) => isWanted(name))
      if (found === undefined) return undefined
      const [name, trouble] = found
      const [way = 'gone', ...others] = trouble.ways
      troubles.delete(name)
      troubles.set(name, { ...trouble, ways: [...others, way] })
      return { ...trouble, name, way }
    },
    /** Notes how an endpoint was reached. */
    reach({ endpoint, requests }: EndpointUse, scenario: HuntScenario): void {
      const known = troubles.get(endpoint)
      // Another time may be excluded later.
      if (usual.includes(endpoint) || scenario.clock !== undefined || requests <= (known?.requests ?? 0)) return
      const ways = known?.ways ?? ['gone', 'jumps']
      troubles.set(endpoint, { scenario, requests, ways: ['again', ...ways.filter(way => way !== 'again')] })
    },
    /** Takes out a way that did not lead to an endpoint, and with the last one the endpoint. */
    leave(endpoint: string, way: Way): void {
      const trouble = troubles.get(endpoint)
      const ways = trouble?.ways.filter(other => other !== way) ?? []
      if (trouble === undefined || ways.length === 0) troubles.delete(endpoint)
      else troubles.set(endpoint, { ...trouble, ways })
    },
  }
}
