// Runs the test command of each consumer in examples/.
import { expect, it, onTestFinished } from 'vitest'
import { missingProgram, needs } from '../support/needs.js'
import { NO_CHAINS, openExample } from './workbench.js'

/** The examples, what is missing for each, and the line of output by which its tests have passed. */
const EXAMPLES = [
  { name: 'evm-anvil', missing: NO_CHAINS, passed: /pass 3\n.*fail 0/ },
  { name: 'evm-foundry', missing: NO_CHAINS, passed: /26 tests passed, 0 failed/ },
  { name: 'solana-litesvm', missing: NO_CHAINS, passed: /pass 24\n.*fail 0/ },
  { name: 'go', missing: missingProgram('go'), passed: /--- PASS: TestPoll[\s\S]*\nok / },
]

for (const { name, missing, passed } of EXAMPLES)
  it(`default: the tests of examples/${name} pass`, needs(missing), () => {
    const example = openExample(name)
    onTestFinished(() => example.end())
    const { status, output } = example.run('npm', ['test'])
    expect(output).toMatch(passed)
    expect(status).toBe(0)
  })
