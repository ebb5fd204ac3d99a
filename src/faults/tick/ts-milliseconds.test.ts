import { expect, it } from 'vitest'
import { createCalls } from '../../../test/support/calls.js'
import { expectGenuine, pricesOf } from '../../../test/support/recover.js'
import { describeFault } from '../../../test/support/request-faults.js'

it('behavior: a time in milliseconds stays', () => {
  const bodyOf = (count: number) => {
    const fault = { fault: 'tick/ts-milliseconds' } as const
    return createCalls({ scenario: { faults: Array.from({ length: count }, () => fault) } }).serve(
      '/prices/BTCUSD/latest',
    ).body
  }
  expect(bodyOf(4)).toBe(bodyOf(1))
})

describeFault('tick/ts-milliseconds', {
  effect({ wire, calm }, endpoint) {
    const later = pricesOf(calm.body).map(({ price, ts }) => ({ price, ts: ts * 1000 }))
    expect(pricesOf(wire.body)).toMatchObject(later)
    if (endpoint !== 'evm') expectGenuine(wire.body)
  },
})
