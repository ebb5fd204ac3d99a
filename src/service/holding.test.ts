// The data that a session holds of its own: what counts, and how much may be restored.
import { expect, it } from 'vitest'
import { assertRestorable, measure } from './holding.js'

type Held = Parameters<typeof measure>[0]

const heldOf = (source: object, own: object = {}, faults: readonly object[] = []): Held =>
  ({
    own,
    overrides: {},
    scenario: { definition: { name: 'a', source }, faults },
    state: undefined,
    patch: {},
  }) as unknown as Held
/** The scenarios of a mock that has one definition. */
const having = (definition?: unknown) =>
  ({ has: () => definition !== undefined, get: () => definition }) as unknown as Parameters<typeof measure>[1]

it('behavior: a scenario counts, unless the mock has it', () => {
  const held = heldOf({ faults: [] })
  const [own, shared] = [measure(held, having()), measure(held, having(held.scenario.definition))]
  expect(own - shared).toBe('{"faults":[]}'.length + 56)
})

it('behavior: values and faults count by the memory that they take, and not by their characters', () => {
  const points = Array.from({ length: 1000 }, (_, i) => ({ at: `${i}s`, price: i }))
  const scenario = { faults: Array.from({ length: 100 }, () => ({ fault: 'wire/reset' })) }
  const bytes = (held: Held) => measure(held, having()) - measure(heldOf({}), having())
  // A point has three values: itself, its time and its price.
  expect(bytes(heldOf({ points }))).toBeGreaterThan(3 * 1000 * 56)
  expect(bytes(heldOf(scenario, {}, scenario.faults))).toBeGreaterThan(100 * 1600)
})

it('error: SESSION_TOO_LARGE beyond 1.5 million characters in all', () => {
  const tooLarge = expect.objectContaining({ code: 'SESSION_TOO_LARGE' })
  const [source, own] = [{ a: 'x'.repeat(1_000_000) }, { b: 'x'.repeat(600_000) }]
  expect(() => assertRestorable('a', heldOf(source))).not.toThrow()
  expect(() => assertRestorable('a', heldOf({}, own))).not.toThrow()
  expect(() => assertRestorable('a', heldOf(source, own))).toThrow(tooLarge)
})

it('error: SESSION_TOO_LARGE with more values than a body may have in a list', () => {
  const source = { faults: Array.from({ length: 10_801 }, () => 0) }
  expect(() => assertRestorable('a', heldOf(source))).toThrow(expect.objectContaining({ code: 'SESSION_TOO_LARGE' }))
})
