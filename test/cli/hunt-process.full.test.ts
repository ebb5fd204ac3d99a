// `hunt` as a process: a command that is not reliable, one that hangs, and the end by a signal.
import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listen } from '../support/listen.js'
import { createShell, type Shell } from './shell.js'

/** Its bug: it takes a price of any age. It tells a lifeline that it lives, if there is one. */
const CONSUMER = `
  import { connect } from 'node:net'
  import { setTimeout as sleep } from 'node:timers/promises'
  const { PRICE_FEED_BASE_URL: url, PRICE_FEED_API_KEY: authorization, LIFELINE } = process.env
  if (LIFELINE) connect(Number(LIFELINE), '127.0.0.1').on('error', () => {}).unref()
  for (let i = 0; i < 4; i++) {
    const signal = AbortSignal.timeout(500)
    const reply = await fetch(url + '/prices/BTCUSD/latest', { headers: { authorization }, signal }).catch(() => undefined)
    const price = await reply?.json().catch(() => undefined)
    const age = Date.parse(reply?.headers.get('date')) / 1000 - price?.ts
    if (reply?.status === 200 && age > 60) {
      console.error('traded on a price that is more than a minute old')
      process.exit(1)
    }
    await sleep(50)
  }`
const STALE = {
  title: 'BTC is old',
  why: 'A consumer that checks no age.',
  faults: [{ fault: 'market/stale', feeds: ['BTCUSD'], options: { age: '5m' } }],
}
const HUNT = 'price-feed-mock hunt --speed 20'

let shell: Shell
beforeAll(() => {
  shell = createShell()
  shell.write('consumer.mjs', CONSUMER)
})
afterAll(() => shell.end())

it('behavior: Ctrl-C prints what was found, and ends the commands', async () => {
  shell.write('first/old.json', JSON.stringify(STALE))
  const sockets: Socket[] = []
  const lifeline = createServer(socket => sockets.push(socket.on('error', () => {}).resume()))
  const hunting = await shell.start(
    `echo up; export LIFELINE=${await listen(lifeline)}; ${HUNT} --budget 1h --parallel 2 --save first -- node consumer.mjs`,
  )
  // Two without faults, and four for the find that is known.
  await expect.poll(() => sockets.length).toBeGreaterThan(7)
  const { stdout, exit } = await hunting.kill('SIGINT')
  expect(exit).toBe('130')
  expect(stdout).toMatch(/^up\nFind 1 of \d+: old\n/)
  expect(stdout).toMatch(/, ended early\.\n/)
  await expect.poll(() => sockets.filter(({ closed }) => !closed).length).toBe(0)
})

it('behavior: a command that fails now and then without faults is not hunted', async () => {
  const { stderr, exit } = await shell.run(
    `${HUNT} -- sh -c 'test -e second && exec node consumer.mjs; touch second; exit 1'`,
  )
  expect([exit, stderr]).toEqual([
    '3',
    expect.stringContaining('of two runs without any fault, one passed and one failed'),
  ])
})

it('behavior: a command that hangs with a fault has failed, and is ended', async () => {
  shell.write('hang/silence.json', '{ "title": "T", "why": "W", "faults": [{ "fault": "wire/timeout" }] }')
  shell.write('patient.mjs', CONSUMER.replace('AbortSignal.timeout(500)', 'undefined'))
  const { stdout, exit } = await shell.run(`${HUNT} --budget 3 --time-limit 2s --save hang -- node patient.mjs`)
  expect(exit).toBe('1')
  expect(stdout).toMatch(/^Find 1 of 1: silence\n.*\n {2}\| \(did not end in 2 s\)\n[\s\S]* {2}limit +--time-limit /)
})
