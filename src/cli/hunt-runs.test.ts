// `hunt` from its command line to its output: earlier finds, and commands that cannot be hunted.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runPlainCommand } from '../../test/cli/plain-command.js'
import { createFolder, ROOT, writeFiles } from '../../test/support/folder.js'
import { parseJUnit } from '../../test/support/parse-junit.js'
import { inventFeeds } from '../market/synthetic.js'

const folder = createFolder()

/** Runs `hunt`, however slow the machine is, and replaces the seconds and the folder of the package in its output. */
async function hunt(options: string, ...command: string[]) {
  const args = [
    'hunt',
    '--time-limit',
    '5m',
    ...options.split(' '),
    ...(command.length === 0 ? [] : ['--', ...command]),
  ]
  const { stdout, ...rest } = await runPlainCommand({ args, environment: {} }, folder)
  return { ...rest, stdout: withoutTimes(stdout.replace(/[\d.]+ (s|ms)(?=\.\n)/, 'n s')).replace(ROOT, '<package>/') }
}
const withoutTimes = (text: string): string => text.replace(/[\d.]+s (?=latest|the end)/g, '<n>s ')
const readJUnit = (file: string): string => withoutTimes(readFileSync(join(folder, file), 'utf8'))

/** Its bug: it takes a price of any age. */
const CONSUMER = `
  const { PRICE_FEED_BASE_URL: url, PRICE_FEED_API_KEY: authorization } = process.env
  const reply = await fetch(url + '/prices/BTCUSD/latest', { headers: { authorization } })
  const { ts } = await reply.json()
  if (Date.parse(reply.headers.get('date')) / 1000 - ts > 60) {
    console.error('traded on a price that is more than a minute old')
    process.exitCode = 1
  }`
/** It compares prices with its own clock. */
const BOUND = `
  import { setTimeout } from 'node:timers/promises'
  const { PRICE_FEED_BASE_URL: url, PRICE_FEED_API_KEY: authorization } = process.env
  for (let i = 0; i < 5; i++) {
    const read = async () => (await fetch(url + '/prices/BTCUSD/latest', { headers: { authorization } })).json()
    const { ts } = await read().catch(() => ({}))
    if (ts < Date.now() / 1000 - 86_400) throw Error('a price of another day')
    await setTimeout(20)
  }`
writeFiles(folder, { 'consumer.mjs': CONSUMER, 'bound.mjs': BOUND })

const staleOf = (feed: string): string =>
  JSON.stringify({
    title: 'Old',
    why: 'A consumer that checks no age. In the run that found this, it ended with: traded last week',
    faults: [{ fault: 'market/stale', feeds: [feed], options: { age: '5m' } }],
  })

it('behavior: an earlier find runs first, and is no find once it is accepted', async () => {
  writeFiles(folder, {
    'known/old.json': staleOf('BTCUSD'),
    'known/eth.json': staleOf('ETHUSD'),
  })
  const options = '--budget 3 --save known --junit hunt.xml'
  const found = await hunt(options, 'node', 'consumer.mjs')
  expect(found.exit, found.stderr).toBe('1')
  expect(found.stdout).toMatchInlineSnapshot(`
    "Find 1 of 1: old
      Each price is that of 5m ago, with its \`ts\` (BTCUSD). Is this what your consumer should do then?
      | traded on a price that is more than a minute old
      fault      market/stale, BTCUSD, {"age":"5m"}
      requests   <n>s latest BTCUSD 200 market/stale
                 <n>s the end
      why        A consumer that checks no age.
                 In the run that found this, it ended with: traded last week
      failed     3 of 3 repetitions
      docs       <package>/docs/faults.md#marketstale
      reproduce  npx price-feed-mock exec --seed 42 --scenario known/old.json -- node consumer.mjs
      accept     --allow old

    1 find in 7 runs, n s.
    Earlier finds that pass now: eth.
    Left out, because the command never meets them: series/*, tick/extra-feed, signature/batch-reordered, signature/batch-swapped, signature/batch-duplicate, reply/high-low-swapped.
    "
  `)
  expect(readJUnit('hunt.xml')).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="price-feed-mock" tests="2" failures="1" errors="0" time="0">
      <testsuite name="price-feed-mock hunt" tests="2" failures="1" errors="0" skipped="0" time="0">
        <properties>
          <property name="seed" value="42"/>
          <property name="runs" value="7"/>
        </properties>
        <testcase classname="price-feed-mock.hunt" name="calm" time="0"/>
        <testcase classname="price-feed-mock.hunt" name="old" time="0"><failure message="Each price is that of 5m ago, with its \`ts\` (BTCUSD). Is this what your consumer should do then?" type="find">Each price is that of 5m ago, with its \`ts\` (BTCUSD). Is this what your consumer should do then?&#10;A consumer that checks no age. In the run that found this, it ended with: traded last week&#10;<n>s latest BTCUSD 200 market/stale&#10;<n>s the end&#10;price-feed-mock/docs/faults.md#marketstale&#10;{&quot;title&quot;:&quot;Old&quot;,&quot;why&quot;:&quot;A consumer that checks no age. In the run that found this, it ended with: traded last week&quot;,&quot;faults&quot;:[{&quot;fault&quot;:&quot;market/stale&quot;,&quot;feeds&quot;:[&quot;BTCUSD&quot;],&quot;options&quot;:{&quot;age&quot;:&quot;5m&quot;}}]}&#10;traded on a price that is more than a minute old</failure></testcase>
      </testsuite>
    </testsuites>
    "
  `)
  expect(readdirSync(join(folder, 'known'))).toEqual(['eth.json', 'old.json'])
  const accepted = await hunt(`${options} --allow old`, 'node', 'consumer.mjs')
  expect([accepted.exit, accepted.stdout]).toEqual([
    '0',
    expect.stringMatching(/^0 finds in \d+ runs, n s\.\nAccepted: old\.\nEarlier finds that pass now: eth\.\n/),
  ])
  expect(parseJUnit(readJUnit('hunt.xml')).cases[1]).toMatchObject({ name: 'old', skipped: 'Accepted by --allow.' })
})

