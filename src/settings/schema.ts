// Building blocks of schemas, forms that several options share, and the parsing of untrusted data with readable problems.
import * as z from 'zod/mini'
import {
  countOf,
  type ErrorCode,
  isObject,
  type Lines,
  MAX_PROBLEMS_SHOWN,
  NOT_SHOWN,
  nearest,
  PriceFeedMockError,
  type Problem,
  tryTo,
  UNKNOWN_KEY,
} from '../errors.js'

/** A whole number from `min` to `max`. */
export const integer = (min: number, max: number, want = `an integer from ${min} to ${max}`) =>
  z.int({ error: want }).check(z.gte(min, { error: want }), z.lte(max, { error: want }))

/** A finite number from `min` to `max`. */
export const number = (min: number, max: number, want = `a number from ${min} to ${max}`) =>
  z.number({ error: want }).check(z.gte(min, { error: want }), z.lte(max, { error: want }))

/** A list of 1 to `most` items. The remedy ends both errors. */
export const listOf = <T extends z.core.$ZodType>(item: T, noun: string, most: number, remedy = '') =>
  z
    .array(item)
    .check(
      z.minLength(1, { error: `at least one ${noun}${remedy}` }),
      z.maxLength(most, { error: `at most ${most} ${noun}s${remedy}` }),
    )

/**
 * A string that matches a pattern.
 * @typeParam Form the form that the compiler knows
 */
export const text = <Form extends string = string>(pattern: RegExp, want: string) =>
  z.string({ error: want }).check(z.regex(pattern, { error: want, abort: true })) as unknown as z.ZodMiniType<
    Form,
    Form
  >

/** The schemas of a table, by the names of its rows. */
export const schemasOf = <Rows extends Readonly<Record<string, { readonly schema: z.core.$ZodType }>>>(rows: Rows) =>
  Object.fromEntries(Object.entries(rows).map(([name, { schema }]) => [name, schema])) as {
    readonly [Name in keyof Rows]: Rows[Name]['schema']
  }

/** Documentation of schemas: an `id` makes a shared component. Not zod's global registry, which belongs to the user's program. */
export const DOCUMENTATION = z.registry<{ readonly id?: string; readonly description: string }>()

/** Describes a schema for the OpenAPI document. A schema has one text: make another schema for another text. */
export function documented<T extends z.core.$ZodType>(schema: T, description: string, id?: string): T {
  const earlier = DOCUMENTATION.get(schema)?.description
  if (earlier !== undefined && earlier !== description) throw new TypeError(`This schema is "${earlier}" already.`)
  DOCUMENTATION.add(schema, { description, ...(id === undefined ? {} : { id }) } as never)
  return schema
}

/** The keys of an object that are not known, for options that no schema has as a whole. */
export const findUnknownKeys = (data: object, known: readonly string[]): Problem[] =>
  // Its characters would be keys.
  typeof data === 'string'
    ? [{ at: 'options', got: 'a text', want: 'an object' }]
    : Object.keys(data ?? {})
        .filter(key => !known.includes(key))
        .map(key => unknownKey(key, key, known))

/** @param isNear whether the nearest known key is looked for */
function unknownKey(at: string, key: string, known: readonly string[], isNear = true): Problem {
  const closest = isNear ? nearest(key, known) : undefined
  const keys = known.length === 1 ? 'the key' : 'one of the keys'
  const want = closest ?? (known.length > 0 ? `${keys} ${known.join(', ')}` : 'nothing: it has no options')
  return { at, got: UNKNOWN_KEY, want, closest }
}

/** Parses untrusted data by a schema. Returns the value, or all problems. */
export function read<T extends z.core.$ZodType>(
  schema: T,
  data: unknown,
): { value: z.output<T>; problems?: undefined } | { value?: undefined; problems: Problem[] } {
  const result = parseSafely(schema, data)
  if (result === undefined) return { problems: [TOO_MANY_PROBLEMS] }
  if (result.success) return { value: result.data }
  const problems: Problem[] = []
  // Several checks of one value can fail with the same text: reported once.
  const seen = new Set<string>()
  for (const issue of result.error.issues) {
    for (const problem of toProblems(issue, data, schema, MAX_PROBLEMS_SHOWN - problems.length)) {
      const known = seen.size
      if (seen.add(`${problem.at} ${problem.want}`).size > known) problems.push(hideSecret(problem))
    }
    if (problems.length >= MAX_PROBLEMS) break
  }
  return { problems }
}

/** A problem of a part of some data, as one of the whole. */
export const prefixed = (problem: Problem, at: string): Problem => ({
  ...problem,
  at: problem.at === '(the whole)' ? at : `${at}.${problem.at}`,
})

