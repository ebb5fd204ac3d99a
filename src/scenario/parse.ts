// Parses a scenario, with the windows of time of its faults, and reports all of its problems at once.
import { isObject, MAX_PROBLEMS_SHOWN, nearest, type Problem, UNKNOWN_KEY } from '../errors.js'
import { type Fault, stageOf } from '../faults/fault.js'
import { type Feed, findFeed, withFollowers } from '../market/feeds.js'
import { EVER } from '../market/windows.js'
import { assertNoProblems, findPrototypes, keysAt, MAX_PROBLEMS, prefixed, read } from '../settings/schema.js'
import type { Pattern, PlannedFault, Scenario } from './scenario.js'
import {
  inlineScenarioSchema,
  MAX_FAULTS,
  readRequests,
  readTimes,
  type Selectors,
  scenarioSchema,
  selectorsSchema,
  TIME,
  type Times,
} from './schema.js'

/** The names that a scenario may use. */
export interface Vocabulary {
  readonly faults: readonly Fault[]
  readonly endpoints: readonly string[]
  readonly feeds: readonly Feed[]
}

/** No names: enough for the scenario `calm`. */
export const NO_VOCABULARY: Vocabulary = { faults: [], endpoints: [], feeds: [] }

interface ParseOptions {
  readonly name: string
  /** Subject of the error message: a file name, "The scenario". */
  readonly subject: string
  /** An inline scenario may leave out title and why. */
  readonly inline: boolean
}

/**
 * Parses a scenario.
 * @throws PriceFeedMockError SCENARIO_INVALID with every problem
 */
export function parseScenario(data: unknown, vocabulary: Vocabulary, options: ParseOptions): Scenario {
  const { value, problems = [] } = read(options.inline ? inlineScenarioSchema : scenarioSchema, data)
  const { entries, ...course } = partsOf(data)
  const faults = entries.map((entry, index) => planFault(entry, index, course, vocabulary, problems))
  problems.push(...findTooMany(faults))
  // Schemas report some `__proto__` keys and miss others: this check finds all of them, so theirs are dropped.
  const all = [...findPrototypes(data), ...problems.filter(({ at }) => !at.endsWith('__proto__'))]
  assertNoProblems('SCENARIO_INVALID', options.subject, all, { docs: 'price-feed-mock/docs/scenarios.md' })
  // A copy, because the caller may change the object later. After the checks it is known to be JSON.
  const { $schema: _, ...source } = JSON.parse(JSON.stringify(data)) as Record<string, unknown>
  const { title = 'Inline', why = 'Given inline.', seed, clock, policy } = value!
  const settings = { seed, clock, policy }
  return { name: options.name, title, why, settings, faults: faults as PlannedFault[], source }
}

function findTooMany(faults: readonly (PlannedFault | undefined)[]): Problem[] {
  const counts = new Map<string, number>()
  return faults.flatMap((planned, index) => {
    if (planned === undefined || !('most' in planned.fault)) return []
    return (planned.fault.most?.(planned.options) ?? []).flatMap(([like, most]) => {
      const count = (counts.get(like) ?? 0) + 1
      counts.set(like, count)
      return count === most + 1
        ? [{ at: `faults[${index}]`, got: like, want: `at most ${most} of it in a scenario` }]
        : []
    })
  })
}

interface Course {
  /** In seconds, as written. */
  readonly loop: number | undefined
  /** The number by which times are divided. */
  readonly pace: number
}

/** The valid parts of the entries and the course: problems of entries are reported even if the rest is invalid. */
function partsOf(data: unknown): Course & { entries: readonly unknown[] } {
  const { faults, loop, pace } = (data ?? {}) as Values
  // Spread: turns the holes of a sparse array into undefined entries.
  const entries = Array.isArray(faults) && faults.length <= MAX_FAULTS ? [...faults] : []
  const { shape } = scenarioSchema
  return { entries, loop: read(shape.loop, loop).value, pace: read(shape.pace, pace).value ?? 1 }
}

