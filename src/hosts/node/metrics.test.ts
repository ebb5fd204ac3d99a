// The metrics for Prometheus: replies by status, durations in seconds, and a histogram whose buckets include their bounds.
import { expect, it, onTestFinished, vi } from 'vitest'
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
  onTestFinished(metrics.stop)
  for (const durationMs of [1, 100, 250, 500]) metrics.observe(exchange(durationMs))
  await metrics.scrape()
  metrics.observe(exchange(1000))
  const text = await metrics.scrape()
  const latency = 'price_feed_mock_request_duration_seconds'
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'price_feed_mock_requests_total{endpoint="own",status="404"} 5',
      'price_feed_mock_sessions 7',
      `${latency}_bucket{le="0.0005",endpoint="own"} 0`,
      `${latency}_bucket{le="0.001",endpoint="own"} 1`,
      `${latency}_bucket{le="0.1",endpoint="own"} 2`,
      `${latency}_bucket{le="0.5",endpoint="own"} 4`,
      `${latency}_bucket{le="+Inf",endpoint="own"} 5`,
      `${latency}_sum{endpoint="own"} 1.851`,
      `${latency}_count{endpoint="own"} 5`,
    ]),
  )
})

const watchdog = vi.hoisted(() => ({ enable: vi.fn(), disable: vi.fn(), reset: vi.fn() }))
vi.mock('node:perf_hooks', async load => ({
  ...(await load<typeof import('node:perf_hooks')>()),
  monitorEventLoopDelay: () => ({ ...watchdog, count: 100, max: 310_000_000, percentile: () => 12_000_000 }),
}))

it('behavior: the delay of the event loop is beyond the interval of samples, since the last scrape, until the end', async () => {
  vi.clearAllMocks()
  const metrics = createMetrics(() => 1)
  expect(watchdog.enable).toHaveBeenCalledOnce()
  const text = await metrics.scrape()
  expect(text).toMatch(/^nodejs_eventloop_lag_max_seconds 0\.3$/m)
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds 0\.002/m)
  expect(watchdog.reset).toHaveBeenCalledOnce()
  metrics.stop()
  expect(watchdog.disable).toHaveBeenCalledOnce()
})

it('behavior: without a free file handle the memory of the process is left out', async () => {
  const rss = vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' })
  })
  onTestFinished(() => rss.mockRestore())
  const metrics = createMetrics(() => 7)
  const text = await metrics.scrape()
  expect(text).not.toContain('process_resident_memory_bytes')
  expect(text).toContain('price_feed_mock_sessions 7\n')
  expect(text).toMatch(/^nodejs_heap_used_bytes \d{6,}$/m)
})
