import { expect, it } from 'vitest'
import { expectGenuine, pricesOf } from '../../../test/support/recover.js'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'
import { otherExpo } from './other-expo.js'

describeFault('tick/other-expo', {
  effect({ wire, calm }) {
    const same = pricesOf(calm.body).map(({ price, expo, ts }) => ({ price: 100 * Number(price), expo: expo - 2, ts }))
    expect(pricesOf(wire.body)).toMatchObject(same)
    expectGenuine(wire.body)
  },
})

it.each([
  [9, [1, -8, -8], 0.0005],
  [-3, [-11, -11, -11], 0],
  [-6, [-8, -14, -14], 0],
  [6, [-2, -2, -2], 0.0005],
])('args: by %i, as far as the digits of the price and an int64 reach', async (by, expos, error) => {
  const faults = [{ fault: 'tick/other-expo', options: { by } }] as const
  const [prices, calm] = [[...faults], []].map(async plan =>
    pricesOf((await mockWith(plan).ask(targetOf('batch'))).body),
  )
  const toValue = ({ price, expo }: { price: number | bigint; expo: number }) => Number(`${price}e${expo}`)
  expect((await prices!).map(({ expo }) => expo)).toEqual(expos)
  for (const [i, price] of (await prices!).entries())
    expect(Math.abs(toValue(price) / toValue((await calm!)[i]!) - 1)).toBeLessThanOrEqual(error)
})

it.each([
  [100_049, 2, 1000n, -6],
  [99_949, 2, 99_949, -8],
  [100_045, 1, 10_005n, -7],
  [922_337_203_685, -7, 9_223_372_036_850_000_000n, -15],
  [922_337_203_686, -7, 922_337_203_686, -8],
  [100_050, 2, 1001n, -6, 'high'],
  [100_050, 2, 1000n, -6, 'low'],
])(
  'behavior: a price of %i units, by %i, keeps at least four digits and fits an int64',
  (units, by, price, expo, half?: string) => {
    const tick = { feedId: 'X', price: units, expo: -8, ts: 1 }
    const changed = otherExpo.tick(tick as never, { options: { by, only: 'every' }, half } as never)
    expect(changed).toMatchObject({ price, expo })
  },
)

it.each([
  ['high', -2, [-10, -8]],
  ['low', -2, [-8, -10]],
  ['low', 3, [-8, -5]],
] as const)(
  'args: the %s price of a history by %i, of the same value, signed for itself',
  async (only, by, expected) => {
    const faults = [{ fault: 'tick/other-expo', options: { only, by } }] as const
    const [{ body }, calm] = [
      await mockWith([...faults]).ask(targetOf('history')),
      await mockWith([]).ask(targetOf('history')),
    ]
    const valuesOf = (text: string) =>
      Object.values(JSON.parse(text) as Record<string, Record<'high' | 'low', { price: number; expo: number }>>).map(
        ({ high, low }) => [high, low].map(({ price, expo }) => Number(`${price}e${expo}`)),
      )
    const pairs = Object.values(JSON.parse(body) as Record<string, Record<'high' | 'low', { expo: number }>>)
    expect(pairs.map(({ high, low }) => [high.expo, low.expo])).toEqual(pairs.map(() => expected))
    for (const [i, [high, low]] of valuesOf(body).entries()) {
      const [calmHigh, calmLow] = valuesOf(calm.body)[i]!
      expect([high! / calmHigh!, low! / calmLow!].map(ratio => ratio.toFixed(3))).toEqual(['1.000', '1.000'])
    }
    expectGenuine(body)
  },
)
