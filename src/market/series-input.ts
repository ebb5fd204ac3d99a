// Series as callers give them, and their place in time. The rows are read by read-series.ts, which loads only where there are some.
import * as z from 'zod/mini'
import { text } from '../settings/schema.js'
import { parseInstant, wantInstant } from '../settings/time.js'
import type { Feed } from './feeds.js'
import { type Series, seriesSpan, shiftSeries } from './series.js'

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
/** Series in the body of a request. */
export const seriesSchema = z
  .array(
    z.strictObject({
      as: z.optional(text(/^[A-Za-z0-9._-]{1,32}$/, 'the id of a feed')),
      rows: z.union([z.string(), z.array(z.unknown())], { error: WANT_ROWS }),
      name: z.optional(z.string().check(z.maxLength(MAX_NAME, { error: `at most ${MAX_NAME} characters` }))),
    }),
    { error: 'a list of series, each { "as": "BTCUSD", "rows": … }' },
  )
  .check(z.maxLength(MAX_SERIES, { error: `at most ${MAX_SERIES} series` }))

const wantSeriesAt = (value?: unknown): string => `"start", "now", or ${wantInstant(value)}`
/**
 * The time of the first row. `start`: its own; a clock without a start time begins there. `now`: the start of the session's clock.
 * Or a time.
 */
export const seriesAtSchema = z.union([z.string(), z.number()], { error: wantSeriesAt() }).check(
  z.refine(at => at === 'start' || at === 'now' || parseInstant(at) !== undefined, {
    error: ({ input }) => wantSeriesAt(input),
  }),
)
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

/** Moves the series of all feeds by some seconds, from their own times. */
export function shiftFeeds(feeds: readonly Feed[], shift: number): readonly Feed[] {
  return feeds.map(feed => (feed.series === undefined ? feed : { ...feed, series: shiftSeries(feed.series, shift) }))
}

/** The first time at which all series that start with the first row have published it; undefined without series. */
export function seriesStart(feeds: readonly Feed[]): number | undefined {
  const following = feeds.filter(({ series }) => series !== undefined)
  if (following.length === 0) return undefined
  const first = Math.min(...following.map(({ series }) => seriesSpan(shiftSeries(series!, 0)).from))
  return first + Math.max(...following.map(({ lag }) => lag))
}

/**
 * The seconds by which the series of some feeds move.
 * @param now the second at which the session's clock starts
 */
export function seriesShift(feeds: readonly Feed[], at: SeriesAt, now: number): number {
  const start = seriesStart(feeds)
  if (start === undefined || at === 'start') return 0
  const lag = Math.max(...feeds.filter(({ series }) => series !== undefined).map(feed => feed.lag))
  const shift = at === 'now' ? now - start : Math.floor(parseInstant(at)! / 1000) - (start - lag)
  // By whole candles, so that the candles of replies are those of the file.
  const width = Math.max(1, ...feeds.map(({ series }) => series?.width ?? 1))
  return Math.floor(shift / width) * width
}
