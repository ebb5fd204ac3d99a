// Checks of the scenarios with the course of known days: how far prices go, where they return to, and which other feeds follow.
import { FX, fridayNight, METALS } from './check-market.js'
import { age, type Consumer, chart, history, isFresh, isNear, latest, promise, value } from './consumer.js'

const MINUTE = 60
const HOUR = 3600

/** Moves the clock on to a second of the scenario. A page opened later stays where it is. */
const toSecond = (consumer: Consumer, second: number): void =>
  consumer.advance(Math.max(0, second - consumer.elapsed()))

/** The highest, the lowest and the last price of a feed since a minute before the scenario started, in units of the first or the highest. */
async function courseOf(consumer: Consumer, feed: string) {
  const { high, low } = (await history(consumer, Math.ceil(consumer.elapsed() / MINUTE) + 1, feed))[feed]!
  const unit = 10 ** low.expo
  const [top, bottom] = [Number(high.price) * unit, Number(low.price) * unit]
  const now = await value(consumer, feed)
  return { high: top, low: bottom, now, fall: bottom / top, left: now / top }
}

/** Expects a fall to a part of the highest price, and a return to another part of it. Volatility adds to both. */
async function expectFall(consumer: Consumer, feed: string, fall: number, left: number, tolerance: number) {
  const course = await courseOf(consumer, feed)
  promise(isNear(course.fall, fall, tolerance), `${feed} falls to ${fall}, not ${course.fall}`)
  promise(isNear(course.left, left, tolerance), `${feed} returns to ${left}, not ${course.left}`)
}

/** BTC loses 40 % in seconds and recovers within a minute, every two minutes: a wick. Other coins go with it, by their betas. */
export async function flashCrash(consumer: Consumer): Promise<void> {
  const at = async (phase: number) => {
    consumer.toPhase(phase, 120)
    return {
      btc: await value(consumer, 'BTCUSD'),
      wbtc: await value(consumer, 'WBTCUSD'),
      eth: await value(consumer, 'ETHUSD'),
      sol: await value(consumer, 'SOLUSD'),
      xrp: await value(consumer, 'XRPUSD'),
      eur: await value(consumer, 'EURUSD'),
    }
  }
  const before = await at(5)
  const low = await at(15)
  const after = await at(75)
  promise(isNear(low.btc, 0.6 * before.btc, 0.02), 'BTC is down by forty percent after five seconds')
  for (const coin of ['eth', 'sol', 'xrp'] as const) {
    const fall = low[coin] / before[coin]
    promise(fall > 0.48 && fall < 0.62, `${coin} falls by its beta, not to ${fall}`)
    promise(isNear(after[coin], before[coin], 0.03), `${coin} comes back`)
  }
  promise(isNear(after.btc, before.btc, 0.02) && isNear(after.wbtc, before.wbtc, 0.02), 'so do bitcoin and its token')
  promise(isNear(low.eur, before.eur, 0.002), 'EUR is calm')
  const again = await at(15)
  promise(isNear(again.btc, 0.6 * before.btc, 0.05), 'it happens again')
  // The wrapped and the staked token go with their coins.
  for (const feed of ['BTCUSD', 'ETHUSD', 'WBTCUSD', 'STETHUSD'])
    promise(
      (await chart(consumer, feed)).slice(-4).some(({ low, open }) => low! < 0.7 * open!),
      `the chart of ${feed} shows the wick`,
    )
}

