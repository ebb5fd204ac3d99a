// Each scenario of the package keeps the promise of its `why`.
import { describe, expect, it } from 'vitest'
import { FILES, policy, run } from './built-in.js'
import { CHECKS } from './checks.js'
import { createConsumer } from './consumer.js'

it('behavior: each scenario has a check, and each check a scenario', () => {
  expect(Object.keys(CHECKS).sort()).toEqual(FILES.map(([name]) => name).sort())
  expect(FILES.length).toBeGreaterThanOrEqual(24)
})

describe.each(FILES)('%s', name => {
  it('default: keeps its promise from the moment it is applied', () =>
    run(name, createConsumer({ policy, scenario: name as never })))
})
