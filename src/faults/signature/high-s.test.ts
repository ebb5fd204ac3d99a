import { expect } from 'vitest'
import { blocksOf, recover, SIGNER, verdict, verifiesStrictly } from '../../../test/support/recover.js'
import { describeFault } from '../../../test/support/request-faults.js'

const HALF_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n / 2n

describeFault('signature/high-s', {
  effect({ wire, calm }) {
    expect(verdict(wire.body)).toBe('SIGNATURE_MISMATCH')
    const honest = blocksOf(calm.body)
    for (const [i, block] of blocksOf(wire.body).entries()) {
      expect(BigInt(`0x${block.signature.slice(64, 128)}`) > HALF_ORDER).toBe(true)
      expect(block.signature.slice(0, 64)).toBe(honest[i]!.signature.slice(0, 64))
      expect(block.recoveryId).toBe(1 - honest[i]!.recoveryId)
      expect(recover(block)).toBe(SIGNER.publicKey)
      expect(verifiesStrictly(block)).toBe(false)
    }
  },
})
