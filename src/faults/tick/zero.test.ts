import { expect } from 'vitest'
import { expectGenuine, pricesOf } from '../../../test/support/recover.js'
import { describeFault } from '../../../test/support/request-faults.js'

describeFault('tick/zero', {
  effect({ wire }) {
    expect(pricesOf(wire.body).map(({ price }) => price)).toEqual(pricesOf(wire.body).map(() => 0))
    expectGenuine(wire.body)
  },
})
