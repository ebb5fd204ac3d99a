// GET /_mock/sessions/{id}/timeline: requests between the changes of scenario, prices and clock, bounded in lines and characters.
import { expect, it } from 'vitest'
import { createCalls, NOW } from '../../test/support/calls.js'
import type { MockOptions } from '../index.js'

const KEY = 'test-api-key'
const BTC = '/prices/BTCUSD/latest'
const BATCH = '/prices/batch?feedIds=BTCUSD,ETHUSD,SOLUSD,USDCUSD'

function create(options: MockOptions = {}) {
  const calls = createCalls(options)
  const timeline = async (): Promise<string> =>
    JSON.parse((await calls.admin('GET', '/_mock/sessions/default/timeline')).body).text
  return { ...calls, timeline, advance: (by: number) => calls.mock.clock.advance(by) }
}

it('default: nothing was asked', async () => {
  expect(await create().timeline()).toMatchInlineSnapshot(`
    "Timeline of the session default: seed 42, scenario calm, requests: 0. Virtual times, UTC:
      2025-07-24
      10:48:25    scenario calm"
  `)
})

it('behavior: an edit that keeps the start of a scenario changes what comes after it only', async () => {
  const { mock, serve, advance, timeline } = create()
  const status = (from: `${number}s`) =>
    ({ fault: 'reply/status', from, for: '10s', repeat: '60s', options: { status: 503 } }) as const
  mock.setScenario({ faults: [status('0s')] })
  for (const by of [5, 15, 10]) {
    advance(by)
    serve(BTC)
  }
  mock.change({
    scenario: { faults: [status('16s'), { fault: 'reply/latency', for: '1h' }, status('25s')] },
    scenarioAt: NOW,
  })
  advance(50)
  serve(BTC)
  expect(
    (await timeline())
      .split('\n')
      .slice(2)
      .map(line => line.trim().replace(/ {2,}/g, ' ')),
  ).toMatchInlineSnapshot(`
    [
      "10:48:25 scenario inline",
      "10:48:25 reply/status (from 0s for 10s repeat 60s) begins",
      "10:48:30 #1 /prices/BTCUSD/latest 503, Retry-After 5 BTCUSD 113947.56, 1 s old <- reply/status",
      "10:48:35 reply/status (from 0s for 10s repeat 60s) ends",
      "10:48:45 #2 /prices/BTCUSD/latest 200 BTCUSD 113956.933, 1 s old",
      "10:48:55 #3 /prices/BTCUSD/latest 200 BTCUSD 113951.973, 1 s old",
      "10:48:55 scenario inline",
      "10:48:55 2 faults begin: reply/latency (for 1h); reply/status (from 25s for 10s repeat 60s)",
      "10:49:00 reply/status (from 25s for 10s repeat 60s) ends",
      "10:49:41 reply/status (from 16s for 10s repeat 60s) begins",
      "10:49:45 #4 /prices/BTCUSD/latest 503, Retry-After 5 BTCUSD 113955.803, 1 s old <- reply/status, reply/latency",
    ]
  `)
})

