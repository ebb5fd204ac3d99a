// A series: the rows of a file that a feed follows instead of its walk, in typed arrays; as callers give it, and its place in time.
// read-series.ts reads the rows. It loads only where there are some.
import * as z from 'zod/mini'
import { text } from '../settings/schema.js'
import { LATEST, parseInstant, wantInstant } from '../settings/time.js'
import type { Feed } from './feeds.js'
import type { PricePath } from './path.js'
import type { Volume } from './volume.js'
import { greatestCommonDivisor } from './windows.js'

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

/** A series: the rows that a feed follows instead of its walk. */
export interface SeriesInput {
  /**
   * The feed that follows the rows, in any case.
   * @default the feed that the column `feed` of each row names
   */
  readonly as?: string | undefined
  /** CSV or JSON as one text; or a list of rows, such as `[1753354105, "111383.75"]` or `{ ts, price }`, or of parts of a text. */
  readonly rows: string | Iterable<unknown>
  /**
   * The name of the rows in error messages, such as that of a file.
   * @default its place in the list, such as `series[0]`
   */
  readonly name?: string | undefined
}

/** Maximum number of series in the body of a request. */
export const MAX_SERIES = 100
/** Maximum number of characters of the name of a series. */
export const MAX_NAME = 200

const WANT_ROWS = 'CSV or JSON as a text, or a list of rows'
/** Callers may pass a list that is readonly. */
const rowList: z.ZodMiniType<unknown[], readonly unknown[]> = z.array(z.unknown())
/** Series in the body of a request. */
export const seriesSchema = z
  .array(
    z.strictObject({
      as: z.optional(text(/^[A-Za-z0-9._-]{1,32}$/, 'the id of a feed')),
      rows: z.union([z.string(), rowList], { error: WANT_ROWS }),
      name: z.optional(z.string().check(z.maxLength(MAX_NAME, { error: `at most ${MAX_NAME} characters` }))),
    }),
    { error: 'a list of series, each { "as": "BTCUSD", "rows": … }' },
  )
  .check(z.maxLength(MAX_SERIES, { error: `at most ${MAX_SERIES} series` }))

const wantSeriesAt = ({ input }: { readonly input?: unknown }): string => `"start", "now", or ${wantInstant(input)}`
/**
 * The time of the first row. `start`: its own; a clock without a start time begins there. `now`: the start of the session's clock.
 * Or a time.
 */
export const seriesAtSchema = z
  .union([z.string(), z.number()], { error: wantSeriesAt })
  .check(z.refine(at => at === 'start' || at === 'now' || parseInstant(at) !== undefined, { error: wantSeriesAt }))
/** The time of the first row, as a user writes it. */
export type SeriesAt = 'start' | 'now' | (string & {}) | number

/** Reads series for some feeds. Injected, so that pages without series do not load the reader. */
export type ReadSeries = (inputs: readonly SeriesInput[], feeds: readonly Feed[]) => readonly Feed[]

/** Makes feeds follow series, by the feeds of the list. Prices of a series are not rounded to the step of the feed. */
export function followSeries(feeds: readonly Feed[], series: ReadonlyMap<Feed, Series>): readonly Feed[] {
  return feeds.map(feed => {
    const own = series.get(feed)
    return own === undefined ? feed : { ...feed, step: 1, series: own }
  })
}

/** Moves the series of all feeds by some seconds, from their own times. The arrays are shared. */
export function shiftFeeds(feeds: readonly Feed[], shift: number): readonly Feed[] {
  return feeds.map(feed => (feed.series === undefined ? feed : { ...feed, series: { ...feed.series, shift } }))
}

/** The first second of some series at their own times, and the longest lag of their feeds; undefined without series. */
function beginningOf(feeds: readonly Feed[]): { readonly first: number; readonly lag: number } | undefined {
  const following = feeds.filter(({ series }) => series !== undefined)
  if (following.length === 0) return undefined
  return {
    first: Math.min(...following.map(({ series }) => series!.times[0]!)),
    lag: Math.max(...following.map(({ lag }) => lag)),
  }
}

/** The first time at which all series that start with the first row have published it; undefined without series. */
export function seriesStart(feeds: readonly Feed[]): number | undefined {
  const beginning = beginningOf(feeds)
  // A row of the last second is never published, and no clock goes there.
  return beginning && Math.min(LATEST, beginning.first + beginning.lag)
}

/**
 * The seconds by which the series of some feeds move.
 * @param now the second at which the session's clock starts
 */
export function seriesShift(feeds: readonly Feed[], at: SeriesAt, now: number): number {
  const beginning = beginningOf(feeds)
  if (beginning === undefined || at === 'start') return 0
  const { first, lag } = beginning
  const wanted = at === 'now' ? now - lag : Math.floor(parseInstant(at)! / 1000)
  // By whole candles of all files, so that the candles of replies are those of the files. More than all years do not count.
  const width = feeds
    .map(({ series }) => Math.max(1, series?.width ?? 1))
    .reduce((all, one) => Math.min(LATEST + 1, (all / greatestCommonDivisor(all, one)) * one), 1)
  // No row is before 1970.
  return Math.max(Math.floor((wanted - first) / width), 0 - Math.floor(first / width)) * width
}
