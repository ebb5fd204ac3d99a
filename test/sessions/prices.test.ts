// Price overrides: a feed is rebased to a price now and keeps moving from there; all endpoints agree.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMock } from '../../src/index.js'
import { adminRoute, askWith, move, problemOf, SESSION } from '../support/admin.js'
import type { Batch, Chart, Evm, History, Price } from '../support/ask.js'
import { replyOf } from '../support/ask.js'
import { AT, describeService, type Host, NOW } from '../support/hosts.js'
import { check } from '../support/seed.js'

const CHART = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval='

describeService('prices of a session', start => {
  const get = async <T>(host: Host, path: string) => JSON.parse((await askWith(host, 'test-api-key', path)).body) as T
  const latest = (host: Host, id = 'BTCUSD') => get<Price>(host, `/prices/${id}/latest`)
  const override = (host: Host, prices: object, rest: object = {}) =>
    adminRoute(host, 'PATCH', SESSION, { prices, ...rest })

  it('default: the price is exact now, on every endpoint', async () => {
    const host = start()
    await override(host, { BTCUSD: 50_000 })
    const wanted = { feedId: 'BTCUSD', price: 50_000 * 1e8, ts: NOW - 1, expo: -8 }
    expect(await latest(host)).toMatchObject(wanted)
    expect((await get<Batch>(host, '/prices/batch?feedIds=BTCUSD')).prices[0]).toMatchObject(wanted)
    expect((await get<Evm>(host, '/prices/evm/crypto?feedIds=BTCUSD')).prices[0]).toMatchObject(wanted)
    // The price was higher during the hour before.
    const { BTCUSD } = await get<History>(host, '/prices/queryHistory?feedIds=BTCUSD&minutes=60')
    expect(BTCUSD!.low).toMatchObject(wanted)
    expect(BTCUSD!.high.price).toBeGreaterThan(90_000e8)
    const last = (await get<Chart>(host, `${CHART}1m`)).data.result.at(-1)!
    expect([last.close, last.low]).toEqual([50_000, 50_000])
    expect(last.high).toBeGreaterThan(90_000)
  })

  it.each([
    ['BTCUSD', 0.5],
    ['btcusd', 123_456.78],
    ['ETHUSD', 1],
    ['EURUSD', 2],
    ['DOGEUSD', 1234.5],
    ['SHIBUSD', 0.001],
    ['USDCUSD', 0.87],
    ['XAUUSD', 3210.12],
  ])('args: %s at %d', async (id, price) => {
    const host = start()
    await override(host, { [id]: price })
    const { price: units, expo } = await latest(host, id)
    expect(units).toBe(Math.round(price * 10 ** -expo))
  })

  it('behavior: the price keeps moving in proportion', async () => {
    const [overridden, free] = [start(), start()]
    await override(overridden, { BTCUSD: 50_000 })
    const [before] = [await latest(free)]
    for (const host of [overridden, free]) await adminRoute(host, 'PATCH', SESSION, { clock: { advance: '1d' } })
    const [after, wanted] = [await latest(overridden), await latest(free)]
    expect(after.price).not.toBe(50_000e8)
    expect(after.price / 50_000e8).toBeCloseTo(wanted.price / before!.price, 6)
    // Other feeds are unchanged.
    expect(await latest(overridden, 'ETHUSD')).toEqual(await latest(free, 'ETHUSD'))
  })

  it('behavior: sessions of one seed, with and without an override, do not share candles', async () => {
    const alone = async (isOverridden: boolean) => {
      const host = start()
      await override(host, isOverridden ? { BTCUSD: 50_000 } : {}, { clock: { at: NOW } })
      await adminRoute(host, 'PATCH', SESSION, { clock: { advance: '5h' } })
      return (await askWith(host, 'test-api-key', `${CHART}15m`)).body
    }
    const wanted = { overridden: await alone(true), free: await alone(false) }
    expect(wanted.overridden).not.toBe(wanted.free)
    for (const order of [
      ['overridden', 'free'],
      ['free', 'overridden'],
    ] as const) {
      const host = start()
      for (const id of order)
        await adminRoute(host, 'POST', '/_mock/sessions', {
          id,
          ...(id === 'overridden' ? { prices: { BTCUSD: 50_000 } } : {}),
        })
      for (const id of [...order, ...order]) {
        await adminRoute(host, 'PATCH', `/_mock/sessions/${id}`, { clock: { at: NOW + 5 * 3600 } })
        expect((await askWith(host, 'test-api-key', `/session/${id}${CHART}15m`)).body).toBe(wanted[id])
      }
    }
  })

  it('behavior: null removes the override and keeps published prices', async () => {
    const [overridden, free] = [start(), start()]
    await override(overridden, { BTCUSD: 50_000 })
    await adminRoute(overridden, 'PATCH', SESSION, { clock: { advance: '10m' } })
    await override(overridden, { BTCUSD: null })
    await adminRoute(free, 'PATCH', SESSION, { clock: { advance: '10m' } })
    expect(await latest(overridden)).toEqual(await latest(free))
    const { BTCUSD } = await get<History>(overridden, '/prices/queryHistory?feedIds=BTCUSD&minutes=9')
    expect(BTCUSD!.low.price).toBeLessThan(52_000e8)
    expect(BTCUSD!.high.price).toBeGreaterThan(90_000e8)
  })

  it('behavior: an override begins when it was set, also when the clock goes back and forward', async () => {
    const [overridden, free] = [start(), start()]
    await override(overridden, { BTCUSD: 50_000 })
    for (const host of [overridden, free]) await adminRoute(host, 'PATCH', SESSION, { clock: { advance: -3600 } })
    expect(await latest(overridden)).toEqual(await latest(free))
    await adminRoute(overridden, 'PATCH', SESSION, { clock: { advance: 3600 } })
    expect((await latest(overridden)).price).toBe(50_000e8)
  })

  it('behavior: null without an override changes no price; an override starts at the clock of its change', async () => {
    const [overridden, free] = [start(), start()]
    await override(overridden, { BTCUSD: null, ETHUSD: null })
    expect(await latest(overridden)).toEqual(await latest(free))
    await override(overridden, { BTCUSD: 7 }, { clock: { advance: '1h' }, seed: 'another' })
    expect(await latest(overridden)).toMatchObject({ price: 7e8, ts: NOW + 3599 })
  })

  it('error: every invalid price is reported, with the nearest feed', async () => {
    const host = start()
    const before = await latest(host)
    const prices = { BTCUSDD: 5, NOPE_NOT_A_FEED: null, BTCUSD: 1e-9, ETHUSD: 1e15, constructor: 1, toString: 1 }
    const details = problemOf(await move(host, 'PATCH', SESSION, { prices }), 400, 'SESSION_INVALID')
    const problems = Object.fromEntries(details.problems!.map(problem => [problem.at, problem]))
    expect(Object.keys(problems).sort()).toEqual(
      Object.keys(prices)
        .map(id => `prices.${id}`)
        .sort(),
    )
    expect(problems['prices.BTCUSDD']).toMatchObject({ closest: 'BTCUSD' })
    for (const id of ['BTCUSD', 'ETHUSD']) expect(problems[`prices.${id}`]!.want).toMatch(/^a price from \S+ to \S+,/)
    expect(await latest(host)).toEqual(before)
  })

  it('args: prices inside the range of the error are accepted', async () => {
    const host = start()
    const endsOf = async (price: number) => {
      const details = problemOf(
        await move(host, 'PATCH', SESSION, { prices: { BTCUSD: price } }),
        400,
        'SESSION_INVALID',
      )
      return /from (\S+) to (\S+),/.exec(details.problems![0]!.want)!.slice(1).map(Number) as [number, number]
    }
    const [least, most] = await endsOf(1e-12)
    const [, other] = await endsOf(1e15)
    expect(other).toBe(most)
    for (const end of [least * 1.01, most * 0.99]) expect((await override(host, { BTCUSD: end })).id).toBe('default')
  })

  it('error: a feed without a price cannot be overridden', async () => {
    const host = start({ clock: { at: 0, frozen: true } })
    const details = problemOf(await move(host, 'PATCH', SESSION, { prices: { BTCUSD: 5 } }), 400, 'SESSION_INVALID')
    expect(details.problems).toMatchObject([{ at: 'prices.BTCUSD', want: expect.any(String) }])
    await override(host, { BTCUSD: 5 }, { clock: { at: 1 } })
    expect(await latest(host)).toMatchObject({ price: 5e8, ts: 0 })
  })
})

