// A recording of another mock, over HTTP: its rows are the prices of that mock, once each, whatever the service answers in between.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createFolder } from '../../test/support/folder.js'
import { startMock } from '../../test/support/listen.js'
import { TLS } from '../../test/support/tls.js'
import { createMock } from '../index.js'
import { reset } from '../service/changes.js'
import { toSeriesInputs } from './input-files.js'
import { type RecordContext, type RecordOptions, record } from './record.js'
import { toDecimal } from './recording.js'

const START = 1_753_354_105
const KEY = 'a-key-of-the-service'

const server = await startMock({ apiKeys: [KEY], clock: { at: START, frozen: true } }, afterAll)
let folder: string
let out: string
beforeEach(() => {
  folder = createFolder(onTestFinished)
  out = join(folder, 'rows.csv')
  server.mock.sessions.default.run(reset(0))
})

/** The reports and waits of a recording. */
interface Run {
  readonly lines: string[]
  readonly waits: number[]
  /** The number of rows when it became ready. */
  readonly ready: number[]
}

/** Records for a number of waits. Each of them moves the clock of the service instead of taking time. */
async function recordFor(
  waits: number,
  options: Partial<RecordOptions> = {},
  run: Run = { lines: [], waits: [], ready: [] },
  more: Partial<RecordContext> = {},
): Promise<Run> {
  const ended = new AbortController()
  const context: RecordContext = {
    fetch: (url, init) => fetch(url, init),
    now: () => server.mock.clock.now(),
    async wait(ms, signal) {
      run.waits.push(ms)
      if (run.waits.length === waits) ended.abort()
      signal.throwIfAborted()
      server.mock.clock.advance(ms / 1000)
    },
    report: line => run.lines.push(line),
    onReady: () => run.ready.push(read().trim().split('\n').length - 1),
    signal: ended.signal,
    ...more,
  }
  const chosen = { baseUrl: server.url, apiKey: KEY, feeds: ['BTCUSD', 'DOTUSD'], everyMs: 1000, out, ...options }
  await record(chosen, context)
  return run
}

/** The rows of the mock itself for some seconds of its clock. */
function rowsOf(from: number, to: number, ids = ['BTCUSD', 'DOTUSD']): string {
  const { market } = server.mock.sessions.default.runtime
  const last = new Map<string, number>()
  let text = ''
  for (let now = from; now <= to; now++)
    for (const id of ids) {
      const feed = market.feed(id)!
      const ts = market.path(feed).lastTick(now - feed.lag)!
      if (last.get(id) === ts) continue
      last.set(id, ts)
      text += `${ts},${id},${market.path(feed).at(ts) / 1e8}\n`
    }
  return text
}

const read = () => readFileSync(out, 'utf8')

test('default', async () => {
  const { lines, waits, ready } = await recordFor(10)
  expect(ready).toEqual([2])
  expect(read()).toBe(`ts,feed,price\n${rowsOf(START, START + 9)}`)
  expect(waits).toEqual(Array.from({ length: 10 }, () => 1000))
  const count = read().trim().split('\n').length - 1
  expect(lines).toEqual([`recording 2 feeds to ${out}.`, `${count} new rows in ${out}.`])
  expect(JSON.stringify(lines) + read()).not.toContain(KEY)
})

test('behavior: it is ready with the first row, not with the first reply', async () => {
  server.mock.setScenario({ title: 't', why: 'w', faults: [{ fault: 'tick/zero', for: '3s' }] })
  const { ready } = await recordFor(6)
  expect(ready).toEqual([2])
  expect(read()).toMatch(new RegExp(`^ts,feed,price\n${START + 2},`))
})

test('behavior: a clock that is set back does not stop the polls', async () => {
  const { waits } = await recordFor(3, {}, undefined, { onReady: () => void server.mock.clock.set(START - 3600) })
  expect(waits).toEqual([1000, 1000, 1000])
})

test('behavior: a series reads the recording, and gives the same prices', async () => {
  await recordFor(20)
  const replay = createMock({ series: toSeriesInputs({ series: [out] }) })
  const { market: ours } = server.mock.sessions.default.runtime
  const { market } = replay.sessions.default.runtime
  for (const id of ['BTCUSD', 'DOTUSD'])
    for (let second = START; second < START + 18; second++) {
      const [there, here] = [ours.path(ours.feed(id)!), market.path(market.feed(id)!)]
      expect(here.lastTick(second)).toBe(there.lastTick(second))
      expect(here.at(here.lastTick(second)!)).toBe(there.at(there.lastTick(second)!))
    }
})

