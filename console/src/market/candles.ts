// Reads candles from a reply of the charting endpoint. A fault can make any of it null, unordered or absent.

/** A candle; `time` in seconds since the epoch. */
export interface Candle {
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

/** Candles in order of time, and the number of rows that were left out: null, incomplete or twice. */
export interface Candles {
  readonly candles: readonly Candle[]
  readonly leftOut: number
}

/** The intervals of the chart, in seconds. */
export const INTERVALS = { '10s': 10, '1m': 60, '5m': 300, '15m': 900, '1h': 3600, '1d': 86_400 } as const
export type Interval = keyof typeof INTERVALS

/** Reads the body of a reply. Undefined if it has no list of candles. */
export function readCandles(body: string): Candles | undefined {
  let rows: unknown
  try {
    rows = JSON.parse(body)?.data?.result
  } catch {
    return undefined
  }
  if (!Array.isArray(rows)) return undefined
  const byTime = new Map(rows.flatMap(readCandle).map(candle => [candle.time, candle]))
  const candles = [...byTime.values()].sort((a, b) => a.time - b.time)
  return { candles, leftOut: rows.length - candles.length }
}

function readCandle(row: unknown): Candle[] {
  const { time, open, high, low, close, volume } = (row ?? {}) as Record<string, unknown>
  // Some faults send numbers as text.
  const [second, ...prices] = [time, open, high, low, close].map(value => (value === null ? Number.NaN : Number(value)))
  if (![second, ...prices].every(Number.isFinite)) return []
  const amount = Number(volume)
  const candle = { open: prices[0]!, high: prices[1]!, low: prices[2]!, close: prices[3]! }
  return [{ time: second! / 1000, ...candle, volume: Number.isFinite(amount) ? amount : 0 }]
}
