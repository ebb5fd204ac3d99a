// Counts the replies of one server in plain numbers.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Exchange } from './exchange.js'
import { toPrometheus } from './prometheus.js'

/** The metrics of one server. */
export interface Metrics {
  observe(exchange: Exchange): void
  /** Everything counted so far, in the text format of Prometheus. */
  scrape(): Promise<string>
  /** Stops the watchdog of the event loop. */
  stop(): void
}

/** Delays of the event loop, in seconds. */
export interface LoopDelay {
  /** The largest since the last scrape. */
  readonly max: number
  readonly p99: number
}

/** The counts of one endpoint. */
export interface EndpointCounts {
  readonly byStatus: Map<number, number>
  /** Replies by the index of the smallest bucket that holds them; the last index is beyond all bounds. */
  readonly byBucket: number[]
  /** Seconds of all replies. */
  seconds: number
}

/** Upper bounds of the latency histogram in seconds: most replies take tens of microseconds. */
export const BUCKETS = [0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5]

/** Milliseconds between two samples of the event loop. */
const SAMPLE_MS = 10

/**
 * Creates the metrics of one server.
 * @param sessions reads the number of sessions
 */
export function createMetrics(sessions: () => number | Promise<number>): Metrics {
  const counts = new Map<string, EndpointCounts>()
  const countsOf = (endpoint: string): EndpointCounts => {
    let found = counts.get(endpoint)
    if (found === undefined) {
      found = { byStatus: new Map(), byBucket: [...BUCKETS, 0].fill(0), seconds: 0 }
      counts.set(endpoint, found)
    }
    return found
  }
  // Samples every 10 ms how late a timer is: a request that holds the event loop shows as one large delay.
  const delays = monitorEventLoopDelay({ resolution: SAMPLE_MS })
  delays.enable()
  const readDelay = (): LoopDelay => {
    // A sample is the time between two timers, and of no samples there is no percentile.
    const toSeconds = (ns: number): number => Math.max(0, ns / 1e9 - SAMPLE_MS / 1000)
    const read =
      delays.count === 0 ? { max: 0, p99: 0 } : { max: toSeconds(delays.max), p99: toSeconds(delays.percentile(99)) }
    delays.reset()
    return read
  }
  return {
    stop: () => void delays.disable(),
    observe(exchange) {
      const { endpoint, status } =
        exchange.by === 'mock' ? { endpoint: 'own', status: exchange.status } : exchange.entry
      const counted = countsOf(endpoint)
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