it('behavior: requests, windows of faults, prices that were set, and a scenario that follows another', async () => {
  const { mock, serve, advance, timeline } = create()
  serve(BTC)
  advance(5)
  mock.setScenario({
    faults: [
      { fault: 'market/stale', feeds: ['BTCUSD'], from: '2s', for: '3s', options: { age: '5m' } },
      { fault: 'reply/status', requests: '3', options: { status: 503 } },
      { fault: 'wire/reset', endpoints: ['batch'] },
    ],
  })
  for (let second = 0; second < 7; second++) {
    serve(BTC)
    if (second === 2) mock.record(mock.serve({ method: 'GET', target: BATCH, authorization: KEY, receivedAt: 0 })!, 0)
    if (second === 4) mock.change({ prices: { BTCUSD: 50_000 } })
    advance(1)
  }
  serve(BTC, { key: 'Bearer x' })
  mock.setScenario('stale-btc')
  expect(await timeline()).toMatchInlineSnapshot(`
    "Timeline of the session default: seed 42, scenario stale-btc, requests: 10. Virtual times, UTC:
      2025-07-24
      10:48:25       scenario calm
      10:48:25  #1   /prices/BTCUSD/latest                               200                 BTCUSD 113943.22, 1 s old
      10:48:30       scenario inline
      10:48:30       2 faults begin: reply/status (requests 3); wire/reset (batch)
      10:48:30  #2   /prices/BTCUSD/latest                               200                 BTCUSD 113947.56, 1 s old
      10:48:31  #3   /prices/BTCUSD/latest                               200                 BTCUSD 113947.378, 1 s old
      10:48:32       market/stale (BTCUSD, from 2s for 3s) begins
      10:48:32  #4   /prices/BTCUSD/latest                               503, Retry-After 5  BTCUSD 113923.505, 300 s old                                                                 <- reply/status
      10:48:32  #5   /prices/batch?feedIds=BTCUSD,ETHUSD,SOLUSD,USDCUSD  no reply            BTCUSD 113923.505, 300 s old; ETHUSD 3643.91, 1 s old; SOLUSD 161.63455508, 1 s old; 1 more  <- wire/reset
      10:48:33  #6   /prices/BTCUSD/latest                               200, stale          BTCUSD 113924.077, 300 s old                                                                 <- market/stale
      10:48:34  #7   /prices/BTCUSD/latest                               200, stale          BTCUSD 113924.831, 300 s old                                                                 <- market/stale
      10:48:34       price set: BTCUSD
      10:48:35       market/stale (BTCUSD, from 2s for 3s) ends
      10:48:35  #8   /prices/BTCUSD/latest                               200                 BTCUSD 50000.288, 1 s old
      10:48:36  #9   /prices/BTCUSD/latest                               200                 BTCUSD 50000.57, 1 s old
      10:48:37  #10  /prices/BTCUSD/latest                               401, key: scheme    BTCUSD 50001.082, 1 s old
      10:48:37       scenario stale-btc
      10:48:37       market/stale (BTCUSD) begins"
  `)
})

it('behavior: a scenario that was ended ends, and a price is set when it was set', async () => {
  const { mock, serve, advance, timeline } = create()
  mock.setScenario('stale-btc')
  serve(BTC)
  advance(10)
  mock.change({ scenario: null })
  advance(1)
  serve(BTC)
  advance(10)
  mock.setScenario('stale-btc')
  mock.change({ prices: { BTCUSD: 90_000 } })
  expect((await timeline()).split('\n').slice(2)).toEqual([
    '  10:48:25      scenario stale-btc',
    '  10:48:25      market/stale (BTCUSD) begins',
    expect.stringContaining('#1'),
    '  10:48:35      scenario stale-btc ended',
    '  10:48:36      market/stale (BTCUSD) ends',
    expect.stringContaining('#2'),
    '  10:48:46      scenario stale-btc',
    '  10:48:46      market/stale (BTCUSD) begins',
    '  10:48:46      price set: BTCUSD',
  ])
})

it('behavior: the prices are those of the replies, also before changes', async () => {
  const { mock, ask, advance, timeline } = create()
  const seen: string[] = []
  for (const scenario of ['calm', 'stale-btc', 'flash-crash', 'crash-then-stuck'] as const) {
    mock.setScenario(scenario)
    advance(40)
    const { price, ts } = ask(BTC).body
    const age = Math.floor(mock.clock.now() / 1000) - ts
    seen.push(`BTCUSD ${price / 1e8}, ${age} s old`)
  }
  const text = await timeline()
  expect(text.match(/BTCUSD [\d.]+, \d+ s old/g)).toEqual(seen)
})

