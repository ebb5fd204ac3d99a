import { expect } from 'vitest'
import { describeFault } from '../../../test/support/request-faults.js'
import { isNth, rowsOf } from '../../../test/support/rows.js'

describeFault('series/duplicate', {
  effect({ wire, calm }) {
    expect(rowsOf(wire.body)).toEqual(rowsOf(calm.body).flatMap(row => (isNth(row, 1) ? [row, row] : [row])))
  },
})
