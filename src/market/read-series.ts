// Reads series of callers: texts and rows become feeds that follow them, all of them or none. Every problem is collected, and only
// numbers are kept, in typed arrays.
import * as z from 'zod/mini'
import { getOrCreate } from '../caches.js'
import { countOf, isObject, nearest, PriceFeedMockError, type Problem, tryTo, wrongValue } from '../errors.js'
import { parseOrThrow } from '../settings/schema.js'
import { type Feed, findFeed } from './feeds.js'
import { priceFromTo } from './levels.js'
import { POWERS_OF_TEN } from './pricing.js'
import { CANDLE_PRICES, followSeries, MIN_CANDLE_SECONDS, type Series, type SeriesInput } from './series.js'
import { createSeries } from './series-path.js'
import {
  type Columns,
  columnsOfCount,
  columnsOfHeader,
  createJsonReader,
  createLineReader,
  MAX_ROWS,
  parseTime,
  parseUnits,
  parseVolume,
  separatorOf,
  splitLine,
  type TextReader,
  type TimeUnit,
  WANT_TIME,
} from './series-text.js'
import { greatestCommonDivisor } from './windows.js'

const MAX_COLUMNS = 64
/** Problems that are kept; further ones are counted. */
const MAX_PROBLEMS_KEPT = 20

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
    const ids = feeds.map(({ id }) => id)
    const closest = nearest(as, ids)
    const problem = { at: 'as', got: as, want: 'the id of a feed; --feeds-file adds feeds of your own', closest }
    throw wrongValue('SERIES_INVALID', `${name} is for an unknown feed.`, problem)
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

/**
 * Reads one series file, or the rows of a caller: objects, lists of values, and parts of a text. It stops early once further parts
 * are pointless.
 * @param feeds the feeds that the rows may name
 * @param as the feed of all rows; without it, the column `feed` names the feed of each
 */
