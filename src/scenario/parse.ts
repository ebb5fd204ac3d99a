// From what somebody has written to a scenario, or to everything that is wrong with it at once.
import { nearest, type Problem, UNKNOWN_KEY } from '../errors.js'
import type { Fault } from '../faults/fault.js'
import { stageOf } from '../faults/fault.js'
import type { Feed } from '../market/feeds.js'
import { findFeed } from '../market/market.js'
import { assertNoProblems, findPrototypes, read } from '../settings/schema.js'
import { planTimes } from './pattern.js'
import type { PlannedFault, Requests, Scenario } from './scenario.js'
import { inlineScenarioSchema, MOST_FAULTS, type Selectors, scenarioSchema, selectorsSchema } from './schema.js'

/** The names that a scenario may use. */
export interface Vocabulary {
  readonly faults: readonly Fault[]
  readonly endpoints: readonly string[]
  readonly feeds: readonly Feed[]
}

/** No names at all: enough for the scenario in which nothing goes wrong. */
export const NO_VOCABULARY: Vocabulary = { faults: [], endpoints: [], feeds: [] }

/** How a scenario came in. */
export interface Origin {
  readonly name: string
  /** What it is called in an error: a file, "The scenario". */
  readonly source: string
  /** Whether it may leave out title and why. */
  readonly inline: boolean
}

/**
 * Reads a scenario.
 * @throws PriceFeedMockError SCENARIO_INVALID with every problem
 */
export function parseScenario(data: unknown, vocabulary: Vocabulary, origin: Origin): Scenario {
  const problems = findPrototypes(data)
  const { value, problems: formProblems = [] } = read(origin.inline ? inlineScenarioSchema : scenarioSchema, data)
  problems.push(...formProblems)
  const entries = faultsOf(data)
  const faults = entries.map((entry, index) => planFault(entry, index, value?.loop, vocabulary, problems))
  assertNoProblems('SCENARIO_INVALID', origin.source, problems, [['docs', 'docs/scenarios.md']])
  // A copy: whoever wrote it may go on writing. All of it is JSON by now.
  const { $schema: _, ...source } = JSON.parse(JSON.stringify(data)) as Record<string, unknown>
  const { title = 'Inline', why = 'Given inline.', seed, clock, policy } = value!
  const settings = { seed, clock, policy }
  return { name: origin.name, title, why, settings, faults: faults as PlannedFault[], source }
}

/** The entries of `faults`, so far as there are some that can be looked at: their problems are told beside those of the whole. */
function faultsOf(data: unknown): readonly unknown[] {
  const { faults } = (typeof data === 'object' ? (data ?? {}) : {}) as { faults?: unknown }
  // Spread: an entry that was never set is one that is missing.
  return Array.isArray(faults) && faults.length <= MOST_FAULTS ? [...faults] : []
}

function planFault(
  entry: unknown,
  index: number,
  loop: number | undefined,
  vocabulary: Vocabulary,
  problems: Problem[],
): PlannedFault | undefined {
  const at = `faults[${index}]`
  const names = vocabulary.faults.map(({ name }) => name)
  const name = (entry as { fault?: unknown } | null)?.fault
  const fault = vocabulary.faults.find(known => known.name === name)
  if (fault === undefined) {
    problems.push(unknownFault(entry, name, at, names))
    return undefined
  }
  const before = problems.length
  const when = read(selectorsSchema(fault), entry)
  const { options: given = {} } = entry as { options?: unknown }
  const how = read(fault.options, given)
  problems.push(...(when.problems ?? []).map(problem => inPlace(problem, at, fault)))
  problems.push(...(how.problems ?? []).map(problem => inPlace(problem, `${at}.options`, fault)))
  // Names are looked up in any case: all problems are told at once.
  const feeds = resolveFeeds(namesIn(entry, 'feeds'), at, vocabulary, problems)
  const endpoints = resolveEndpoints(namesIn(entry, 'endpoints'), at, vocabulary, problems)
  const selectors = (when.value ?? {}) as Selectors
  const options = how.value as never
  const times = planTimes(selectors, loop, at, entry as Record<string, unknown>)
  problems.push(...times.problems)
  if (problems.length > before) return undefined
  problems.push(...unfit(fault, options, feeds, at, vocabulary))
  const planned = [feeds && [...feeds].join(' '), endpoints && [...endpoints].join(' '), times.words]
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

function namesIn(entry: unknown, key: 'feeds' | 'endpoints'): readonly string[] | undefined {
  const names = (entry as Record<string, unknown>)[key]
  return Array.isArray(names) ? names.filter(name => typeof name === 'string') : undefined
}

function unknownFault(entry: unknown, name: unknown, at: string, names: readonly string[]): Problem {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return { at, got: entry, want: 'an object such as {"fault": "market/stale"}' }
  const slip = typeof name === 'string' ? nearest(name, names) : undefined
  // Who writes "stale" means "market/stale".
  const closest = slip ?? names.find(known => known.endsWith(`/${String(name)}`))
  const folder = typeof name === 'string' ? names.filter(known => known.startsWith(`${name.split('/', 1)[0]}/`)) : []
  const want = folder.length > 0 ? `one of ${folder.join(', ')}` : 'the name of a fault such as market/stale'
  return { at: `${at}.fault`, got: name, want, closest }
}

/** A problem of one fault, at its place in the whole. What another stage takes is told apart from what nobody knows. */
function inPlace(problem: Problem, at: string, fault: Fault): Problem {
  const where = problem.at === '(the whole)' ? at : `${at}.${problem.at}`
  const isSelector = /^(feeds|endpoints|requests|chance)$/.test(problem.at) && problem.got === UNKNOWN_KEY
  if (!isSelector) return { ...problem, at: where }
  const because = stageOf(fault) === 'market' ? 'is a function of time' : 'touches one endpoint only'
  return { at: where, got: UNKNOWN_KEY, want: `no such key: ${fault.name} ${because}` }
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
      const closest = problems.length < MOST_FAULTS ? nearest(id, names) : undefined
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
    if (want !== undefined) return [{ at: `${at}.options`, got: options, want }]
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
