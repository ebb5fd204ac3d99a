// Counts the replies of one server in plain numbers, and prints them in the text format of Prometheus, version 0.0.4.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { getOrCreate } from '../../caches.js'
import { tryTo } from '../../errors.js'
import type { Exchange } from './write.js'

/** The metrics of one server. */
export type Metrics = ReturnType<typeof createMetrics>

type EndpointCounts = ReturnType<typeof noCounts>

/** Upper bounds of the latency histogram in seconds: most replies take tens of microseconds. */
const BUCKETS = [0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5]

const noCounts = () => ({
  byStatus: new Map<number, number>(),
  /** Replies by the index of the smallest bucket that holds them; the last index is beyond all bounds. */
  byBucket: [...BUCKETS, 0].fill(0),
  /** Seconds of all replies. */
  seconds: 0,
})

/** Milliseconds between two samples of the event loop. */
const SAMPLE_MS = 10

/**
 * Creates the metrics of one server.
 * @param sessions reads the number of sessions
 */
export function createMetrics(sessions: () => number | Promise<number>) {
  const counts = new Map<string, EndpointCounts>()
  // Samples every 10 ms how late a timer is: a request that holds the event loop shows as one large delay.
  const delays = monitorEventLoopDelay({ resolution: SAMPLE_MS })
  delays.enable()
  /** The largest delay since the last scrape, and that which 99 % do not exceed, in seconds. */
  const readDelay = () => {
    // A sample is the time between two timers, and of no samples there is no percentile.
    const toSeconds = (ns: number): number => Math.max(0, ns / 1e9 - SAMPLE_MS / 1000)
    const read =
      delays.count === 0 ? { max: 0, p99: 0 } : { max: toSeconds(delays.max), p99: toSeconds(delays.percentile(99)) }
    delays.reset()
    return read
  }
  return {
    stop: () => void delays.disable(),
    observe(exchange: Exchange): void {
      const { endpoint, status } =
        exchange.by === 'mock' ? { endpoint: 'own', status: exchange.status } : exchange.entry
      const counted = getOrCreate(counts, endpoint, noCounts)
      const seconds = exchange.durationMs / 1000
      let bucket = 0
      while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket++
      counted.byStatus.set(status, (counted.byStatus.get(status) ?? 0) + 1)
      counted.byBucket[bucket]!++
      counted.seconds += seconds
    },
    scrape: async () => toPrometheus(counts, await sessions(), readDelay()),
  }
}

/** The media type of the text. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Prints counts by endpoint, the number of sessions, the delay of the event loop and the memory of the process. */
function toPrometheus(
  counts: ReadonlyMap<string, EndpointCounts>,
  sessions: number,
  loopDelay: { readonly max: number; readonly p99: number },
): string {
  const requests = [...counts].flatMap(([endpoint, { byStatus }]) =>
    [...byStatus].map(([status, count]) => [`{endpoint="${endpoint}",status="${status}"}`, count] as const),
  )
  // Node reads it from a file: undefined while there is no free file handle.
  const resident = tryTo(() => process.memoryUsage.rss())
  const lag = 'nodejs_eventloop_lag'
  return [
    metric(
      'price_feed_mock_requests_total',
      'counter',
      'Requests by endpoint ("own" for the mock\'s own replies) and status.',
      requests,
    ),
    metric(
      'price_feed_mock_request_duration_seconds',
      'histogram',
      'Real time from a parsed request to its written answer, by endpoint.',
      [...counts].flatMap(toSamples),
    ),
    gauge('price_feed_mock_sessions', 'Sessions alive.', sessions),
    gauge(`${lag}_max_seconds`, 'Longest delay of the event loop since the last scrape.', loopDelay.max),
    gauge(
      `${lag}_p99_seconds`,
      'Delay of the event loop that 99 % of samples do not exceed, since the last scrape.',
      loopDelay.p99,
    ),
    resident === undefined ? '' : gauge('process_resident_memory_bytes', 'Resident memory.', resident),
    gauge('nodejs_heap_used_bytes', 'Heap in use.', getHeapStatistics().used_heap_size),
  ].join('')
}

/** The end of the name of a series, with labels whose values need no escapes, and its value. */
type Sample = readonly [suffix: string, value: number]

const metric = (name: string, type: string, help: string, samples: readonly Sample[]): string =>
  [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map(([suffix, value]) => `${name}${suffix} ${value}`)]
    .map(line => `${line}\n`)
    .join('')
const gauge = (name: string, help: string, value: number): string => metric(name, 'gauge', help, [['', value]])

/** The samples of the histogram for one endpoint: each bucket counts the smaller ones as well. */
function toSamples([endpoint, { byBucket, seconds }]: readonly [string, EndpointCounts]): Sample[] {
  let count = 0
  const buckets = [...BUCKETS, '+Inf'].map((le, i): Sample => {
    count += byBucket[i]!
    return [`_bucket{le="${le}",endpoint="${endpoint}"}`, count]
  })
  return [...buckets, [`_sum{endpoint="${endpoint}"}`, seconds], [`_count{endpoint="${endpoint}"}`, count]]
}
