// A probe: the requests that show how a service fills one gap of the interface, and the form that their answers have.
import type { FeedDefinition } from '../market/feeds.js'
import type { SettingsPatch } from '../settings/settings.js'
import type { Candidate } from './layout-candidates.js'

/** A request, without address and key. */
export interface Question {
  readonly base: 'prices' | 'history'
  /** Path and query. */
  readonly target: string
  /** @default 'GET' */
  readonly method?: 'GET' | 'HEAD' | 'OPTIONS' | undefined
  /**
   * The value of `Authorization`; `own` is the user's key, which no question contains.
   * @default 'own' where the endpoint needs one
   */
  readonly key?: 'own' | 'bearer' | 'wrong' | 'none' | undefined
  /** Whether it is asked again, though its answer is known. */
  readonly again?: boolean | undefined
}

/** An answer. */
export interface Answer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** With exact integers; undefined where it is not JSON. */
  readonly body: unknown
  /** The second in its `Date`, or that of this machine's clock. */
  readonly now: number
}

/** A form that was seen: JSON without prices. */
export type Seen = string | number | boolean | null | readonly Seen[] | { readonly [key: string]: Seen }

/** A question, a pause in seconds, or a turn for others during a long calculation. */
type Step = Question | { readonly pause: number } | { readonly calculated: number }

/** The work of a probe: it yields steps and gets the answers. */
export type Asking<T = Seen> = Generator<Step, T, Answer>

/** A change of our settings that gives the form that was seen. */
export interface OptionPatch extends SettingsPatch {
  /** Changes of feeds, by their ids. */
  readonly feeds?: Readonly<Record<string, Omit<FeedDefinition, 'id'>>> | undefined
}

/** The knowledge of probes before they ask. */
export interface ProbeContext {
  /** The feeds of the user that the service has. */
  readonly feeds: readonly [string, ...string[]]
  /** All feeds of the user. */
  readonly requested: readonly string[]
  /** Where the search for a limit begins. */
  readonly limits: { readonly minutes: number; readonly feedIds: number }
  /** A feed of each class. */
  readonly classes: readonly (readonly [name: string, feed: string])[]
  /** Signed layouts to try first. */
  readonly layouts: readonly Candidate[]
  /** The number of candidates of a search for a layout. */
  readonly maxCandidates?: number | undefined
  /** Every answer so far, in order. */
  readonly answers: readonly { readonly question: Question; readonly answer: Answer }[]
}

/** One row of the comparison. */
export interface Probe {
  readonly name: string
  /**
   * The page with our assumption.
   * @default 'docs/assumptions.md'
   */
  readonly page?: string | undefined
  ask(context: ProbeContext): Asking
  /** The options that change it, for the documentation. */
  readonly option?: string | undefined
  /** Our settings that give the same form as the service; undefined if none do. */
  toPatch?(theirs: never, context: ProbeContext, ours: never): OptionPatch | undefined
  /**
   * Whether two forms count as one.
   * @default they are equal as JSON
   */
  same?(theirs: never, ours: never): boolean
  /** Whether it belongs to the service alone, so that ours always differs: it counts in a profile only. */
  readonly isOwn?: boolean | undefined
}

const list = (ids: readonly string[]): string => ids.map(encodeURIComponent).join(',')

/** Questions to the five endpoints. */
export const to = {
  latest: (id: string, more: Partial<Question> = {}): Question => ({
    base: 'prices',
    target: `/prices/${encodeURIComponent(id)}/latest`,
    ...more,
  }),
  batch: (ids: readonly string[], more: Partial<Question> = {}): Question =>
    to.query('batch', `feedIds=${list(ids)}`, more),
  evm: (ids: readonly string[], more: Partial<Question> = {}): Question =>
    to.query('evm/crypto', `feedIds=${list(ids)}`, more),
  history: (ids: readonly string[], minutes: number | string): Question =>
    to.query('queryHistory', `feedIds=${list(ids)}&minutes=${encodeURIComponent(minutes)}`),
  query: (path: string, query: string, more: Partial<Question> = {}): Question => ({
    base: 'prices',
    target: `/prices/${path}${query === '' ? '' : `?${query}`}`,
    ...more,
  }),
  candles: (feed: string, interval: string): Question =>
    to.chart(`feedids=${list([feed.toLowerCase()])}&feed=${list([feed.toLowerCase()])}&type=1&interval=${interval}`),
  chart: (query: string, more: Partial<Question> = {}): Question => ({
    base: 'history',
    target: `/charting/feeds-data?${query}`,
    key: 'none',
    ...more,
  }),
}

/**
 * The form of a JSON value: types and the order of keys, without its values.
 * @param hidden ids of feeds, which may be keys
 * @param isLoose whether integers, which a price may be by chance, count as numbers
 */
export function shapeOf(value: unknown, hidden: readonly string[] = [], isLoose = false, depth = 0): string {
  if (value === undefined) return 'no JSON'
  if (value === null) return 'null'
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return Number.isInteger(value) && !isLoose ? 'integer' : 'number'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return 'boolean'
  // Each level takes a part of the stack.
  if (depth === MAX_SHAPE) return '…'
  if (Array.isArray(value)) {
    const items = value.map(item => shapeOf(item, hidden, isLoose, depth + 1))
    return `[${[...new Set(items)].join(' | ')}]`.slice(0, MAX_SHAPE)
  }
  const parts = Object.entries(value as object).map(([key, inner]) => {
    const name = hidden.some(id => id.toUpperCase() === key.toUpperCase()) ? '<feed>' : key
    return `${name}: ${shapeOf(inner, hidden, isLoose && key !== 'time', depth + 1)}`
  })
  return `{ ${[...new Set(parts)].join(', ')} }`.slice(0, MAX_SHAPE)
}
/** The largest number of characters, and of levels. */
const MAX_SHAPE = 400

/** The value at a path of a body of any form. */
export const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null | undefined)?.[key], value)

/** A list in a body, or an empty one. */
export const listAt = (value: unknown, ...path: readonly (string | number)[]): readonly unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

type Questions = Readonly<Record<string, Question>>

/** A question for each name. */
export const byName = (names: readonly string[], toQuestion: (name: string) => Question): Questions =>
  Object.fromEntries(names.map(name => [name, toQuestion(name)]))

/** Asks several questions, and returns a form of each answer by name. */
export function* each<T extends Seen>(
  questions: Questions,
  show: (answer: Answer, name: string) => T,
): Asking<Record<string, T>> {
  const found: Record<string, T> = {}
  for (const [name, question] of Object.entries(questions)) found[name] = show(yield question, name)
  return found
}

/** Asks several questions, and returns their statuses by name. */
export const statuses = (questions: Questions): Asking<Record<string, number>> =>
  each(questions, ({ status }) => status)

/** A form of each feed. */
export type ByFeed<T = Seen> = Readonly<Record<string, T>>
type Change = Omit<FeedDefinition, 'id'>

/** The changes of those feeds that differ. */
export function changesOf<T extends Seen>(
  theirs: ByFeed<T>,
  ours: ByFeed | string,
  toChange: (seen: T, id: string) => Change | undefined,
) {
  const changes = Object.entries(theirs).flatMap(([id, seen]): [string, Change][] => {
    const isEqual = JSON.stringify(seen) === JSON.stringify(at(ours, id))
    const change = isEqual ? undefined : toChange(seen, id)
    return change === undefined ? [] : [[id, change]]
  })
  return changes.length === 0 ? undefined : { feeds: Object.fromEntries(changes) }
}
