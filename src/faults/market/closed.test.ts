import { expect, test } from 'vitest'
import { type Chart, KEY } from '../../../test/support/ask.js'
import {
  AT,
  describeMarketFault,
  expectCalm,
  observeAt,
  PRESENT,
  pairOf,
  targetOf,
} from '../../../test/support/market-faults.js'
import { createFetch } from '../../hosts/fetch.js'
import { createMock } from '../../index.js'

const closed = (options: object = {}, times: object = {}) => ({
  fault: 'market/closed',
  feeds: ['EURUSD'],
  ...times,
  options,
})
/** 2025-07-25T20:59:00Z, a Friday, in seconds of the scenario; EUR is published at once. */
const FRIDAY = 1_753_477_140 - AT
const CLOSES = FRIDAY + 60
const OPENS = CLOSES + 2 * 86_400

test('default: from Friday to Sunday, 21:00, there are no ticks, and the last one is served', async () => {
  const ask = pairOf([closed()])
  const last = (await observeAt(ask, CLOSES - 1, 'EURUSD', 'calm')).tick!
  expect(last.ts).toBe(AT + CLOSES - 1)
  for (const second of [CLOSES - 1, CLOSES, CLOSES + 86_400, OPENS - 1])
    expect((await observeAt(ask, second, 'EURUSD')).tick, `${second}`).toEqual(last)
  expect((await observeAt(ask, OPENS, 'EURUSD')).tick).toEqual((await observeAt(ask, OPENS, 'EURUSD', 'calm')).tick)
})

test('behavior: nothing is traded while it is closed: an hour that ends at 21:30 trades until 21:00', async () => {
  // At the weekend nothing is traded without the fault either.
  const ask = pairOf([closed({ closes: 'tue 21:00', opens: 'thu 21:00' })])
  const [closes, opens] = [CLOSES + 4 * 86_400, OPENS + 4 * 86_400]
  const volumesAt = async (second: number, interval: string) => {
    const target = `/charting/feeds-data?feedids=EURUSD&feed=EURUSD&type=1&interval=${interval}`
    const pair = await ask(second, target)
    return [pair.wire, pair.calm].map(({ body }) => {
      const { result } = (JSON.parse(body) as Chart).data
      return new Map(result.map(({ time, volume }) => [time / 1000 - AT, Math.round(volume * 100)]))
    }) as [Map<number, number>, Map<number, number>]
  }
  const [hours, calm] = await volumesAt(opens + 3600, '1h')
  for (const start of [closes, closes + 3600, opens - 3600]) {
    expect(calm.get(start), `${start}`).toBeGreaterThan(0)
    expect(hours.get(start), `${start}`).toBe(0)
  }
  for (const start of [closes - 3600, opens]) expect(hours.get(start), `${start}`).toBe(calm.get(start))
  const [seconds] = await volumesAt(closes + 5, '1s')
  // Single seconds are without trade in an open market too.
  const isTraded = (from: number) => [0, 1, 2, 3, 4].some(offset => seconds.get(closes + from + offset)! > 0)
  expect([isTraded(-15) || isTraded(-10) || isTraded(-5), isTraded(0)]).toEqual([true, false])
  // Seven minutes do not divide the hour: some of the candles are closed in part.
  const [parts, whole] = await volumesAt(closes + 3600, '7m')
  const split = [...parts].find(([start]) => start < closes && start + 420 > closes)!
  expect(split[1]).toBeGreaterThan(0)
  expect(split[1]).toBeLessThan(whole.get(split[0])!)
})

test('behavior: the market closes every week, also in 2105', async () => {
  const ask = pairOf([closed()])
  for (const weeks of [1, 52, 4150]) {
    const second = CLOSES + weeks * 604_800
    expect((await observeAt(ask, second + 3600, 'EURUSD')).tick?.ts, `${weeks}`).toBe(AT + second - 1)
    expectCalm(await ask(second - 1, targetOf('latest', 'EURUSD')), `${weeks}`)
  }
})

