// Checks of the market scenarios, by effects that a consumer notices.
import {
  age,
  batch,
  type Consumer,
  chart,
  EACH,
  evm,
  history,
  isFresh,
  isNear,
  latest,
  promise,
  read,
  readSigned,
  SIGNED,
  value,
} from './consumer.js'

/** Nothing goes wrong. */
export async function calm(consumer: Consumer): Promise<void> {
  for (const asked of SIGNED) await readSigned(consumer, asked)
  for (const feed of ['BTCUSD', 'ETHUSD', 'EURUSD', 'USDCUSD', 'XAUUSD'])
    promise(isFresh(await age(consumer, feed)), `a fresh ${feed}`)
  const times = (await chart(consumer, 'BTCUSD')).map(({ time }) => time)
  promise(times.length >= 60, 'an hour of candles')
  promise(
    times.every((time, i) => i === 0 || time === times[i - 1]! + 60_000),
    'a candle each minute',
  )
  for (const asked of EACH) {
    const { headers } = await consumer.ask(asked)
    promise(!headers['x-price-feed-mock']!.includes('faults'), 'no fault')
  }
}

/** One tick of BTC is ten times too high, twice a minute: a single print, and a record high. */
export async function badTick(consumer: Consumer): Promise<void> {
  const btc: number[] = []
  const eth: number[] = []
  for (let i = 0; i < 60; i++) {
    const prices = await batch(consumer, 'BTCUSD', 'ETHUSD')
    btc.push(prices[0]!.price)
    eth.push(prices[1]!.price)
    consumer.advance(1)
  }
  const usual = median(btc)
  const bad = btc.flatMap((price, i) => (isNear(price, usual, 0.05) ? [] : [i]))
  promise(bad.length === 2 && bad[1]! - bad[0]! === 30, `two bad ticks half a minute apart, not ${bad.length}`)
  promise(
    bad.every(i => isNear(btc[i]!, 10 * usual, 0.05)),
    'a bad tick is ten times too high',
  )
  promise(
    eth.every(price => isNear(price, median(eth), 0.05)),
    'ETH is sound',
  )
  const { high, low } = (await history(consumer, 2, 'BTCUSD')).BTCUSD!
  promise(isNear(high.price, 10 * low.price, 0.05), 'the bad tick is the record high')
}

/** BTC has no price in the first half of every minute: it goes away and comes back. */
export async function priceGap(consumer: Consumer): Promise<void> {
  for (let round = 0; round < 2; round++) {
    for (const phase of [0, 15, 29]) {
      consumer.toPhase(phase, 60)
      const { status, body } = await consumer.ask('/prices/BTCUSD/latest')
      promise(status === 404 && body.includes('BTCUSD'), `404 for BTC in second ${phase}`)
      promise(isFresh(await age(consumer, 'ETHUSD')), 'ETH is there')
    }
    for (const phase of [32, 45, 59]) {
      consumer.toPhase(phase, 60)
      promise(isFresh(await age(consumer, 'BTCUSD')), `BTC is back in second ${phase}`)
    }
  }
}

/** BTC is five minutes old: a consumer that never looks at ts keeps trading on an old price. */
export async function staleBtc(consumer: Consumer): Promise<void> {
  const btc = await age(consumer, 'BTCUSD')
  promise(btc >= 300 && btc <= 307, `a BTC five minutes old, not ${btc} s`)
  promise(isFresh(await age(consumer, 'ETHUSD')), 'a fresh ETH')
  const [first, second] = await batch(consumer, 'BTCUSD', 'ETHUSD')
  promise(consumer.now() - first!.ts === btc && isFresh(consumer.now() - second!.ts), 'the batch agrees')
  promise(consumer.now() - (await evm(consumer, 'BTCUSD'))[0]!.ts === btc, 'evm agrees')
  const closed = (await chart(consumer, 'BTCUSD')).at(-1)!.time / 1000 + 60
  promise(closed <= consumer.now() - 240, 'the chart ends where the price does')
}

