import { expect } from 'vitest'
import { blocksOf, expectForged } from '../../../test/support/recover.js'
import { describeFault } from '../../../test/support/request-faults.js'

describeFault('signature/wrong-recovery-id', {
  effect({ wire, calm }) {
    expectForged(wire.body)
    const honest = blocksOf(calm.body)
    for (const [i, { form, prices, signature, recoveryId }] of blocksOf(wire.body).entries()) {
      const { signature: before, recoveryId: other } = honest[i]!
      expect(recoveryId).toBe(1 - other)
      const v = form === 'evm' ? (27 + recoveryId).toString(16) : ''
      expect(signature).toBe(before.slice(0, 128) + v)
      expect(prices.map(({ price }) => price)).toEqual(honest[i]!.prices.map(({ price }) => price))
    }
  },
})
