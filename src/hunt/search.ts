// The order in which a hunt tries scenarios: packs of several kinds in turns with the built-in scenarios, and singles at the end.
import { canActOn, type Fault, stageOf } from '../faults/fault.js'
import { missingFeed } from '../faults/tick/missing-feed.js'
import { builtInTrials, clocksOf, coursesOf, moveOf } from './courses.js'
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
import type { HuntFault, HuntRun, HuntScenario, Trial } from './types.js'
import { toDuration } from './values.js'

/** The kinds of packs. */
type Kind = keyof Waiting | 'clock' | 'course'

const TURNS = (
  'plain, requests, seldom, lasting, clock, course, feeds for long, beside, requests, seldom, course, ' +
  'lasting, one feed, course, course, seldom, course, down, clock, feed beside, requests, ' +
  'feeds for long, clock, seldom, lasting, requests, clock, course, seldom, plain, beside, requests, ' +
  'course, feeds for long, seldom, moving, lasting, course, down, lasting, one feed, clock, feed beside'
).split(', ') as Kind[]

/** Packs after which an endpoint that is asked only in trouble gets its next faults: few, since most of what guards it is new. */
const TROUBLE_EVERY = 4

/** Requests from which on an endpoint meets several faults in a run, one after the other. */
const LEAST_OF_WINDOWS = 9

/** Maximum number of requests with faults in a run that repeats what led to an endpoint. */
const MAX_TROUBLED = 12

/** Stands for the clocks of scenarios among what is left out: a consumer with a clock of its own finds every price old. */
export const OTHER_CLOCKS = 'other clocks'

