import { expect, it } from 'vitest'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'
import { isNth, rowsOf } from '../../../test/support/rows.js'

describeFault('series/out-of-order', {
  effect({ wire, calm }) {
    const expected = rowsOf(calm.body)
    for (const i of rowsOf(calm.body).flatMap((row, i, { length }) => (isNth(row, 2) && i + 1 < length ? [i] : [])))
      [expected[i], expected[i + 1]] = [expected[i + 1]!, expected[i]!]
    expect(rowsOf(wire.body)).toEqual(expected)
  },
})

it('args: every 1 swaps pairs and keeps every row', async () => {
  const { body } = await mockWith([{ fault: 'series/out-of-order', options: { every: 1 } }]).ask(targetOf('candles'))
  const calm = rowsOf((await mockWith([]).ask(targetOf('candles'))).body)
  expect(rowsOf(body).slice(0, 4)).toEqual([calm[1], calm[0], calm[3], calm[2]])
  expect(new Set(rowsOf(body).map(({ time }) => time)).size).toBe(calm.length)
})