describe('agreement', () => {
  const ID = 'LTCUSD'
  /** A feed of any heartbeat and lag, so that windows, ticks and changes do not coincide. */
  const feedOf = (heartbeat: number, lag: number) => ({
    extends: 'none' as const,
    feeds: [{ id: ID, base: 100, drivers: { a: 0.8 }, heartbeat, lag, step: 1000 }],
  })
  const change = fc.record({
    advance: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: -30, max: 0 })),
    price: fc.option(fc.constantFrom(50, 99.5, 100, 101, 220), { nil: null }),
  })

  it('behavior: after any overrides and moves of the clock, all endpoints agree with single ticks', () => {
    const cases = fc.record({
      heartbeat: fc.constantFrom(1, 2, 4, 8),
      lag: fc.integer({ min: 0, max: 3 }),
      changes: fc.array(change, { minLength: 1, maxLength: 6 }),
      minutes: fc.integer({ min: 1, max: 3 }),
    })
    check([cases], 60, ({ heartbeat, lag, changes, minutes }) => {
      const mock = createMock({ feeds: feedOf(heartbeat, lag), clock: { at: AT, frozen: true } })
      const ask = <T>(target: string): T => {
        const request = { method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 }
        return JSON.parse(replyOf(mock.serve(request)).body) as T
      }
      const latestAt = (second: number): { price: number; ts: number } => {
        mock.clock.set(second)
        return ask<Price>(`/prices/${ID}/latest`)
      }
      let now = NOW
      for (const { advance, price } of changes) {
        now += advance
        mock.clock.set(now)
        mock.change({ prices: { [ID]: price } })
        if (price !== null) expect(ask<Price>(`/prices/${ID}/latest`).price).toBe(price * 1e8)
      }
      now += 20
      const shown = new Map<number, number>()
      for (let second = now - minutes * 60 - heartbeat; second <= now; second++) {
        const { price, ts } = latestAt(second)
        // A tick never changes once it has been published.
        expect(shown.get(ts) ?? price).toBe(price)
        shown.set(ts, price)
      }
      mock.clock.set(now)
      const window = [...shown].filter(([ts]) => ts > now - minutes * 60).map(([, price]) => price)
      const { high, low } = ask<History>(`/prices/queryHistory?feedIds=${ID}&minutes=${minutes}`)[ID]!
      expect([high.price, low.price]).toEqual([Math.max(...window), Math.min(...window)])
      expect([shown.get(high.ts), shown.get(low.ts)]).toEqual([high.price, low.price])

      const tickBefore = (second: number) => Math.max(...[...shown.keys()].filter(ts => ts <= second))
      const chart = ask<Chart>(`/charting/feeds-data?feedids=${ID}&feed=${ID}&type=1&interval=20s`)
      for (const { time, open, high, low, close } of chart.data.result) {
        const from = time / 1000
        const to = Math.min(from + 19, now - lag)
        if (tickBefore(from) < now - minutes * 60) continue
        const inForce = [...shown].filter(([ts]) => ts >= tickBefore(from) && ts <= to).map(([, price]) => price / 1e8)
        expect([open, close]).toEqual([shown.get(tickBefore(from))! / 1e8, shown.get(tickBefore(to))! / 1e8])
        expect([high, low]).toEqual([Math.max(...inForce), Math.min(...inForce)])
      }
    })
  })
})
