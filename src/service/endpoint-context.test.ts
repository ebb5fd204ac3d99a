// A session at one second, as endpoints see it: which ticks a window of history holds.
import { expect, it } from 'vitest'
import { createCalls, NOW } from '../../test/support/calls.js'
import { createEndpointContext } from './endpoint-context.js'

it('behavior: a window of minutes begins a second after the same second of its minute', () => {
  const spike = { fault: 'market/bad-tick', feeds: ['BTCUSD'], options: { factor: 2 } }
  const { runtime } = createCalls({ scenario: { faults: [spike as never] } }).session()
  const feed = runtime.market.feed('BTCUSD')!
  const highAt = (now: number) => createEndpointContext(runtime, now).extremes(feed, 1)!.high.ts
  const ts = NOW - feed.lag
  expect([ts + 30, ts + 59].map(highAt)).toEqual([ts, ts])
  expect(highAt(ts + 60)).toBeGreaterThan(ts)
})
