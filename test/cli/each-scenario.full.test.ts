// `exec --each-scenario` in all scenarios: the table, the reasons of failures, and JUnit.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { BUILT_IN } from '../../src/scenario/built-in.js'
import { parseJUnit } from '../support/parse-junit.js'
import { createShell } from './shell.js'

/** It uses one price, however old it is, and hangs after a certain status. */
const CONSUMER = `
  const { PRICE_FEED_BASE_URL: url, PRICE_FEED_API_KEY: authorization } = process.env
  const signal = AbortSignal.timeout(3000)
  const reply = await fetch(url + '/prices/BTCUSD/latest', { headers: { authorization }, signal }).catch(() => undefined)
  const price = await reply?.json().catch(() => undefined)
  const age = Date.parse(reply?.headers.get('date')) / 1000 - price?.ts
  if (reply?.status === 200 && age > 60) {
    console.log('\\u001b[31mused a price that is ' + age + ' s old\\u001b[0m')
    process.exit(1)
  }
  if (reply?.status === 418) setInterval(() => {}, 1000)`

const shell = createShell()
afterAll(() => shell.end())
shell.write('consumer.mjs', CONSUMER)
shell.write(
  'mine/hang.json',
  '{ "title": "T", "why": "W", "faults": [{ "fault": "reply/status", "options": { "status": 418 } }] }',
)
shell.write('mine/quiet.json', '{ "title": "Later", "why": "W", "faults": [{ "fault": "wire/reset", "from": "1h" }] }')

it('default: a row for each scenario, and the reason of each failure', async () => {
  const { stdout, stderr, exit } = await shell.run(
    'price-feed-mock exec --each-scenario --time-limit 8s --scenarios mine --junit out/each.xml -- node consumer.mjs',
  )
  expect([exit, stderr]).toEqual(['1', ''])
  const [head, ...rest] = stdout.split('\n\n')[0]!.split('\n')
  expect(head).toMatch(/^scenario +verdict +exit +time +faults met$/)
  const rows = rest.map(line => line.split(/ {2,}/))
  expect(rows.map(([name]) => name)).toEqual([...Object.keys(BUILT_IN), 'hang', 'quiet'])
  expect(rows[0]).toEqual(['calm', 'passed', '0', expect.stringMatching(/^[\d.]+ m?s$/), '–'])
  expect(rows.find(([name]) => name === 'stale-btc')).toEqual(['stale-btc', 'failed', '1', expect.anything(), '1 of 1'])
  expect(rows.at(-2)).toEqual(['hang', 'failed', 'late', expect.stringMatching(/^8(\.\d)? s$/), '1 of 1'])
  expect(stdout).toMatch(/\nhang: did not end in 8 s\n {2}W\n {2}reproduce {2}npx .* --scenario mine\/hang\.json /)
  expect(rows.at(-1)).toEqual(['quiet', 'not met', '0', expect.anything(), '0 of 1'])

  const reason = stdout.split('\n\n').find(part => part.startsWith('stale-btc: '))!
  const { why } = BUILT_IN['stale-btc'] as { why: string }
  expect(reason.replace(/\d+ s old/, 'n s old')).toBe(
    [
      'stale-btc: exit code 1',
      `  ${why}`,
      '  | used a price that is n s old',
      '  reproduce  npx price-feed-mock exec --seed 42 --scenario stale-btc --scenarios mine -- node consumer.mjs',
    ].join('\n'),
  )
  const again = await shell.run(/(?<=reproduce {2}).*/.exec(reason)![0])
  expect([again.exit, again.stdout]).toEqual(['1', expect.stringContaining('s old')])

  const failed = rows.filter(([, verdict]) => verdict === 'failed').length
  const notMet = rows.filter(([, verdict]) => verdict === 'not met').length
  expect(stdout).toContain(
    `\n${failed} of ${rows.length} scenarios failed, ${notMet} had no fault that the command met.\n`,
  )
  const suite = parseJUnit(readFileSync(join(shell.folder, 'out', 'each.xml'), 'utf8'))
  expect(suite).toMatchObject({ tests: rows.length, failures: failed, skipped: notMet })
  const stale = suite.cases.find(({ name }) => name === 'stale-btc')!
  expect(stale.failure).toContain(why)
  expect(stale.failure).toMatch(/used a price that is \d+ s old$/)
  expect(suite.cases[0]).toEqual({ name: 'calm', failure: undefined, skipped: undefined })
})

it('behavior: where `calm` has faults, a scenario without any is first', async () => {
  shell.write('own/calm.json', '{ "title": "Not calm", "why": "W", "faults": [{ "fault": "reply/status" }] }')
  const asked = 'fetch(process.env.PRICE_FEED_BASE_URL).then(() => process.exit(1))'
  const { stdout } = await shell.run(`price-feed-mock exec --each-scenario --scenarios own -- node -e "${asked}"`)
  // Another failure of the first row ends the run.
  expect(stdout).toMatch(/^scenario .*\nno-faults +failed +1 +[\d.]+ m?s +–\n\nno-faults: exit code 1\n/)
  expect(stdout).toContain('  The command fails without any fault.\n')
  const again = await shell.run(/(?<=reproduce {2}).*/.exec(stdout)![0])
  expect([again.exit, again.stderr]).toEqual(['1', expect.stringContaining(` --scenario '{"faults":[]}' `)])
  expect(stdout).toMatch(/1 of 1 scenario failed, \d+ did not run\.\n$/)
})

it('behavior: scenarios of feeds that the mock does not have are left out, and told', async () => {
  const acme = { id: 'ACMEUSD', base: 12.5, drivers: { crypto: 0.5 }, volume: 1e6 }
  shell.write('acme.json', JSON.stringify({ extends: 'none', feeds: [acme] }))
  shell.write('acme.mjs', CONSUMER.replace('BTCUSD', 'ACMEUSD'))
  const { stdout, exit } = await shell.run(
    'price-feed-mock exec --each-scenario --time-limit 8s --feeds-file acme.json -- node acme.mjs',
  )
  expect([exit, stdout]).toEqual(['1', expect.stringMatching(/^stale-everything +failed /m)])
  expect(stdout).toMatch(/^Left out, because they name feeds that the mock does not have: .*\bstale-btc\b.*\.$/m)
  expect(stdout).not.toMatch(/^stale-btc /m)
})
