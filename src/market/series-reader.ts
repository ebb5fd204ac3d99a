// Reads the rows of a series, CSV or JSON, as they come. It collects every problem and keeps numbers only, in typed arrays.
import { nearest, type Problem } from '../errors.js'
import { CANDLE_PRICES, MIN_CANDLE_SECONDS } from './candle-prices.js'
import { createSeries } from './create-series.js'
import { type Feed, toFeedKey } from './feeds.js'
import type { Series } from './series.js'
import { type Columns, columnsOfCount, columnsOfHeader } from './series-columns.js'
import { parseTime, parseUnits, parseVolume, type TimeUnit, WANT_TIME } from './series-numbers.js'
import {
  createJsonSplitter,
  createLineReader,
  type Fields,
  MAX_COLUMNS,
  MAX_ROW_CHARACTERS,
  textOf,
} from './series-text.js'

/** Maximum number of rows of one series file. */
export const MAX_ROWS = 2_000_000
/** Problems that are kept; further ones are counted. */
const MAX_PROBLEMS_KEPT = 20

/** The rows of some feeds, or the problems of the rows. */
export interface SeriesReading {
  /** By feed, in the order of the first row of each. Usable only if there are no problems. */
  readonly series: ReadonlyMap<Feed, Series>
  /** The first problems. */
  readonly problems: readonly Problem[]
  /** The number of all problems. */
  readonly problemCount: number
}

/** Reads one series file, or the rows of a caller. */
export interface SeriesReader {
  /** Takes the next part of a text. Returns false once further parts are pointless. */
  push(text: string): boolean
  /** Takes the next row as data: an object, or a list of values. */
  row(value: unknown): void
  end(): SeriesReading
}

/**
 * Creates a reader.
 * @param feeds the feeds that the rows may name
 * @param as the feed of all rows; without it, the column `feed` names the feed of each
 */
