import { expect } from 'vitest'
import { describeFault } from '../../../test/support/request-faults.js'
import { isNth, rowsOf } from '../../../test/support/rows.js'

describeFault('series/high-below-low', {
  effect({ wire, calm }) {
    const expected = rowsOf(calm.body).map(row => (isNth(row, 5) ? { ...row, high: row.low, low: row.high } : row))
    expect(rowsOf(wire.body)).toEqual(expected)
    expect(rowsOf(wire.body).filter(({ high, low }) => high! < low!).length).toBeGreaterThan(5)
  },
})
