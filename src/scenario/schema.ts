// The schema of scenario files.
import * as z from 'zod/mini'
import { getOrCreate } from '../caches.js'
import { type Fault, type Stage, stageOf } from '../faults/fault.js'
import { duration, offset } from '../faults/options.js'
import { integer, listOf, number, read, text } from '../settings/schema.js'
import { settingsSchema } from '../settings/settings.js'

/** Maximum number of faults in a scenario. */
export const MAX_FAULTS = 100
/** Maximum number of feeds that a fault names. */
export const MAX_FAULT_FEEDS = 1000
/** Maximum number of endpoints that a fault names, and that a snapshot counts. */
export const MAX_FAULT_ENDPOINTS = 20
const WANT_FAULTS = `a list of at most ${MAX_FAULTS} faults`
const line = (max: number) => {
  const want = `1 to ${max} characters`
  return z.string({ error: want }).check(z.minLength(1, want), z.maxLength(max, want))
}

const { seed, clock, policy } = settingsSchema.shape

/** A scenario. Its faults are parsed one by one. */
export const scenarioSchema = z.strictObject({
  $schema: z.optional(z.string().check(z.maxLength(2000, { error: 'at most 2000 characters' }))),
  title: line(200),
  why: line(2000),
  seed,
  clock,
  policy,
  loop: z.optional(duration),
  pace: z.optional(number(1, 100_000)),
  faults: z.array(z.unknown(), { error: WANT_FAULTS }).check(z.maxLength(MAX_FAULTS, { error: WANT_FAULTS })),
})
/** An inline scenario may leave out title and why. */
export const inlineScenarioSchema = z.partial(scenarioSchema, { title: true, why: true })

/** A description of `requests`. */
export const WANT_REQUESTS =
  '"3", "1-3", "1-3,7", "5-6 of 30", {"first": 3} or {"every": 5}, counted from 1; at most 100 ranges'

/** Reads `"1-3,7"`, or `"1-3,7 of 30"`: of each 30 requests those. */
export function readRequests(text: string) {
  const [list, of] = text.split(' of ')
  const ranges = list!.split(',').map(range => {
    const [from, to = from] = range.split('-').map(Number)
    return [from!, to!] as const
  })
  return { ranges, of: of === undefined ? undefined : Number(of) }
}
const isOrdered = (text: string): boolean => {
  const { ranges, of = Number.POSITIVE_INFINITY } = readRequests(text)
  return ranges.every(([from, to]) => from <= to && to <= of)
}
const requests = z.union(
  [
    text(/^[1-9]\d{0,8}(-[1-9]\d{0,8})?(,[1-9]\d{0,8}(-[1-9]\d{0,8})?){0,99}( of [1-9]\d{0,8})?$/, WANT_REQUESTS).check(
      z.refine(isOrdered, { error: WANT_REQUESTS }),
    ),
    z.strictObject({ first: integer(1, 1e9) }),
    z.strictObject({ every: integer(1, 1e9) }),
  ],
  { error: WANT_REQUESTS },
)

const namesOf = (noun: string, most: number) => z.optional(listOf(z.string(), noun, most, '; leave it out for all'))

const SELECTORS = {
  feeds: namesOf('feed', MAX_FAULT_FEEDS),
  endpoints: namesOf('endpoint', MAX_FAULT_ENDPOINTS),
  alone: z.optional(z.boolean()),
  from: z.optional(offset),
  for: z.optional(duration),
  repeat: z.optional(duration),
  requests: z.optional(requests),
  chance: z.optional(number(0, 1)),
}

/** The selectors by time. */
export const TIME = ['from', 'for', 'repeat'] as const
const REQUEST = ['requests', 'chance'] as const
/** The selectors of each stage. A market fault is a function of time, so it cannot select requests or endpoints. */
const SELECTORS_OF: Readonly<Record<Stage, readonly (keyof typeof SELECTORS)[]>> = {
  market: ['feeds', ...TIME],
  tick: ['feeds', 'endpoints', ...TIME, ...REQUEST],
  signature: ['feeds', 'endpoints', ...TIME, ...REQUEST],
  series: ['feeds', ...TIME, ...REQUEST],
  reply: ['feeds', 'endpoints', ...TIME, ...REQUEST],
  wire: ['feeds', 'endpoints', ...TIME, ...REQUEST],
}

const selectorsOf = (fault: Fault): readonly (keyof typeof SELECTORS)[] =>
  'isFollowed' in fault ? [...SELECTORS_OF.market, 'alone'] : SELECTORS_OF[stageOf(fault)]

/** Schemas by the keys that they allow: creating one takes longer than parsing a fault with it. */
const schemas = new Map<string, ReturnType<typeof createSelectorsSchema>>()

/**
 * The schema of one fault in a scenario. Selectors of other stages are unknown keys.
 * @param fault if undefined, all selectors are allowed
 */
export function selectorsSchema(fault: Fault | undefined) {
  const names = fault ? selectorsOf(fault) : (Object.keys(SELECTORS) as (keyof typeof SELECTORS)[])
  return getOrCreate(schemas, names.join(' '), () => createSelectorsSchema(names))
}

function createSelectorsSchema(names: readonly (keyof typeof SELECTORS)[]) {
  const selectors = Object.fromEntries(names.map(name => [name, SELECTORS[name]])) as typeof SELECTORS
  return z.strictObject({ fault: z.optional(z.unknown()), ...selectors, options: z.optional(z.unknown()) })
}
/** Parsed selectors. */
export type Selectors = { [K in keyof typeof SELECTORS]?: z.output<(typeof SELECTORS)[K]> }
/** Parsed selectors by time. */
export type Times = Pick<Selectors, (typeof TIME)[number]>

/** The valid times of an entry: an invalid one is left out. */
export const readTimes = (entry: Readonly<Record<string, unknown>>): Times =>
  Object.fromEntries(TIME.map(key => [key, read(SELECTORS[key], entry[key]).value]))
