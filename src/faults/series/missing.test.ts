import { expect, it } from 'vitest'
import { describeFault, pairOf, targetOf } from '../../../test/support/request-faults.js'
import { isNth, rowsOf } from '../../../test/support/rows.js'

describeFault('series/missing', {
  effect({ wire, calm }) {
    expect(rowsOf(wire.body)).toEqual(rowsOf(calm.body).filter(row => !isNth(row, 0)))
  },
})

it('args: some in a row', async () => {
  const { wire, calm } = await pairOf([{ fault: 'series/missing', options: { every: 30, length: 20 } }]).ask(
    targetOf('candles'),
  )
  const kept = rowsOf(calm.body).filter(({ time }) => (time / 60_000) % 30 >= 20)
  expect(kept.length).toBeGreaterThan(15)
  expect(rowsOf(wire.body)).toEqual(kept)
})
