import { describe, expect, it } from 'vitest'
import { expectActed, mockWith, pairOf, targetOf } from '../../test/support/request-faults.js'
import { rowsOf } from '../../test/support/rows.js'
import { read } from '../settings/schema.js'
import { EVERY_NTH_FAULTS, oneOf, startOf } from './options.js'

it('error: none of some words', () => {
  const { problems } = read(oneOf('first', 'second', 'third'), 'fourth')
  expect(problems).toEqual([expect.objectContaining({ got: 'fourth', want: 'one of "first", "second", "third"' })])
})

describe('every', () => {
  it('default: faults pick different candles, whatever their order', async () => {
    for (const names of [EVERY_NTH_FAULTS, EVERY_NTH_FAULTS.toReversed()]) {
      const { mock, ask } = pairOf(names.map(fault => ({ fault })))
      const pair = await ask(targetOf('candles'))
      expectActed(pair, names)
      expect(mock.sessions.default.record.counters.faults.map(({ hits }) => hits)).toEqual(names.map(() => 1))
      const [rows, calm] = [pair.wire, pair.calm].map(({ body }) => rowsOf(body))
      const remaindersOf = (picked: typeof rows): number[] => [
        ...new Set(picked!.map(row => (startOf(row, 2e9) / 60) % 7)),
      ]
      const starts = rows!.map(row => startOf(row, 2e9))
      expect(remaindersOf(calm!.filter(row => !starts.includes(startOf(row, 2e9))))).toEqual([0])
      expect(remaindersOf(rows!.filter((_, i) => starts[i - 1] === starts[i]))).toEqual([1])
      expect(remaindersOf(rows!.filter((_, i) => starts[i + 1]! < starts[i]!))).toEqual([3])
      expect(remaindersOf(rows!.filter(({ close }) => close === null))).toEqual([3])
      expect(remaindersOf(rows!.filter(({ volume }) => volume! < 0))).toEqual([4])
      expect(remaindersOf(rows!.filter(({ high, low }) => high! < low!))).toEqual([5])
      expect(remaindersOf(rows!.filter(({ time }) => time < 2e9))).toEqual([6])
    }
  })

  it.each(EVERY_NTH_FAULTS)('args: with 1, %s picks every candle', async fault => {
    const pair = await pairOf([{ fault, options: { every: 1 } }]).ask(targetOf('candles'))
    const [rows, calm] = [pair.wire, pair.calm].map(({ body }) => rowsOf(body))
    const isChanged = {
      'series/missing': rows!.length === 0,
      'series/duplicate': rows!.length === 2 * calm!.length,
      // One at the edge may have no other to change places with.
      'series/out-of-order': rows!.slice(1, -1).every(({ time }, i) => time !== calm![i + 1]?.time),
      'series/null-values': rows!.every(({ close }) => close === null),
      'series/negative-volume': rows!.every(({ volume }) => volume! < 0),
      'series/high-below-low': rows!.every(({ high, low }) => high! < low!),
      'series/time-unit': rows!.every(({ time }) => time < 2e9),
    }[fault]
    expect(isChanged).toBe(true)
  })

  it('behavior: a candle that starts now has a start in any unit', () => {
    expect([100, 100_000, 100_000_000].map(time => startOf({ time } as Parameters<typeof startOf>[0], 100))).toEqual([
      100, 100, 100,
    ])
  })

  it.each([[], ['seconds'], ['microseconds']])(
    'behavior: a candle of the future has its own time: %j',
    async (...units) => {
      const skew = { fault: 'series/time-skew', options: { every: 1, seconds: 315_360_000 } }
      const moved = [skew, ...units.map(unit => ({ fault: 'series/time-unit', options: { unit } }))]
      const closesOf = async (faults: object[]) =>
        rowsOf((await mockWith(faults).ask(targetOf('candles'))).body).map(({ close }) => close)
      // Ten years are a multiple of eight minutes.
      const missing = { fault: 'series/missing', options: { every: 8 } }
      expect(await closesOf([...moved, missing])).toEqual(await closesOf([missing]))
      expect(await closesOf([...moved, { fault: 'series/late-revision' }])).toEqual(await closesOf([]))
    },
  )
})
