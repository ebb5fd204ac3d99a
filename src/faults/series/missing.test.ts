import { expect } from 'vitest'
import { isFifth, rowsOf } from '../../../test/faults/rows.js'
import { describeFault } from '../../../test/faults.js'

describeFault('series/missing', {
  effect({ wire, calm }) {
    expect(rowsOf(wire.body)).toEqual(rowsOf(calm.body).filter(row => !isFifth(row, 0)))
  },
})
