// Checks of the chart scenarios, by effects that a chart shows.
import { type Consumer, chart, EACH, latest, promise, type Row, read } from './consumer.js'

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

/** All candle faults at once. */
export async function candlePathologies(consumer: Consumer): Promise<void> {
  /** Closes of finished candles, by time. */
  const closes = new Map<number, Set<number>>()
  for (let step = 0; step < 24; step++) {
    consumer.advance(10)
    const rows = await chart(consumer, 'BTCUSD')
    const isEmpty = consumer.elapsed() % 60 >= 50
    promise((rows.length === 0) === isEmpty, `candles in second ${consumer.elapsed() % 60}: ${rows.length}`)
    if (!isEmpty) findPathologies(rows)
    for (const { time, close } of rows)
      if (close !== null && time / 1000 + 64 <= consumer.now())
        closes.set(time, (closes.get(time) ?? new Set<number>()).add(close))
  }
  const revised = [...closes.values()].filter(({ size }) => size > 1)
  promise(revised.length > 0, 'a closed candle changes after all')
  for (const values of revised) {
    const [before, after] = [...values] as [number, number]
    promise(values.size === 2 && Math.abs(after / before - 1.01) < 1e-6, 'by one percent, once')
  }
  for (const asked of EACH.slice(0, 4)) await read(consumer, asked)
}

function findPathologies(rows: readonly Row[]): void {
  const times = ascending(rows)
  promise(
    times.some((time, i) => i > 0 && time !== times[i - 1]! + MINUTE),
    'candles are missing',
  )
  promise(
    rows.some(({ open, close, high }) => open === null && close === null && high !== null),
    'opens and closes are null',
  )
  promise(
    rows.some(({ volume }) => volume !== null && volume < 0),
    'volumes are negative',
  )
  promise(
    rows.some(({ time }, i) => time === rows[i - 1]?.time),
    'candles come twice',
  )
  promise(
    rows.some(({ time }, i) => i > 0 && time < rows[i - 1]!.time),
    'candles are out of order',
  )
}
