// The counters for Prometheus: every exchange counts, also one from before they are loaded, and durations are in seconds.
import { expect, it } from 'vitest'
import type { Exchange } from './exchange.js'
import { createMetrics } from './metrics.js'

const exchange = (durationMs: number): Exchange => ({
  by: 'mock',
  method: 'GET',
  target: '/',
  status: 404,
  receivedAt: 0,
  durationMs,
})

it('default', async () => {
  const metrics = createMetrics(() => 7)
  metrics.observe(exchange(250))
  metrics.observe(exchange(500))
  const counters = await metrics.counters()
  metrics.observe(exchange(1000))
  const lines = (await counters.text()).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'price_feed_mock_requests_total{endpoint="own",status="404"} 3',
      'price_feed_mock_request_duration_seconds_sum{endpoint="own"} 1.75',
      'price_feed_mock_sessions 7',
    ]),
  )
})
