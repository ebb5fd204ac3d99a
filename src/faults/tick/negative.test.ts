import { expect } from 'vitest'
import { expectGenuine, pricesOf } from '../../../test/faults/recover.js'
import { describeFault } from '../../../test/faults.js'

describeFault('tick/negative', {
  effect({ wire, calm }) {
    expect(pricesOf(wire.body).map(({ price }) => price)).toEqual(
      pricesOf(calm.body).map(({ price }) => -Number(price)),
    )
    // The other library is handed the two's complement.
    expectGenuine(wire.body)
  },
})
