// The metrics for Prometheus: replies by status, durations in seconds, and a histogram whose buckets include their bounds.
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { createMetrics } from './metrics.js'
import type { Exchange } from './write.js'

const exchange = (durationMs: number): Exchange => ({
  by: 'mock',
  method: 'GET',
  target: '/',
  status: 404,
  receivedAt: 0,
  durationMs,
})

const watchdog = vi.hoisted(() => ({
  enable: vi.fn(),
  disable: vi.fn(),
  reset: vi.fn(),
  count: 0,
  max: 310_000_000,
  percentile: () => 12_000_000,
}))
vi.mock('node:perf_hooks', async load => ({
  ...(await load<typeof import('node:perf_hooks')>()),
  monitorEventLoopDelay: () => watchdog,
}))

beforeEach(() => {
  vi.clearAllMocks()
  watchdog.count = 0
})

it('default', async () => {
  const rss = vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(2 ** 27)
  onTestFinished(() => rss.mockRestore())
  const metrics = createMetrics(() => 7)
  onTestFinished(metrics.stop)
  for (const durationMs of [1, 100, 250, 500]) metrics.observe(exchange(durationMs))
  await metrics.scrape()
  metrics.observe(exchange(1000))
  const text = await metrics.scrape()
  expect(text.replace(/(?<=nodejs_heap_used_bytes )\d+$/m, 'N')).toMatchInlineSnapshot(`
    "# HELP price_feed_mock_requests_total Requests by endpoint ("own" for the mock's own replies) and status.
    # TYPE price_feed_mock_requests_total counter
    price_feed_mock_requests_total{endpoint="own",status="404"} 5
    # HELP price_feed_mock_request_duration_seconds Real time from a parsed request to its written answer, by endpoint.
    # TYPE price_feed_mock_request_duration_seconds histogram
    price_feed_mock_request_duration_seconds_bucket{le="0.00005",endpoint="own"} 0
    price_feed_mock_request_duration_seconds_bucket{le="0.0001",endpoint="own"} 0
    price_feed_mock_request_duration_seconds_bucket{le="0.0002",endpoint="own"} 0
    price_feed_mock_request_duration_seconds_bucket{le="0.0005",endpoint="own"} 0
    price_feed_mock_request_duration_seconds_bucket{le="0.001",endpoint="own"} 1
    price_feed_mock_request_duration_seconds_bucket{le="0.002",endpoint="own"} 1
    price_feed_mock_request_duration_seconds_bucket{le="0.005",endpoint="own"} 1
    price_feed_mock_request_duration_seconds_bucket{le="0.01",endpoint="own"} 1
    price_feed_mock_request_duration_seconds_bucket{le="0.025",endpoint="own"} 1
    price_feed_mock_request_duration_seconds_bucket{le="0.05",endpoint="own"} 1
    price_feed_mock_request_duration_seconds_bucket{le="0.1",endpoint="own"} 2
    price_feed_mock_request_duration_seconds_bucket{le="0.5",endpoint="own"} 4
    price_feed_mock_request_duration_seconds_bucket{le="+Inf",endpoint="own"} 5
    price_feed_mock_request_duration_seconds_sum{endpoint="own"} 1.851
    price_feed_mock_request_duration_seconds_count{endpoint="own"} 5
    # HELP price_feed_mock_sessions Sessions alive.
    # TYPE price_feed_mock_sessions gauge
    price_feed_mock_sessions 7
    # HELP nodejs_eventloop_lag_max_seconds Longest delay of the event loop since the last scrape.
    # TYPE nodejs_eventloop_lag_max_seconds gauge
    nodejs_eventloop_lag_max_seconds 0
    # HELP nodejs_eventloop_lag_p99_seconds Delay of the event loop that 99 % of samples do not exceed, since the last scrape.
    # TYPE nodejs_eventloop_lag_p99_seconds gauge
    nodejs_eventloop_lag_p99_seconds 0
    # HELP process_resident_memory_bytes Resident memory.
    # TYPE process_resident_memory_bytes gauge
    process_resident_memory_bytes 134217728
    # HELP nodejs_heap_used_bytes Heap in use.
    # TYPE nodejs_heap_used_bytes gauge
    nodejs_heap_used_bytes N
    "
  `)
})

it('behavior: the delay of the event loop is beyond the interval of samples, since the last scrape, until the end', async () => {
  vi.clearAllMocks()
  watchdog.count = 100
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
