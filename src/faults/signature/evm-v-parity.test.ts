import { expect, it } from 'vitest'
import { blocksOf, recover, SIGNER, verdict } from '../../../test/support/recover.js'
import { describeFault, expectActed, expectCalm, pairOf, targetOf } from '../../../test/support/request-faults.js'
import { LAYOUTS } from '../../settings/layouts.js'

describeFault('signature/evm-v-parity', {
  on: ['evm'],
  effect({ wire, calm }) {
    expect(verdict(wire.body)).toBe('SIGNATURE_MISMATCH')
    const honest = blocksOf(calm.body)
    for (const [i, block] of blocksOf(wire.body).entries()) {
      expect(block.signature).toBe(`${honest[i]!.signature.slice(0, 128)}0${honest[i]!.recoveryId}`)
      expect(recover(block)).toBe(SIGNER.publicKey)
    }
  },
})

it('behavior: 0 and 1 become 27 and 28; a layout without v does not change', async () => {
  const signing = { layouts: { rsy: { ...LAYOUTS.evm, signature: 'rsy' as const } }, evm: 'rsy', svm: 'rsy' }
  const withY = pairOf([{ fault: 'signature/evm-v-parity' }], { signing })
  for (const endpoint of ['evm', 'latest'] as const) {
    const pair = await withY.ask(targetOf(endpoint))
    expectActed(pair, ['signature/evm-v-parity'])
    expect(blocksOf(pair.wire.body)[0]!.signature).toMatch(/1[bc]$/)
  }
  expectCalm(await pairOf([{ fault: 'signature/evm-v-parity' }]).ask(targetOf('latest')))
})
