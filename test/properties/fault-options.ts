// Random options of a market fault, derived from its definition, so that a new fault is tested without an edit here.
import fc from 'fast-check'
import * as z from 'zod/mini'
import type { MarketFault } from '../../src/faults/fault.js'
import type { Feed } from '../../src/market/feeds.js'

/** The part of JSON Schema that options of faults use. */
interface Schema {
  readonly type?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minItems?: number
}

/** Factors, changes and prices around the base price of 100. */
const NUMBERS = [-0.9, -0.3, -0.01, 1e-4, 0.02, 0.5, 0.88, 0.999, 1.001, 1.2, 3, 10, 40, 100, 100.5, 101, 900]

/** Texts at the scale of the test, some minutes after Thursday 10:48: durations, offsets and times of the week. */
const TEXTS: readonly { readonly sample: string; readonly arbitrary: fc.Arbitrary<string> }[] = [
  { sample: '0s', arbitrary: fc.integer({ min: 0, max: 120 }).map(value => `${value}s`) },
  { sample: '1s', arbitrary: fc.integer({ min: 1, max: 200 }).map(value => `${value}s`) },
  { sample: 'thu 10:50', arbitrary: fc.integer({ min: 47, max: 54 }).map(minute => `thu 10:${minute}`) },
]

/** Draws options that the fault accepts for a feed. */
export function optionsOf(fault: MarketFault, feed: Feed): fc.Arbitrary<object> {
  const schema = z.toJSONSchema(fault.options, { io: 'input' }) as Schema
  return (arbitraryOf(schema) as fc.Arbitrary<object>).filter(options => {
    const { success, data } = z.safeParse(fault.options, options)
    return success && fault.fits?.(data, feed) === undefined
  })
}

function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(arbitraryOf))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: Math.max(minimum, -1000), max: Math.min(maximum, 1000) })
    case 'number':
      return fc.constantFrom(...NUMBERS.filter(value => value >= minimum && value <= maximum))
    case 'string':
      return textOf(new RegExp(schema.pattern ?? ''))
    case 'array':
      return listOf(schema)
    case 'object':
      return objectOf(schema)
  }
  throw new Error(`no arbitrary for ${JSON.stringify(schema)}`)
}

function textOf(pattern: RegExp): fc.Arbitrary<string> {
  return TEXTS.find(({ sample }) => pattern.test(sample))?.arbitrary ?? fc.stringMatching(pattern)
}

/** Lists of objects are in order of their first property, which is a time, and name each time once. */
function listOf({ items = {}, minItems = 0 }: Schema): fc.Arbitrary<unknown> {
  const key = Object.keys(items.properties ?? {})[0]
  const timeOf = (item: unknown): unknown => (key === undefined ? item : (item as Record<string, unknown>)[key])
  const seconds = (item: unknown): number => Number.parseInt(String(timeOf(item)), 10)
  return fc
    .uniqueArray(arbitraryOf(items), { selector: timeOf, minLength: minItems, maxLength: Math.max(minItems, 5) })
    .map(list => (key === undefined ? list : list.toSorted((a, b) => seconds(a) - seconds(b))))
}

/** Options with a default are always given, because most defaults are too long for the test; optional ones only sometimes. */
function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<object> {
  const entries = Object.entries(properties)
  return fc.record(Object.fromEntries(entries.map(([key, schema]) => [key, arbitraryOf(schema)])), {
    requiredKeys: entries.filter(([key, schema]) => required.includes(key) || 'default' in schema).map(([key]) => key),
  })
}
