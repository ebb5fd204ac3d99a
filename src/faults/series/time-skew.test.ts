import { expect, it } from 'vitest'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'
import { rowsOf } from '../../../test/support/rows.js'

describeFault('series/time-skew', {
  effect({ wire, calm }) {
    const expected = rowsOf(calm.body).map(row =>
      (row.time / 60_000) % 8 === 7 ? { ...row, time: row.time + 30_000 } : row,
    )
    expect(rowsOf(wire.body)).toEqual(expected)
    expect(rowsOf(wire.body).filter(({ time }) => time % 60_000 !== 0).length).toBeGreaterThan(5)
  },
})

it('args: seconds of another sign, and every candle', async () => {
  const times = async (faults: object[]) =>
    rowsOf((await mockWith(faults).ask(targetOf('candles'))).body).map(({ time }) => time)
  const calm = await times([])
  const options = { every: 1, seconds: -432_000 }
  expect(await times([{ fault: 'series/time-skew', options }])).toEqual(calm.map(time => time - 432_000_000))
})