/** BTC and ETH lose 40 %, and half a minute later those prices are stuck, five minutes old: the ts alone says so. */
export async function crashThenStuck(consumer: Consumer): Promise<void> {
  const expectFallen = async () => {
    for (const feed of ['BTCUSD', 'ETHUSD']) {
      const { fall, left } = await courseOf(consumer, feed)
      promise(isNear(fall, 0.6, 0.03) && isNear(left, 0.6, 0.03), `${feed} is down by forty percent, not at ${left}`)
    }
  }
  if (consumer.elapsed() < 30) {
    await expectFallen()
    promise(isFresh(await age(consumer, 'BTCUSD')), 'the fallen price is fresh')
    toSecond(consumer, 30)
  }
  const { price } = await latest(consumer, 'BTCUSD')
  for (let i = 0; i < 3; i++) {
    await expectFallen()
    const stuck = await latest(consumer, 'BTCUSD')
    promise(stuck.price === price, 'the price does not move')
    promise(consumer.now() - stuck.ts === 300, 'it is five minutes old')
    promise((await age(consumer, 'ETHUSD')) === 300, 'so is that of ETH')
    promise((await chart(consumer, 'BTCUSD', '1s')).at(-1)!.close === price / 1e8, 'the chart ends with it')
    promise(isFresh(await age(consumer, 'WBTCUSD')), 'the wrapped token is fresh')
    promise(isNear(await value(consumer, 'WBTCUSD'), price / 1e8, 0.03), 'and has fallen, too')
    consumer.advance(61)
  }
}

/** USDC falls to 0.88 in two minutes and settles at 0.92. */
export async function depegUsdc(consumer: Consumer): Promise<void> {
  if (consumer.elapsed() < 60) {
    promise(isNear(await value(consumer, 'USDCUSD'), 1, 0.01), 'a dollar in the beginning')
    toSecond(consumer, 60)
    const half = await value(consumer, 'USDCUSD')
    promise(half > 0.93 && half < 0.995, `on the way after a minute, not ${half}`)
  }
  toSecond(consumer, 900)
  await expectFall(consumer, 'USDCUSD', 0.88, 0.92, 0.012)
  for (let i = 0; i < 3; i++) {
    promise(isNear(await value(consumer, 'USDCUSD'), 0.92, 0.01), '92 cents')
    promise(isNear(await value(consumer, 'USDTUSD'), 1, 0.01), 'USDT keeps its peg')
    promise(isFresh(await age(consumer, 'USDCUSD')), 'the price is fresh')
    consumer.advance(600)
  }
}

/** The seconds that an hour of a known day takes in a scenario: 3,600 by its pace. */
const at = (pace: number) => (hours: number) => Math.ceil((hours * HOUR) / pace)

/** BTC and ETH halve in 16 hours and regain half of it. */
export async function blackThursday(consumer: Consumer): Promise<void> {
  const hour = at(300)
  if (consumer.elapsed() < hour(1)) {
    const before = await value(consumer, 'BTCUSD')
    toSecond(consumer, hour(4))
    promise(isNear(await value(consumer, 'BTCUSD'), before, 0.2), 'the first hours are no crash yet')
  }
  toSecond(consumer, hour(28))
  await expectFall(consumer, 'BTCUSD', 0.5, 0.71, 0.12)
  await expectFall(consumer, 'ETHUSD', 0.47, 0.69, 0.14)
  await expectFall(consumer, 'WSTETHUSD', 0.47, 0.69, 0.14)
}

/** A coin loses everything, its stablecoin breaks, and the market falls. */
export async function lunaCollapse(consumer: Consumer): Promise<void> {
  if (consumer.elapsed() < at(1800)(7 * 24)) {
    toSecond(consumer, at(1800)(7 * 24) - 1)
    promise((await age(consumer, 'INJUSD')) > 60, 'the feed of the coin stops for more than a minute')
  }
  toSecond(consumer, at(1800)(8 * 24))
  const { fall, left } = await courseOf(consumer, 'INJUSD')
  promise(fall < 3e-6, `the coin loses everything but ${fall}`)
  promise(left < 3e-5, `it does not come back, except to ${left}`)
  await expectFall(consumer, 'USDEUSD', 0.15, 0.165, 0.03)
  await expectFall(consumer, 'USDTUSD', 0.95, 1, 0.015)
  const bitcoin = await courseOf(consumer, 'BTCUSD')
  promise(bitcoin.fall < 0.82 && bitcoin.fall > 0.55, `BTC falls by a quarter, not to ${bitcoin.fall}`)
  promise((await age(consumer, 'USDEUSD')) <= 10, 'the broken stablecoin is fresh')
}

