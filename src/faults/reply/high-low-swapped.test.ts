import { expect } from 'vitest'
import { expectGenuine } from '../../../test/support/recover.js'
import { describeFault } from '../../../test/support/request-faults.js'

describeFault('reply/high-low-swapped', {
  on: ['history'],
  onErrors: false,
  effect({ wire, calm }) {
    const [swapped, pairs] = [JSON.parse(wire.body), JSON.parse(calm.body)]
    for (const [id, { high, low }] of Object.entries<{ high: { price: number }; low: { price: number } }>(pairs)) {
      expect(swapped[id]).toEqual({ high: low, low: high })
      expect(high.price).toBeGreaterThan(low.price)
    }
    expectGenuine(wire.body)
  },
})
