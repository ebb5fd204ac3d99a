// What the scenarios of the market promise, each checked as a consumer would notice it.
import {
  age,
  batch,
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
  type SessionContext,
  SIGNED,
  value,
} from './world.js'

/** Nothing goes wrong. */
export async function calm(world: SessionContext): Promise<void> {
  for (const asked of SIGNED) await readSigned(world, asked)
  for (const feed of ['BTCUSD', 'ETHUSD', 'EURUSD', 'USDCUSD', 'XAUUSD'])
    promise(isFresh(await age(world, feed)), `a fresh ${feed}`)
  const times = (await chart(world, 'BTCUSD')).map(({ time }) => time)
  promise(times.length >= 60, 'an hour of candles')
  promise(
    times.every((time, i) => i === 0 || time === times[i - 1]! + 60_000),
    'a candle each minute',
  )
  for (const asked of EACH) {
    const { headers } = await world.ask(asked)
    promise(!headers['x-price-feed-mock']!.includes('faults'), 'no fault')
  }
}

/** Twice a minute one tick of BTC is ten times too high: a single print, and a record high. */
export async function badTick(world: SessionContext): Promise<void> {
  const btc: number[] = []
  const eth: number[] = []
  for (let i = 0; i < 60; i++) {
    const prices = await batch(world, 'BTCUSD', 'ETHUSD')
    btc.push(prices[0]!.price)
    eth.push(prices[1]!.price)
    world.advance(1)
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
  const { high, low } = (await history(world, 2, 'BTCUSD')).BTCUSD!
  promise(isNear(high.price, 10 * low.price, 0.05), 'the bad tick is the record high')
}

/** BTC has no price in the first half of every minute: it goes away and comes back. */
export async function priceGap(world: SessionContext): Promise<void> {
  for (let round = 0; round < 2; round++) {
    for (const phase of [0, 15, 29]) {
      world.toPhase(phase, 60)
      const { status, body } = await world.ask('/prices/BTCUSD/latest')
      promise(status === 404 && body.includes('BTCUSD'), `404 for BTC in second ${phase}`)
      promise(isFresh(await age(world, 'ETHUSD')), 'ETH is there')
    }
    for (const phase of [32, 45, 59]) {
      world.toPhase(phase, 60)
      promise(isFresh(await age(world, 'BTCUSD')), `BTC is back in second ${phase}`)
    }
  }
}

/** BTC is five minutes old: a consumer that never looks at ts keeps trading on an old price. */
export async function staleBtc(world: SessionContext): Promise<void> {
  const btc = await age(world, 'BTCUSD')
  promise(btc >= 300 && btc <= 307, `a BTC five minutes old, not ${btc} s`)
  promise(isFresh(await age(world, 'ETHUSD')), 'a fresh ETH')
  const [first, second] = await batch(world, 'BTCUSD', 'ETHUSD')
  promise(world.now() - first!.ts === btc && isFresh(world.now() - second!.ts), 'the batch agrees')
  promise(world.now() - (await evm(world, 'BTCUSD'))[0]!.ts === btc, 'evm agrees')
  const closed = (await chart(world, 'BTCUSD')).at(-1)!.time / 1000 + 60
  promise(closed <= world.now() - 240, 'the chart ends where the price does')
}

/** All prices are ten minutes old: against each other they look right. */
export async function staleEverything(world: SessionContext): Promise<void> {
  const feeds = ['BTCUSD', 'ETHUSD', 'SOLUSD', 'USDCUSD', 'EURUSD', 'XAUUSD']
  const ages = (await batch(world, ...feeds)).map(({ ts }) => world.now() - ts)
  promise(Math.min(...ages) >= 600, `nothing younger than ten minutes: ${ages}`)
  promise(Math.max(...ages) <= 607, `nothing much older than the rest: ${ages}`)
  for (const feed of feeds) promise((await age(world, feed)) >= 600, `latest agrees on ${feed}`)
}

/** One price 59, one 60 and one 61 seconds old: just below a limit of a minute, at it and above. */
export async function stalenessLadder(world: SessionContext): Promise<void> {
  for (let i = 0; i < 3; i++) {
    const prices = await batch(world, 'BTCUSD', 'ETHUSD', 'SOLUSD')
    promise(String(prices.map(({ ts }) => world.now() - ts)) === '59,60,61', 'ages 59, 60 and 61 in a batch')
    promise((await age(world, 'BTCUSD')) === 59, 'a BTC of 59 s')
    promise((await age(world, 'ETHUSD')) === 60, 'an ETH of 60 s')
    promise((await age(world, 'SOLUSD')) === 61, 'a SOL of 61 s')
    world.advance(1)
  }
  promise(isFresh(await age(world, 'XRPUSD')), 'others are fresh')
}

/** BTC ticks on, but its price does not move. */
export async function stuckPublisher(world: SessionContext): Promise<void> {
  const prices = { BTCUSD: new Set<number>(), ETHUSD: new Set<number>() }
  for (let i = 0; i < 20; i++) {
    for (const feed of ['BTCUSD', 'ETHUSD'] as const) {
      promise(isFresh(await age(world, feed)), `a fresh ts of ${feed}`)
      prices[feed].add(await value(world, feed))
    }
    world.advance(10)
  }
  promise(prices.BTCUSD.size === 1, 'a BTC that stands still')
  promise(prices.ETHUSD.size > 10, 'an ETH that moves')
}

/** BTC and ETH lose forty percent for half a minute, every two minutes: a wick. */
export async function flashCrash(world: SessionContext): Promise<void> {
  const at = async (phase: number) => {
    world.toPhase(phase, 120)
    return { btc: await value(world, 'BTCUSD'), eth: await value(world, 'ETHUSD'), sol: await value(world, 'SOLUSD') }
  }
  const before = await at(5)
  const falling = await at(15)
  const down = await at(39)
  const after = await at(45)
  promise(isNear(falling.btc, 0.6 * before.btc, 0.02), 'BTC falls at once')
  promise(falling.eth < 0.9 * before.eth && falling.eth > 0.65 * before.eth, 'ETH falls by and by')
  promise(isNear(down.btc, 0.6 * before.btc, 0.02), 'BTC is down by forty percent')
  promise(isNear(down.eth, 0.6 * before.eth, 0.02), 'ETH is down by forty percent')
  promise(isNear(after.btc, before.btc, 0.02) && isNear(after.eth, before.eth, 0.02), 'both come back')
  promise(isNear(down.sol, before.sol, 0.02), 'SOL is calm')
  const again = await at(12)
  promise(isNear(again.btc, 0.6 * before.btc, 0.05), 'it happens again')
  for (const feed of ['BTCUSD', 'ETHUSD'])
    promise(
      (await chart(world, feed)).slice(-4).some(({ low, open }) => low! < 0.7 * open!),
      `the chart of ${feed} shows the wick`,
    )
}

/** USDC slides to 88 cents in two minutes and stays there. */
export async function depegUsdc(world: SessionContext): Promise<void> {
  if (world.elapsed() < 120) {
    promise(isNear(await value(world, 'USDCUSD'), 1, 0.01), 'a dollar in the beginning')
    world.advance(60)
    promise(isNear(await value(world, 'USDCUSD'), 0.94, 0.01), '94 cents half way')
    world.advance(70)
  }
  for (let i = 0; i < 3; i++) {
    promise(isNear(await value(world, 'USDCUSD'), 0.88, 0.01), '88 cents')
    promise(isNear(await value(world, 'USDTUSD'), 1, 0.01), 'USDT keeps its peg')
    promise(isFresh(await age(world, 'USDCUSD')), 'the price is fresh')
    world.advance(600)
  }
}

const FX = ['EURUSD', 'GBPUSD', 'USDJPY', 'AUDUSD', 'NZDUSD', 'USDCAD', 'USDCHF', 'USDCNH']
const METALS = ['XAUUSD', 'XAGUSD', 'XPTUSD', 'XPDUSD']
/** Monday, 1969-12-29. */
const WEEK = 604_800
const fridayNight = (now: number): number =>
  Math.floor((now + 259_200) / WEEK) * WEEK - 259_200 + 4 * 86_400 + 21 * 3600

/** A minute before foreign exchange and metals close for the weekend: no alarm on a Friday night. */
export async function weekendClose(world: SessionContext): Promise<void> {
  const closes = fridayNight(world.now())
  // It stands a minute before, and a page opened later finds the weekend.
  promise(closes - world.now() <= 60, 'at most a minute before the weekend')
  if (world.now() < closes) {
    for (const feed of [...FX, ...METALS]) promise((await age(world, feed)) <= 20, `${feed} still ticks`)
    world.advance(closes + 60 - world.now())
  }
  const { ts } = await latest(world, 'BTCUSD')
  for (const feed of [...FX, ...METALS]) {
    const last = (await latest(world, feed)).ts
    promise(last < closes && last >= closes - 20, `the last tick of ${feed} is that of closing time`)
  }
  promise(isFresh(world.now() - ts), 'BTC goes on')
  await read(world, '/prices/EURUSD/latest')
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!
