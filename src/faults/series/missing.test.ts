import { expect } from 'vitest'
import { describeFault } from '../../../test/support/request-faults.js'
import { isFifth, rowsOf } from '../../../test/support/rows.js'

describeFault('series/missing', {
  effect({ wire, calm }) {
    expect(rowsOf(wire.body)).toEqual(rowsOf(calm.body).filter(row => !isFifth(row, 0)))
  },
})
