import { expect } from 'vitest'
import { FIFTH, rowsOf } from '../../../test/faults/rows.js'
import { describeFault } from '../../../test/faults.js'

describeFault('series/negative-volume', {
  effect({ wire, calm }) {
    const expected = rowsOf(calm.body).map(row => (FIFTH(row) ? { ...row, volume: -row.volume! } : row))
    expect(rowsOf(wire.body)).toEqual(expected)
    expect(rowsOf(wire.body).filter(({ volume }) => volume! < 0).length).toBeGreaterThan(5)
  },
})