/** USDC falls to 0.87, other stablecoins with it, USDT rises, and all return in two days. */
export async function usdcBankRun(consumer: Consumer): Promise<void> {
  const hour = at(480)
  if (consumer.elapsed() < hour(1)) {
    toSecond(consumer, hour(9))
    const usdc = await value(consumer, 'USDCUSD')
    promise(usdc > 0.86 && usdc < 0.95, `hours below the peg, not ${usdc}`)
  }
  toSecond(consumer, hour(48))
  await expectFall(consumer, 'USDCUSD', 0.87, 1, 0.012)
  await expectFall(consumer, 'DAIUSD', 0.89, 1, 0.012)
  await expectFall(consumer, 'USDEUSD', 0.885, 1, 0.012)
  const tether = await courseOf(consumer, 'USDTUSD')
  promise(tether.high > 1.013 && isNear(tether.now, 1, 0.01), `USDT at 1.02 for a while, not ${tether.high}`)
}

/** BTC loses 30 % within hours, other coins more or less, and most of it returns. */
export async function liquidationCascade(consumer: Consumer): Promise<void> {
  toSecond(consumer, at(180)(18.5))
  await expectFall(consumer, 'BTCUSD', 0.7, 0.88, 0.12)
  await expectFall(consumer, 'ETHUSD', 0.66, 0.86, 0.12)
  await expectFall(consumer, 'DOGEUSD', 0.66, 0.86, 0.12)
  await expectFall(consumer, 'TRXUSD', 0.74, 0.9, 0.12)
  promise((await courseOf(consumer, 'EURUSD')).fall > 0.9, 'EUR has no part in it')
}

/** A false report lifts BTC by 7.5 % in ten minutes, and it falls back in half an hour. */
export async function newsSpike(consumer: Consumer): Promise<void> {
  const hour = at(8)
  if (consumer.elapsed() < 8) {
    const before = await value(consumer, 'BTCUSD')
    toSecond(consumer, hour(1 / 6))
    promise(isNear(await value(consumer, 'BTCUSD'), 1.075 * before, 0.02), 'BTC is up by 7.5 percent')
  }
  toSecond(consumer, hour(2 / 3))
  const { high, low, now } = await courseOf(consumer, 'BTCUSD')
  promise(isNear(high, 1.075 * low, 0.025), `a spike of 7.5 percent, not ${high / low}`)
  promise(now < 1.03 * low, 'nothing of it is left')
  const wrapped = await courseOf(consumer, 'WBTCUSD')
  promise(isNear(wrapped.high, 1.075 * wrapped.low, 0.025), 'the wrapped token goes with it')
}

/** A Sunday: FX and metals are closed since Friday and open in the evening, crypto trades on. */
export async function quietSunday(consumer: Consumer): Promise<void> {
  const closes = fridayNight(consumer.now())
  const opens = closes + 48 * HOUR
  if (consumer.now() < opens) {
    for (const feed of [...FX, ...METALS]) {
      const { ts } = await latest(consumer, feed)
      promise(ts < closes && ts >= closes - 20, `the last tick of ${feed} is that of Friday`)
    }
    promise(isFresh(await age(consumer, 'BTCUSD')), 'BTC goes on')
    consumer.advance(opens + HOUR - consumer.now())
  }
  for (const feed of ['EURUSD', 'XAUUSD']) {
    promise((await age(consumer, feed)) <= 20, `${feed} is open again`)
    const hours = (await chart(consumer, feed, '1h')).map(({ time, volume }) => ({ at: time / 1000, volume: volume! }))
    const quiet = hours.filter(({ at }) => at >= closes && at < opens)
    promise(quiet.length === 48, `48 closed hours of ${feed}, not ${quiet.length}`)
    promise(
      quiet.every(({ volume }) => volume === 0),
      `no trade in ${feed} while it is closed`,
    )
    promise(hours.find(({ at }) => at === opens)!.volume > 0, `trade in ${feed} from the opening on`)
  }
  const coins = await chart(consumer, 'BTCUSD', '1h')
  promise(
    coins.every(({ volume }) => volume! > 0),
    'BTC trades at all hours',
  )
}
