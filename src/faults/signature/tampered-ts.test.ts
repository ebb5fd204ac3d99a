import { expect, it } from 'vitest'
import { blocksOf, expectForged, pricesOf, recover, SIGNER } from '../../../test/support/recover.js'
import { describeFault, mockWith, SIGNED, targetOf } from '../../../test/support/request-faults.js'
import { tamperedTs } from './tampered-ts.js'

describeFault('signature/tampered-ts', {
  effect({ wire, calm }) {
    expectForged(wire.body)
    expect(pricesOf(wire.body).map(({ ts }) => ts)).toEqual(pricesOf(calm.body).map(({ ts }) => ts))
  },
})

it('default: the price and the signature of a minute ago, with the ts of now', async () => {
  const { ask, mock } = mockWith([{ fault: 'signature/tampered-ts' }])
  const then = mockWith([])
  then.mock.clock.advance(-60)
  for (const endpoint of SIGNED.filter(name => name !== 'history')) {
    const { body } = await ask(targetOf(endpoint))
    const now = Math.floor(mock.clock.now() / 1000)
    const old = blocksOf((await then.ask(targetOf(endpoint))).body)
    for (const [i, block] of blocksOf(body).entries()) {
      expect(block.signature).toBe(old[i]!.signature)
      expect(recover(block, old[i]!.prices)).toBe(SIGNER.publicKey)
      for (const [j, { price, ts }] of block.prices.entries()) {
        expect(price).toBe(old[i]!.prices[j]!.price)
        expect(now - ts).toBeLessThan(10)
      }
    }
  }
})

it('args: feeds: the other prices of a batch are the current ones, under the same signature', async () => {
  const { ask } = mockWith([{ fault: 'signature/tampered-ts', feeds: ['ETHUSD'], options: { age: '5m' } }])
  const calm = pricesOf((await mockWith([]).ask(targetOf('batch'))).body)
  const [block] = blocksOf((await ask(targetOf('batch'))).body)
  expect(block!.prices.map(({ price }, i) => price === calm[i]!.price)).toEqual([true, false, true])
  expect(recover(block!)).not.toBe(SIGNER.publicKey)
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
