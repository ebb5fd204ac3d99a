// The data that a session holds of its own: what counts, and how much may be restored.
import { expect, it } from 'vitest'
import { assertRestorable, measure } from './holding.js'

type Held = Parameters<typeof measure>[0]

const heldOf = (source: object, own: object = {}): Held =>
  ({
    own,
    overrides: {},
    scenario: { definition: { name: 'a', source } },
    state: undefined,
    patch: {},
  }) as unknown as Held
/** The scenarios of a mock that has one definition. */
const having = (definition?: unknown) =>
  ({ has: () => definition !== undefined, get: () => definition }) as unknown as Parameters<typeof measure>[1]

it('behavior: a scenario counts, unless the mock has it', () => {
  const held = heldOf({ faults: [] })
  const [own, shared] = [measure(held, having()), measure(held, having(held.scenario.definition))]
  expect(own - shared).toBe('{"faults":[]}'.length)
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
