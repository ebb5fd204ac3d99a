// The JSON Schema of scenario files, which editors use for completion: scenarios/schema.json is generated with it.
import * as z from 'zod/mini'
import type { Fault } from '../../src/faults/fault.js'
import { MAX_FAULTS, scenarioSchema, selectorsSchema, WANT_REQUESTS } from '../../src/scenario/schema.js'
import { DOCUMENTATION } from '../../src/settings/schema.js'
import { documentSettings } from './settings-documentation.js'

documentSettings()

/** Descriptions of the keys, for editors. */
const MEANINGS: Readonly<Record<string, string>> = {
  title: 'What happens, in a few words',
  why: "The consumer's mistake that it reveals",
  clock: 'The clock that the session gets. It stays when the scenario ends',
  faults: `The faults, at most ${MAX_FAULTS}, applied in this order`,
  loop: 'Restart the scenario after this time: "6m"',
  pace: 'Number by which all times of windows and of the market are divided: 60 plays an hour in a minute',
  feeds: 'Feed ids in any case. Default: all feeds',
  endpoints: 'Names of endpoints. Default: all endpoints',
  alone: 'Whether staked and wrapped tokens of the feeds stay as they are. Default: false, they follow',
  from: 'Start, counted from the start of the scenario: "10s"',
  for: 'Duration. Default: until the scenario ends',
  repeat: 'Repeat after this time, counted from its start',
  requests: `Requests of each endpoint: ${WANT_REQUESTS}`,
  chance: 'Probability from 0 to 1. The same requests are selected in every run',
}

/** The documentation of a fault and its options. */
export type Description = { readonly fault: string; readonly options: Readonly<Record<string, string>> }

/** The JSON Schema of scenario files, for editors. */
export function scenarioJsonSchema(
  faults: readonly Fault[],
  endpoints: readonly string[],
  describe: (fault: Fault) => Description,
): Record<string, unknown> {
  const whole = toEditorSchema(scenarioSchema)
  whole.properties.faults = {
    type: 'array',
    maxItems: MAX_FAULTS,
    items: {
      type: 'object',
      required: ['fault'],
      // Beside the names in `enum`, which makes one error of a wrong one, the descriptions that editors show for a name.
      properties: {
        fault: {
          enum: faults.map(({ name }) => name),
          anyOf: faults.map(fault => ({ const: fault.name, description: describe(fault).fault })),
        },
      },
      // A branch for each fault, so that editors complete the options of that fault only. Without `required` all branches would
      // apply to an entry that does not name its fault yet.
      allOf: faults.map(fault => ({
        if: { required: ['fault'], properties: { fault: { const: fault.name } } },
        // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
        then: toForm(fault, endpoints, describe(fault)),
      })),
    },
  }
  withMeanings(whole.properties)
  return { title: 'A scenario of price-feed-mock', ...whole }
}

/** A JSON Schema with the descriptions of its settings. */
export function toEditorSchema(schema: z.ZodMiniType) {
  const generated = z.toJSONSchema(schema, { io: 'input', metadata: DOCUMENTATION })
  return JSON.parse(JSON.stringify(generated), splitTypes) as {
    $schema: string
    properties: Record<string, Record<string, unknown>>
  }
}

/** Writes a list of types as alternatives: the strict mode of ajv refuses the list. */
function splitTypes(_: string, value: unknown): unknown {
  const { type: types, ...rest } = (value ?? {}) as { readonly type?: unknown }
  return Array.isArray(types) ? { ...rest, anyOf: types.map(type => ({ type })) } : value
}

function toForm(
  fault: Fault,
  endpoints: readonly string[],
  { fault: description, options: meanings }: Description,
): Record<string, unknown> {
  const { $schema: _, ...form } = z.toJSONSchema(selectorsSchema(fault), { io: 'input' }) as {
    $schema: string
    properties: Record<string, Record<string, unknown>>
  }
  const { $schema: __, ...options } = z.toJSONSchema(fault.options, { io: 'input' }) as {
    $schema: string
    required?: string[]
    properties?: Record<string, object>
  }
  withMeanings(options.properties ?? {}, meanings)
  withMeanings(form.properties)
  form.properties.options = options
  if (form.properties.endpoints) form.properties.endpoints.items = { enum: endpoints }
  const required = options.required && ['options']
  return { description, ...form, required, dependentRequired: { repeat: ['for'] } }
}

/** Describes the properties that have a meaning. */
export function withMeanings(properties: Readonly<Record<string, object>>, meanings = MEANINGS): void {
  for (const [key, property] of Object.entries(properties))
    if (meanings[key] !== undefined) Object.assign(property, { description: meanings[key] })
}
