// Runs the test command of each consumer in examples/.
import { expect, it, onTestFinished } from 'vitest'
import { needs } from '../support/needs.js'
import { NO_CHAINS, openExample } from './workbench.js'

/** The examples, and the line of output by which its tests have passed. */
const EXAMPLES = [
  { name: 'evm-anvil', passed: /pass 3\n.*fail 0/ },
  { name: 'evm-foundry', passed: /test_gas_of_180_ticks\(\) \(gas: 5\d{5}\)[\s\S]*29 tests passed, 0 failed/ },
  { name: 'solana-litesvm', passed: /pass 25\n.*fail 0/ },
]

for (const { name, passed } of EXAMPLES)
  it(`default: the tests of examples/${name} pass`, needs(NO_CHAINS), () => {
    const example = openExample(name)
    onTestFinished(() => example.end())
    const { status, output } = example.run('npm', ['test'])
    expect(output).toMatch(passed)
    expect(status).toBe(0)
  })
