import { expect, it } from 'vitest'
import { blocksOf, expectForged, pricesOf, recover, SIGNER } from '../../../test/faults/recover.js'
import { describeFault, targetOf, worldOf } from '../../../test/faults.js'

describeFault('signature/tampered-ts', {
  effect({ wire, calm }) {
    expectForged(wire.body)
    const honest = blocksOf(calm.body)
    for (const [i, block] of blocksOf(wire.body).entries()) {
      expect(recover(block, honest[i]!.prices)).toBe(SIGNER.publicKey)
      expect(block.prices).toMatchObject(honest[i]!.prices.map(({ price, ts }) => ({ price, ts: ts + 60 })))
    }
  },
})

it.each([-60, 0, 1])('args: seconds %i; 0 is 1', async seconds => {
  const { body } = await worldOf([{ fault: 'signature/tampered-ts', options: { seconds } }]).ask(targetOf('latest'))
  const calm = await worldOf([]).ask(targetOf('latest'))
  expect(pricesOf(body)[0]!.ts - pricesOf(calm.body)[0]!.ts).toBe(seconds || 1)
  expectForged(body)
})
