import { expect, it } from 'vitest'
import { blocksOf, expectForged, recover, SIGNER } from '../../../test/support/recover.js'
import { describeFault, expectCalm, pairOf, targetOf } from '../../../test/support/request-faults.js'

describeFault('signature/batch-swapped', {
  on: ['batch'],
  effect({ wire, calm }) {
    expectForged(wire.body)
    const [honest] = blocksOf(calm.body)
    const [block] = blocksOf(wire.body)
    const [first, second, third] = honest!.prices as [object, object, object]
    const swapped = [{ ...second, feedId: 'BTCUSD' }, { ...first, feedId: 'ETHUSD' }, third]
    expect(block!.prices).toEqual(swapped)
    expect(recover(block!, honest!.prices)).toBe(SIGNER.publicKey)
  },
})

it('behavior: a batch of one does not change', async () => {
  expectCalm(await pairOf([{ fault: 'signature/batch-swapped' }]).ask(targetOf('batch', ['BTCUSD'])))
})
