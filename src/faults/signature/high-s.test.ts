import { expect } from 'vitest'
import { blocksOf, recover, SIGNER, verdict, verifiesStrictly } from '../../../test/support/recover.js'
import { describeFault } from '../../../test/support/request-faults.js'
import { CURVE_ORDER } from '../../settings/layouts.js'

describeFault('signature/high-s', {
  effect({ wire, calm }) {
    expect(verdict(wire.body)).toBe('SIGNATURE_MISMATCH')
    const honest = blocksOf(calm.body)
    for (const [i, block] of blocksOf(wire.body).entries()) {
      expect(BigInt(`0x${block.signature.slice(64, 128)}`) > CURVE_ORDER / 2n).toBe(true)
      expect(block.signature.slice(0, 64)).toBe(honest[i]!.signature.slice(0, 64))
      expect(block.recoveryId).toBe(1 - honest[i]!.recoveryId)
      expect(recover(block)).toBe(SIGNER.publicKey)
      expect(verifiesStrictly(block)).toBe(false)
    }
  },
})
