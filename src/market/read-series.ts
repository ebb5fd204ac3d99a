// Reads series of callers: texts and rows become feeds that follow them, all of them or none.
import { countOf, nearest, PriceFeedMockError } from '../errors.js'
import type { Feed } from './feeds.js'
import { findFeed } from './market.js'
import type { Series } from './series.js'
import { followSeries, type SeriesInput } from './series-input.js'
import { createSeriesReader } from './series-reader.js'

/**
 * Makes feeds follow series.
 * @throws PriceFeedMockError SERIES_INVALID with the problems of the first series that has some
 */
export function readSeries(inputs: readonly SeriesInput[], feeds: readonly Feed[]): readonly Feed[] {
  const all = new Map<Feed, Series>()
  for (const [index, { as, rows, name = `series[${index}]` }] of inputs.entries()) {
    for (const [feed, series] of readOne(feeds, as, rows, name)) {
      if (all.has(feed))
        throw new PriceFeedMockError('SERIES_INVALID', `${name} is a second series of ${feed.id}.`, {
          details: [['want', 'one series of each feed']],
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
      problems: [{ at: 'as', got: as, want: 'the id of a feed; --feeds adds feeds of your own', closest }],
    })
  }
  const reader = createSeriesReader(feeds, own)
  for (const part of typeof rows === 'string' ? [rows] : rows) {
    if (typeof part !== 'string') reader.row(part)
    else if (!reader.push(part)) break
  }
  const { series, problems, problemCount } = reader.end()
  if (problemCount > 0) {
    const more = problemCount - problems.length
    throw new PriceFeedMockError('SERIES_INVALID', `${name} has ${countOf(problemCount, 'problem')}.`, {
      problems,
      details: [
        ...(more > 0 ? [['more', countOf(more, 'further problem')] as const] : []),
        ['docs', 'price-feed-mock/docs/series.md'],
      ],
    })
  }
  return series
}