test('behavior: it goes on after a break, without the row that was cut off', async () => {
  await recordFor(5)
  const before = read()
  writeFileSync(out, `${before}17533541`)
  const { lines } = await recordFor(5)
  expect(lines[0]).toBe(`continuing ${out} after ${before.trim().split('\n').length - 1} rows.`)
  expect(read()).toBe(`ts,feed,price\n${rowsOf(START, START + 8)}`)
})

test('behavior: it waits as long as a 429 asks', async () => {
  server.mock.setScenario({ faults: [{ fault: 'reply/rate-limit', options: { limit: 2, window: '1m' } }] })
  const { waits, lines } = await recordFor(5)
  const asked = waits[2]!
  expect(asked).toBeGreaterThan(1000)
  expect(waits.filter(ms => ms !== 1000)).toEqual([asked])
  expect(lines[1]).toBe(`the service answered 429; the next poll is in ${asked / 1000} s.`)
  expect(lines[2]).toBe('the service answers again.')
})

test('behavior: it waits an hour at most, whatever a 503 asks', async () => {
  server.mock.setScenario({ faults: [{ fault: 'reply/status', options: { status: 503, retryAfter: '2d' } }] })
  expect((await recordFor(1)).lines[1]).toBe('the service answered 503; the next poll is in 3600 s.')
})

test('behavior: after failures the waits double, and begin anew after an answer', async () => {
  server.mock.setScenario({
    faults: [
      { fault: 'reply/status', requests: { first: 2 }, options: { status: 500 } },
      { fault: 'reply/malformed-json', requests: { first: 5 } },
    ],
  })
  const { waits, lines } = await recordFor(8)
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 1000, 1000, 1000])
  expect(lines.slice(1, 7)).toEqual([
    'the service answered 500; the next poll is in 1 s.',
    'the service answered 500; the next poll is in 2 s.',
    'the service answered 200 with broken JSON; the next poll is in 4 s.',
    'the service answered 200 with broken JSON; the next poll is in 8 s.',
    'the service answered 200 with broken JSON; the next poll is in 16 s.',
    'the service answers again.',
  ])
})

test('behavior: a connection that breaks is a failure like any other', async () => {
  server.mock.setScenario({ faults: [{ fault: 'wire/reset', requests: { first: 1 } }] })
  const { lines } = await recordFor(3)
  expect(lines[1]).toBe('the service did not answer (ECONNRESET); the next poll is in 1 s.')
  expect(read()).toBe(`ts,feed,price\n${rowsOf(START + 1, START + 2)}`)
})

test('behavior: a price that goes back in time is not written', async () => {
  const { market } = server.mock.sessions.default.runtime
  server.mock.setScenario({ faults: [{ fault: 'tick/ts-backwards', requests: { every: 2 } }] })
  await recordFor(12, { feeds: ['BTCUSD'] })
  const times = read()
    .trim()
    .split('\n')
    .slice(1)
    .map(line => Number(line.split(',')[0]))
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
  expect(times.length).toBeGreaterThan(3)
  expect(market.feed('BTCUSD')).toBeDefined()
})

test('error: a file that is no recording stays as it is', async () => {
  for (const [text, want, got] of [
    ['time,price\n1,2\n', 'the first line ts,feed,price', 'time,price'],
    ['ts,feed,price\n1,BTCUSD,x\n', 'a row such as', '1,BTCUSD,x'],
    ['words', 'the first line', 'words'],
  ] as const) {
    writeFileSync(out, text)
    const refused = await recordFor(1).catch(String)
    expect(refused).toContain(want)
    expect(refused).toContain(`got   ${JSON.stringify(got)}`)
    expect(read()).toBe(text)
  }
  await expect(recordFor(1, { out: folder })).rejects.toThrow('is a folder, not a file.')
  const missing = join(folder, 'none', 'rows.csv')
  await expect(recordFor(1, { out: missing })).rejects.toThrow(
    `${missing} cannot be written: there is no folder ${join(folder, 'none')}.`,
  )
  expect(existsSync(missing)).toBe(false)
})