/** All prices are ten minutes old: against each other they look right. */
export async function staleEverything(consumer: Consumer): Promise<void> {
  const feeds = ['BTCUSD', 'ETHUSD', 'SOLUSD', 'USDCUSD', 'EURUSD', 'XAUUSD']
  const ages = (await batch(consumer, ...feeds)).map(({ ts }) => consumer.now() - ts)
  promise(Math.min(...ages) >= 600, `nothing younger than ten minutes: ${ages}`)
  promise(Math.max(...ages) <= 607, `nothing much older than the rest: ${ages}`)
  for (const feed of feeds) promise((await age(consumer, feed)) >= 600, `latest agrees on ${feed}`)
}

/** Prices that are 59, 60 and 61 seconds old: just below a limit of a minute, at it and above. */
export async function stalenessLadder(consumer: Consumer): Promise<void> {
  for (let i = 0; i < 3; i++) {
    const prices = await batch(consumer, 'BTCUSD', 'ETHUSD', 'SOLUSD')
    promise(String(prices.map(({ ts }) => consumer.now() - ts)) === '59,60,61', 'ages 59, 60 and 61 in a batch')
    promise((await age(consumer, 'BTCUSD')) === 59, 'a BTC of 59 s')
    promise((await age(consumer, 'ETHUSD')) === 60, 'an ETH of 60 s')
    promise((await age(consumer, 'SOLUSD')) === 61, 'a SOL of 61 s')
    consumer.advance(1)
  }
  promise(isFresh(await age(consumer, 'XRPUSD')), 'others are fresh')
}

/** BTC keeps ticking, but its price does not move. */
export async function stuckPublisher(consumer: Consumer): Promise<void> {
  const prices = { BTCUSD: new Set<number>(), ETHUSD: new Set<number>() }
  for (let i = 0; i < 20; i++) {
    for (const feed of ['BTCUSD', 'ETHUSD'] as const) {
      promise(isFresh(await age(consumer, feed)), `a fresh ts of ${feed}`)
      prices[feed].add(await value(consumer, feed))
    }
    consumer.advance(10)
  }
  promise(prices.BTCUSD.size === 1, 'a BTC that stands still')
  promise(prices.ETHUSD.size > 10, 'an ETH that moves')
}

/** The feeds that are closed at the weekend. */
export const FX = ['EURUSD', 'GBPUSD', 'USDJPY', 'AUDUSD', 'NZDUSD', 'USDCAD', 'USDCHF', 'USDCNH']
export const METALS = ['XAUUSD', 'XAGUSD', 'XPTUSD', 'XPDUSD']
const WEEK = 604_800
/** The closing time of the week, counted from Monday, 1969-12-29. */
export const fridayNight = (now: number): number =>
  Math.floor((now + 259_200) / WEEK) * WEEK - 259_200 + 4 * 86_400 + 21 * 3600

/** One minute before FX and metals close for the weekend: no alarm on a Friday night. */
export async function weekendClose(consumer: Consumer): Promise<void> {
  const closes = fridayNight(consumer.now())
  // The clock starts a minute before; a page opened later finds the weekend.
  promise(closes - consumer.now() <= 60, 'at most a minute before the weekend')
  if (consumer.now() < closes) {
    for (const feed of [...FX, ...METALS]) promise((await age(consumer, feed)) <= 20, `${feed} still ticks`)
    consumer.advance(closes + 60 - consumer.now())
  }
  const { ts } = await latest(consumer, 'BTCUSD')
  for (const feed of [...FX, ...METALS]) {
    const last = (await latest(consumer, feed)).ts
    promise(last < closes && last >= closes - 20, `the last tick of ${feed} is that of closing time`)
  }
  promise(isFresh(consumer.now() - ts), 'BTC goes on')
  await read(consumer, '/prices/EURUSD/latest')
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!
