import { expect } from 'vitest'
import { blocksOf, expectForged, recover } from '../../../test/support/recover.js'
import { describeFault } from '../../../test/support/request-faults.js'

describeFault('signature/all-zero', {
  effect({ wire }) {
    expectForged(wire.body)
    for (const block of blocksOf(wire.body)) {
      expect(block.signature).toBe('0'.repeat(128) + (block.form === 'evm' ? '1b' : ''))
      expect(block.recoveryId).toBe(0)
      expect(recover(block)).toBeUndefined()
    }
  },
})
