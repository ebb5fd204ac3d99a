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

it('args: every 1 swaps the pairs of every 2, so that polls agree', async () => {
  const askWith = async (every: number): Promise<string> =>
    (await mockWith([{ fault: 'series/out-of-order', options: { every } }]).ask(targetOf('candles'))).body
  const calm = rowsOf((await mockWith([]).ask(targetOf('candles'))).body)
  const shown = rowsOf(await askWith(1))
  expect(shown).toEqual(rowsOf(await askWith(2)))
  expect(shown.filter((row, i) => row.time !== calm[i]!.time).length).toBeGreaterThanOrEqual(calm.length - 2)
})