/** Problems after which no other is looked up: a body may have 100,000, which takes a second to list. */
export const MAX_PROBLEMS = 1000

/** Stands for all problems of data that has more of them than a parser can list. */
const TOO_MANY_PROBLEMS: Problem = { at: '(the whole)', got: undefined, want: 'data with fewer problems' }

/** The result of a schema, or undefined if it fails: zod passes all issues of a value as arguments, whose number is limited. */
function parseSafely<T extends z.core.$ZodType>(schema: T, data: unknown) {
  try {
    // A fixed text for checks without one of their own: another user of zod in the process may set a global language.
    return z.safeParse(schema, data, { error: () => 'Invalid input' })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** An address with a password, or what looks like one. */
const HAS_CREDENTIALS = /^\w+:\/\/[^/?#]*@/

/**
 * Hides values that may be secrets: settings ending in "Unsafe", API keys, the token of the admin, addresses of stores, RPCs and
 * services, and any other with a password.
 */
export function hideSecret(problem: Problem): Problem {
  const isSecret =
    /Unsafe$|\bapiKeys(\[\d+\])?$|^adminToken$|^relay\.rpc$|^compare\.(apiKeyEnv|\w+Url)$|^store$/.test(problem.at) ||
    (typeof problem.got === 'string' && HAS_CREDENTIALS.test(problem.got))
  return isSecret ? { ...problem, got: NOT_SHOWN } : problem
}

/** Maximum number of values in a body: keys and items at all levels. */
export const MAX_VALUES = 100_000
/** Maximum number of keys or items of one object or list in a body. */
export const MAX_ENTRIES = 12_000

/**
 * Number of values in a JSON text, and in its widest list or object. Counted without parsing, which may take a hundred times the memory
 * of the text. Stops where there are too many; the text may be invalid.
 */
export function countJsonValues(text: string): { readonly values: number; readonly widest: number } {
  let values = 0
  let widest = 0
  /** The number of values in each open list and object. */
  const open: number[] = []
  let isEmpty = true
  for (let i = 0; i < text.length && values <= MAX_VALUES; i++) {
    const code = text.charCodeAt(i)
    if (code <= SPACE) continue
    if (isEmpty && code !== CLOSING_BRACKET && code !== CLOSING_BRACE) count()
    isEmpty = code === OPENING_BRACKET || code === OPENING_BRACE
    if (isEmpty) open.push(0)
    else if (code === COMMA) count()
    else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) open.pop()
    else if (code === QUOTE) i = endOfString(text, i)
  }
  return { values, widest }

  function count(): void {
    if (open.length === 0) return
    values++
    widest = Math.max(widest, ++open[open.length - 1]!)
  }
}

const [SPACE, QUOTE, COMMA, BACKSLASH] = [32, 34, 44, 92]
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [91, 93, 123, 125]

/** The index of the quote that ends the string at `start`, or the length of the text. */
function endOfString(text: string, start: number): number {
  let i = start + 1
  while (i < text.length && text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1
  return i
}

/** The problem of a JSON text with too many values, if it has one. Checked before it is parsed. */
export function findExcess(json: string): Problem[] {
  const { values, widest } = countJsonValues(json)
  const at = '(the whole)'
  if (widest > MAX_ENTRIES) return [{ at, got: widest, want: `at most ${MAX_ENTRIES} values in a list or object` }]
  return values > MAX_VALUES ? [{ at, got: values, want: `at most ${MAX_VALUES} values at all levels` }] : []
}

/** Finds keys `__proto__`, which record schemas ignore. */
export function findPrototypes(data: unknown): Problem[] {
  const found: Problem[] = []
  // Paths take most of the time, and almost no data has such a key.
  if (tryTo(() => JSON.stringify(data) ?? '')?.includes('__proto__') === false) return found
  const seen = new Set<unknown>()
  const open: { value: unknown; path: string }[] = [{ value: data, path: '' }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isObject(next.value) || seen.has(next.value)) continue
    seen.add(next.value)
    for (const [key, value] of Object.entries(next.value)) {
      // Limited: the paths of deep data would take more memory than the data.
      const path = pathOf([next.path, Array.isArray(next.value) ? Number(key) : key]).slice(-200)
      if (key === '__proto__')
        found.push({ at: path, got: UNKNOWN_KEY, want: 'another key: `__proto__` is not allowed' })
      else open.push({ value, path })
    }
  }
  return found
}

/** A type without mutable parts. */
export type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

/** Throws one error with all problems, if there are any. `subject` begins its message: a file name, "The body". */
export function assertNoProblems(
  code: ErrorCode,
  subject: string,
  problems: readonly Problem[],
  lines: Lines = {},
): void {
  const { length } = problems
  if (length === 0) return
  const count = countOf(length, 'problem') + (length < MAX_PROBLEMS ? '' : ' or more')
  throw new PriceFeedMockError(code, `${subject} has ${count}.`, { problems, ...lines })
}

/**
 * Parses untrusted data by a schema.
 * @param subject subject of the error message: a file name, "The body"
 * @throws PriceFeedMockError of the given code with every problem
 */
export function parseOrThrow<T extends z.core.$ZodType>(
  schema: T,
  data: unknown,
  code: ErrorCode,
  subject: string,
): z.output<T> {
  const { value, problems = [] } = read(schema, data)
  assertNoProblems(code, subject, problems)
  return value as z.output<T>
}

/** A path in the notation of JavaScript: `faults[0].options.status`. */
export function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((at, key) => {
    if (typeof key === 'number') return `${at}[${key}]`
    return at === '' ? String(key) : `${at}.${String(key)}`
  }, '')
}

/** @param shown number of problems that an error still shows: the search for the nearest name is slow, so others go without */
function toProblems(issue: z.core.$ZodIssue, data: unknown, schema: z.core.$ZodType, shown: number): Problem[] {
  const at = pathOf(issue.path) || '(the whole)'
  const got = valueAt(data, issue.path)
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = keysAt(schema, issue.path)
      return issue.keys.slice(0, MAX_PROBLEMS).map((key, i) => {
        const at = pathOf([...issue.path, key])
        const place = known.find(one => keysAt(schema, [...issue.path, one]).includes(key))
        return place ? { at, got: UNKNOWN_KEY, want: `it in "${place}"` } : unknownKey(at, key, known, i < shown)
      })
    }
    case 'invalid_value': {
      const closest = typeof got === 'string' && shown > 0 ? nearest(got, issue.values.map(String)) : undefined
      const names = issue.values.map(value => JSON.stringify(value))
      return [{ at, got, want: `one of ${names.join(', ')}`, closest }]
    }
    case 'invalid_key':
      return issue.issues.map(inner => ({ at, got: issue.path.at(-1), want: inner.message }))
    case 'invalid_type': {
      const want = issue.message === 'Invalid input' ? (WANT_BY_TYPE[issue.expected] ?? issue.expected) : issue.message
      return [{ at, got, want }]
    }
    default: {
      // The number of items says more than the first of them.
      const isLong = issue.code === 'too_big' && Array.isArray(got)
      return [{ at, got: isLong ? got.length : got, want: issue.message }]
    }
  }
}

