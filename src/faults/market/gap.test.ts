import { expect, test } from 'vitest'
import type { Batch } from '../../../test/support/ask.js'
import { AT, describeMarketFault, observeAt, pairOf, targetOf } from '../../../test/support/market-faults.js'

const GAP = { fault: 'market/gap', feeds: ['BTCUSD', 'TIAUSD'], from: '10s', for: '20s' }

test('default: the feed is answered as unknown while the gap lasts', async () => {
  const ask = pairOf([{ fault: 'market/gap', feeds: ['BTCUSD'] }])
  expect((await observeAt(ask, 0)).tick).toBeUndefined()
  const { wire } = await ask(100, targetOf('history'))
  expect(wire.status).toBe(404)
  expect(JSON.parse(wire.body)).toMatchObject({ error: 'unknown_feed' })
  // A request for several feeds is rejected as a whole, as for any unknown id.
  expect((await ask(100, '/prices/batch?feedIds=ETHUSD,BTCUSD')).wire.status).toBe(404)
})

test('behavior: with unknownFeed omit the feed is left out', async () => {
  const ask = pairOf([GAP], { policy: { unknownFeed: 'omit', candles: 100 } })
  const idsAt = async (second: number) =>
    (JSON.parse((await ask(second, '/prices/batch?feedIds=ETHUSD,BTCUSD')).wire.body) as Batch).prices.map(
      ({ feedId }) => feedId,
    )
  expect(await idsAt(9)).toEqual(['ETHUSD', 'BTCUSD'])
  expect(await idsAt(10)).toEqual(['ETHUSD'])
  expect(await idsAt(29)).toEqual(['ETHUSD'])
  expect(await idsAt(30)).toEqual(['ETHUSD', 'BTCUSD'])
})

test('behavior: candles show the hole, and volume is not traded in it', async () => {
  const ask = pairOf([GAP])
  const { candles } = await observeAt(ask, 40)
  const calm = await observeAt(ask, 40, 'BTCUSD', 'calm')
  // BTC is published a second late: the answers from 10 to 29 are the ticks of 9 to 28.
  const isInside = ({ time }: { time: number }) => time / 1000 >= AT + 9 && time / 1000 < AT + 29
  expect(calm.candles.filter(isInside)).toHaveLength(20)
  expect(candles).toEqual(calm.candles.filter(candle => !isInside(candle)))
  const wide = '/charting/feeds-data?feedids=BTCUSD&feed=BTCUSD&type=1&interval=100s'
  const volumeOf = (body: string): number => JSON.parse(body).data.result.at(-1).volume
  const { wire, calm: whole } = await ask(40, wide)
  const lost = calm.candles.filter(isInside).reduce((sum, { volume }) => sum + Math.round(volume * 100), 0)
  expect(Math.round(volumeOf(wire.body) * 100)).toBe(Math.round(volumeOf(whole.body) * 100) - lost)
})

test('behavior: after the gap there is no price before the first new tick', async () => {
  const ask = pairOf([GAP])
  // TIA ticks at multiples of eight and is published three seconds later.
  const firstTick = Math.ceil((AT + 30 - 3) / 8) * 8
  expect(firstTick + 3).toBeGreaterThan(AT + 30)
  for (let second = 29; AT + second < firstTick + 3; second++)
    expect((await observeAt(ask, second, 'TIAUSD')).tick, `${second}`).toBeUndefined()
  expect((await observeAt(ask, firstTick + 3 - AT, 'TIAUSD')).tick?.ts).toBe(firstTick)
})

describeMarketFault('market/gap', {})

test('behavior: a price that is stale is gone at once, in either order, and is back after the gap', async () => {
  const stale = { fault: 'market/stale', feeds: ['BTCUSD'], options: { age: '5m' } }
  const gap = { ...GAP, feeds: ['BTCUSD'] }
  for (const faults of [
    [stale, gap],
    [gap, stale],
  ]) {
    const ask = pairOf(faults)
    expect((await observeAt(ask, 9)).tick?.ts).toBe(AT + 9 - 300)
    for (const second of [10, 29]) {
      for (const name of ['latest', 'batch', 'evm'] as const)
        expect([name, (await ask(second, targetOf(name))).wire.status]).toEqual([name, 404])
    }
    expect((await observeAt(ask, 40)).tick?.ts).toBe(AT + 40 - 300)
    // Five minutes later, the price of that time is the one that was gone.
    expect((await observeAt(ask, 310 + 9)).tick).toBeUndefined()
  }
})

test('behavior: of a gap and a stale price, the gap is the fault that is reported', async () => {
  const ask = pairOf([{ fault: 'market/stale', options: { age: '5m' } }, { fault: 'market/gap' }])
  const { wire } = await ask(0, targetOf('latest'))
  expect(wire.headers['x-price-feed-mock']).toContain('faults=("market/gap")')
})
