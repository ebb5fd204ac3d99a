// Series files of a run: reads them in parts, so that a long one takes little memory.
import { closeSync, openSync, readSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { PriceFeedMockError } from '../errors.js'
import type { Feed } from '../market/feeds.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import { findFeed } from '../market/market.js'
import type { SeriesInput } from '../market/series-input.js'
import { fileError } from './json-file.js'
import type { Config } from './options.js'

/** Maximum size of a series file. */
const MAX_SERIES_BYTES = 256_000_000

/**
 * The series of a configuration. Files are read when the mock reads the rows.
 * @throws PriceFeedMockError OPTIONS_INVALID for feeds that do not belong to the files
 */
export function toSeriesInputs(
  { series = [], as = [], seriesAt }: Pick<Config, 'series' | 'as' | 'seriesAt'>,
  feeds: readonly Feed[] = catalogueFeeds(),
): readonly SeriesInput[] {
  if (series.length === 0 && (as.length > 0 || seriesAt !== undefined))
    throw new PriceFeedMockError('OPTIONS_INVALID', `${as.length > 0 ? '--as' : '--series-at'} needs --series.`, {
      details: [['fix', 'name the file of the rows: --series btc.csv --as BTCUSD']],
    })
  if (as.length > 0 && as.length !== series.length)
    throw new PriceFeedMockError('OPTIONS_INVALID', `There are ${series.length} × --series and ${as.length} × --as.`, {
      details: [['want', 'one --as for each --series, in the same order, or none']],
    })
  return series.map((one, index): SeriesInput => {
    const { file, as: own } = typeof one === 'string' ? { file: one } : one
    const stem = basename(file, extname(file))
    return { as: own ?? as[index] ?? findFeed(feeds, stem)?.id, rows: partsOf(file), name: file }
  })
}

/** The parts of a file as text. */
function* partsOf(path: string): Iterable<string> {
  const chunk = Buffer.alloc(65_536)
  const decoder = new TextDecoder()
  let descriptor: number | undefined
  try {
    try {
      descriptor = openSync(path, 'r')
      for (let size = 0; ; ) {
        const count = readSync(descriptor, chunk)
        if (count === 0) break
        size += count
        if (size > MAX_SERIES_BYTES) throw tooLarge(path)
        yield decoder.decode(chunk.subarray(0, count), { stream: true })
      }
    } catch (error) {
      throw error instanceof PriceFeedMockError ? error : fileError(path, '--series', error, 'file')
    }
    yield decoder.decode()
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function tooLarge(path: string): PriceFeedMockError {
  return new PriceFeedMockError('FILE_UNREADABLE', `${path} is too large.`, {
    details: [
      ['got', `more than ${MAX_SERIES_BYTES} bytes`],
      ['want', `at most ${MAX_SERIES_BYTES}`],
      ['at', resolve(path)],
      ['from', '--series'],
    ],
  })
}
