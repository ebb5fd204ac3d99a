// Checks of the market scenarios, by effects that a consumer notices.
import {
  age,
  batch,
  type Consumer,
  chart,
  EACH,
  eachWindow,
  evm,
  history,
  isFresh,
  isNear,
  latest,
  promise,
  read,
  readSigned,
  SIGNED,
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

const MAIN = ['BTCUSD', 'ETHUSD', 'SOLUSD', 'USDCUSD'] as const
/** How far each of the main feeds is from the price of five seconds before its window, and the ticks of a window. */
async function jumpsAt(consumer: Consumer, loop: number, from: number, length: number) {
  const pricesAt = (phase: number) => {
    consumer.toPhase((phase + loop) % loop, loop)
    return batch(consumer, ...MAIN)
  }
  const before = await pricesAt(from - 5)
  const windows = [await pricesAt(from), await pricesAt(from + length - 1)]
  const after = await pricesAt(from + length + 7)
  const isBack = after.every(({ price }, i) => isNear(price, before[i]!.price, 0.05))
  const jumps = windows.map(prices => prices.map(({ price }, i) => price / before[i]!.price))
  return { jumps, isBack, isOneTick: windows[0]!.every(({ ts }, i) => ts === windows[1]![i]!.ts) }
}

/** One tick of one feed is far off for some time, then prices are back. */
async function expectJump(consumer: Consumer, loop: number, from: number, length: number, bad: number, factor: number) {
  const { jumps, isBack, isOneTick } = await jumpsAt(consumer, loop, from, length)
  for (const found of jumps)
    promise(
      found.every((jump, i) => isNear(jump, i === bad ? factor : 1, 0.05)),
      `${MAIN[bad]} alone is off by ${factor}, not ${found}`,
    )
  promise(isOneTick, `it is one tick, for ${length} seconds`)
  promise(isBack, 'it is back')
}

/** One tick of one feed is far off for eight seconds, each feed in turn, up and down. */
export async function badTick(consumer: Consumer): Promise<void> {
  const factors = [10, 0.1, 1.3, 0.7, 0.7, 1.3, 0.1, 10]
  for (const [i, factor] of factors.entries()) await expectJump(consumer, 360, 45 * i, 8, i % 4, factor)
  const { high, low } = (await history(consumer, 7, 'BTCUSD')).BTCUSD!
  promise(high.price > 9 * low.price, 'the bad tick is the record high')
}

/** One feed jumps, and no tick follows for more than a minute. */
export async function heldJump(consumer: Consumer): Promise<void> {
  for (const [i, factor] of [0.6, 1.5, 0.6, 0.7].entries()) await expectJump(consumer, 360, 90 * i, 70, i, factor)
}

/** One feed after the other goes away for a minute, and comes back. */
export async function priceGap(consumer: Consumer): Promise<void> {
  for (const [i, gone] of MAIN.entries()) {
    const others = MAIN.filter(feed => feed !== gone)
    await eachWindow(consumer, 360, [[90 * i, 70, () => expectGap(consumer, gone, others)]])
    consumer.toPhase(90 * i + 78, 360)
    promise(isFresh(await age(consumer, gone)), `${gone} is back`)
  }
}

async function expectGap(consumer: Consumer, gone: string, others: readonly string[]): Promise<void> {
  const { status, body } = await consumer.ask(`/prices/${gone}/latest`)
  promise(status === 404 && body.includes(gone), `404 for ${gone}`)
  for (const feed of others) promise(isFresh(await age(consumer, feed)), `${feed} is there`)
}

/** No feed has a price for 80 seconds of every two minutes. */
export async function allFeedsGone(consumer: Consumer): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await eachWindow(consumer, 120, [
      [
        0,
        80,
        async () => {
          for (const feed of [...MAIN, 'EURUSD'])
            promise((await consumer.ask(`/prices/${feed}/latest`)).status === 404, `404 for ${feed}`)
        },
      ],
    ])
    consumer.toPhase(90, 120)
    for (const feed of MAIN) promise(isFresh(await age(consumer, feed)), `${feed} is back`)
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

/** One second below a limit, at it and above it, for each of the limits; each feed has each age. */
const ladder = (limits: readonly number[]) => async (consumer: Consumer) => {
  const feeds = ['BTCUSD', 'ETHUSD', 'SOLUSD', 'USDCUSD']
  const agesAt = (limit: number, step: number) => [0, 1, 2, 2].map(place => limit - 1 + ((place + step) % 3))
  await eachWindow(
    consumer,
    360,
    limits.flatMap((limit, i) =>
      [0, 1, 2].map(
        step =>
          [
            40 * (3 * i + step),
            40,
            async () => {
              const want = String(agesAt(limit, step))
              const ages = (await batch(consumer, ...feeds)).map(({ ts }) => consumer.now() - ts)
              promise(String(ages) === want, `ages ${want} in a batch, not ${ages}`)
              promise((await age(consumer, 'BTCUSD')) === ages[0], 'latest agrees')
            },
          ] as const,
      ),
    ),
  )
  promise(isFresh(await age(consumer, 'XRPUSD')), 'others are fresh')
}
/** Just below a limit of a minute, at it and above; then around half and a quarter of a minute. */
export const stalenessLadder = ladder([60, 30, 15])
/** The same for limits of minutes. */
export const stalenessLimits = ladder([300, 120, 90])

/** BTC keeps ticking, but its price does not move, while ETH falls; after four minutes no price moves. */
export async function stuckPublisher(consumer: Consumer): Promise<void> {
  const look = async (second: number): Promise<readonly number[]> => {
    consumer.toPhase(second, 360)
    const feeds = ['BTCUSD', 'ETHUSD', 'XRPUSD']
    for (const feed of feeds) promise(isFresh(await age(consumer, feed)), `a fresh ts of ${feed}`)
    return (await batch(consumer, ...feeds)).map(({ price }) => price)
  }
  const prices: (readonly number[])[] = []
  for (const second of [0, 110, 170, 239, 250, 300, 359]) prices.push(await look(second))
  const countOf = (place: number, some: typeof prices) => new Set(some.map(all => all[place])).size
  promise(countOf(0, prices) === 1, 'a BTC that stands still')
  for (const place of [1, 2]) {
    promise(countOf(place, prices.slice(0, 4)) === 4, 'others that move at first')
    promise(countOf(place, prices.slice(4)) === 1, 'and stand still after four minutes')
  }
  const [, before, fallen] = prices
  promise(isNear(fallen![1]!, 0.7 * before![1]!, 0.05), 'ETH falls')
  promise(isNear(fallen![2]!, before![2]!, 0.05), 'XRP does not')
}

/** Two minutes before 2^31 seconds: afterwards every time is past it. */
export async function year2038(consumer: Consumer): Promise<void> {
  promise(consumer.now() >= 2 ** 31 - 121, 'at most two minutes before')
  if (consumer.now() < 2 ** 31) {
    for (const asked of SIGNED) await readSigned(consumer, asked)
    consumer.advance(2 ** 31 - consumer.now() + 90)
  }
  for (const { ts } of [...(await batch(consumer, ...MAIN)), ...(await evm(consumer, ...MAIN))])
    promise(ts >= 2 ** 31 && isFresh(consumer.now() - ts), 'a fresh ts of more than 31 bits')
  promise((await chart(consumer, 'BTCUSD')).at(-1)!.time / 1000 >= 2 ** 31 - 60, 'candles go on')
  for (const asked of SIGNED) await readSigned(consumer, asked)
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
