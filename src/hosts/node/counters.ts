// The counters of one server, in the text format of Prometheus. Loaded after the first answer: see metrics.ts.
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Exchange } from './exchange.js'

/** Counters that can be read. */
export interface Counters {
  readonly contentType: string
  observe(exchange: Exchange): void
  /** Everything counted so far. */
  text(): Promise<string>
}

/** Upper bounds of the latency histogram, in seconds: an answer takes tens of microseconds. */
const BUCKETS = [0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5]

/**
 * Creates the counters of one server.
 * @param sessions how many sessions there are
 */
export function createCounters(sessions: () => number): Counters {
  const registers = [new Registry()]
  const requests = new Counter({
    name: 'price_feed_mock_requests_total',
    help: 'Requests by endpoint ("own" for the mock\'s own replies) and status.',
    labelNames: ['endpoint', 'status'],
    registers,
  })
  const latency = new Histogram({
    name: 'price_feed_mock_request_duration_seconds',
    help: 'Real time from a parsed request to its written answer, by endpoint.',
    labelNames: ['endpoint'],
    buckets: BUCKETS,
    registers,
  })
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge('price_feed_mock_sessions', 'Sessions alive.', sessions)
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
  gauge('nodejs_heap_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed)

  // Looking a child up by its labels costs more than counting: each is looked up once.
  const children = new Map<string, { count: Counter.Internal; time: Histogram.Internal<'endpoint'> }>()
  const childOf = (endpoint: string, status: number) => {
    const key = `${endpoint} ${status}`
    let child = children.get(key)
    if (child === undefined) {
      child = { count: requests.labels(endpoint, String(status)), time: latency.labels(endpoint) }
      children.set(key, child)
    }
    return child
  }

  return {
    contentType: registers[0]!.contentType,
    observe(exchange) {
      const own = exchange.by === 'mock'
      const { count, time } = own
        ? childOf('own', exchange.status)
        : childOf(exchange.entry.endpoint, exchange.entry.status)
      count.inc()
      time.observe(exchange.durationMs / 1000)
    },
    text: () => registers[0]!.metrics(),
  }
}
