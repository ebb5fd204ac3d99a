import { expect } from 'vitest'
import { describeFault } from '../../../test/support/request-faults.js'
import { isNth, rowsOf } from '../../../test/support/rows.js'

describeFault('series/missing', {
  effect({ wire, calm }) {
    expect(rowsOf(wire.body)).toEqual(rowsOf(calm.body).filter(row => !isNth(row, 0)))
  },
})
