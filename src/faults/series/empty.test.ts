import { expect } from 'vitest'
import { describeFault } from '../../../test/support/request-faults.js'

describeFault('series/empty', {
  effect({ wire }) {
    expect([wire.status, wire.body]).toEqual([200, '{"data":{"queryType":"1","interval":"1m","result":[]}}'])
  },
})
