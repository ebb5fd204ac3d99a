// `exec --each-scenario` with commands and options that it cannot use.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runPlainCommand } from '../../test/cli/plain-command.js'
import { createFolder, writeFiles } from '../../test/support/folder.js'
import { parseJUnit } from '../../test/support/parse-junit.js'
import { inventFeeds } from '../market/synthetic.js'
import { BUILT_IN } from '../scenario/built-in.js'

const folder = createFolder()
const NOT_RUN = Object.keys(BUILT_IN).length - 1

/** Runs `exec` with options and a command, and replaces the times of its output. */
async function run(options: string, ...command: string[]) {
  const args = ['exec', ...options.split(' '), '--', ...command]
  const { stdout, ...rest } = await runPlainCommand({ args, environment: {} }, folder)
  return { ...rest, stdout: stdout.replace(/[\d.]+ m?s/, 'n ms').replace(/ {2,}/g, '  ') }
}

it('behavior: a command that fails without faults is not tried with faults', async () => {
  const { stdout, exit } = await run('--each-scenario --junit out.xml', 'sh', '-c', 'echo no; exit 7')
  expect([exit, stdout]).toEqual([
    '2',
    [
      'scenario  verdict  exit  time  faults met',
      'calm  failed  7  n ms  –',
      '',
      'calm: exit code 7',
      '  The command fails without any fault.',
      '  | no',
      '  reproduce  npx price-feed-mock exec --seed 42 -- sh -c "echo no; exit 7"',
      '',
      `1 of 1 scenario failed, ${NOT_RUN} did not run.`,
      '',
    ].join('\n'),
  ])
  const xml = readFileSync(join(folder, 'out.xml'), 'utf8')
  expect(xml).toContain('<testcase classname="price-feed-mock.scenarios" name="calm"')
  const { cases, ...counts } = parseJUnit(xml)
  expect(counts).toMatchObject({ tests: NOT_RUN + 1, failures: 1, skipped: NOT_RUN })
  expect(cases.slice(0, 2)).toEqual([
    { name: 'calm', failure: 'exit code 7. The command fails without any fault.\nno', skipped: undefined },
    { name: 'all-feeds-gone', failure: undefined, skipped: 'It did not run.' },
  ])
})

it('error: a command that asks for nothing without faults', async () => {
  const { stdout, exit } = await run('--each-scenario', 'true')
  expect(exit).toBe('2')
  expect(stdout).toContain(
    '\n  The command sent no request to the mock. It finds the address in PRICE_FEED_BASE_URL and the key in PRICE_FEED_API_KEY.\n',
  )
  expect(stdout).toContain('1 of 1 scenario failed')
})

it('behavior: a scenario and a series file may name a feed of --synthetic-feeds', async () => {
  const feed = (await inventFeeds('42', 1))[0]!.id
  const faults = [{ fault: 'market/stale', feeds: [feed] }]
  writeFiles(folder, {
    'mine/old.json': JSON.stringify({ title: 'Old', why: 'W', faults }),
    [`${feed}.csv`]: 'ts,price\n1753354096,1.5\n',
  })
  const options = `--each-scenario --synthetic-feeds 1 --scenarios mine --series ${feed}.csv`
  const { stdout, stderr } = await run(options, 'true')
  expect([stdout, stderr]).toEqual([expect.stringContaining(`1 of 1 scenario failed, ${NOT_RUN + 1} did not run.`), ''])
})

it('error: a command that gets no price without faults', async () => {
  const ask =
    'fetch(process.env.PRICE_FEED_BASE_URL + "/prices/BTCUSD/latest", { headers: { authorization: "live-key" } })'
  const { stdout, exit } = await run('--each-scenario', 'node', '-e', ask)
  expect(exit).toBe('2')
  expect(stdout).toContain('\ncalm: exit code 0\n  No request got a price, without any fault: status 401.\n')
})

it('error: a command that is not there', async () => {
  const { stderr, exit } = await run('--each-scenario', 'no-such-command')
  expect([exit, stderr]).toEqual([
    '2',
    expect.stringContaining('CommandNotStartedError: no-such-command was not started'),
  ])
})

it.each([
  ['--each-scenario --scenario stale-btc', '--each-scenario and --scenario cannot be combined'],
  ['--each-scenario --report card.xml', '--report and --each-scenario cannot be combined'],
  ['--each-scenario --state state.json', '--each-scenario cannot be combined with --state'],
  ['--each-scenario --store redis://localhost', '--each-scenario cannot be combined with --store'],
  ['--time-limit 1s', '--time-limit needs --each-scenario as well'],
  ['--junit out.xml', '--junit needs --each-scenario as well'],
])('error: %s', async (options, message) => {
  const { stderr, exit } = await run(options, 'true')
  expect([exit, stderr]).toEqual(['2', expect.stringContaining(message)])
})
