import { expect, it } from 'vitest'
import { blocksOf, expectForged, pricesOf, recover, SIGNER } from '../../../test/support/recover.js'
import { describeFault, mockWith, SIGNED, targetOf } from '../../../test/support/request-faults.js'

describeFault('signature/replay', {
  effect({ wire, calm }) {
    expectForged(wire.body)
    expect(pricesOf(wire.body).map(({ ts }) => ts)).toEqual(pricesOf(calm.body).map(({ ts }) => ts))
  },
})

it('args: age: the signature is the one of that time', async () => {
  const replaying = mockWith([{ fault: 'signature/replay', options: { age: '2m' } }])
  const then = mockWith([])
  then.mock.clock.advance(-120)
  for (const endpoint of SIGNED.filter(name => name !== 'history')) {
    const [wire, old] = [await replaying.ask(targetOf(endpoint)), await then.ask(targetOf(endpoint))]
    const before = blocksOf(old.body)
    for (const [i, block] of blocksOf(wire.body).entries()) {
      expect(block.signature).toBe(before[i]!.signature)
      expect(recover(block, before[i]!.prices)).toBe(SIGNER.publicKey)
    }
  }
})
