// Random scenarios, generated from the option schemas of the faults, with a preference for edge values.
import fc from 'fast-check'
import * as z from 'zod/mini'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { type Fault, stageOf } from '../../src/faults/fault.js'
import { FAULTS } from '../../src/faults/index.js'

interface Form {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Form[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly items?: Form
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Form>>
  readonly required?: readonly string[]
}

/** Values that a JSON Schema allows. */
function valuesOf(form: Form): fc.Arbitrary<unknown> {
  if (form.const !== undefined) return fc.constant(form.const)
  if (form.enum) return fc.constantFrom(...form.enum)
  if (form.anyOf) return fc.oneof(...form.anyOf.map(valuesOf))
  switch (form.type) {
    case 'integer':
      return fc.integer({ min: Math.max(form.minimum ?? 0, -1e9), max: Math.min(form.maximum ?? 1e9, 1e9) })
    case 'number': {
      const [min, max] = [form.minimum ?? -1e9, form.maximum ?? 1e9]
      return fc.oneof(fc.constant(Math.min(100, max)), fc.constantFrom(min, max), fc.double({ min, max, noNaN: true }))
    }
    case 'string':
      return form.pattern === undefined
        ? fc.string({ minLength: form.minLength ?? 0, maxLength: Math.min(form.maxLength ?? 20, 20) })
        : fc.oneof(fc.stringMatching(new RegExp(form.pattern, 'u')), common(form.pattern))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(valuesOf(form.items ?? {}), { minLength: 1, maxLength: Math.min(form.maxItems ?? 2, 2) })
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(form.properties ?? {}).map(([key, inner]) => [key, valuesOf(inner)])),
        { requiredKeys: [...(form.required ?? [])] },
      )
    default:
      return fc.jsonValue()
  }
}

/** Usual durations: those that only match the pattern are mostly millions of weeks. */
function common(pattern: string): fc.Arbitrary<unknown> {
  const times = ['1s', '2s', '30s', '59s', '1m', '2m', '1h', '1d', '4w', '999999999w'].filter(text =>
    new RegExp(pattern).test(text),
  )
  return times.length > 0 ? fc.constantFrom(...times) : fc.stringMatching(new RegExp(pattern, 'u'))
}

const FEEDS = ['BTCUSD', 'ethusd', 'SOLUSD', 'PepeUSD', 'EURUSD', 'USDCUSD']
const duration = fc.constantFrom('1s', '2s', '9s', '10s', '1m', '5m', '3h', '7d', '999999999w')
const requests = fc.oneof(
  fc.constantFrom('1', '1-3', '2,4-6', '999999999'),
  fc.record({ first: fc.integer({ min: 1, max: 1e9 }) }),
  fc.record({ every: fc.integer({ min: 1, max: 1e9 }) }),
)

/** A fault of a scenario file. A few are refused, for times and prices that do not fit. */
export function plannedFault(fault: Fault): fc.Arbitrary<{ fault: string }> {
  const stage = stageOf(fault)
  const form = z.toJSONSchema(fault.options, { io: 'input' }) as Form
  const isOfTime = stage === 'market'
  return fc.record(
    {
      fault: fc.constant(fault.name),
      feeds: fc.subarray(FEEDS, { minLength: 1 }),
      ...('isFollowed' in fault ? { alone: fc.boolean() } : {}),
      ...(isOfTime || stage === 'series'
        ? {}
        : {
            endpoints: fc.subarray(
              ENDPOINTS.map(({ name }): string => name),
              { minLength: 1 },
            ),
          }),
      from: fc.oneof(fc.constant('0s'), duration),
      for: duration,
      repeat: duration,
      ...(isOfTime
        ? {}
        : { requests, chance: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })) }),
      options: valuesOf(form),
    },
    { requiredKeys: form.required && form.required.length > 0 ? ['fault', 'options'] : ['fault'] },
  ) as fc.Arbitrary<{ fault: string }>
}

/** A scenario of some faults. */
export const scenario: fc.Arbitrary<{ faults: { fault: string }[] }> = fc.record(
  {
    $schema: fc.constant('./schema.json'),
    title: fc.string({ minLength: 1, maxLength: 20 }),
    why: fc.string({ minLength: 1, maxLength: 20 }),
    seed: fc.oneof(fc.constantFrom('42', 7), fc.string({ minLength: 1, maxLength: 9 })),
    clock: fc.record(
      {
        at: fc.constantFrom(
          '2025-07-24T10:48:25Z',
          0,
          5,
          '1970-01-01T00:00:00Z',
          '2105-12-31T23:59:59Z',
          1_753_354_105,
        ),
        frozen: fc.constant(true),
        speed: fc.double({ min: 0.001, max: 1e6, noNaN: true }),
      },
      { requiredKeys: [] },
    ),
    policy: fc.record(
      { candles: fc.integer({ min: 1, max: 50 }), unknownFeed: fc.constantFrom('reject', 'omit') },
      { requiredKeys: [] },
    ),
    loop: duration,
    pace: fc.constantFrom(1, 2, 60),
    faults: fc.array(fc.constantFrom(...FAULTS).chain(plannedFault), { maxLength: 6 }),
  },
  { requiredKeys: ['title', 'why', 'faults'] },
)
