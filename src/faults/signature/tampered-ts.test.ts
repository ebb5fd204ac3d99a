import { expect, it } from 'vitest'
import { blocksOf, expectForged, pricesOf, recover, SIGNER } from '../../../test/support/recover.js'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'
import { tamperedTs } from './tampered-ts.js'

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

it.each([-86_400, -60, 1, 86_400])('args: seconds %i', async seconds => {
  const { body } = await mockWith([{ fault: 'signature/tampered-ts', options: { seconds } }]).ask(targetOf('latest'))
  const calm = await mockWith([]).ask(targetOf('latest'))
  expect(pricesOf(body)[0]!.ts - pricesOf(calm.body)[0]!.ts).toBe(seconds)
  expectForged(body)
})

it.each([0, 1.5, -86_401, 86_401, '60'])('error: seconds %j', seconds => {
  expect(() => mockWith([{ fault: 'signature/tampered-ts', options: { seconds } }])).toThrow(
    'an integer from -86400 to 86400, not 0',
  )
})

it('behavior: no time before 1970', () => {
  const price = { feedId: 'BTCUSD', price: 1, expo: -8, ts: 10 }
  const signed = { signature: '', recoveryId: 0, shown: [price], covered: [price] }
  const apply = (seconds: number) => tamperedTs.apply(signed, { options: { seconds }, selects: () => true } as never)
  expect([-60, -1, 5].map(seconds => apply(seconds).shown[0]!.ts)).toEqual([0, 9, 15])
})