function planFault(
  entry: unknown,
  index: number,
  course: Course,
  vocabulary: Vocabulary,
  problems: Problem[],
): PlannedFault | undefined {
  const at = `faults[${index}]`
  if (!isObject(entry) || Array.isArray(entry)) {
    problems.push({ at, got: entry, want: 'an object such as {"fault": "market/stale"}' })
    return undefined
  }
  const before = problems.length
  if (before >= MAX_PROBLEMS) return undefined
  const report = (found: readonly Problem[] = [], place: string, explained: (problem: Problem) => Problem) =>
    problems.push(...found.map(problem => prefixed(explained(problem), place)))
  const written = entry as Values
  const fault = vocabulary.faults.find(({ name }) => name === written.fault)
  const meant = fault ?? findClosest(written.fault, at, vocabulary, problems)
  const when = read(selectorsSchema(meant), entry)
  report(when.problems, at, problem => withReason(withPlace(problem, meant?.options, 'in'), meant))
  const { options: given = {} } = written
  const how = fault && read(fault.options, given)
  const options = how?.value === undefined ? undefined : atPace(how.value as Values, fault!, course.pace)
  report(how?.problems, `${at}.options`, problem => withPlace(problem, selectorsSchema(fault), 'beside'))
  const feeds = resolveNames(written.feeds, `${at}.feeds`, feedNames(vocabulary), problems)
  const endpoints = resolveNames(written.endpoints, `${at}.endpoints`, endpointNames(vocabulary), problems)
  const times = planTimes(written, course, at)
  problems.push(...times.problems)
  if (fault && options !== undefined) {
    problems.push(...findUnfitOptions(fault, options as never, feeds, at, vocabulary))
    problems.push(...findCrowded(options, given as Values, fault, `${at}.options`, course.pace))
  }
  if (fault === undefined || problems.length > before) return undefined
  const selectors = when.value as Selectors
  const requests = selectors.requests ?? ('defaults' in fault ? fault.defaults?.requests : undefined)
  const isFollowed = 'isFollowed' in fault && selectors.alone !== true
  return {
    index,
    fault,
    options: options as never,
    feeds,
    reach: feeds && isFollowed ? withFollowers(vocabulary.feeds, feeds) : feeds,
    endpoints,
    pattern: times.pattern,
    requests: typeof requests === 'string' ? readRequests(requests) : requests,
    chance: selectors.chance ?? 1,
    planned: describePlan({ ...written, feeds, endpoints }, course.pace) || 'always',
  }
}

/** Reports an unknown fault and returns the one that is meant: that of another stage, or with the closest name. */
function findClosest(name: unknown, at: string, { faults }: Vocabulary, problems: Problem[]): Fault | undefined {
  const said = typeof name === 'string' ? name : ''
  const [stage, last = stage] = said.split('/')
  const names: string[] = faults.map(known => known.name)
  const closest = names.find(known => known.endsWith(`/${last}`)) ?? nearest(said, names)
  const ofStage = names.filter(known => known.startsWith(`${stage}/`))
  const isOfStage = ofStage.includes(closest ?? ofStage[0]!)
  const want = isOfStage ? `one of ${ofStage.join(', ')}` : 'the name of a fault such as market/stale'
  problems.push({ at: `${at}.fault`, got: name, want, closest })
  return faults.find(known => known.name === closest)
}

/**
 * Explains an option outside `options`, and a selector among them.
 * @param other the schema of the other place
 */
function withPlace(problem: Problem, other: Parameters<typeof keysAt>[0], place: string): Problem {
  const { at, got } = problem
  if (got !== UNKNOWN_KEY || !keysAt(other).includes(at)) return problem
  return { at, got, want: `it ${place} "options"` }
}

/** Explains a selector that exists, but not for the stage of the fault. */
function withReason(problem: Problem, fault: Fault | undefined): Problem {
  const { at, got } = problem
  if (!fault || got !== UNKNOWN_KEY || !/^(alone|endpoints|requests|chance)$/.test(at)) return problem
  const because =
    at === 'alone'
      ? 'does not reach derived feeds'
      : stageOf(fault) === 'market'
        ? 'is a function of time'
        : 'applies to one endpoint only'
  return { at, got, want: `no such key: ${fault.name} ${because}` }
}

interface Names {
  readonly want: string
  /** The name as the mock writes it; undefined for an unknown one. */
  find(name: string): string | undefined
  all(): readonly string[]
}

const feedNames = ({ feeds }: Vocabulary): Names => ({
  want: 'the id of a feed, see /_mock/feeds',
  find: id => findFeed(feeds, id)?.id,
  all: () => feeds.map(({ id }) => id),
})

const endpointNames = ({ endpoints }: Vocabulary): Names => ({
  want: `one of ${endpoints.join(', ')}`,
  find: name => endpoints.find(known => known === name),
  all: () => endpoints,
})

/** The known names of a list; undefined without a list. What is no text is a problem of the schema. */
function resolveNames(
  list: unknown,
  at: string,
  { want, find, all }: Names,
  problems: Problem[],
): ReadonlySet<string> | undefined {
  if (list === undefined) return undefined
  const names: string[] = Array.isArray(list) ? list.filter(name => typeof name === 'string') : []
  for (const [i, name] of names.entries()) {
    if (find(name) !== undefined) continue
    // The search for the closest name is slow, and pointless for a huge list of unknown names.
    const closest = problems.length < MAX_PROBLEMS_SHOWN ? nearest(name, all()) : undefined
    problems.push({ at: `${at}[${i}]`, got: name, want, closest })
  }
  return new Set(names.flatMap(name => find(name) ?? []))
}

function findUnfitOptions(
  fault: Fault,
  options: never,
  chosen: ReadonlySet<string> | undefined,
  at: string,
  { feeds }: Vocabulary,
): Problem[] {
  if (!('fits' in fault)) return []
  for (const feed of feeds) {
    if (chosen !== undefined && !chosen.has(feed.id)) continue
    const want = fault.fits?.(options, feed)
    const remedy = chosen ? '' : '; or select feeds with "feeds"'
    if (want !== undefined) return [{ at: `${at}.options`, got: options, want: want + remedy }]
  }
  return []
}

