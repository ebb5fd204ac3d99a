// A series: the rows of a file that a feed follows instead of its walk, in typed arrays. It is data; series-path.ts makes a path of it.

/** Rows in order of time: ticks, or candles of one interval. */
export interface Series {
  /** The times of the rows as they were written, in whole seconds since the epoch. */
  readonly times: Uint32Array
  /** In units of 10^expo, in order of time: one price for each tick, four for each candle (`CANDLE_PRICES`). */
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
}

/** The number of prices of a candle: open, then low and high in the order of its direction, then close. */
export const CANDLE_PRICES = 4

/** Seconds from the start of a candle of `width` seconds to each of its four prices. */
export function candleOffsets(width: number): readonly [number, number, number, number] {
  return [0, Math.floor(width / 3), Math.floor((2 * width) / 3), width - 1]
}

/** The shortest candle whose four prices have a second each. */
export const MIN_CANDLE_SECONDS = 4

/** The first and the last second of a series, moved by its shift. */
export function seriesSpan({ times, width, shift }: Series): { readonly from: number; readonly to: number } {
  const last = times.at(-1)!
  return { from: times[0]! + shift, to: last + shift + Math.max(0, width - 1) }
}

/** Moves all rows by some seconds, from their own times. The arrays are shared. */
export function shiftSeries(series: Series, shift: number): Series {
  return shift === series.shift ? series : { ...series, shift }
}

/** Creates a series of checked rows. */
export function createSeries(rows: Omit<Series, 'low' | 'high' | 'shift' | 'hash' | 'toJSON'>): Series {
  const { times, prices, width, heartbeat, volumes, volumeUnits } = rows
  let low = Number.POSITIVE_INFINITY
  let high = 0
  for (let i = 0; i < prices.length; i++) {
    const price = prices[i]!
    if (price < low) low = price
    if (price > high) high = price
  }
  let hash = mix(mix(mix(0x811c9dc5, width), heartbeat), volumeUnits)
  for (let i = 0; i < times.length; i++) hash = mix(hash, times[i]!)
  for (const numbers of volumes ? [prices, volumes] : [prices])
    for (let i = 0; i < numbers.length; i++) {
      const value = numbers[i]!
      hash = mix(mix(hash, value >>> 0), Math.floor(value / 4_294_967_296))
    }
  const text = `${times.length}-${(hash >>> 0).toString(16).padStart(8, '0')}`
  return { ...rows, low, high, shift: 0, hash: text, toJSON: () => text }
}

/** A step of FNV-1a on words, with a rotation so that high bits count. */
function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x01000193)
  return (mixed << 7) | (mixed >>> 25)
}

/** Bytes of the typed arrays of a series. */
export function seriesBytes({ times, prices, volumes }: Series): number {
  return times.byteLength + prices.byteLength + (volumes?.byteLength ?? 0)
}