export function createSeriesReader(
  feeds: readonly Feed[],
  as: Feed | undefined,
  maxRows: number = MAX_ROWS,
): SeriesReader {
  const problems: Problem[] = []
  let problemCount = 0
  const refuse = (problem: Problem): void => {
    if (problemCount++ < MAX_PROBLEMS_KEPT) problems.push(problem)
  }
  const builders = new Map<Feed, SeriesBuilder>()
  const fields: Fields = {
    count: 0,
    isOpen: false,
    texts: [],
    from: new Int32Array(MAX_COLUMNS),
    to: new Int32Array(MAX_COLUMNS),
  }
  let columns: Columns | undefined
  let isHopeless = false
  let unit: TimeUnit | undefined
  let rows = 0
  let lastName: string | undefined
  let lastBuilder: SeriesBuilder | undefined
  const byName = new Map<string, SeriesBuilder>()
  const byKey = new Map(feeds.map(feed => [toFeedKey(feed.id), feed]))

  const stopWith = (found: readonly Problem[]): void => {
    for (const problem of found) refuse(problem)
    isHopeless = true
  }
  const fieldAt = (index: number): string => textOf(fields, index)

  const builderOf = (feed: Feed): SeriesBuilder => {
    let builder = builders.get(feed)
    if (builder === undefined) {
      builder = createBuilder(feed, columns!, refuse)
      builders.set(feed, builder)
    }
    return builder
  }
  /** The builder of a row, by the name in its column. */
  const builderOfRow = (at: string): SeriesBuilder | undefined => {
    const name = columns!.feed === undefined ? '' : fieldAt(columns!.feed)
    if (name === lastName) return lastBuilder
    if (as !== undefined) {
      // A file of one other name may be used as any feed, a file of several may not.
      if (lastName !== undefined) {
        refuse({
          at: `${at}, feed`,
          got: name,
          want: `${lastName}, as in the rows before: all rows are read as ${as.id}`,
        })
        return undefined
      }
      lastName = name
      lastBuilder = builderOf(as)
      return lastBuilder
    }
    lastName = name
    lastBuilder = byName.get(name)
    if (lastBuilder === undefined) {
      const feed = byKey.get(toFeedKey(name))
      lastBuilder = feed && builderOf(feed)
      if (lastBuilder !== undefined) byName.set(name, lastBuilder)
    }
    return lastBuilder
  }

  /** Takes the fields of a row. */
  const take = (at: string): void => {
    if (++rows > maxRows) {
      if (rows === maxRows + 1) stopWith([{ at, got: `more than ${maxRows} rows`, want: `at most ${maxRows}` }])
      return
    }
    const builder = builderOfRow(at)
    if (builder === undefined) {
      if (as !== undefined) return
      const got = fieldAt(columns!.feed!)
      const closest =
        problemCount < MAX_PROBLEMS_KEPT
          ? nearest(
              got,
              feeds.map(({ id }) => id),
            )
          : undefined
      refuse({ at: `${at}, feed`, got, want: 'the id of a feed', ...(closest === undefined ? {} : { closest }) })
      return
    }
    const text = fieldAt(columns!.time)
    const time = parseTime(text)
    if (time === undefined || (unit !== undefined && time.unit !== unit)) {
      const want = time === undefined ? WANT_TIME : `a time in ${unit}, as in the rows before`
      refuse({ at: `${at}, time`, got: text, want })
      return
    }
    unit = time.unit
    builder.add(time.second, text, fields, at)
  }

  /** Takes the names of the columns. Without a column of feeds, all rows need one from elsewhere. */
  const setColumns = (found: Columns | Problem[]): void => {
    if (Array.isArray(found)) {
      stopWith(found)
      return
    }
    columns = found as Columns
    if (columns.feed === undefined && as === undefined)
      stopWith([{ at: 'the columns', got: undefined, want: 'the feed of the rows: --as FEED, `as`, or a column feed' }])
  }

  /** Takes a line of CSV, `from … to`. */
  const line = createLineReader(fields)
  let lineNumber = 0
  const takeLine = (text: string, from: number, to: number): void => {
    lineNumber++
    if (!line.read(text, from, to)) return
    const at = `line ${lineNumber}`
    if (fields.isOpen) {
      refuse({ at, got: text.slice(from, to), want: 'a closing quote: the row ends within a field' })
      return
    }
    if (fields.count > MAX_COLUMNS) {
      refuse({ at, got: `more than ${MAX_COLUMNS} columns`, want: `at most ${MAX_COLUMNS}` })
      fields.count = MAX_COLUMNS
    }
    if (columns === undefined && !isHopeless) {
      const isHeader = /[a-z]/i.test(fieldAt(0)) && parseTime(fieldAt(0)) === undefined
      const names = Array.from({ length: fields.count }, (_, index) => fieldAt(index))
      setColumns(isHeader ? columnsOfHeader(names) : columnsOfCount(fields.count))
      if (isHeader) return
    }
    if (!isHopeless) take(at)
  }

  /** Takes a row of data. Its fields are joined to a text, so that all rows are read alike. */
  let keys: readonly string[] | undefined
  let index = 0
  const row = (value: unknown): void => {
    const at = `row ${++index}`
    if (isHopeless) return
    if (value === null || typeof value !== 'object') {
      refuse({ at, got: value, want: 'an object, or a list of values' })
      return
    }
    if (columns === undefined) {
      if (!Array.isArray(value)) keys = Object.keys(value).slice(0, MAX_COLUMNS)
      setColumns(Array.isArray(value) ? columnsOfCount(value.length) : columnsOfHeader(keys!))
      if (isHopeless) return
    }
    if (Array.isArray(value) === (keys !== undefined)) {
      refuse({ at, got: value, want: 'a row like the first: all are objects, or all are lists' })
      return
    }
    const values = keys === undefined ? (value as unknown[]) : keys.map(key => (value as Record<string, unknown>)[key])
    fields.count = Math.min(MAX_COLUMNS, values.length)
    for (let i = 0; i < fields.count; i++) {
      const field = values[i]
      const text = typeof field === 'string' ? field : typeof field === 'number' ? String(field) : ''
      fields.texts[i] = text
      fields.from[i] = 0
      fields.to[i] = text.length
    }
    take(at)
  }

  const json = createJsonSplitter(source => {
    let value: unknown
    try {
      value = JSON.parse(source)
    } catch {
      refuse({ at: `row ${++index}`, got: source.slice(0, 40), want: 'valid JSON' })
      return
    }
    row(value)
  })
  let rest = ''
  let isJson: boolean | undefined
  return {
    push(text) {
      if (isJson === undefined && text.trim() !== '') isJson = /^[\s\uFEFF]*[[{]/.test(text)
      if (isJson) json.push(text)
      else {
        const whole = rest + text
        let from = 0
        for (let end = whole.indexOf('\n'); end >= 0; end = whole.indexOf('\n', from)) {
          takeLine(whole, from, end)
          from = end + 1
        }
        rest = whole.slice(from)
        if (rest.length > MAX_ROW_CHARACTERS) {
          stopWith([{ at: `line ${lineNumber + 1}`, got: `${rest.length} characters`, want: 'rows of CSV or JSON' }])
          rest = ''
        }
      }
      return !isHopeless
    },
    row,
    end() {
      if (isJson) for (const problem of json.end()) refuse(problem)
      else if (/\.\s*$/.test(rest))
        refuse({ at: `line ${lineNumber + 1}`, got: rest, want: 'a whole row: the text ends within a number' })
      else if (rest !== '') takeLine(rest, 0, rest.length)
      const series = new Map<Feed, Series>()
      if (problemCount === 0 && builders.size === 0) refuse({ at: 'the rows', got: 'none', want: 'at least one row' })
      for (const [feed, builder] of builders) {
        const built = builder.end()
        if (built !== undefined) series.set(feed, built)
      }
      return { series, problems, problemCount }
    },
  }
}

const FIRST_ROWS = 1024
const GROWTH = 64

/** Collects the rows of one feed. */
interface SeriesBuilder {
  add(second: number, written: string, fields: Fields, at: string): void
  /** Undefined after problems. */
  end(): Series | undefined
}

function createBuilder(feed: Feed, columns: Columns, refuse: (problem: Problem) => void): SeriesBuilder {
  const isCandle = columns.open !== undefined
  const stride = isCandle ? CANDLE_PRICES : 1
  const places = -feed.expo
  let times = new Uint32Array(FIRST_ROWS)
  let prices = new Float64Array(FIRST_ROWS * stride)
  let volumes = columns.volume === undefined ? undefined : new Float64Array(FIRST_ROWS)
  let volumePlaces = 0
  let count = 0
  let width = 0
  let before = -1
  let beforeAt = ''
  let isBroken = false

  /** In large steps: memory that is not written yet costs nothing, copies do. */
  const grow = (): void => {
    const rows = Math.min(MAX_ROWS, GROWTH * times.length)
    times = copyTo(new Uint32Array(rows), times)
    prices = copyTo(new Float64Array(rows * stride), prices)
    if (volumes !== undefined) volumes = copyTo(new Float64Array(rows), volumes)
  }
  const problem = (name: string, got: string, want: string, at: string): void => {
    isBroken = true
    refuse({ at: `${at}, ${name}`, got, want })
  }
  const readPrice = (name: 'price' | 'open' | 'high' | 'low' | 'close', fields: Fields, at: string): number => {
    const index = columns[name]!
    const price =
      index < fields.count
        ? parseUnits(fields.texts[index]!, fields.from[index]!, fields.to[index]!, places)
        : Number.NaN
    if (price >= 1) return price
    const most = Number((Number.MAX_SAFE_INTEGER / powerOfTen(places)).toPrecision(3))
    problem(name, textOf(fields, index), `a price from ${(1 / powerOfTen(places)).toFixed(places)} to ${most}`, at)
    return Number.NaN
  }

  return {
    add(exact, written, fields, at) {
      const second = Math.floor(exact)
      const [last, lastAt] = [before, beforeAt]
      if (exact === last) return problem('time', written, `a later time: that of ${lastAt} is the same`, at)
      if (exact < last) return problem('time', written, `a time after that of ${lastAt}: rows in order of time`, at)
      before = exact
      beforeAt = at
      if (isCandle && second !== exact) return problem('time', written, 'a whole second, at which a candle starts', at)
      if (isCandle && last >= 0) {
        const gap = second - Math.floor(last)
        // The first candles may be far apart, in which case a later one shows the interval.
        if (width === 0 || width % gap === 0) width = gap
        else if (gap % width !== 0) return problem('time', written, `a multiple of ${width} s after ${lastAt}`, at)
      }
      if (count === times.length) grow()
      // Ticks have whole seconds: of several in one, the last counts.
      const isAgain = !isCandle && count > 0 && times[count - 1] === second
      if (isAgain) count--
      const first = count * stride
      if (isCandle) {
        const open = readPrice('open', fields, at)
        const high = readPrice('high', fields, at)
        const low = readPrice('low', fields, at)
        const close = readPrice('close', fields, at)
        if (high < Math.max(open, close, low))
          return problem('high', textOf(fields, columns.high!), 'the highest of the four prices', at)
        if (low > Math.min(open, close))
          return problem('low', textOf(fields, columns.low!), 'the lowest of the four prices', at)
        const isRising = close >= open
        prices[first] = open
        prices[first + 1] = isRising ? low : high
        prices[first + 2] = isRising ? high : low
        prices[first + 3] = close
      } else {
        prices[first] = readPrice('price', fields, at)
      }
      if (volumes !== undefined) {
        const text = textOf(fields, columns.volume!)
        const { volume, places } = parseVolume(text)
        if (Number.isNaN(volume)) return problem('volume', text, 'a volume of 0 or more', at)
        volumes[count] = volume + (isAgain ? volumes[count]! : 0)
        if (places > volumePlaces) volumePlaces = places
      }
      times[count++] = second
    },
    end() {
      if (isBroken || count === 0) return undefined
      if (isCandle && width < MIN_CANDLE_SECONDS) {
        const got = width === 0 ? 'one candle' : `candles of ${width} s`
        const want = width === 0 ? 'at least two candles, which give the interval' : 'candles of 4 s or more'
        problem('time', got, want, `the rows of ${feed.id}`)
        return undefined
      }
      // Volumes become whole numbers, so that their sums are exact.
      const volumeUnits = powerOfTen(volumePlaces)
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

const powerOfTen = (places: number): number => Number(`1e${places}`)

function copyTo<T extends Uint32Array | Float64Array>(target: T, source: T): T {
  target.set(source)
  return target
}
