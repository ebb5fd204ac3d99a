// The faults of candles as functions of rows: pairs at the ends, rows that are there twice, volumes of nothing.
import { describe, expect, it } from 'vitest'
import type { Row } from '../fault.js'
import { duplicate } from './duplicate.js'
import { lateRevision } from './late-revision.js'
import { negativeVolume } from './negative-volume.js'
import { outOfOrder } from './out-of-order.js'

const WIDTH = 60
const row = (minute: number, more: Partial<Row> = {}): Row => ({
  time: minute * 60_000,
  open: 10,
  high: 12,
  low: 8,
  close: 10,
  avg: 10,
  volume: 5,
  ...more,
})
const ROWS = [row(0), row(1), row(2), row(3)]
const context = <O>(options: O, now = 0) => ({ options, width: WIDTH, now })
const minutesOf = (rows: readonly Row[]): number[] => rows.map(({ time }) => time / 60_000)

it('behavior: series/duplicate: a row that is there twice already stays so, from either side', () => {
  const once = duplicate.rows(ROWS, context({ every: 1 }))
  expect(minutesOf(once)).toEqual([0, 0, 1, 1, 2, 2, 3, 3])
  expect(duplicate.rows(once, context({ every: 1 }))).toEqual(once)
})

describe('series/out-of-order', () => {
  const ordered = (rows: readonly Row[], reversed: boolean) =>
    minutesOf(outOfOrder.rows(rows, context({ every: 1, reversed })))

  it('behavior: the last pair is exchanged as well, a single last row stays', () => {
    expect(ordered(ROWS, false)).toEqual([1, 0, 3, 2])
    expect(ordered(ROWS.slice(1), false)).toEqual([2, 1, 3])
  })

  it('args: reversed: the newest candle comes first, a single one stays', () => {
    expect(ordered(ROWS, true)).toEqual([3, 2, 1, 0])
    const one = ROWS.slice(0, 1)
    expect(outOfOrder.rows(one, context({ every: 1, reversed: true }))).toBe(one)
  })
})

it('behavior: series/negative-volume: a volume of 0 becomes negative, none stays none', () => {
  const rows = [row(0), row(1, { volume: 0 }), row(2, { volume: null })]
  expect(negativeVolume.rows(rows, context({ every: 1 })).map(({ volume }) => volume)).toEqual([-5, -0.01, null])
})

describe('series/late-revision', () => {
  const revised = (by: number, now: number) => lateRevision.rows([row(0)], context({ after: 30, by }, now))[0]

  it('behavior: a candle is revised some time after its end, not before', () => {
    expect(revised(0.5, 89)).toEqual(row(0))
    expect(revised(0.5, 90)).toEqual(row(0, { close: 15, high: 15 }))
    expect(revised(-0.5, 90)).toEqual(row(0, { close: 5, low: 5 }))
    expect(revised(0.1, 90)).toEqual(row(0, { close: 11 }))
  })
})
