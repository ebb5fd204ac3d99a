import { expect, it } from 'vitest'
import { blocksOf, recover, SIGNER, verdict, verifiesStrictly } from '../../../test/support/recover.js'
import { describeFault } from '../../../test/support/request-faults.js'
import { CURVE_ORDER, LAYOUTS } from '../../settings/layouts.js'
import { highS } from './high-s.js'

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

it('behavior: a short s keeps its zeros', () => {
  const r = '1'.repeat(64)
  const signed = { signature: r + (CURVE_ORDER - 5n).toString(16), recoveryId: 0, shown: [], covered: [] }
  const twin = highS.apply(signed, { layout: LAYOUTS.svm } as never)
  expect(twin).toMatchObject({ signature: `${r}${'0'.repeat(63)}5`, recoveryId: 1 })
})
