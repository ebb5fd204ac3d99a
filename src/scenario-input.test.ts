// Scenarios in TypeScript: misspelt names and options do not compile, built-in and own scenarios do.
import { expect, expectTypeOf, it } from 'vitest'
import type * as z from 'zod/mini'
import type { ENDPOINTS } from './endpoints/index.js'
import type { Replies } from './endpoints/replies.js'
import { createMock, type FaultName, type FaultOptions, type InlineScenario, ownScenario } from './index.js'
import { BUILT_IN } from './scenario/built-in.js'
import type { BuiltInScenarioName } from './scenario-input.js'
import type { ExactInteger } from './signing/signed-response.js'

const TEAPOT = { title: 'Teapot', why: 'A test.', faults: [{ fault: 'reply/status', options: { status: 418 } }] }
const mock = createMock()

it('default: built-in names, objects and constants compile', () => {
  const constant = { faults: [{ fault: 'series/null-values', options: { fields: ['open'] }, chance: 0.5 }] } as const
  const checked = {
    faults: [{ fault: 'reply/status', endpoints: ['latest'], requests: { first: 2 }, options: { status: 503 } }],
  } satisfies InlineScenario
  const alone = { faults: [{ fault: 'market/crash', feeds: ['BTCUSD'], alone: true, options: { seed: 5 } }] } as const
  for (const scenario of ['stale-btc', constant, checked, alone, { loop: '1m', faults: [] }] as const)
    expect(() => mock.setScenario(scenario)).not.toThrow()
  expectTypeOf<FaultOptions<'reply/status'>['status']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<'market/stale'>().toExtend<FaultName>()
})

it('error: misspelt names of scenarios, faults, options and endpoints do not compile', () => {
  const attempts = [
    // @ts-expect-error there is no such scenario
    () => mock.setScenario('stale-btcc'),
    // @ts-expect-error there is no such scenario
    () => createMock({ scenario: 'stale-btcc' }),
    // @ts-expect-error there is no such scenario
    () => mock.change({ scenario: 'stale-btcc' }),
    // @ts-expect-error there is no such fault
    () => mock.setScenario({ faults: [{ fault: 'market/stael' }] }),
    // @ts-expect-error there is no such option
    () => mock.setScenario({ faults: [{ fault: 'reply/status', options: { statuss: 1 } }] }),
    // @ts-expect-error the status is a number
    () => mock.setScenario({ faults: [{ fault: 'reply/status', options: { status: '503' } }] }),
    // @ts-expect-error a fault without options
    () => mock.setScenario({ faults: [{ fault: 'tick/zero', options: { status: 1 } }] }),
    // @ts-expect-error the price is required
    () => mock.setScenario({ faults: [{ fault: 'market/price' }] }),
    // @ts-expect-error there is no such endpoint
    () => mock.setScenario({ faults: [{ fault: 'tick/zero', endpoints: ['lastest'] }] }),
    // @ts-expect-error a market fault selects no endpoints
    () => mock.setScenario({ faults: [{ fault: 'market/stale', endpoints: ['latest'] }] }),
    // @ts-expect-error a fault of publishing does not reach derived feeds
    () => mock.setScenario({ faults: [{ fault: 'market/stale', alone: true }] }),
    // @ts-expect-error it is true or false
    () => mock.setScenario({ faults: [{ fault: 'market/shock', alone: 'yes' }] }),
    // @ts-expect-error a candle fault selects no endpoints
    () => mock.setScenario({ faults: [{ fault: 'series/empty', endpoints: ['candles'] }] }),
  ]
  // The mock refuses the same for callers in JavaScript.
  for (const attempt of attempts) expect(attempt).toThrow(/Scenario(Unknown|Invalid)Error|scenario/i)
})

it('behavior: own scenarios are known from `scenarios`, or marked', () => {
  const own = createMock({ scenarios: { teapot: TEAPOT }, scenario: 'teapot' })
  own.setScenario('teapot')
  own.change({ scenario: 'calm' })
  // @ts-expect-error it is declared by another name
  expect(() => own.setScenario('teapots')).toThrow(expect.objectContaining({ code: 'SCENARIO_UNKNOWN' }))

  const sources: Record<string, unknown> = { teapot: TEAPOT }
  const read = createMock({ scenarios: sources, scenario: ownScenario('teapot') })
  read.setScenario(ownScenario(TEAPOT))
  // @ts-expect-error the names of these sources are not known
  const unmarked = () => read.setScenario('teapot')
  expect(unmarked).not.toThrow()
  // Functions that take any mock take this one.
  const { scenarios }: typeof mock = own
  expect(scenarios.has('teapot')).toBe(true)
})

it('behavior: every built-in name is a literal type', () => {
  expectTypeOf<'calm' | 'stale-btc' | 'chaos'>().toExtend<BuiltInScenarioName>()
  expectTypeOf<string>().not.toExtend<BuiltInScenarioName>()
  for (const name of Object.keys(BUILT_IN) as BuiltInScenarioName[]) expect(() => mock.setScenario(name)).not.toThrow()
})

it('behavior: the types of replies are those of the schemas, with exact prices for the client', () => {
  type Exact<T> = T extends object ? { [K in keyof T]: K extends 'price' ? ExactInteger : Exact<T[K]> } : T
  type OfSchemas = { [E in (typeof ENDPOINTS)[number] as E['name']]: z.output<E['reply']> }
  expectTypeOf<Replies>().toEqualTypeOf<Pick<OfSchemas, keyof Replies>>()
  expectTypeOf<Replies<ExactInteger>>().toEqualTypeOf<Exact<Pick<OfSchemas, keyof Replies>>>()
})
