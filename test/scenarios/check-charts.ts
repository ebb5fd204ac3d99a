// Checks of the chart scenarios, by effects that a chart shows.
import { type Consumer, chart, EACH, eachWindow, latest, promise, type Row, read } from './consumer.js'

const MINUTE = 60_000
const ascending = (rows: readonly Row[]): number[] => [...new Set(rows.map(({ time }) => time))].sort((a, b) => a - b)

/** Every seventh candle is missing. */
export async function candleGap(consumer: Consumer): Promise<void> {
  const times = (await chart(consumer, 'BTCUSD')).map(({ time }) => time)
  const gaps = times.flatMap((time, i) => (i > 0 && time !== times[i - 1]! + MINUTE ? [i] : []))
  promise(gaps.length >= 10, 'gaps')
  promise(
    gaps.every(i => times[i]! - times[i - 1]! === 2 * MINUTE),
    'one candle is missing at a time',
  )
  promise(
    gaps.every((at, i) => i === 0 || times[at]! - times[gaps[i - 1]!]! === 7 * MINUTE),
    'every seventh',
  )
  await latest(consumer, 'BTCUSD')
}

/** Every candle fault, most of a minute each. */
export async function candlePathologies(consumer: Consumer): Promise<void> {
  /** Closes of candles that have been closed for more than half a minute, by time. */
  let closes = new Map<number, number | null>()
  const closesOf = (rows: readonly Row[]) =>
    new Map(rows.filter(({ time }) => time / 1000 + 94 <= consumer.now()).map(({ time, close }) => [time, close]))
  const look = (what: string, is: (rows: readonly Row[]) => boolean) => async () => {
    const rows = await chart(consumer, 'BTCUSD')
    promise(is(rows), what)
    if (rows.some(({ close }) => close === null)) promise(hasHoles(rows), 'candles are missing')
    else if (!isOfFiveMinutes(rows) && rows.every(({ time }) => time > 1e10 && time % MINUTE === 0))
      promise(!hasHoles(rows), 'no candle is missing')
  }
  const remember = (rows: readonly Row[]) => {
    closes = closesOf(rows)
    return true
  }
  const isRevised = (rows: readonly Row[]) =>
    [...closesOf(rows)].filter(([time]) => closes.has(time)).length > 50 &&
    [...closesOf(rows)].every(([time, close]) => Math.abs(close! / (closes.get(time) ?? close! / 1.01)! - 1.01) < 1e-6)
  const WANTED: readonly (readonly [what: string, is: (rows: readonly Row[]) => boolean])[] = [
    [
      'opens and closes are null',
      rows => rows.some(({ open, close, high }) => open === null && close === null && high !== null),
    ],
    ['candles come twice', rows => rows.some(({ time }, i) => time === rows[i - 1]?.time)],
    ['candles are out of order', rows => rows.some(({ time }, i) => i > 0 && time < rows[i - 1]!.time)],
    ['volumes are negative', rows => rows.some(({ volume }) => volume! < 0) && remember(rows)],
    ['highs are below lows', rows => rows.some(({ high, low }) => high! < low!)],
    ['times are in seconds', rows => rows.some(({ time }) => time < 1e10)],
    ['candles begin between two others', rows => rows.some(({ time }) => time % MINUTE === 30_000)],
    ['closed candles change by one percent', isRevised],
    ['there are no candles', rows => rows.length === 0],
    ['candles are those of five minutes', rows => rows.length > 10 && isOfFiveMinutes(rows)],
  ]
  await eachWindow(
    consumer,
    360,
    WANTED.map(([what, is], i) => [36 * i, 36, look(what, is)]),
  )
  for (const asked of EACH.slice(0, 4)) await read(consumer, asked)
}

const isOfFiveMinutes = (rows: readonly Row[]): boolean => rows.every(({ time }) => time % (5 * MINUTE) === 0)

const hasHoles = (rows: readonly Row[]): boolean => {
  const times = ascending(rows)
  return times.some((time, i) => i > 0 && time !== times[i - 1]! + MINUTE)
}
