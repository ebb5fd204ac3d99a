// The scenarios of a mock by name: built in and a user's own. Built-in scenarios are parsed on first use.
import { nearest, type PriceFeedMockError, wrongValue } from '../errors.js'
import { BUILT_IN } from './built-in.js'
import { parseScenario, type Vocabulary } from './parse.js'
import type { Scenario } from './scenario.js'

/** The JSON of scenarios, by name. */
export type ScenarioSources = Readonly<Record<string, unknown>>

/** Scenarios by name. */
export type Scenarios = Readonly<ReturnType<typeof createScenarios>>

/** Valid names: they appear in paths and in API keys. */
export const SCENARIO_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,50}$/

/** The name of a scenario that is given as an object. */
const INLINE = 'inline'

/**
 * Creates the scenarios of a mock.
 * @param own a user's own; they replace built-in scenarios of the same name
 * @param files their files by name, for error messages
 * @throws PriceFeedMockError SCENARIO_INVALID for one invalid scenario, an AggregateError for several
 */
export function createScenarios(
  vocabulary: Vocabulary,
  own: ScenarioSources = {},
  files: Readonly<Record<string, string>> = {},
) {
  const fileOf = new Map(Object.entries(files))
  const sources = new Map(Object.entries(BUILT_IN))
  const known = new Map<string, Scenario>()
  /** Inline scenarios by their own copy of their JSON, which nobody changes: it is not parsed again. */
  const parsed = new WeakMap<object, Scenario>()

  const parseInline = (data: unknown, name: string, subject: string): Scenario => {
    const found = parsed.get(data as object)
    if (found !== undefined) return found.name === name ? found : { ...found, name }
    const scenario = parseScenario(data, vocabulary, { name, subject, inline: true })
    parsed.set(scenario.source, scenario)
    return scenario
  }
  const set = (name: string, data: unknown, file = fileOf.get(name)): Scenario => {
    assertName(name)
    const subject = file ?? `The scenario "${name}"`
    const scenario = parseScenario(data, vocabulary, { name, subject, inline: false })
    sources.set(name, data as never)
    known.set(name, scenario)
    if (file !== undefined) fileOf.set(name, file)
    return scenario
  }
  const errors = Object.entries(own).flatMap(([name, data]) => {
    try {
      set(name, data)
      return []
    } catch (error) {
      return [error]
    }
  })
  if (errors.length > 0)
    throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'Several scenarios are invalid.')

  const byName = (name: string): Scenario => {
    const found = known.get(name)
    if (found !== undefined) return found
    if (!sources.has(name)) throw scenarioUnknown(name, [...sources.keys()])
    return set(name, sources.get(name))
  }

  return {
    get names(): readonly string[] {
      return [...sources.keys()]
    },
    /** The JSON of each; that of a built-in one may name feeds that the catalogue does not have. */
    get sources(): ScenarioSources {
      return Object.fromEntries(sources)
    },
    has: (name: string): boolean => sources.has(name),
    /**
     * Returns the scenario with a name, or parses an object. The source of a parsed scenario is not parsed again.
     * @throws PriceFeedMockError SCENARIO_UNKNOWN or SCENARIO_INVALID
     */
    get: (given: unknown): Scenario =>
      typeof given === 'string' ? byName(given) : parseInline(given, INLINE, 'The scenario'),
    /**
     * Parses a scenario of a snapshot, in the same way. Its name may belong to another scenario here.
     * @param subject the scenario, as errors name it
     * @throws PriceFeedMockError SCENARIO_INVALID
     */
    parse: (name: string, data: unknown, subject = 'The scenario of the snapshot'): Scenario =>
      parseInline(data, name, subject),
    /** Summaries, in the order in which the names were added. */
    list: () =>
      [...sources].map(([name, { title, why, faults }]) => ({
        name,
        title: String(title),
        why: String(why),
        faults: (faults as readonly unknown[]).length,
        stages: [...new Set((faults as readonly { fault: string }[]).map(({ fault }) => fault.split('/')[0]!))],
      })),
    /** The argument of `--scenario` for a scenario: its file, or its name if it is built in; otherwise undefined. */
    fileOrNameOf({ name, source }: Scenario): string | undefined {
      const present = known.get(name)?.source
      if (JSON.stringify(present) !== JSON.stringify(source)) return undefined
      return fileOf.get(name) ?? (sources.get(name) === (BUILT_IN as ScenarioSources)[name] ? name : undefined)
    },
    /** @throws PriceFeedMockError SCENARIO_INVALID; an existing scenario is then kept */
    set,
  }
}

/** Whether a scenario of one's own can have a name. */
export const isFreeName = (name: string): boolean => SCENARIO_NAME.test(name) && name !== INLINE

function assertName(name: string): void {
  if (isFreeName(name)) return
  const want =
    name === INLINE
      ? 'another name: this one is that of scenarios which are given as an object'
      : 'letters, digits, . _ and -, at most 51, beginning with a letter or a digit'
  throw wrongValue('SCENARIO_INVALID', 'A scenario cannot have this name.', { at: 'name', got: name, want })
}

/** The error for a name that no scenario has. */
export function scenarioUnknown(name: string, names: readonly string[]): PriceFeedMockError {
  const problem = { at: 'scenario', got: name, want: `one of ${names.join(', ')}`, closest: nearest(name, names) }
  return wrongValue('SCENARIO_UNKNOWN', `There is no scenario ${JSON.stringify(name.slice(0, 64))}.`, problem)
}
