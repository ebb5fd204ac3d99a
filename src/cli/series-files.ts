// Series files of a run: reads them in parts, so that a long one takes little memory.
import { basename, extname, resolve } from 'node:path'
import { PriceFeedMockError } from '../errors.js'
import { type Feed, findFeed } from '../market/feeds.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import type { SeriesInput } from '../market/series.js'
import { chunksOf, fileError, tooLarge } from './files.js'
import type { Config } from './options.js'
import { RECORDING_HEADER } from './recording.js'

const MAX_SERIES_BYTES = 256_000_000
const LINE_FEED = 10

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
      fix: 'name the file of the rows: --series btc.csv --as BTCUSD',
    })
  if (as.length > 0 && as.length !== series.length)
    throw new PriceFeedMockError('OPTIONS_INVALID', `There are ${series.length} × --series and ${as.length} × --as.`, {
      want: 'one --as for each --series, in the same order, or none',
    })
  return series.map((one, index): SeriesInput => {
    const { file, as: own } = typeof one === 'string' ? { file: one } : one
    const stem = basename(file, extname(file))
    return { as: own ?? as[index] ?? findFeed(feeds, stem)?.id, rows: partsOf(file), name: file }
  })
}

function* partsOf(path: string): Iterable<string> {
  const decoder = new TextDecoder()
  let size = 0
  let isRecording = false
  let last: number | undefined
  try {
    for (const chunk of chunksOf(path)) {
      isRecording ||= size === 0 && chunk.toString('latin1', 0, RECORDING_HEADER.length) === RECORDING_HEADER
      size += chunk.length
      last = chunk.at(-1)
      if (size > MAX_SERIES_BYTES) throw tooLarge(path, '--series', MAX_SERIES_BYTES)
      yield decoder.decode(chunk, { stream: true })
    }
  } catch (error) {
    throw error instanceof PriceFeedMockError ? error : fileError(path, '--series', error, 'file')
  }
  // `record` ends each row, so the last number may lack digits.
  if (isRecording && last !== LINE_FEED) throw cutOff(path)
  yield decoder.decode()
}

function cutOff(path: string): PriceFeedMockError {
  const fix = `end the row with a new line if it is whole, or remove it, or continue: npx price-feed-mock record … --out ${path}`
  return new PriceFeedMockError('FILE_UNREADABLE', `${path} is a recording whose last row was cut off.`, {
    fix,
    at: resolve(path),
    from: '--series',
  })
}
