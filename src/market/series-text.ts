// The text of a series, taken apart: lines of CSV into fields, JSON into rows. It knows nothing of columns.
import type { Problem } from '../errors.js'

/** Maximum number of characters of a row. */
export const MAX_ROW_CHARACTERS = 10_000
/** Maximum number of columns. */
export const MAX_COLUMNS = 64

/** The fields of one row: characters `from … to` of a text each. */
export interface Fields {
  count: number
  /** Whether a quote of the row is not closed. */
  isOpen: boolean
  readonly texts: string[]
  readonly from: Int32Array
  readonly to: Int32Array
}

/** A field; the empty text for one that is missing. */
export const textOf = ({ count, texts, from, to }: Fields, index: number): string =>
  index < count ? texts[index]!.slice(from[index], to[index]) : ''

/** Splits lines of CSV into fields. The first line decides the separator. */
export function createLineReader(fields: Fields): { read(text: string, from: number, to: number): boolean } {
  let separator: number | undefined
  const [QUOTE, SPACE, RETURN, HASH] = [34, 32, 13, 35]
  return {
    /** Returns false for a line without a row. */
    read(text, from, to) {
      let end = to
      let start = from
      while (end > start && (text.charCodeAt(end - 1) === RETURN || text.charCodeAt(end - 1) === SPACE)) end--
      if (text.charCodeAt(start) === 0xfeff) start++
      if (start === end || text.charCodeAt(start) === HASH) return false
      separator ??= /^[^,;\t]*([,;\t])/.exec(text.slice(start, end))?.[1]?.charCodeAt(0) ?? 44
      fields.count = 0
      fields.isOpen = false
      for (let position = start; position <= end; position++) {
        let left = position
        let stop: number
        if (text.charCodeAt(left) === QUOTE) {
          const close = text.indexOf('"', left + 1)
          left++
          fields.isOpen ||= close < 0 || close >= end
          stop = close < 0 || close > end ? end : close
          position = stop
          while (position < end && text.charCodeAt(position) !== separator) position++
        } else {
          while (position < end && text.charCodeAt(position) !== separator) position++
          stop = position
          while (left < stop && text.charCodeAt(left) === SPACE) left++
          while (stop > left && text.charCodeAt(stop - 1) === SPACE) stop--
        }
        if (fields.count < MAX_COLUMNS) {
          fields.texts[fields.count] = text
          fields.from[fields.count] = left
          fields.to[fields.count] = stop
        }
        fields.count++
        // A separator at the end is followed by an empty field.
        if (position >= end) break
      }
      return true
    },
  }
}

/** Splits a text of JSON into its rows: the items of a list, or one value a line. */
export function createJsonSplitter(take: (source: string) => void): { push(text: string): void; end(): Problem[] } {
  let rest = ''
  let scanned = 0
  let start = -1
  let depth = 0
  let isString = false
  /** 1 for the items of a list, 0 for rows without one around them. */
  let outer: number | undefined
  let isEnded = false
  let problem: Problem | undefined
  const refuse = (got: string, want: string): void => {
    problem ??= { at: 'the JSON', got, want }
  }
  return {
    push(text) {
      if (problem !== undefined) return
      rest += text
      if (outer === undefined) {
        const opening = /^[\s\uFEFF]*([[{])\s*([^\s])/.exec(rest)
        if (opening === null) return
        outer = opening[1] === '[' && /[[{\]]/.test(opening[2]!) ? 1 : 0
      }
      let i = scanned
      for (; i < rest.length; i++) {
        const code = rest.charCodeAt(i)
        if (isString) {
          if (code === 92) i++
          else if (code === 34) isString = false
        } else if (code === 34) {
          if (depth <= outer) refuse('a string', 'rows only')
          isString = true
        } else if (code === 91 || code === 123) {
          if (isEnded) refuse('more after the list', 'one list of rows')
          if (depth++ === outer) start = i
        } else if (code === 93 || code === 125) {
          depth--
          if (depth === outer) {
            take(rest.slice(start, i + 1))
            start = -1
          } else if (depth < 0) return refuse('a bracket too much', 'valid JSON')
          if (depth === 0 && outer === 1) isEnded = true
        } else if (depth <= outer && !(code === 44 || code <= 32 || code === 0xfeff)) {
          return refuse(rest.slice(i, i + 40), 'a list of rows, or one row a line')
        }
      }
      // An escape at the end of a part skips the first character of the next one.
      const kept = start < 0 ? rest.length : start
      scanned = i - kept
      if (start >= 0) start = 0
      rest = rest.slice(kept)
      if (rest.length > MAX_ROW_CHARACTERS) refuse(`a row of ${rest.length} characters`, 'rows of ticks or candles')
    },
    end() {
      if (problem === undefined && (depth > 0 || isString)) refuse('the end of the text', 'the end of the last row')
      return problem === undefined ? [] : [problem]
    },
  }
}
