import { expect } from 'vitest'
import { isFifth, rowsOf } from '../../../test/faults/rows.js'
import { describeFault } from '../../../test/faults.js'

describeFault('series/duplicate', {
  effect({ wire, calm }) {
    expect(rowsOf(wire.body)).toEqual(rowsOf(calm.body).flatMap(row => (isFifth(row, 1) ? [row, row] : [row])))
  },
})
