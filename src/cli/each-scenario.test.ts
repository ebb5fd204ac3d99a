// `exec --each-scenario` with commands and options that it cannot use.
import { afterAll, expect, it } from 'vitest'
import { runPlainCommand } from '../../test/cli/plain-command.js'
import { createShell } from '../../test/cli/shell.js'
import { BUILT_IN } from '../scenario/built-in.js'

const shell = createShell()
afterAll(() => shell.end())

it('behavior: a command that fails without faults is not tried with faults', async () => {
  const { stdout, exit } = await shell.run('price-feed-mock exec --each-scenario -- sh -c "echo no; exit 7"')
  expect(exit).toBe('2')
  expect(stdout.replace(/\d+ ms/, 'n ms').replace(/ {2,}/g, '  ')).toBe(
    [
      'scenario  verdict  exit  time  faults met',
      'calm  failed  7  n ms  –',
      '',
      'calm: exit code 7',
      '  The command fails without any fault.',
      '  | no',
      "  reproduce  npx price-feed-mock exec --seed 42 -- sh -c 'echo no; exit 7'",
      '',
      `1 of 1 scenario failed, ${Object.keys(BUILT_IN).length - 1} did not run.`,
      '',
    ].join('\n'),
  )
})

it('error: a command that asks for nothing without faults', async () => {
  const { stdout, exit } = await shell.run('price-feed-mock exec --each-scenario --junit out.xml -- true')
  expect(exit).toBe('2')
  expect(stdout).toContain('The command sent no request to the mock. It finds the address in PRICE_FEED_BASE_URL')
  expect(stdout).toContain('1 of 1 scenario failed')
})

it('error: a command that is not there', async () => {
  const args = ['exec', '--each-scenario', '--', 'no-such-command']
  const { stderr, exit } = await runPlainCommand({ args, environment: {} }, shell.folder)
  expect([exit, stderr]).toEqual([
    '2',
    expect.stringContaining('CommandNotStartedError: no-such-command was not started'),
  ])
})

it.each([
  ['--each-scenario --scenario stale-btc', '--each-scenario and --scenario cannot be combined'],
  ['--each-scenario --report card.xml', '--report and --each-scenario cannot be combined'],
  ['--each-scenario --state state.json', '--each-scenario cannot be combined with --state'],
  ['--junit out.xml', '--junit needs --each-scenario as well'],
])('error: %s', async (options, message) => {
  const args = `exec ${options} -- true`.split(' ')
  const { stderr, exit } = await runPlainCommand({ args, environment: {} }, shell.folder)
  expect([exit, stderr]).toEqual(['2', expect.stringContaining(message)])
})