test('args: decimals are written exactly', () => {
  expect(toDecimal('11138375000000', -8)).toBe('111383.75')
  expect(toDecimal('1', -8)).toBe('0.00000001')
  expect(toDecimal('100000000', -8)).toBe('1')
  expect(toDecimal('9007199254740991', -18)).toBe('0.009007199254740991')
  expect(toDecimal('42', 0)).toBe('42')
})

test('error: an answer that stays the same leaves no file, and names the feed', async () => {
  await expect(recordFor(1, { apiKey: 'wrong' })).rejects.toThrow(/The service answered 401\.\n.*PRICE_FEED_API_KEY/)
  expect(existsSync(out)).toBe(false)
  await expect(recordFor(1, { feeds: ['BTCUSD', 'NOPEUSD'] })).rejects.toMatchObject({
    shortMessage: 'The service answered 404.',
    details: [['fix', 'check NOPEUSD in --feeds: the answer names it']],
  })
  await expect(recordFor(1, { baseUrl: `${server.url}/nowhere` })).rejects.toMatchObject({
    details: [['fix', 'check --base-url and --feeds']],
  })
  expect(existsSync(out)).toBe(false)
})

test('error: a key that is refused later: the rows and the prices that were left out are counted', async () => {
  server.mock.setScenario({
    faults: [
      { fault: 'tick/missing-feed', feeds: ['DOTUSD'] },
      { fault: 'reply/status', requests: '4', options: { status: 401 } },
    ],
  })
  const run: Run = { lines: [], waits: [], ready: [] }
  await expect(recordFor(10, {}, run)).rejects.toThrow('401')
  expect(run.lines.slice(1)).toEqual([
    'left out 1 price: 1 of DOTUSD (not in the reply).',
    'left out 2 prices: 2 of DOTUSD (not in the reply).',
    `3 new rows in ${out}, 3 prices left out.`,
  ])
})

test('error: a redirect, and a host that is not there, are named', async () => {
  const redirect = { fault: 'reply/redirect', options: { to: 'https://elsewhere.example' } } as const
  server.mock.setScenario({ faults: [redirect] })
  await expect(recordFor(1)).rejects.toMatchObject({
    details: [['fix', 'check --base-url: the answer is a redirect to https://elsewhere.example']],
  })
  server.mock.setScenario({ faults: [{ ...redirect, requests: { every: 2 } }] })
  expect((await recordFor(2)).lines[1]).toMatch(
    /^the service answered 30\d, a redirect to https:\/\/elsewhere\.example; the next poll/,
  )
  const { lines } = await recordFor(1, { baseUrl: 'http://nohost.invalid' })
  expect(lines[1]).toMatch(/^the service did not answer \((ENOTFOUND|EAI_AGAIN)\); the next poll is in 1 s\.$/)
  expect((await recordFor(1, { baseUrl: 'http://127.0.0.1:6000' })).lines[1]).toBe(
    'the service cannot be asked: fetch refuses its port, as browsers do; the next poll is in 1 s.',
  )
})

test('error: a certificate that is not trusted: the line says how to trust it', async () => {
  const other = await startMock({ tls: TLS })
  expect((await recordFor(1, { baseUrl: other.url })).lines[1]).toBe(
    'the service did not answer (DEPTH_ZERO_SELF_SIGNED_CERT: NODE_EXTRA_CA_CERTS=ca.pem in the environment: a file with the certificate of its authority); the next poll is in 1 s.',
  )
})

test('error: a file that existed stays as it is', async () => {
  await recordFor(2)
  const before = read()
  await expect(recordFor(1, { apiKey: 'wrong' })).rejects.toThrow('401')
  expect(read()).toBe(before)
  writeFileSync(out, 'ts,feed,price\n')
  await expect(recordFor(1, { apiKey: 'wrong' })).rejects.toThrow('401')
  expect(read()).toBe('ts,feed,price\n')
})

test('behavior: a feed is one, whatever the case of its id, in the spelling of the file', async () => {
  await recordFor(2, { feeds: ['btcusd'] })
  await recordFor(2, { feeds: ['BTCUSD', 'btcUSD'] })
  const [, ...rows] = readFileSync(out, 'utf8').trim().split('\n')
  expect(new Set(rows.map(row => row.split(',')[1]))).toEqual(new Set(['btcusd']))
  expect(new Set(rows).size).toBe(rows.length)
})
