import { expect, it } from 'vitest'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'
import { isNth, rowsOf } from '../../../test/support/rows.js'

describeFault('series/time-unit', {
  effect({ wire, calm }) {
    const expected = rowsOf(calm.body).map(row => (isNth(row, 6) ? { ...row, time: row.time / 1000 } : row))
    expect(rowsOf(wire.body)).toEqual(expected)
    expect(rowsOf(wire.body).filter(({ time }) => time < 2e9).length).toBeGreaterThan(5)
  },
})

it('args: unit, and every candle', async () => {
  const times = async (faults: object[]) =>
    rowsOf((await mockWith(faults).ask(targetOf('candles'))).body).map(({ time }) => time)
  const calm = await times([])
  const options = { every: 1, unit: 'microseconds' }
  expect(await times([{ fault: 'series/time-unit', options }])).toEqual(calm.map(time => time * 1000))
})
