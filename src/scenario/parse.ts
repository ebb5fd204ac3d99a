// From what somebody has written to a scenario, or to everything that is wrong with it at once.
import { nearest, type Problem, UNKNOWN_KEY } from '../errors.js'
import type { Fault } from '../faults/fault.js'
import { stageOf } from '../faults/fault.js'
import type { Feed } from '../market/feeds.js'
import { findFeed } from '../market/market.js'
import { assertNoProblems, findPrototypes, read } from '../settings/schema.js'
import { describeTimes, planTimes } from './pattern.js'
import type { PlannedFault, Requests, Scenario } from './scenario.js'
import { inlineScenarioSchema, MAX_FAULTS, type Selectors, scenarioSchema, selectorsSchema } from './schema.js'

/** The names that a scenario may use. */
export interface Vocabulary {
  readonly faults: readonly Fault[]
  readonly endpoints: readonly string[]
  readonly feeds: readonly Feed[]
}

/** No names at all: enough for the scenario in which nothing goes wrong. */
export const NO_VOCABULARY: Vocabulary = { faults: [], endpoints: [], feeds: [] }

/** How a scenario is parsed. */
export interface ParseOptions {
  readonly name: string
  /** Subject of the error message: a file name, "The scenario". */
  readonly subject: string
  /** An inline scenario may leave out title and why. */
  readonly inline: boolean
}

/**
 * Reads a scenario.
 * @throws PriceFeedMockError SCENARIO_INVALID with every problem
 */
export function parseScenario(data: unknown, vocabulary: Vocabulary, options: ParseOptions): Scenario {
  const { value, problems = [] } = read(options.inline ? inlineScenarioSchema : scenarioSchema, data)
  const { entries, loop } = partsOf(data)
  const faults = entries.map((entry, index) => planFault(entry, index, loop, vocabulary, problems))
  // Schemas name some keys `__proto__` and pass over others: all are found here, and told once.
  const all = [...findPrototypes(data), ...problems.filter(({ at }) => !at.endsWith('__proto__'))]
  assertNoProblems('SCENARIO_INVALID', options.subject, all, [['docs', 'docs/scenarios.md']])
  // A copy: whoever wrote it may go on writing. All of it is JSON by now.
  const { $schema: _, ...source } = JSON.parse(JSON.stringify(data)) as Record<string, unknown>
  const { title = 'Inline', why = 'Given inline.', seed, clock, policy } = value!
  const settings = { seed, clock, policy }
  return { name: options.name, title, why, settings, faults: faults as PlannedFault[], source }
}

/** The entries of `faults` and the loop, so far as they can be read: their problems are told beside those of the whole. */
function partsOf(data: unknown): { entries: readonly unknown[]; loop: number | undefined } {
  const { faults, loop } = (data ?? {}) as Readonly<Record<string, unknown>>
  // Spread: an entry that was never set is one that is missing.
  const entries = Array.isArray(faults) && faults.length <= MAX_FAULTS ? [...faults] : []
  return { entries, loop: read(scenarioSchema.shape.loop, loop).value }
}

function planFault(
  entry: unknown,
  index: number,
  loop: number | undefined,
  vocabulary: Vocabulary,
  problems: Problem[],
): PlannedFault | undefined {
  const at = `faults[${index}]`
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    problems.push({ at, got: entry, want: 'an object such as {"fault": "market/stale"}' })
    return undefined
  }
  // All problems are told at once: none keeps the rest from being looked at.
  const before = problems.length
  const written = entry as Readonly<Record<string, unknown>>
  const fault = vocabulary.faults.find(({ name }) => name === written.fault)
  const meant = fault ?? findMeant(written.fault, at, vocabulary, problems)
  const when = read(selectorsSchema(meant), entry)
  problems.push(...(when.problems ?? []).map(problem => inPlace(withReason(problem, meant), at)))
  const { options: given = {} } = written
  const how = fault && read(fault.options, given)
  const options = how?.value as never
  problems.push(...(how?.problems ?? []).map(problem => inPlace(problem, `${at}.options`)))
  const feeds = resolveFeeds(namesIn(written.feeds), at, vocabulary, problems)
  const endpoints = resolveEndpoints(namesIn(written.endpoints), at, vocabulary, problems)
  const times = planTimes(written, loop, at)
  problems.push(...times.problems)
  if (fault && options !== undefined) problems.push(...unfit(fault, options, feeds, at, vocabulary))
  if (fault === undefined || problems.length > before) return undefined
  const selectors = when.value as Selectors
  const planned = [feeds && [...feeds].join(' '), endpoints && [...endpoints].join(' '), describeTimes(written)]
  return {
    index,
    fault,
    options,
    feeds,
    endpoints,
    pattern: times.pattern,
    requests: toRequests(selectors.requests ?? ('defaults' in fault ? fault.defaults?.requests : undefined)),
    chance: selectors.chance ?? 1,
    planned: [...planned, toWords(selectors)].filter(Boolean).join(', ') || 'always',
  }
}

