// Series of a million rows: the time and memory to read them as the program does, and high and low on them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { catalogueFeeds } from '../src/market/feeds-file.js'
import { createMarket } from '../src/market/market.js'
import { readSeries } from '../src/market/read-series.js'
import { startProgram } from './child.js'
import { microseconds, print, type Row } from './measure.js'

const ROWS = 1_000_000
const START = 1_700_000_040

/** The rows of a file, each from the price before and its own. */
function rowsOf(row: (i: number, before: string, price: string) => string): string[] {
  const priceOf = (i: number): string => (100_000 + ((i * 7919) % 200_001) / 100).toFixed(2)
  return Array.from({ length: ROWS }, (_, i) => row(i, priceOf(i), priceOf(i + 1)))
}

const candle = (i: number, open: string, close: string): string[] => {
  const [low, high] = [Math.min(Number(open), Number(close)) - 1, Math.max(Number(open), Number(close)) + 1]
  return [String(START + 60 * i), open, high.toFixed(2), low.toFixed(2), close, ((i % 997) / 8).toFixed(3)]
}

const FILES: Readonly<Record<string, () => string>> = {
  'ticks.csv': () => `ts,price\n${rowsOf((i, _, price) => `${START + i},${price}`).join('\n')}\n`,
  'candles.csv': () =>
    `time,open,high,low,close,volume\n${rowsOf((i, open, close) => candle(i, open, close).join(',')).join('\n')}\n`,
  'ticks.json': () => `[${rowsOf((i, _, price) => `{"ts":${START + i},"price":${price}}`).join(',\n')}]`,
}

/** The time until the program is ready, its CPU time, and its memory. */
async function startWith(...flags: string[]) {
  const begun = performance.now()
  const program = await startProgram(...flags)
  const ms = performance.now() - begun
  const { cpuMicros, rss } = await program.usage()
  await program.stop()
  return { ms, cpuMs: cpuMicros / 1000, megabytes: rss / 1e6 }
}

/** Prints the figures of series. */
export async function benchSeries(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-series-'))
  const rows: Row[] = []
  try {
    const plain = await startWith()
    for (const [name, write] of Object.entries(FILES)) {
      const file = join(folder, name)
      writeFileSync(file, write())
      const { ms, cpuMs, megabytes } = await startWith('--series', file, '--as', 'BTCUSD')
      rows.push(
        { name: `${name}, more time until ready`, value: ms - plain.ms, unit: 'ms', goal: 2000 },
        { name: `${name}, more CPU time`, value: cpuMs - plain.cpuMs, unit: 'ms', goal: 2000 },
        {
          name: `${name}, memory of the process`,
          value: megabytes,
          unit: 'MB',
          goal: 150,
          note: `${plain.megabytes.toFixed(1)} MB without a series`,
        },
      )
    }
  } finally {
    rmSync(folder, { recursive: true })
  }

  const feeds = readSeries([{ as: 'BTCUSD', rows: [FILES['candles.csv']!()] }], catalogueFeeds())
  const market = createMarket('42', feeds)
  const path = market.path(market.feed('BTCUSD')!)
  const last = START + 60 * ROWS
  const extremes = (seconds: number) =>
    microseconds(2000, i => path.extremes(last - seconds - (i % 977), last - (i % 977)))
  rows.push(
    { name: 'high and low of an hour', value: extremes(3600), unit: 'µs' },
    { name: 'high and low of all rows', value: extremes(60 * ROWS), unit: 'µs', goal: 20 },
    { name: 'look-up', value: microseconds(20_000, i => path.at(START + i * 2999)), unit: 'µs' },
  )
  print('Series of 1,000,000 rows', rows)
}
