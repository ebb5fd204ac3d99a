import { expect } from 'vitest'
import { expectGenuine, pricesOf } from '../../../test/faults/recover.js'
import { describeFault } from '../../../test/faults.js'

describeFault('tick/zero', {
  effect({ wire }) {
    expect(pricesOf(wire.body).map(({ price }) => price)).toEqual(pricesOf(wire.body).map(() => 0))
    expectGenuine(wire.body)
  },
})
