import { expect } from 'vitest'
import { expectGenuine, pricesOf } from '../../../test/support/recover.js'
import { describeFault } from '../../../test/support/request-faults.js'

describeFault('tick/negative', {
  effect({ wire, calm }) {
    expect(pricesOf(wire.body).map(({ price }) => price)).toEqual(
      pricesOf(calm.body).map(({ price }) => -Number(price)),
    )
    // The other library gets the two's complement.
    expectGenuine(wire.body)
  },
})
