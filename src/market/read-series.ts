// Reads series of callers: texts and rows become feeds that follow them, all of them or none.
import * as z from 'zod/mini'
import { countOf, isObject, nearest, PriceFeedMockError } from '../errors.js'
import { parseOrThrow } from '../settings/schema.js'
import { type Feed, findFeed } from './feeds.js'
import { followSeries, type Series, type SeriesInput } from './series.js'
import { readRows } from './series-reader.js'

/** Series in code. A file is read by the caller, since a mock opens none. */
const inputsSchema = z.array(
  z.strictObject({
    as: z.optional(z.string()),
    rows: z.custom<SeriesInput['rows']>(isRows, {
      error: "CSV or JSON as a text, such as readFileSync('btc.csv', 'utf8'), or a list of rows",
    }),
    name: z.optional(z.string()),
  }),
  { error: 'a list of series, each { as, rows }' },
)

function isRows(value: unknown): boolean {
  if (typeof value === 'string') return true
  return isObject(value) && Symbol.iterator in value && !ArrayBuffer.isView(value)
}

/**
 * Makes feeds follow series.
 * @throws PriceFeedMockError SERIES_INVALID with the problems of the first series that has some
 */
export function readSeries(inputs: readonly SeriesInput[], feeds: readonly Feed[]): readonly Feed[] {
  parseOrThrow(inputsSchema, inputs, 'SERIES_INVALID', 'The option series')
  const all = new Map<Feed, Series>()
  for (const [index, { as, rows, name = `series[${index}]` }] of inputs.entries()) {
    for (const [feed, series] of readOne(feeds, as, rows, name)) {
      if (all.has(feed))
        throw new PriceFeedMockError('SERIES_INVALID', `${name} is a second series of ${feed.id}.`, {
          want: 'one series of each feed',
        })
      all.set(feed, series)
    }
  }
  return followSeries(feeds, all)
}

function readOne(
  feeds: readonly Feed[],
  as: string | undefined,
  rows: SeriesInput['rows'],
  name: string,
): ReadonlyMap<Feed, Series> {
  const own = as === undefined ? undefined : findFeed(feeds, as)
  if (as !== undefined && own === undefined) {
    const closest = nearest(
      as,
      feeds.map(({ id }) => id),
    )
    throw new PriceFeedMockError('SERIES_INVALID', `${name} is for an unknown feed.`, {
      problems: [{ at: 'as', got: as, want: 'the id of a feed; --feeds-file adds feeds of your own', closest }],
    })
  }
  const { series, problems, problemCount } = readRows(typeof rows === 'string' ? [rows] : rows, feeds, own)
  if (problemCount > 0) {
    const more = problemCount - problems.length
    throw new PriceFeedMockError('SERIES_INVALID', `${name} has ${countOf(problemCount, 'problem')}.`, {
      problems,
      more: more > 0 ? countOf(more, 'further problem') : undefined,
      docs: 'price-feed-mock/docs/series.md',
    })
  }
  return series
}
