import { expect } from 'vitest'
import { expectGenuine, pricesOf } from '../../../test/support/recover.js'
import { describeFault } from '../../../test/support/request-faults.js'

describeFault('tick/ts-milliseconds', {
  effect({ wire, calm }, endpoint) {
    const later = pricesOf(calm.body).map(({ price, ts }) => ({ price, ts: ts * 1000 }))
    expect(pricesOf(wire.body)).toMatchObject(later)
    if (endpoint !== 'evm') expectGenuine(wire.body)
  },
})
