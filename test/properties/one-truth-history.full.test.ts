// High, low and latest are ticks of one path: checked against every tick of the window.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Feed, FeedDefinition } from '../../src/market/feeds.js'
import type { Batch, Evm, History, Price } from '../support/ask.js'
import { check } from '../support/seed.js'
import { anyFeed, anySecond, lastTickAt, marketOf, NOW, read, travelling } from './markets.js'

const seed = fc.integer({ min: 0, max: 9 }).map(String)

/** The published ticks of `(now − 60 · minutes, now]`, oldest first; without any, the last one before. */
function ticksOf(feed: Feed, now: number, minutes: number): number[] {
  const last = lastTickAt(feed, now)
  if (last === undefined) return []
  const ticks: number[] = []
  for (let tick = last; tick > now - 60 * minutes && tick >= 0; tick -= feed.heartbeat) ticks.push(tick)
  return ticks.length === 0 ? [last] : ticks.reverse()
}

/** The expected answer of `queryHistory`; undefined for a feed without a price. */
function expectedHistory(feed: Feed, priceAt: (tick: number) => number, now: number, minutes: number) {
  const ticks = ticksOf(feed, now, minutes).map(ts => ({ ts, price: priceAt(ts) }))
  if (ticks.length === 0) return undefined
  const high = Math.max(...ticks.map(({ price }) => price))
  const low = Math.min(...ticks.map(({ price }) => price))
  const earliest = (extreme: number): number => ticks.find(({ price }) => price === extreme)!.ts
  return { high, low, highTs: earliest(high), lowTs: earliest(low) }
}

function checkHistory(definition: FeedDefinition, seed: string, now: number, minutes: number): void {
  const { options, feed, priceAt } = marketOf(definition, seed)
  const ask = travelling(options)
  const answered = ask(now, `/prices/queryHistory?feedIds=${feed.id}&minutes=${minutes}`)
  const expected = expectedHistory(feed, priceAt, now, minutes)
  if (expected === undefined) {
    expect(answered.status).toBe(404)
    return
  }
  const { high, low } = read<History>(answered)[feed.id]!
  expect({ high: high.price, low: low.price, highTs: high.ts, lowTs: low.ts }).toEqual(expected)
  // Each was published: at its second, `latest` gave it with the same signature.
  for (const extreme of [high, low])
    expect(read<Price>(ask(extreme.ts + feed.lag, `/prices/${feed.id}/latest`))).toEqual(extreme)
}

test('behavior: high and low are the extremes of the ticks of the window, with the second of the first', () => {
  check([anyFeed, seed, anySecond, fc.integer({ min: 1, max: 45 })], 400, (definition, seed, now, minutes) => {
    checkHistory(definition, seed, now, minutes)
  })
})

test('behavior: the same when a tick enters or leaves the window', () => {
  const offsets = [-61, -60, -59, -2, -1, 0, 1, 2, 3, 4, 5, 58, 59, 60, 61]
  for (const heartbeat of [1, 4, 32, 64])
    for (const lag of [0, 1, 5])
      for (const offset of offsets)
        checkHistory(
          { id: 'ACMEUSD', base: 100, drivers: { a: 0.5 }, heartbeat, lag },
          '42',
          1_753_354_112 + offset,
          1 + (offset & 1),
        )
})

test('behavior: a window without ticks answers the last tick before it', () => {
  for (const heartbeat of [64, 128])
    for (const lag of [0, 5]) {
      const definition = { id: 'SLOWUSD', base: 100, drivers: { a: 0.5 }, heartbeat, lag }
      const { options } = marketOf(definition, '42')
      const ask = travelling(options)
      let carried = 0
      for (let now = NOW; now < NOW + 128; now++) {
        checkHistory(definition, '42', now, 1)
        const { high, low } = read<History>(ask(now, '/prices/queryHistory?feedIds=slowusd&minutes=1')).slowusd!
        if (high.ts <= now - 60) {
          carried++
          expect(low).toEqual(high)
          expect(read<Price>(ask(now, '/prices/slowusd/latest'))).toEqual(high)
        }
      }
      // The age of the last tick runs from the lag to the heartbeat more; from 60 on it is outside of the window.
      expect(carried).toBe((128 / heartbeat) * (heartbeat + lag - 60))
    }
})

test('behavior: latest is the last published tick on every endpoint', () => {
  check([anyFeed, seed, anySecond], 400, (definition, seed, now) => {
    const { options, feed, priceAt } = marketOf(definition, seed)
    const ask = travelling(options)
    const ts = lastTickAt(feed, now)
    const answers = [
      `/prices/${feed.id}/latest`,
      `/prices/batch?feedIds=${feed.id}`,
      `/prices/evm/crypto?feedIds=${feed.id}`,
    ].map(target => ask(now, target))
    if (ts === undefined) {
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
      return
    }
    const tick = { feedId: feed.id, price: priceAt(ts), expo: feed.expo, ts }
    const [latest, batch, evm] = [read<Price>(answers[0]!), read<Batch>(answers[1]!), read<Evm>(answers[2]!)]
    expect(latest).toEqual({ ...tick, signature: batch.signature, recoveryId: batch.recoveryId })
    expect(batch.prices).toEqual([tick])
    expect(evm.prices).toEqual([{ ...tick, signature: expect.any(String) }])
  })
})

test('behavior: a feed has no price before its first tick of 1970 is published', () => {
  for (const heartbeat of [1, 128])
    for (const lag of [0, 1, 5]) {
      const { options, priceAt } = marketOf({ id: 'ACMEUSD', base: 100, drivers: { a: 0.5 }, heartbeat, lag }, '42')
      const ask = travelling(options)
      for (let now = 0; now < 8; now++) {
        const targets = ['ACMEUSD/latest', 'batch?feedIds=ACMEUSD', 'queryHistory?feedIds=ACMEUSD&minutes=5']
        const statuses = targets.map(target => ask(now, `/prices/${target}`).status)
        expect(statuses, `${heartbeat} ${lag} ${now}`).toEqual(Array(3).fill(now < lag ? 404 : 200))
      }
      expect(read<Price>(ask(lag, '/prices/ACMEUSD/latest'))).toMatchObject({ ts: 0, price: priceAt(0) })
      checkHistory({ id: 'ACMEUSD', base: 100, drivers: { a: 0.5 }, heartbeat, lag }, '42', 400, 525_600)
    }
})
