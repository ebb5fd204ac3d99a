// Fetches candles and prepares them for the chart. lightweight-charts throws on unordered times and on nulls.
import { ask } from './ask'

/** A candle; `time` in seconds since the epoch. */
export interface Candle {
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

export interface Candles {
  /** Ordered by time, without duplicates, at least one. */
  readonly candles: readonly Candle[]
  /** Number of null, incomplete, impossible and duplicate candles. */
  readonly leftOut: number
}

/** Fetches the candles of a feed; without any, returns the reason. */
export async function askCandles(
  historyUrl: string,
  feed: string,
  interval: string,
): Promise<Candles | { readonly problem: string }> {
  const id = feed.toLowerCase()
  const query = new URLSearchParams({ feedids: id, feed: id, type: '1', interval })
  const answer = await ask(`${historyUrl}/charting/feeds-data?${query}`)
  if (answer.kind === 'silence') return { problem: `No candles: ${answer.why}.` }
  if (answer.status === 404) return { problem: 'No candles: no such feed or interval, or no price yet (404).' }
  if (answer.status !== 200) return { problem: `No candles: the service answered ${answer.status}.` }
  const read = readCandles(answer.body)
  if (read === undefined) return { problem: 'No candles: the answer cannot be read.' }
  return read.candles.length === 0 ? { problem: 'No candles: the list holds none.' } : read
}

function readCandles(body: unknown): Candles | undefined {
  const rows = (body as { data?: { result?: unknown } } | null | undefined)?.data?.result
  if (!Array.isArray(rows)) return undefined
  // Of duplicates the later one counts: it is the revision.
  const byTime = new Map(rows.flatMap(readCandle).map(candle => [candle.time, candle]))
  const candles = [...byTime.values()].sort((a, b) => a.time - b.time)
  return { candles, leftOut: rows.length - candles.length }
}

function readCandle(row: unknown): Candle[] {
  const { time, open, high, low, close, volume } = (row ?? {}) as Record<string, unknown>
  if (![time, open, high, low, close].every(Number.isFinite) || (high as number) < (low as number)) return []
  const candle = { time: (time as number) / 1000, open, high, low, close, volume: Number.isFinite(volume) ? volume : 0 }
  return [candle as Candle]
}
