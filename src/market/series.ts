// A series: the rows of a file that a feed follows instead of its walk, in typed arrays. series-path.ts creates it.
import type { PricePath } from './path.js'
import type { Volume } from './volume.js'

/** Rows in order of time: ticks, or candles of one interval. */
export interface Series {
  /** The times of the rows as they were written, in whole seconds since the epoch. */
  readonly times: Uint32Array
  /** In units of 10^expo, in order of time: one price for each tick, four for each candle. */
  readonly prices: Float64Array
  /** The seconds of a candle; 0 for ticks. */
  readonly width: number
  /** Seconds between the ticks that repeat the price inside a candle. Ticks are never repeated. */
  readonly heartbeat: number
  /** The volume of each row, in whole units of 1/`volumeUnits`. Without volumes nothing is traded. */
  readonly volumes?: Float64Array | undefined
  readonly volumeUnits: number
  /** The lowest and the highest price. */
  readonly low: number
  readonly high: number
  /** Seconds by which all rows are moved. */
  readonly shift: number
  /** A hash of everything but `shift`. Two series with the same prices and times have the same one. */
  readonly hash: string
  /** A fingerprint of the feeds contains this. */
  toJSON(): unknown
  /** Creates the path. It comes with the data: only those who read a series load the code. */
  createPath(series: Series): PricePath
  createVolume(series: Series): Volume
}

/** The first and the last second of a series, moved by its shift. */
export function seriesSpan({ times, width, shift }: Series): { readonly from: number; readonly to: number } {
  const last = times.at(-1)!
  return { from: times[0]! + shift, to: last + shift + Math.max(0, width - 1) }
}

/** Moves all rows by some seconds, from their own times. The arrays are shared. */
export function shiftSeries(series: Series, shift: number): Series {
  return shift === series.shift ? series : { ...series, shift }
}

/** Bytes of the typed arrays of a series. */
export function seriesBytes({ times, prices, volumes }: Series): number {
  return times.byteLength + prices.byteLength + (volumes?.byteLength ?? 0)
}

/** The number of prices of a candle: open, then low and high in the order of its direction, then close. */
export const CANDLE_PRICES = 4

/** Seconds from the start of a candle of `width` seconds to each of its four prices. */
export function candleOffsets(width: number): readonly [number, number, number, number] {
  return [0, Math.floor(width / 3), Math.floor((2 * width) / 3), width - 1]
}

/** The shortest candle whose four prices have a second each. */
export const MIN_CANDLE_SECONDS = 4
