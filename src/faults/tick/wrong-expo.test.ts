import { expect, it } from 'vitest'
import { expectGenuine, pricesOf } from '../../../test/support/recover.js'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

describeFault('tick/wrong-expo', {
  effect({ wire, calm }) {
    const off = pricesOf(calm.body).map(({ price, expo, ts }) => ({ price, expo: expo + 2, ts }))
    expect(pricesOf(wire.body)).toMatchObject(off)
    expectGenuine(wire.body)
  },
})

it.each([-60, -2, 60])('args: by %i', async by => {
  const { body } = await mockWith([{ fault: 'tick/wrong-expo', options: { by } }]).ask(targetOf('batch'))
  expect(pricesOf(body).map(({ expo }) => expo)).toEqual([by - 8, by - 8, by - 8])
  expectGenuine(body)
})

it.each([
  ['high', [-6, -8]],
  ['low', [-8, -6]],
  ['every', [-6, -6]],
] as const)('args: the %s price of a history, with a signature of its own', async (only, expected) => {
  const faults = [{ fault: 'tick/wrong-expo', options: { only } } as const]
  const { body } = await mockWith(faults).ask(targetOf('history'))
  const pairs = Object.values(JSON.parse(body) as Record<string, Record<'high' | 'low', { expo: number }>>)
  expect(pairs.map(({ high, low }) => [high.expo, low.expo])).toEqual(pairs.map(() => expected))
  expectGenuine(body)
  expect(pricesOf((await mockWith(faults).ask(targetOf('latest'))).body)).toMatchObject([{ expo: -6 }])
})

it('args: of a history without a tick in its window, too', async () => {
  const faults = [
    { fault: 'market/stale', options: { age: '1h' } },
    { fault: 'tick/wrong-expo', options: { only: 'low' } },
  ] as const
  const { body } = await mockWith([...faults]).ask('/prices/queryHistory?feedIds=BTCUSD&minutes=1')
  expect(JSON.parse(body).BTCUSD).toMatchObject({ high: { expo: -8 }, low: { expo: -6 } })
})

it('args: of the price that is shown as the low by its value, where another fault turns the order around', async () => {
  const faults = [{ fault: 'tick/negative' }, { fault: 'tick/wrong-expo', options: { only: 'low' } }] as const
  for (const order of [faults, faults.toReversed()]) {
    const { body } = await mockWith([...order]).ask(targetOf('history'))
    for (const { high, low } of Object.values<Record<'high' | 'low', { price: number; expo: number }>>(
      JSON.parse(body),
    )) {
      expect([high.expo, low.expo]).toEqual([-8, -6])
      expect(high.price).toBeGreaterThan(low.price * 100)
    }
  }
})
