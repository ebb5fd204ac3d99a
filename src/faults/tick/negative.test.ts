import { expect, it } from 'vitest'
import { expectGenuine, pricesOf } from '../../../test/support/recover.js'
import { describeFault } from '../../../test/support/request-faults.js'
import { negative } from './negative.js'

describeFault('tick/negative', {
  effect({ wire, calm }, endpoint) {
    const negatives = pricesOf(calm.body).map(({ price }) => -Number(price))
    const [high, low, ...others] = negatives
    // In a history the negative of the low is above the negative of the high.
    const expected = endpoint === 'history' ? [low, high, others[1], others[0], others[3], others[2]] : negatives
    expect(pricesOf(wire.body).map(({ price }) => price)).toEqual(expected)
    // The other library gets the two's complement.
    expectGenuine(wire.body)
  },
})

it('behavior: a price of 0 has no negative', () => {
  const tick = { feedId: 'BTCUSD', price: 0, expo: -8, ts: 0 }
  expect(negative.tick(tick, {} as never)).toBe(tick)
})
