import { expect } from 'vitest'
import { describeFault } from '../../../test/support/request-faults.js'
import { isNth, rowsOf } from '../../../test/support/rows.js'

describeFault('series/negative-volume', {
  effect({ wire, calm }) {
    const expected = rowsOf(calm.body).map(row => (isNth(row, 4) ? { ...row, volume: -row.volume! } : row))
    expect(rowsOf(wire.body)).toEqual(expected)
    expect(rowsOf(wire.body).filter(({ volume }) => volume! < 0).length).toBeGreaterThan(5)
  },
})