const WANT_BY_TYPE: Record<string, string> = {
  string: 'a string',
  nonoptional: 'a value',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array, in [ ]',
  object: 'an object',
  record: 'an object',
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  let value = data
  for (const key of path) {
    if (!Object.hasOwn(Object(value), key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}

/** The keys of a strict object, or of those of a union, at a path of a schema; none for other schemas. */
export function keysAt(schema: z.core.$ZodType | undefined, path: readonly PropertyKey[] = []): string[] {
  type Parts = Partial<Record<'innerType' | 'element' | 'valueType', z.core.$ZodType>>
  type Several = { shape?: Record<PropertyKey, z.core.$ZodType>; options?: readonly z.core.$ZodType[] }
  const def = (schema?._zod.def ?? {}) as Parts & Several
  const { innerType, element, valueType, shape, options = innerType && [innerType] } = def
  if (options) return options.flatMap(option => keysAt(option, path))
  // The keys of a record are the user's own: its values are no places for other keys.
  if (path.length === 0 && !element) return Object.keys(shape ?? {})
  return keysAt(shape?.[path[0]!] ?? element ?? valueType, path.slice(1))
}

/** An origin as browsers send it: scheme, host and a port other than the default, without a path. `*` is no origin. */
export const ORIGIN = /^https?:\/\/(?![^/]*:(?:0\d*)?$)(?:[a-z\d](?:[\w.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/i
/** A description of `ORIGIN`. */
export const WANT_ORIGIN = 'an origin without a path, such as http://localhost:5173; there is no wildcard'

/** A token that a header can hold. */
export const ADMIN_TOKEN = /^[\x21-\x7e]{8,512}$/
/** A description of `ADMIN_TOKEN`. */
export const WANT_TOKEN = 'a token of 8 to 512 visible ASCII characters'

// Browsers read it with the flag `v`, which wants the slash of a class escaped.
/** A base address: without credentials and query. */
export const BASE_URL = /^https?:\/\/[^\s\x2f?#@\ud800-\udfff]+(?:\/[^\s?#\ud800-\udfff]*)?$/i
/** A description of `BASE_URL`. */
export const WANT_BASE_URL = 'an address such as https://mock.example, without credentials and query'
