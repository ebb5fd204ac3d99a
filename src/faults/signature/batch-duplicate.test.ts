import { expect, it } from 'vitest'
import { expectGenuine, pricesOf } from '../../../test/support/recover.js'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

describeFault('signature/batch-duplicate', {
  on: ['batch'],
  effect({ wire, calm }) {
    const [first, second, ...rest] = pricesOf(wire.body)
    expect([first, ...rest]).toEqual(pricesOf(calm.body))
    expect(second).toMatchObject({ feedId: 'BTCUSD', ts: first!.ts - 30 })
    expectGenuine(wire.body)
  },
})

it('args: by, and the feeds of the fault', async () => {
  const fault = { fault: 'signature/batch-duplicate', feeds: ['ETHUSD', 'SOLUSD'], options: { by: '1m' } }
  const { body } = await mockWith([fault]).ask(targetOf('batch'))
  const prices = pricesOf(body)
  expect(prices.map(({ feedId }) => feedId).join()).toBe('BTCUSD,ETHUSD,ETHUSD,SOLUSD,SOLUSD')
  expect(prices[1]!.ts - prices[2]!.ts).toBe(60)
  expectGenuine(body)
  // There is no price before 1970.
  const oldest = await mockWith([{ ...fault, options: { by: '9999w' } }]).ask(targetOf('batch'))
  expect(pricesOf(oldest.body)[2]).toEqual(prices[1])
})
