import { describe, expect, it } from 'vitest'
import { blocksOf, expectForged, pricesOf, recover, SIGNER } from '../../../test/support/recover.js'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

/** One price step of BTC, in units of 10^expo. */
const STEP = 100_000
const priceOf = (body: string): number => Number(pricesOf(body)[0]!.price)

describeFault('signature/tampered-price', {
  effect({ wire, calm }) {
    expectForged(wire.body)
    const honest = blocksOf(calm.body)
    for (const [i, block] of blocksOf(wire.body).entries()) {
      expect(recover(block, honest[i]!.prices)).toBe(SIGNER.publicKey)
      for (const [j, { price }] of block.prices.entries())
        expect(Number(price) / Number(honest[i]!.prices[j]!.price)).toBeCloseTo(1.01, 5)
    }
  },
})

it('args: feeds: one changed price of a batch is enough', async () => {
  const target = targetOf('batch')
  const { body } = await mockWith([{ fault: 'signature/tampered-price', feeds: ['ETHUSD'] }]).ask(target)
  const calm = pricesOf((await mockWith([]).ask(target)).body)
  expectForged(body)
  expect(pricesOf(body).map((one, i) => one.price === calm[i]!.price)).toEqual([true, false, true])
})

it.each([
  ['high', [true, false]],
  ['low', [false, true]],
  ['every', [true, true]],
] as const)('args: only: %s', async (only, changed) => {
  const faults = [{ fault: 'tick/negative' }, { fault: 'signature/tampered-price', options: { only } }]
  const ask = async (target: string) => {
    const [wire, calm] = [await mockWith(faults).ask(target), await mockWith(faults.slice(0, 1)).ask(target)]
    const after = pricesOf(wire.body)
    return pricesOf(calm.body).map(({ price }, i) => price !== after[i]!.price)
  }
  expect(await ask(targetOf('history', ['BTCUSD']))).toEqual(changed)
  // Other replies have one price of a feed.
  expect(await ask(targetOf('latest'))).toEqual([true])
})

describe('by', () => {
  it.each([
    [1e-15, 1],
    [-1e-15, -1],
  ])('args: %s: at least one step', async (by, steps) => {
    const { body } = await mockWith([{ fault: 'signature/tampered-price', options: { by } }]).ask(targetOf('latest'))
    const calm = await mockWith([]).ask(targetOf('latest'))
    expect(priceOf(body) - priceOf(calm.body)).toBe(steps * STEP)
    expectForged(body)
  })

  it.each([0, -1, 101, Number.NaN, '0.01'])('error: %j', by => {
    expect(() => mockWith([{ fault: 'signature/tampered-price', options: { by } }])).toThrow(
      'a number from -0.99 to 100, not 0',
    )
  })

  it('args: a price above 2^53 stays exact', async () => {
    const faults = [{ fault: 'tick/unsafe-integer' }, { fault: 'signature/tampered-price' }]
    const { body } = await mockWith(faults).ask(targetOf('latest'))
    expect(body).toContain('"price":9097271247240993,')
    expectForged(body)
    const down = [faults[0]!, { ...faults[1]!, options: { by: -1e-9 } }]
    expect((await mockWith(down).ask(targetOf('latest'))).body).toContain('"price":9007199245740993,')
  })
})