test('behavior: a market that is closed at the start has closed at its regular time; otherwise it closes with the window', async () => {
  const SATURDAY = CLOSES + 13 * 3600
  const clock = { at: AT + SATURDAY, frozen: true }
  const tellNow = async (times: object) => {
    const mock = createMock({ clock, scenario: { faults: [closed({}, times) as never] } })
    const fetch = createFetch(mock)
    return async (second: number, target: 'latest' | 'history') => {
      mock.clock.set(AT + second)
      const response = await fetch(`http://mock${targetOf(target, 'EURUSD').replace('minutes=1', 'minutes=4320')}`, {
        headers: KEY,
      })
      return JSON.stringify(await response.json())
    }
  }
  const fromTheStart = await tellNow({})
  for (const second of [SATURDAY, OPENS - 1])
    expect(JSON.parse(await fromTheStart(second, 'latest'))).toMatchObject({ ts: AT + CLOSES - 1 })
  // The history of Monday has no ticks of its early morning.
  const calm = await tellNow({ from: '9d' })
  for (const side of ['high', 'low'] as const) {
    const { ts } = JSON.parse(await fromTheStart(OPENS + 3600, 'history')).EURUSD[side]
    expect(ts < AT + CLOSES || ts >= AT + OPENS, side).toBe(true)
  }
  const later = await tellNow({ from: '60s' })
  expect(await later(SATURDAY + 59, 'latest')).toBe(await calm(SATURDAY + 59, 'latest'))
  expect(JSON.parse(await later(SATURDAY + 3600, 'latest'))).toMatchObject({ ts: AT + SATURDAY + 59 })
})

test('behavior: while the market is open, replies equal those without a scenario', async () => {
  const ask = pairOf([closed()])
  for (const second of [0, FRIDAY, CLOSES - 1, OPENS, OPENS + 86_400])
    for (const target of PRESENT) expectCalm(await ask(second, targetOf(target, 'EURUSD')), `${target} ${second}`)
  for (const target of ['history', 'candles'] as const)
    expectCalm(await ask(CLOSES - 1, targetOf(target, 'EURUSD')), target)
})

test.each([
  ['thu 10:49', 'thu 10:50', [35], [34, 95, 96]],
  ['thu 10:50', 'thu 10:49', [0, 34, 95], [35, 94]],
  ['sun 23:00', 'mon 01:00', [], [0, 35, 95]],
])('args: from %s to %s', async (closes, opens, shut, open) => {
  const ask = pairOf([closed({ closes, opens })])
  for (const second of open) expectCalm(await ask(second, targetOf('latest', 'EURUSD')), `${second}`)
  for (const second of shut) {
    const { wire, calm } = await ask(second, targetOf('latest', 'EURUSD'))
    expect(wire.body, `${second}`).not.toBe(calm.body)
  }
})

test('args: closed across the end of a week, also in 2105', async () => {
  const ask = pairOf([closed({ closes: 'sun 23:00', opens: 'mon 01:00' })])
  // Sunday, 2025-07-27T23:00:00Z.
  const sunday = 1_753_657_200 - AT
  for (const weeks of [0, 1, 2500, 4150]) {
    const closes = sunday + weeks * 604_800
    for (const after of [0, 3599, 3600, 7199])
      expect((await observeAt(ask, closes + after, 'EURUSD')).tick?.ts, `${weeks} ${after}`).toBe(AT + closes - 1)
    expectCalm(await ask(closes + 7200, targetOf('latest', 'EURUSD')), `${weeks}`)
  }
})

test('error: opens equals closes', () => {
  expect(() => pairOf([closed({ closes: 'sun 21:00' })])).toThrow(
    /options\.opens\n.*\n.*a time other than that of closes/,
  )
})

describeMarketFault('market/closed', {
  options: { closes: 'thu 00:00', opens: 'fri 00:00' },
  refused: { closes: ['21:00', 'Fri 21:00', 'fri 24:00', 'fri'] },
})