export function readRows(
  parts: Iterable<unknown>,
  feeds: readonly Feed[],
  as: Feed | undefined,
  maxRows: number = MAX_ROWS,
) {
  /** The first problems. */
  const problems: Problem[] = []
  let problemCount = 0
  const refuse = (problem: Problem): void => {
    if (problemCount++ < MAX_PROBLEMS_KEPT) problems.push(problem)
  }
  const builders = new Map<Feed, SeriesBuilder>()
  const byName = new Map<string, SeriesBuilder>()
  let columns: Columns | undefined
  let isHopeless = false
  let unit: TimeUnit | undefined
  let rows = 0

  const stopWith = (...found: readonly Problem[]): void => {
    for (const problem of found) refuse(problem)
    isHopeless = true
  }

  /** The builder of the rows with a name in the column of feeds; without such a column the name is empty. */
  const builderOf = (name: string, at: string): SeriesBuilder | undefined => {
    const known = byName.get(name)
    if (known !== undefined) return known
    // A file of one other name may be used as any feed, a file of several may not.
    if (as !== undefined && byName.size > 0) {
      const [first] = byName.keys()
      refuse({ at: `${at}, feed`, got: name, want: `${first}, as in the rows before: all rows are read as ${as.id}` })
      return undefined
    }
    const feed = as ?? findFeed(feeds, name)
    if (feed === undefined) {
      const ids = problemCount < MAX_PROBLEMS_KEPT ? feeds.map(({ id }) => id) : []
      refuse({ at: `${at}, feed`, got: name, want: 'the id of a feed', closest: nearest(name, ids) })
      return undefined
    }
    const builder = getOrCreate(builders, feed, () => createBuilder(feed, columns!, refuse))
    byName.set(name, builder)
    return builder
  }

  /** The number of columns. */
  let width = 0
  const take = (fields: readonly string[], at: string) => {
    if (columns === undefined && takeFirst(fields)) return
    if (fields.length > width && fields.slice(width).some(field => field !== ''))
      return refuse({ at, got: `${fields.length} columns`, want: `${width}, as in the first row` })
    if (++rows > maxRows) return stopWith({ at, got: `more than ${maxRows} rows`, want: `at most ${maxRows}` })
    const builder = builderOf(fieldAt(fields, columns!.feed), at)
    if (builder === undefined) return
    const text = fieldAt(fields, columns!.time)
    const time = parseTime(text)
    if (time === undefined || (unit !== undefined && time.unit !== unit)) {
      const want = time === undefined ? WANT_TIME : `a time in ${unit}, as in the rows before`
      return refuse({ at: `${at}, time`, got: text, want })
    }
    unit = time.unit
    builder.add(time.second, fields, at)
  }

  /** Takes the columns of the first row. Without a column of feeds, all rows need one from elsewhere. */
  const setColumns = (found: Columns | Problem[]) => {
    if (Array.isArray(found)) return stopWith(...found)
    columns = found
    if (columns.feed === undefined && as === undefined)
      stopWith({ at: 'the columns', got: undefined, want: 'the feed of the rows: --as FEED, `as`, or a column feed' })
  }

  /** Takes the first row of CSV or of lists. Returns whether there is nothing else in it. */
  const takeFirst = (fields: readonly string[]): boolean => {
    // An index column has no name in a header, and none of its values is read.
    const first = fields.find(field => field !== '') ?? ''
    const isHeader = /[a-z]/i.test(first) && parseTime(first) === undefined
    setColumns(isHeader ? columnsOfHeader(fields) : columnsOfCount(fields.length))
    width = fields.length
    return isHeader || isHopeless
  }

  let separator: string | undefined
  const takeLine = (whole: string, at: string) => {
    const line = whole.startsWith('\uFEFF') ? whole.slice(1) : whole
    if (isHopeless || line.startsWith('#') || line.trim() === '') return
    separator ??= separatorOf(line)
    const fields = splitLine(line, separator)
    if (fields === undefined) return refuse({ at, got: whole, want: 'a closing quote: the row ends within a field' })
    if (fields.length > MAX_COLUMNS)
      refuse({ at, got: `more than ${MAX_COLUMNS} columns`, want: `at most ${MAX_COLUMNS}` })
    take(fields, at)
  }

  let rowNumber = 0
  let keys: readonly string[] | undefined
  const takeRow = (value: unknown) => {
    const at = `row ${++rowNumber}`
    if (isHopeless) return
    if (!isObject(value)) return refuse({ at, got: value, want: 'an object, or a list of values' })
    if (columns === undefined && !Array.isArray(value)) {
      keys = Object.keys(value).slice(0, MAX_COLUMNS)
      setColumns(columnsOfHeader(keys))
      width = keys.length
      if (isHopeless) return
    }
    if (Array.isArray(value) === (keys !== undefined))
      return refuse({ at, got: value, want: 'a row like the first: all are objects, or all are lists' })
    const values: unknown[] = keys?.map(key => (value as Record<string, unknown>)[key]) ?? (value as unknown[])
    // As text, so that all rows are read alike.
    const fields = values.map(field => (isObject(field) ? 'an object' : String(field ?? '')))
    take(fields, at)
  }

  const takeSource = (source: string) => {
    const value: unknown = tryTo(() => JSON.parse(source))
    if (value === undefined) return refuse({ at: `row ${++rowNumber}`, got: source.slice(0, 40), want: 'valid JSON' })
    takeRow(value)
  }
  const lines = createLineReader(takeLine, refuse, stopWith)
  const json = createJsonReader(takeSource, stopWith)
  /** Chosen by the first part that is not blank. */
  let text: TextReader | undefined
  for (const part of parts) {
    if (typeof part !== 'string') takeRow(part)
    else {
      if (part.trim() !== '') text ??= /^[\s\uFEFF]*[[{]/.test(part) ? json : lines
      ;(text ?? lines).take(part)
    }
    if (isHopeless) break
  }
  if (!isHopeless) (text ?? lines).end()
  if (problemCount === 0 && builders.size === 0) refuse({ at: 'the rows', got: undefined, want: 'at least one row' })
  /** By feed, in the order of the first row of each. Usable only if there are no problems. */
  const series = new Map<Feed, Series>()
  for (const [feed, builder] of builders) {
    const one = builder.end()
    if (one !== undefined) series.set(feed, one)
  }
  return { series, problems, problemCount }
}

const fieldAt = (fields: readonly string[], index: number | undefined): string =>
  index === undefined ? '' : (fields[index] ?? '')

const FIRST_ROWS = 1024
const GROWTH = 64

type SeriesBuilder = ReturnType<typeof createBuilder>

function createBuilder(feed: Feed, columns: Columns, refuse: (problem: Problem) => void) {
  const isCandle = columns.open !== undefined
  const stride = isCandle ? CANDLE_PRICES : 1
  const places = -feed.expo
  let times = new Uint32Array(FIRST_ROWS)
  let prices = new Float64Array(FIRST_ROWS * stride)
  let volumes = columns.volume === undefined ? undefined : new Float64Array(FIRST_ROWS)
  let volumePlaces = 0
  let count = 0
  let width = 0
  let narrowest = Number.POSITIVE_INFINITY
  /** The first gap that does not fit those before, a problem unless two candles are one interval apart. */
  let odd: Problem | undefined
  let before = -1
  let beforeAt = ''
  let isBroken = false

  /** In large steps: memory that is not written yet costs nothing, copies do. */
  const grow = (): void => {
    const rows = Math.min(MAX_ROWS, GROWTH * times.length)
    times = copyTo(new Uint32Array(rows), times)
    prices = copyTo(new Float64Array(rows * stride), prices)
    if (volumes) volumes = copyTo(new Float64Array(rows), volumes)
  }
  const problem = (name: keyof Columns, fields: readonly string[], want: string, at: string): void => {
    isBroken = true
    refuse({ at: `${at}, ${name}`, got: fieldAt(fields, columns[name]), want })
  }
  const readPrice = (name: 'price' | 'open' | 'high' | 'low' | 'close', fields: readonly string[], at: string) => {
    const price = parseUnits(fieldAt(fields, columns[name]), places)
    if (price >= 1) return price
    const unit = POWERS_OF_TEN[places]!
    problem(name, fields, priceFromTo(1 / unit, Number.MAX_SAFE_INTEGER / unit), at)
    return Number.NaN
  }

  return {
    add(exact: number, fields: readonly string[], at: string) {
      const second = Math.floor(exact)
      const [last, lastAt] = [before, beforeAt]
      if (exact === last) return problem('time', fields, `a later time: that of ${lastAt} is the same`, at)
      if (exact < last) return problem('time', fields, `a time after that of ${lastAt}: rows in order of time`, at)
      before = exact
      beforeAt = at
      if (isCandle && second !== exact) return problem('time', fields, 'a whole second, at which a candle starts', at)
      if (isCandle && last >= 0) {
        const gap = second - Math.floor(last)
        narrowest = Math.min(narrowest, gap)
        // The first candles may be far apart: later ones that follow each other show the interval.
        if (width > 0 && gap % width !== 0 && width % gap !== 0)
          odd ??= {
            at: `${at}, time`,
            got: fieldAt(fields, columns.time),
            want: `a multiple of ${width} s after ${lastAt}`,
          }
        width = greatestCommonDivisor(width, gap)
      }
      if (count === times.length) grow()
      // Ticks have whole seconds: of several in one, the last counts.
      const isAgain = !isCandle && count > 0 && times[count - 1] === second
      if (isAgain) count--
      if (isCandle) {
        const open = readPrice('open', fields, at)
        const high = readPrice('high', fields, at)
        const low = readPrice('low', fields, at)
        const close = readPrice('close', fields, at)
        if (high < Math.max(open, close, low)) return problem('high', fields, 'the highest of the four prices', at)
        if (low > Math.min(open, close)) return problem('low', fields, 'the lowest of the four prices', at)
        const first = count * CANDLE_PRICES
        const place = close < open ? 1 : 2
        prices[first] = open
        prices[first + place] = high
        prices[first + 3 - place] = low
        prices[first + 3] = close
      } else prices[count] = readPrice('price', fields, at)
      if (volumes) {
        const { volume, places } = parseVolume(fieldAt(fields, columns.volume))
        if (Number.isNaN(volume)) return problem('volume', fields, 'a volume of 0 or more in each row, or in none', at)
        volumes[count] = isAgain ? volumes[count]! + volume : volume
        volumePlaces = Math.max(volumePlaces, places)
      }
      times[count++] = second
    },
    /** Undefined after problems. */
    end(): Series | undefined {
      if (odd !== undefined && narrowest > width) {
        refuse(odd)
        return undefined
      }
      if (isBroken || count === 0) return undefined
      if (isCandle && width < MIN_CANDLE_SECONDS) {
        const got = width === 0 ? 'one candle' : `candles of ${width} s`
        const want = width === 0 ? 'at least two candles, which give the interval' : 'candles of 4 s or more'
        refuse({ at: `the rows of ${feed.id}, time`, got, want })
        return undefined
      }
      // Volumes become whole numbers, so that their sums up to 2^53 are exact.
      const volumeUnits = POWERS_OF_TEN[volumePlaces]!
      for (let i = 0; volumes !== undefined && i < count; i++) volumes[i] = Math.round(volumes[i]! * volumeUnits)
      return createSeries({
        times: times.subarray(0, count),
        prices: prices.subarray(0, count * stride),
        volumes: volumes?.subarray(0, count),
        volumeUnits,
        width,
        heartbeat: isCandle ? feed.heartbeat : 1,
      })
    },
  }
}

function copyTo<T extends Uint32Array | Float64Array>(target: T, source: T): T {
  target.set(source)
  return target
}
