// Creates a series of checked rows, its path with ticks at the rows, and its volume. High and low are found in O(log n) by a tree
// over the prices.
import { createPriceTree, firstIndex } from './lookups.js'
import { type Extremes, NO_HOLES, type PricePath, type TickPrice } from './path.js'
import { CANDLE_PRICES, candleOffsets, type Series, seriesSpan } from './series.js'
import type { Volume } from './volume.js'

/** Creates a series of checked rows. */
export function createSeries(
  rows: Pick<Series, 'times' | 'prices' | 'width' | 'heartbeat' | 'volumes' | 'volumeUnits'>,
): Series {
  const { times, prices, width, heartbeat, volumes, volumeUnits } = rows
  const low = prices.reduce((lowest, price) => Math.min(lowest, price), Number.POSITIVE_INFINITY)
  const high = prices.reduce((highest, price) => Math.max(highest, price), 0)
  let hash = mix(mix(mix(0x811c9dc5, width), heartbeat), volumeUnits)
  for (let i = 0; i < times.length; i++) hash = mix(hash, times[i]!)
  for (const numbers of volumes ? [prices, volumes] : [prices])
    for (let i = 0; i < numbers.length; i++) {
      const value = numbers[i]!
      hash = mix(mix(hash, value >>> 0), Math.floor(value / 4_294_967_296))
    }
  const text = `${times.length}-${(hash >>> 0).toString(16).padStart(8, '0')}`
  return {
    ...rows,
    low,
    high,
    shift: 0,
    hash: text,
    toJSON: () => text,
    createPath: createSeriesPath,
    createVolume: createSeriesVolume,
  }
}

/** A step of FNV-1a on words, with a rotation so that high bits count. */
function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x01000193)
  return (mixed << 7) | (mixed >>> 25)
}

/**
 * Creates the path of a series. Before the first row there is no price. A tick is at the second of each row; inside a candle the
 * price in force is also repeated at every heartbeat. Nothing ticks between two rows of ticks, in gaps, and after the last row.
 */
export function createSeriesPath(series: Series): PricePath {
  const { times, prices, width, heartbeat, shift } = series
  const { from: first, to: end } = seriesSpan(series)
  const stride = width === 0 ? 1 : CANDLE_PRICES
  const offsets = width === 0 ? [0] : candleOffsets(width)
  const tree = createPriceTree(prices)

  const secondOf = (index: number): number =>
    times[stride === 1 ? index : index >> 2]! + offsets[index & (stride - 1)]! + shift
  /** The number of rows at or before a second. */
  const rowsUntil = (second: number): number => firstIndex(times, time => time > second - shift)
  /** The index of the last price at or before a second; −1 before the first row. */
  const indexAt = (second: number): number => {
    const row = rowsUntil(second) - 1
    if (row < 0 || stride === 1) return row
    const passed = second - shift - times[row]!
    let part = stride - 1
    while (offsets[part]! > passed) part--
    return row * stride + part
  }
  /** The last second of the row of a price: the end of its candle. */
  const endOf = (index: number): number => (stride === 1 ? secondOf(index) : times[index >> 2]! + width - 1 + shift)

  const lastTick = (second: number): number | undefined => {
    const index = indexAt(second)
    if (index < 0) return undefined
    const own = secondOf(index)
    if (stride === 1) return own
    return Math.max(own, Math.floor(Math.min(second, endOf(index)) / heartbeat) * heartbeat)
  }
  const nextTick = (second: number): number | undefined => {
    if (second <= first) return first
    if (second > end) return undefined
    const index = indexAt(second)
    const own = secondOf(index)
    if (own === second) return own
    const next = index + 1 < prices.length ? secondOf(index + 1) : undefined
    if (stride === 1) return next
    const beat = Math.ceil(second / heartbeat) * heartbeat
    return beat <= endOf(index) && (next === undefined || beat < next) ? beat : next
  }
  const at = (tick: number): number => prices[indexAt(tick)]!
  const tickOf = (index: number, from: number): TickPrice => ({
    price: prices[index]!,
    ts: Math.max(from, secondOf(index)),
  })

  const extremes = (from: number, to: number): Extremes | undefined => {
    const start = nextTick(from)
    if (start === undefined || start > to) return undefined
    // The price in force at the first tick may be of an earlier second. It is the earliest of equal ones.
    const [a, b] = [indexAt(start), indexAt(to)]
    return { high: tickOf(tree.highest(a, b), start), low: tickOf(tree.lowest(a, b), start) }
  }

  return {
    at,
    extremes,
    hasFastSearch: true,
    lastTick,
    nextTick,
    holes: (from, to) => (from < first ? [{ from, until: Math.min(to + 1, first) }] : NO_HOLES),
  }
}

/** Rows of which the volumes are added at once. */
const BLOCK = 256

/** Creates the volume of a series, in units of 1/`volumeUnits`. That of a candle is spread evenly over its seconds. */
export function createSeriesVolume({ times, volumes, width, shift }: Series): Volume {
  if (volumes === undefined) return { between: () => 0 }
  const seconds = Math.max(1, width)
  const before = new Float64Array(Math.ceil(times.length / BLOCK) + 1)
  for (let i = 0; i < times.length; i++) {
    const block = Math.floor(i / BLOCK)
    if (i % BLOCK === 0) before[block + 1] = before[block]!
    before[block + 1] = before[block + 1]! + volumes[i]!
  }
  const firstEndingAfter = (second: number): number => firstIndex(times, time => time + seconds > second)
  /** The volume of a row up to a second. */
  const part = (row: number, second: number): number => {
    const passed = second - times[row]!
    if (passed <= 0) return 0
    return passed >= seconds ? volumes[row]! : Math.floor((volumes[row]! * passed) / seconds)
  }
  /** The volume of the rows `from … to − 1`. */
  const sumOf = (from: number, to: number): number => {
    const [first, last] = [Math.ceil(from / BLOCK), Math.floor(to / BLOCK)]
    let sum = first < last ? before[last]! - before[first]! : 0
    const head = first < last ? first * BLOCK : to
    for (let i = from; i < head; i++) sum += volumes[i]!
    if (first < last) for (let i = last * BLOCK; i < to; i++) sum += volumes[i]!
    return sum
  }
  return {
    between(from, to) {
      const [start, end] = [from - shift, to - shift]
      const first = firstEndingAfter(start)
      const last = firstEndingAfter(end)
      if (first >= times.length) return 0
      const head = part(first, start)
      if (first === last) return part(first, end) - head
      return sumOf(first, last) - head + (last < times.length ? part(last, end) : 0)
    },
  }
}
