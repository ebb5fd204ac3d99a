// Each scenario of the package keeps the promise of its `why`, and needs each of its faults.
import { describe, expect, it } from 'vitest'
import { FILES, policy, run, type ScenarioFile } from './built-in.js'
import { CHECKS } from './checks.js'
import { createConsumer } from './consumer.js'

it('behavior: each scenario has a check, and each check a scenario', () => {
  expect(Object.keys(CHECKS).sort()).toEqual(FILES.map(([name]) => name).sort())
  expect(FILES.length).toBeGreaterThanOrEqual(24)
})

describe.each(FILES)('%s', (name, { faults }) => {
  it('default: keeps its promise from the moment it is applied', () =>
    run(name, createConsumer({ policy, scenario: name as never })))

  for (const [index, { fault }] of faults.entries())
    it(`behavior: does not keep it without fault ${index}, ${fault}`, async () => {
      const { $schema: _, ...file } = FILES.find(([known]) => known === name)![1] as ScenarioFile & { $schema?: string }
      const without = { ...file, faults: faults.filter((_, i) => i !== index) }
      const consumer = createConsumer({ policy, scenario: name as never, scenarios: { [name]: without } })
      await expect(run(name, consumer)).rejects.toThrow(/^not kept: /)
    })
})