it('behavior: equal requests of a second share a line, others do not', async () => {
  const { serve, timeline } = create()
  for (const key of [KEY, KEY, KEY, 'wrong']) serve(BTC, { key })
  serve(BTC, { method: 'HEAD' })
  serve(BTC)
  for (const key of ['wrong', `Bearer ${KEY}`]) serve(BTC, { key })
  const text = await timeline()
  expect(text).toMatch(/ #1-3 +3 times \/prices\/BTCUSD\/latest +200 /)
  expect(text).toMatch(/ #4 +\/prices\/BTCUSD\/latest +401, key: unknown /)
  expect(text).toMatch(/ #5 +HEAD \/prices\/BTCUSD\/latest +200 /)
  expect(text).toMatch(/ #6 +\/prices\/BTCUSD\/latest +200 /)
  // Two problems with one status.
  expect(text).toMatch(/ #7 +\/prices\/BTCUSD\/latest +401, key: unknown /)
  expect(text).toMatch(/ #8 +\/prices\/BTCUSD\/latest +401, key: scheme /)
})

it('behavior: a clock that goes back, and one that passes midnight', async () => {
  const { mock, serve, timeline } = create()
  serve(BTC)
  mock.clock.set(NOW + 86_400)
  serve(BTC)
  mock.clock.set(NOW + 10)
  serve(BTC)
  const lines = (await timeline()).split('\n').map(line => line.trim().replace(/ {2,}.*/, ''))
  expect(lines).toMatchInlineSnapshot(`
    [
      "Timeline of the session default: seed 42, scenario calm, requests: 3. Virtual times, UTC:",
      "2025-07-24",
      "10:48:25",
      "10:48:25",
      "2025-07-25",
      "10:48:25",
      "2025-07-24",
      "10:48:35",
      "10:48:35",
    ]
  `)
})

it('behavior: changes that the session has forgotten', async () => {
  const { mock, serve, timeline } = create()
  for (let i = 0; i < 30; i++) {
    serve(BTC)
    mock.setScenario(i % 2 === 0 ? 'stale-btc' : 'calm')
  }
  const text = await timeline()
  expect(text).toContain('earlier changes are no longer known')
  expect(text.split('\n').length).toBeLessThanOrEqual(63)
})

it('args: at most 60 lines of bounded length, whatever was asked and planned', async () => {
  const faults = Array.from({ length: 100 }, (_, i) => ({
    fault: 'reply/latency' as const,
    from: `${i}s` as const,
    for: '1s' as const,
    repeat: '2s' as const,
    options: { ms: 1 },
  }))
  const { serve, advance, timeline } = create({ scenario: { faults } })
  for (let i = 0; i < 100; i++) {
    serve(`/prices/batch?feedIds=${'BTCUSD,ETHUSD,'.repeat(100)}&x=${'y'.repeat(3000)}\u001b[31m\u202e${i}`)
    advance(1)
  }
  const text = await timeline()
  expect(text).toContain('lines left out')
  expect(text.split('\n').length).toBe(63)
  expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThan(500)
  for (const unsafe of ['\u001b', '\u202e']) expect(text).not.toContain(unsafe)
})

it('args: at most 60 lines besides the heading, the dates, and the line for those that are left out', async () => {
  const { serve, advance, timeline } = create({ scenario: { faults: [] } })
  for (let i = 0; i < 100; i++) {
    serve(BTC)
    advance(86_400)
  }
  const lines = (await timeline()).split('\n')
  expect(lines.filter(line => /^ {2}\d{4}-\d{2}-\d{2}$/.test(line))).toHaveLength(59)
  expect(lines).toHaveLength(60 + 59 + 2)
})

it('behavior: reading it counts and changes nothing', async () => {
  const { session, serve, mock, timeline } = create({ scenario: 'stale-btc' })
  serve(BTC)
  mock.setScenario('calm')
  serve(BTC)
  const { record } = session()
  const first = await timeline()
  expect(await timeline()).toBe(first)
  expect(session().record).toBe(record)
})

it('behavior: of many requests under many faults only the shown ones cost windows', async () => {
  const faults = Array.from({ length: 100 }, (_, i) => ({
    fault: 'tick/ts-skew' as const,
    from: `${i + 1}s` as const,
    for: '1s' as const,
    repeat: '2s' as const,
  }))
  const { mock, serve, advance, timeline } = create({ scenario: { faults } })
  let asked = 0
  for (const { windows } of mock.sessions.default.runtime.scenario.faults) {
    const { first } = windows
    Object.assign(windows, {
      *between(from: number, to: number) {
        for (let window = first(from, to); window !== undefined; window = first(window.until, to)) {
          asked++
          yield window
        }
      },
    })
  }
  for (let i = 0; i < 300; i++) {
    serve(BTC)
    advance(200)
  }
  asked = 0
  expect((await timeline()).split('\n').length).toBeLessThanOrEqual(70)
  expect(asked).toBeLessThan(61 * 700)
})

it('behavior: a price that is set stands after what faults did before', async () => {
  const { mock, serve, advance, timeline } = create()
  mock.setScenario({ faults: [{ fault: 'reply/status', from: '5s', for: '10s' }] })
  advance(60)
  mock.change({ prices: { BTCUSD: 50_000 } })
  serve(BTC)
  const lines = (await timeline()).split('\n').slice(2)
  expect(lines.map(line => line.trim().slice(0, 8))).toEqual(lines.map(line => line.trim().slice(0, 8)).toSorted())
  expect(lines.map(line => line.trim().split(/ {2,}/)[1])).toEqual([
    'scenario inline',
    'reply/status (from 5s for 10s) begins',
    'reply/status (from 5s for 10s) ends',
    'price set: BTCUSD',
    '#1',
  ])
})
