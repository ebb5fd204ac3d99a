// Creates a series of checked rows, with its bounds and its hash.
import type { Series } from './series.js'
import { createSeriesPath, createSeriesVolume } from './series-path.js'

/** Creates a series of checked rows. */
export function createSeries(
  rows: Pick<Series, 'times' | 'prices' | 'width' | 'heartbeat' | 'volumes' | 'volumeUnits'>,
): Series {
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