interface Pack {
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

/** Built-in scenarios that are tried in turns with packs. Those after them add few faults, so each waits for some packs. */
const [FIRST_BUILT_INS, LATER] = [10, 8]
/** Requests below which a run meets half of them at most: each becomes several, or has faults that no request is left for. */
const SHORT_RUN = 30

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
  /** The packs of trials, to try again what was not met. */
  const packOf = new Map<Trial, Pack>()
  let turn = 0
  let packs = 0
  let moves = 0
  let requestPacks = 0
  const packsOf = new Map<Kind, number>()
  const troubles = createTroubles(names)
  let nextTrouble = 0
  /** Endpoints that were gone in the latest of their packs. */
  const wasDown = new Set<string>()
  let isBuiltInNext = false
  const laterBuiltIns = builtIn.length - FIRST_BUILT_INS / (profile.requests.length < SHORT_RUN ? 2 : 1)

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
  const takeOneOfEach = (kind: keyof Waiting, of: readonly string[], isTaken = (_: Probe) => true): Probe[] => {
    const own = of.flatMap(name => waiting[kind].find(one => one.endpoints.includes(name) && isTaken(one)) ?? [])
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

  const isWaitingFor = (name: string): boolean =>
    waiting['in trouble'].some(({ endpoints }) => endpoints.includes(name))

  /** The fault at the endpoints alone that are asked without faults. */
  function onUsual(one: HuntFault): HuntFault[] {
    const fault = faults.find(({ name }) => name === one.fault)!
    if (/market|series/.test(stageOf(fault))) return [one]
    const endpoints = (one.endpoints ?? names).filter(name => names.includes(name) && canActOn(fault, name))
    return endpoints.length === 0 ? [] : [{ ...one, endpoints }]
  }

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
      // Some at each of them, up to the end: an endpoint that is asked seldom meets few faults of single requests.
      const placed = endpoints.slice(1).flatMap(({ endpoint, requests }) => {
        const windows = requests < LEAST_OF_WINDOWS ? 1 : 3
        const length = 0.9 / windows
        return Array.from({ length: windows }).flatMap((_, i) => {
          const time = { ...since(0.1 + i * length), ...(i < windows - 1 && { for: toDuration(seconds * length) }) }
          const probes = takeOneOfEach('beside', [endpoint])
          return probes.map(probe => ({ probe, fault: toFault(probe, { ...time, endpoints: probe.endpoints }) }))
        })
      })
      return { placed, under: count % 2 === 0 ? [] : moveOf(moves++, profile) }
    },
    seldom() {
      const placed = endpoints.flatMap(({ endpoint, feeds }) => {
        const first = takeOneOfEach('seldom', [endpoint])
        const second =
          feeds.length > 1 && first.every(isOfOneFeed) ? takeOneOfEach('seldom', [endpoint], isOfOneFeed) : []
        return [...first, ...second].map((probe, i) => {
          // Two share a run: that of the first feed, and that of the last one.
          const own = second.length > 0 && { feeds: [feeds.at(-i)!] }
          return { probe, fault: toFault(probe, { requests: { first: SELDOM }, endpoints: probe.endpoints, ...own }) }
        })
      })
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
    'in trouble'(_, { slots }) {
      const trouble = troubles.take(isWaitingFor)
      if (trouble === undefined) return { placed: [] }
      const { name, way, scenario, requests } = trouble
      if (way === 'again') {
        const again = Array.from({ length: Math.min(MAX_TROUBLED, requests + 2) }, (_, i) => ({
          selectors: { endpoints: [name], requests: String(i + 1) },
          endpoint: name,
        }))
        const placed = fillSlots(waiting['in trouble'], { slots: again, frequent: [] }, [], 1)
        return { placed, under: scenario.faults.flatMap(onUsual), like: scenario, way }
      }
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
      return { placed, under: way === 'gone' ? [gone] : jumps, way }
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
      queues.sort(isExcluded)
      const isInTrouble = packs >= nextTrouble && troubles.names().some(isWaitingFor)
      const kind = isInTrouble ? 'in trouble' : kinds[turn++ % kinds.length]!
      if (isInTrouble) nextTrouble = packs + TROUBLE_EVERY
      const count = packsOf.get(kind) ?? 0
      packsOf.set(kind, count + 1)
      const pack = makers[kind](count, packs % 2 === 0 ? late : early)
      const { placed, under = [], at } = pack
      if (placed.length === 0 && !pack.isOwnTrial) continue
      queues.note(placed)
      const list = [...under.filter(({ fault }) => !isExcluded(fault)), ...placed.map(one => one.fault)]
      packs++
      const trial = {
        label: `${kind}: ${[...new Set(list.map(({ fault }) => fault))].join(', ')}`,
        scenario: {
          ...pack.like,
          title: kind,
          why: 'A trial of a hunt.',
          ...(at === undefined ? {} : { clock: { at } }),
          faults: list,
        },
      }
      packOf.set(trial, pack)
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
      const trial = isBuiltInNext ? (nextBuiltIn() ?? nextPack(TURNS)) : (nextPack(TURNS) ?? nextBuiltIn())
      return trial ?? nextPack(['single'])
    },
    /** Takes the result of a trial: faults that were not met are tried once more. */
    done(trial: Trial, { hits, failed, requests, ms }: HuntRun): void {
      const seen = profileOf({ requests, ms }, profile.known).endpoints
      queues.learn(seen)
      const { placed, way }: Pack = packOf.get(trial) ?? { placed: [] }
      packOf.delete(trial)
      const before = trial.scenario.faults.length - placed.length
      const unmet = placed.filter((_, i) => (hits[before + i] ?? 0) === 0)
      if (way === undefined) {
        for (const { probe, fault } of failed ? placed : unmet) queues.retry(probe, fault.requests !== undefined)
        if (!failed) for (const use of seen) troubles.reach(use, trial.scenario)
        return
      }
      const name = placed[0]!.probe.endpoints[0]!
      if (unmet.length === placed.length && !failed) troubles.leave(name, way)
      waiting['in trouble'].unshift(...unmet.map(({ probe }) => probe))
    },
  }
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
    take(isWanted: (name: string) => boolean): (Trouble & { readonly name: string; readonly way: Way }) | undefined {
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