it('error: a command that fails without faults', async () => {
  const command = 'echo No request got a price; exit 9'
  const { stdout, stderr, exit } = await hunt('--speed 20 --junit failing.xml', 'sh', '-c', command)
  expect([exit, stdout]).toEqual(['2', ''])
  expect(stderr).toBe(
    [
      'price-feed-mock: running the command without faults (0 runs, 0 finds).',
      'price-feed-mock: the command fails without any fault, so there is nothing to find.',
      '  | No request got a price',
      `  reproduce  npx price-feed-mock exec --seed 42 --speed 20 -- sh -c "${command}"`,
      '',
    ].join('\n'),
  )
  expect(parseJUnit(readJUnit('failing.xml')).cases).toEqual([
    { name: 'calm', failure: 'It fails without any fault.\nNo request got a price', skipped: undefined },
  ])
})

it('error: a command that asks for nothing', async () => {
  const { stderr, exit } = await hunt('--speed 20', 'true')
  expect([exit, stderr]).toEqual([
    '2',
    expect.stringContaining('price-feed-mock: the command gets no price, so there is nothing to find.\n'),
  ])
})

it('error: a command with a key of its own', async () => {
  const ask =
    "fetch(process.env.PRICE_FEED_BASE_URL + '/prices/BTCUSD/latest', { headers: { authorization: 'live-key' } })"
  const { stderr, exit } = await hunt('--budget 3', 'node', '-e', ask)
  expect([exit, stderr]).toEqual([
    '2',
    expect.stringContaining(
      'the command gets no price, so there is nothing to find.\n  | No request got a price, without any fault: status 401.\n',
    ),
  ])
})

it.each([
  ['--seed 1', [], 'hunt needs a command, for example: npx price-feed-mock hunt -- npm test'],
  ['--seed 1', ['no-such-command'], 'npx price-feed-mock hunt -- npx no-such-command'],
  ['--budget 1.5', ['true'], 'a number of runs such as 40, or a duration such as 30s'],
  ['--parallel 2 --port 4799', ['true'], '--parallel needs free ports'],
  ['--store redis://127.0.0.1', ['true'], 'hunt has no option --store'],
  ['--save consumer.mjs', ['true'], 'consumer.mjs is a file, not a folder'],
])('error: %s %s', async (options, command, message) => {
  const { stderr, exit } = await hunt(options, ...command)
  expect([exit, stderr]).toEqual(['2', expect.stringContaining(message)])
})

it('behavior: a command that reads its own clock', async () => {
  const { exit, stdout } = await hunt('--budget 14 --speed 100', 'node', 'bound.mjs')
  expect(exit, stdout).toBe('0')
  expect(stdout).toContain(`0 finds in 14 runs, n s.
Other clocks were left out: on another day, the command fails without faults, as it does if it reads its own clock.
  | `)
})

it('behavior: every run reads the rows of --series', async () => {
  writeFiles(folder, {
    'btcusd.csv': 'time,open,high,low,close,volume\n1753354080,100,120,90,110,5\n1753354140,110,130,100,120,5\n',
    'reader.mjs': `
      const { PRICE_FEED_BASE_URL: url, PRICE_FEED_API_KEY: authorization } = process.env
      const { price } = await (await fetch(url + '/prices/BTCUSD/latest', { headers: { authorization } })).json()
      if (price / 1e8 > 130) throw Error(price + ' is none of the rows')`,
  })
  const { exit, stdout, stderr } = await hunt(
    '--budget 3 --series btcusd.csv --series-at 2025-07-24T10:49:00Z',
    'node',
    'reader.mjs',
  )
  expect(exit, stdout + stderr).toBe('0')
})

it('behavior: an earlier find may name a feed of --synthetic-feeds', async () => {
  const feed = (await inventFeeds('42', 1))[0]!.id
  writeFiles(folder, { 'invented/old.json': staleOf(feed) })
  const options = '--budget 1 --synthetic-feeds 1 --save invented'
  const { exit, stdout, stderr } = await hunt(options, 'node', 'consumer.mjs')
  expect(exit, stdout + stderr).toBe('0')
  expect(stdout).toContain('Earlier finds that pass now: old.')
})
