import { expect, it } from 'vitest'
import { expectGenuine, pricesOf } from '../../../test/support/recover.js'
import { describeFault } from '../../../test/support/request-faults.js'
import { negative } from './negative.js'

describeFault('tick/negative', {
  effect({ wire, calm }) {
    expect(pricesOf(wire.body).map(({ price }) => price)).toEqual(
      pricesOf(calm.body).map(({ price }) => -Number(price)),
    )
    // The other library gets the two's complement.
    expectGenuine(wire.body)
  },
})

it('behavior: a price of 0 has no negative', () => {
  const tick = { feedId: 'BTCUSD', price: 0, expo: -8, ts: 0 }
  expect(negative.tick(tick, {} as never)).toBe(tick)
})
