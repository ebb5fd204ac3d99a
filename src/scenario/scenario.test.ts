// Active scenarios: windows in virtual time, and the selection of requests.
import { describe, expect, it } from 'vitest'
import type { Fault } from '../faults/fault.js'
import { zero } from '../faults/tick/zero.js'
import { planTimes } from './parse.js'
import type { PlannedFault, Scenario } from './scenario.js'
import { applyScenario, findSkipReason, type SelectorInput, uniformAt } from './scenario.js'

const APPLIED_AT = 1_753_354_105
const asked = (changes: Partial<SelectorInput> = {}): SelectorInput => ({
  endpoint: 'latest',
  ordinal: 1,
  target: () => '/prices/BTCUSD/latest',
  now: APPLIED_AT,
  seed: '42',
  ...changes,
})

/** Without a loop, at the pace that is written. */
const COURSE = { loop: undefined, pace: 1 }
const plan = (changes: Partial<PlannedFault> = {}): PlannedFault => ({
  index: 0,
  fault: zero as unknown as Fault,
  options: {} as never,
  feeds: undefined,
  reach: undefined,
  endpoints: undefined,
  pattern: planTimes({}, COURSE, '').pattern,
  requests: undefined,
  chance: 1,
  planned: 'always',
  ...changes,
})
const scenarioOf = (...faults: PlannedFault[]): Scenario => ({
  name: 'x',
  title: 'x',
  why: 'x',
  settings: {},
  faults,
  source: {},
})
const applied = (changes?: Partial<PlannedFault>) => applyScenario(scenarioOf(plan(changes)), APPLIED_AT).faults[0]!

describe('applyScenario', () => {
  it('default: windows begin when the scenario is applied', () => {
    const { pattern } = planTimes({ from: '10s', for: '5s', repeat: '60s' }, COURSE, '')
    const { definition, appliedAt, faults } = applyScenario(
      scenarioOf(plan({ pattern }), plan({ index: 1 })),
      APPLIED_AT,
    )
    expect([definition.name, appliedAt, faults.length]).toEqual(['x', APPLIED_AT, 2])
    expect([...faults[0]!.windows.between(APPLIED_AT, APPLIED_AT + 100)]).toEqual([
      { from: APPLIED_AT + 10, until: APPLIED_AT + 15 },
      { from: APPLIED_AT + 70, until: APPLIED_AT + 75 },
    ])
    expect(faults[1]!.windows.at(APPLIED_AT)).toEqual({ from: APPLIED_AT, until: Number.POSITIVE_INFINITY })
    expect(faults[1]!.windows.at(APPLIED_AT - 1)).toBeUndefined()
  })

  it('behavior: repeats of market faults are limited, and more so where they overlap', () => {
    const { pattern } = planTimes({ for: '1s', repeat: '2s' }, COURSE, '')
    const shock = { fault: { name: 'market/shock' } as unknown as Fault, pattern }
    const lastOf = (...faults: Partial<PlannedFault>[]) =>
      applyScenario(scenarioOf(...faults.map((fault, index) => plan({ ...fault, index }))), 0).faults.map(
        ({ windows }) => [...windows.between(0, 1e6)].length,
      )
    expect(lastOf(shock)).toEqual([100_000])
    expect(lastOf(shock, shock)).toEqual([25_000, 25_000])
    const of = (...ids: string[]) => ({ ...shock, reach: new Set(ids) })
    expect(lastOf(of('A', 'B'), of('B'), of('C'), { ...shock, pattern: plan().pattern })).toEqual([
      25_000, 25_000, 100_000, 1,
    ])
    // Faults of requests need no search, so they have no limit.
    expect(lastOf({ pattern })).toEqual([500_001])
  })

  it('behavior: the definition is not changed, so it can be applied several times', () => {
    const scenario = scenarioOf(plan())
    const before = structuredClone({ ...scenario, faults: [] })
    applyScenario(scenario, 5)
    expect({ ...scenario, faults: [] }).toEqual(before)
    expect(applyScenario(scenario, 7).faults[0]!.windows.at(7)!.from).toBe(7)
  })
})

describe('findSkipReason', () => {
  it('default: none', () => expect(findSkipReason(applied(), asked())).toBeUndefined())

  it.each([
    ['another endpoint', { endpoints: new Set(['batch']) }],
    ['not its time', { pattern: planTimes({ from: '1s' }, COURSE, '').pattern }],
    ['not one of its requests', { requests: { every: 2 } }],
    ['not by chance', { chance: 0 }],
  ])('behavior: %s', (reason, changes) => expect(findSkipReason(applied(changes), asked())).toBe(reason))

  it('behavior: the first reason wins, in the order endpoint, time, requests, chance', () => {
    const pattern = planTimes({ from: '1s' }, COURSE, '').pattern
    const fault = applied({ endpoints: new Set(['batch']), pattern, requests: { every: 2 }, chance: 0 })
    expect(findSkipReason(fault, asked())).toBe('another endpoint')
    expect(findSkipReason(fault, asked({ endpoint: 'batch' }))).toBe('not its time')
    expect(findSkipReason(fault, asked({ endpoint: 'batch', now: APPLIED_AT + 1 }))).toBe('not one of its requests')
    expect(findSkipReason(fault, asked({ endpoint: 'batch', now: APPLIED_AT + 1, ordinal: 2 }))).toBe('not by chance')
  })

  it.each([
    [{ first: 3 }, [1, 2, 3]],
    [{ every: 4 }, [4, 8]],
    [{ every: 1 }, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    [{ ranges: [[2, 2]] }, [2]],
    [
      {
        ranges: [
          [2, 3],
          [7, 7],
          [9, 1000],
        ],
      },
      [2, 3, 7, 9],
    ],
    [{ ranges: [[5, 2]] }, []],
    [{ ranges: [[1, 2]], of: 4 }, [1, 2, 5, 6, 9]],
    [{ ranges: [[4, 4]], of: 4 }, [4, 8]],
  ] as const)('args: requests %j', (requests, ordinals) => {
    const fault = applied({ requests })
    const found = [1, 2, 3, 4, 5, 6, 7, 8, 9].filter(ordinal => findSkipReason(fault, asked({ ordinal })) === undefined)
    expect(found).toEqual(ordinals)
  })
})

describe('uniformAt', () => {
  const draw = (changes: Partial<SelectorInput> = {}, index = 0, purpose = 'chance') =>
    uniformAt(plan({ index }), asked(changes), purpose)

  it('default: a number in [0, 1), the same on every call', () => {
    const numbers = Array.from({ length: 2000 }, (_, i) => draw({ ordinal: i + 1 }))
    expect(numbers.every(one => one >= 0 && one < 1)).toBe(true)
    expect(numbers.reduce((sum, one) => sum + one, 0) / 2000).toBeCloseTo(0.5, 1)
    expect(new Set(numbers).size).toBe(2000)
    expect(draw({ ordinal: 7 })).toBe(numbers[6])
  })

  it('behavior: depends on seed, fault, endpoint, request and purpose, not on the time', () => {
    const others = [
      draw({ seed: '43' }),
      draw({}, 1),
      draw({ endpoint: 'batch' }),
      draw({ ordinal: 2 }),
      draw({}, 0, 'reply'),
    ]
    expect(new Set([draw(), ...others]).size).toBe(6)
    expect(draw({ now: 0 })).toBe(draw())
  })
})