/** The selectors of a fault, its times as they were written: "5m". */
interface Plan extends Pick<Selectors, 'alone' | 'requests' | 'chance'>, Partial<Record<keyof Times, unknown>> {
  readonly feeds?: Iterable<string> | undefined
  readonly endpoints?: Iterable<string> | undefined
}

/** Where and when a fault applies: "BTCUSD, latest, from 10m for 5m at pace 60, first 2"; empty where that is always. */
export function describePlan({ feeds, alone, endpoints, requests, chance, ...times }: Plan, pace = 1): string {
  const written = TIME.filter(key => times[key] !== undefined).map(key => `${key} ${times[key]}`)
  if (pace > 1 && written.length > 0) written.push(`at pace ${pace}`)
  return [
    feeds && [...feeds, ...(alone ? ['alone'] : [])].join(' '),
    endpoints && [...endpoints].join(' '),
    written.join(' '),
    typeof requests === 'string' ? `requests ${requests}` : requests && Object.entries(requests)[0]!.join(' '),
    chance !== undefined && `chance ${chance}`,
  ]
    .filter(Boolean)
    .join(', ')
}

const MAX_WINDOWS_PER_LOOP = 1000
/** An entry of `faults`, unparsed, or the options of a fault. */
type Values = Readonly<Record<string, unknown>>
type Point = { readonly at: number }

/** The pattern of a fault, and the contradictions between its times. */
export function planTimes(
  written: Values,
  { loop, pace }: Course,
  at: string,
): { pattern: Pattern; problems: Problem[] } {
  const { from = 0, for: length, repeat } = readTimes(written)
  const problems: Problem[] = []
  const reportIf = (isWrong: boolean, key: keyof Times, want: string): void => {
    if (isWrong) problems.push({ at: `${at}.${key}`, got: written[key], want })
  }
  reportIf(written.repeat !== undefined && written.for === undefined, 'for', 'how long each repetition lasts')
  if (repeat !== undefined) reportIf(length! > repeat, 'for', `at most ${written.repeat}, the time of "repeat"`)
  if (loop !== undefined) {
    reportIf(from >= loop, 'from', `a time before ${loop}s, when the loop begins again`)
    reportIf(length! > loop, 'for', `at most ${loop}s, the time of "loop"`)
    reportIf(repeat! > loop, 'repeat', `at most ${loop}s, the time of "loop"`)
    const want = `a longer time: at most ${MAX_WINDOWS_PER_LOOP} repetitions fit into a loop of ${loop}s`
    reportIf(loop / repeat! > MAX_WINDOWS_PER_LOOP, 'repeat', want)
  }
  return { pattern: problems.length > 0 ? NEVER : toPattern(from, length ?? EVER, repeat, loop, pace), problems }
}

/** A time in seconds as a pace makes it: rounded, and at least a second. */
const shortened = (seconds: number, pace: number): number => Math.max(1, Math.round(seconds / pace))

function atPace(options: Values, { times = [] }: Fault, pace: number): Values {
  if (pace === 1) return options
  const paced = times.map((name): [string, unknown] => {
    const value = options[name]
    if (typeof value === 'number') return [name, shortened(value, pace)]
    return [name, (value as readonly Point[] | undefined)?.map(one => ({ ...one, at: Math.round(one.at / pace) }))]
  })
  return { ...options, ...Object.fromEntries(paced) }
}

/** The points of a list that a pace moves to the second of the one before. */
function findCrowded(options: Values, given: Values, { times = [] }: Fault, at: string, pace: number): Problem[] {
  return times.flatMap(name => {
    const list = options[name]
    if (!Array.isArray(list)) return []
    const i = list.findIndex((one: Point, i) => i > 0 && one.at <= (list[i - 1] as Point).at)
    const want = `at least ${pace}s after the point before, at pace ${pace}`
    return i < 0 ? [] : [{ at: `${at}.${name}[${i}].at`, got: (given[name] as Point[])[i]!.at, want }]
  })
}

const NEVER: Pattern = { shift: 0, windows: [], period: EVER }

function toPattern(
  from: number,
  length: number,
  repeat: number | undefined,
  loop: number | undefined,
  pace: number,
): Pattern {
  const period = repeat === undefined ? EVER : shortened(repeat, pace)
  const end = loop === undefined ? EVER : shortened(loop, pace)
  const start = Math.min(Math.round(from / pace), end - 1)
  // Both ends are rounded alike, so windows that follow each other still do.
  const long = Math.min(period, Math.max(1, Math.round((from + length) / pace) - start))
  if (loop === undefined) return { shift: start, windows: [{ from: 0, until: long }], period }
  const windows = []
  for (let next = start; next < end; next += Math.min(period, end))
    windows.push({ from: next, until: Math.min(next + long, end) })
  return { shift: 0, windows, period: end }
}
