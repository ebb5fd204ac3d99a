// The form of a scenario file: one schema for reading, and the JSON Schema by which editors complete.
import * as z from 'zod/mini'
import { type Fault, type Stage, stageOf } from '../faults/fault.js'
import { duration, offset } from '../faults/options.js'
import { integer, number, read, text } from '../settings/schema.js'
import { settingsSchema } from '../settings/settings.js'

/** Faults of one scenario, at most. */
export const MAX_FAULTS = 100
const WANT_FAULTS = `a list of at most ${MAX_FAULTS} faults`
const WANT_LINE = (most: number): string => `1 to ${most} characters`
const line = (most: number) =>
  z.string({ error: WANT_LINE(most) }).check(z.minLength(1, WANT_LINE(most)), z.maxLength(most, WANT_LINE(most)))

const { seed, policy } = settingsSchema.shape
const clock = settingsSchema.shape.clock

/** A scenario but for its faults, which are read one by one. */
export const scenarioSchema = z.strictObject({
  $schema: z.optional(z.string()),
  title: line(200),
  why: line(2000),
  seed,
  clock,
  policy,
  loop: z.optional(duration),
  faults: z.array(z.unknown(), { error: WANT_FAULTS }).check(z.maxLength(MAX_FAULTS, { error: WANT_FAULTS })),
})
/** A scenario that is given inline may leave out what is for readers. */
export const inlineScenarioSchema = z.extend(scenarioSchema, {
  title: z.optional(scenarioSchema.shape.title),
  why: z.optional(scenarioSchema.shape.why),
})

const WANT_REQUESTS = '"3", "1-3", "1-3,7", {"first": 3} or {"every": 5}, counted from 1'
const isAscending = (range: string): boolean => {
  const [from, to = from] = range.split('-').map(Number)
  return from! <= to!
}
const requests = z.union(
  [
    text(/^[1-9]\d{0,8}(-[1-9]\d{0,8})?(,[1-9]\d{0,8}(-[1-9]\d{0,8})?){0,99}$/, WANT_REQUESTS).check(
      z.refine(ranges => ranges.split(',').every(range => isAscending(range)), { error: WANT_REQUESTS }),
    ),
    z.strictObject({ first: integer(1, 1e9) }),
    z.strictObject({ every: integer(1, 1e9) }),
  ],
  { error: WANT_REQUESTS },
)

const SELECTORS = {
  feeds: z.optional(z.array(z.string()).check(z.minLength(1, { error: 'at least one feed; leave it out for all' }))),
  endpoints: z.optional(
    z.array(z.string()).check(z.minLength(1, { error: 'at least one endpoint; leave it out for all' })),
  ),
  from: z.optional(offset),
  for: z.optional(duration),
  repeat: z.optional(duration),
  requests: z.optional(requests),
  chance: z.optional(number(0, 1)),
}

/** The selectors of time. */
export const TIME = ['from', 'for', 'repeat'] as const
const REQUEST = ['requests', 'chance'] as const
/** What can be said of when and where a fault acts, by its stage: a function of time knows neither requests nor endpoints. */
const SELECTORS_OF: Readonly<Record<Stage, readonly (keyof typeof SELECTORS)[]>> = {
  market: ['feeds', ...TIME],
  tick: ['feeds', 'endpoints', ...TIME, ...REQUEST],
  signature: ['feeds', 'endpoints', ...TIME, ...REQUEST],
  series: ['feeds', ...TIME, ...REQUEST],
  reply: ['feeds', 'endpoints', ...TIME, ...REQUEST],
  wire: ['feeds', 'endpoints', ...TIME, ...REQUEST],
}

/**
 * Where and when one fault of a scenario acts; what its stage does not take is an unknown key there.
 * @param fault without it, whatever any stage takes
 */
export function selectorsSchema(fault: Fault | undefined) {
  const taken = SELECTORS_OF[fault ? stageOf(fault) : 'reply']
  const selectors = Object.fromEntries(taken.map(name => [name, SELECTORS[name]])) as typeof SELECTORS
  return z.strictObject({ fault: z.optional(z.unknown()), ...selectors, options: z.optional(z.unknown()) })
}
/** When and where, as the schema reads it. */
export type Selectors = { [K in keyof typeof SELECTORS]?: z.output<(typeof SELECTORS)[K]> }
/** When alone. */
export type Times = Pick<Selectors, (typeof TIME)[number]>

/** The times of an entry, so far as each can be read: what is wrong with one hides nothing of the others. */
export const readTimes = (entry: Readonly<Record<string, unknown>>): Times =>
  Object.fromEntries(TIME.map(key => [key, read(SELECTORS[key], entry[key]).value]))

/** What the keys of a scenario mean, for editors. */
const MEANINGS: Readonly<Record<string, string>> = {
  title: 'What happens, in a few words',
  why: "The consumer's mistake that it brings to light",
  loop: 'Begin again after this time: "6m"',
  feeds: 'Feed ids in any case; all feeds without',
  endpoints: 'Endpoints by name; all without',
  from: 'When it begins, from the moment that the scenario is applied: "10s"',
  for: 'How long it lasts; for ever without',
  repeat: 'Begin again after this time, from its begin on',
  requests: `Which requests of each endpoint: ${WANT_REQUESTS}`,
  chance: 'The part of the requests that it touches, the same ones on every run',
}

/** What documentation says of a fault, and of each of its options. The program needs neither. */
export interface Description {
  readonly fault: string
  readonly options: Readonly<Record<string, string>>
}

/** The JSON Schema of scenario files, for editors. */
export function scenarioJsonSchema(
  faults: readonly Fault[],
  endpoints: readonly string[],
  describe: (fault: Fault) => Description,
): Record<string, unknown> {
  const whole = z.toJSONSchema(scenarioSchema, { io: 'input' }) as unknown as {
    properties: { faults: Record<string, unknown> }
  }
  withMeanings(whole.properties)
  whole.properties.faults = {
    type: 'array',
    maxItems: MAX_FAULTS,
    items: {
      type: 'object',
      required: ['fault'],
      properties: { fault: { enum: faults.map(({ name }) => name) } },
      // By name: an editor then completes the options of just that fault.
      allOf: faults.map(fault => ({
        if: { properties: { fault: { const: fault.name } } },
        // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
        then: toForm(fault, endpoints, describe(fault)),
      })),
    },
  }
  return { title: 'A scenario of price-feed-mock', ...whole }
}

function toForm(fault: Fault, endpoints: readonly string[], told: Description): Record<string, unknown> {
  const { $schema: _, ...form } = z.toJSONSchema(selectorsSchema(fault), { io: 'input' }) as {
    $schema: string
    properties: Record<string, Record<string, unknown>>
  }
  const { $schema: __, ...options } = z.toJSONSchema(fault.options, { io: 'input' }) as {
    $schema: string
    required?: string[]
    properties?: Record<string, object>
  }
  for (const [name, property] of Object.entries(options.properties ?? {}))
    Object.assign(property, { description: told.options[name] })
  withMeanings(form.properties)
  form.properties.options = options
  if (form.properties.endpoints) form.properties.endpoints.items = { enum: endpoints }
  const required = options.required && ['options']
  return { description: told.fault, ...form, required, dependentRequired: { repeat: ['for'] } }
}

function withMeanings(properties: Readonly<Record<string, object>>): void {
  for (const [key, property] of Object.entries(properties))
    if (MEANINGS[key] !== undefined) Object.assign(property, { description: MEANINGS[key] })
}