/** The names in a list, none where it is no list; undefined where nothing was written. */
function namesIn(list: unknown): readonly string[] | undefined {
  if (list === undefined) return undefined
  return Array.isArray(list) ? list.filter(name => typeof name === 'string') : []
}

/** The fault that was likely meant by a name that nobody knows, which is a problem. */
function findMeant(name: unknown, at: string, { faults }: Vocabulary, problems: Problem[]): Fault | undefined {
  const names = faults.map(known => known.name)
  const closest = typeof name === 'string' ? nearest(name, names) : undefined
  const folder = typeof name === 'string' ? names.filter(known => known.startsWith(`${name.split('/', 1)[0]}/`)) : []
  const want = folder.length > 0 ? `one of ${folder.join(', ')}` : 'the name of a fault such as market/stale'
  problems.push({ at: `${at}.fault`, got: name, want, closest })
  return faults.find(known => known.name === closest)
}

/** A problem of a part, at its place in the whole. */
const inPlace = (problem: Problem, at: string): Problem => ({
  ...problem,
  at: problem.at === '(the whole)' ? at : `${at}.${problem.at}`,
})

/** A problem of selectors: what another stage takes is told apart from what nobody knows. */
function withReason(problem: Problem, fault: Fault | undefined): Problem {
  if (!fault || problem.got !== UNKNOWN_KEY || !/^(endpoints|requests|chance)$/.test(problem.at)) return problem
  const because = stageOf(fault) === 'market' ? 'is a function of time' : 'touches one endpoint only'
  return { at: problem.at, got: UNKNOWN_KEY, want: `no such key: ${fault.name} ${because}` }
}

function resolveFeeds(
  ids: readonly string[] | undefined,
  at: string,
  { feeds }: Vocabulary,
  problems: Problem[],
): ReadonlySet<string> | undefined {
  if (ids === undefined) return undefined
  const found = new Set<string>()
  const names = feeds.map(one => one.id)
  for (const [i, id] of ids.entries()) {
    const known = findFeed(feeds, id)
    if (known) found.add(known.id)
    else {
      // A million of them are no slips.
      const closest = problems.length < MAX_FAULTS ? nearest(id, names) : undefined
      problems.push({ at: `${at}.feeds[${i}]`, got: id, want: 'the id of a feed, see /_mock/feeds', closest })
    }
  }
  return found
}

function resolveEndpoints(
  names: readonly string[] | undefined,
  at: string,
  { endpoints }: Vocabulary,
  problems: Problem[],
): ReadonlySet<string> | undefined {
  for (const [i, name] of (names ?? []).entries())
    if (!endpoints.includes(name)) {
      const want = `one of ${endpoints.join(', ')}`
      problems.push({ at: `${at}.endpoints[${i}]`, got: name, want, closest: nearest(name, endpoints) })
    }
  return names && new Set(names)
}

/** Options that a feed cannot have. */
function unfit(
  fault: Fault,
  options: never,
  chosen: ReadonlySet<string> | undefined,
  at: string,
  { feeds }: Vocabulary,
): Problem[] {
  if (!('fits' in fault) || fault.fits === undefined) return []
  for (const feed of feeds) {
    if (chosen !== undefined && !chosen.has(feed.id)) continue
    const want = fault.fits(options, feed)
    const cure = chosen === undefined ? '; or name in "feeds" those that it is for' : ''
    if (want !== undefined) return [{ at: `${at}.options`, got: options, want: want + cure }]
  }
  return []
}

function toRequests(requests: Selectors['requests']): Requests | undefined {
  if (typeof requests !== 'string') return requests
  const ranges = requests.split(',').map(range => {
    const [from, to = from] = range.split('-').map(Number)
    return [from!, to!] as const
  })
  return { ranges }
}

function toWords({ requests, chance }: Selectors): string {
  const which =
    typeof requests === 'string' ? `requests ${requests}` : requests && Object.entries(requests)[0]!.join(' ')
  return [which, chance === undefined ? undefined : `chance ${chance}`].filter(Boolean).join(', ')
}
