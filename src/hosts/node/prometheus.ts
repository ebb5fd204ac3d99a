// Prints the counts of one server in the text format of Prometheus.
import { getHeapStatistics } from 'node:v8'
import { Counter, Gauge, type Histogram, Registry } from 'prom-client'
import { BUCKETS, type EndpointCounts, type LoopDelay } from './metrics.js'

const LATENCY = 'price_feed_mock_request_duration_seconds'

/** Prints counts by endpoint, the number of sessions, the delay of the event loop and the memory of the process. */
export async function toPrometheus(
  counts: ReadonlyMap<string, EndpointCounts>,
  sessions: number,
  loopDelay: LoopDelay,
): Promise<{ text: string; contentType: string }> {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'price_feed_mock_requests_total',
    help: 'Requests by endpoint ("own" for the mock\'s own replies) and status.',
    labelNames: ['endpoint', 'status'],
    registers,
  })
  for (const [endpoint, { byStatus }] of counts)
    for (const [status, count] of byStatus) requests.inc({ endpoint, status }, count)
  // Histograms of prom-client take single values only, so this one supplies the finished samples.
  const latency = {
    name: LATENCY,
    help: 'Real time from a parsed request to its written answer, by endpoint.',
    type: 'histogram',
    get: () => ({ ...latency, values: [...counts].flatMap(toSamples) }),
  }
  registry.registerMetric(latency as unknown as Histogram)
  const gauge = (name: string, help: string, value: number): void => new Gauge({ name, help, registers }).set(value)
  gauge('price_feed_mock_sessions', 'Sessions alive.', sessions)
  const since = 'since the last scrape.'
  gauge('nodejs_eventloop_lag_max_seconds', `Longest delay of the event loop ${since}`, loopDelay.max)
  gauge(
    'nodejs_eventloop_lag_p99_seconds',
    `Delay of the event loop that 99 % of samples do not exceed, ${since}`,
    loopDelay.p99,
  )
  const resident = readResidentMemory()
  if (resident !== undefined) gauge('process_resident_memory_bytes', 'Resident memory.', resident)
  gauge('nodejs_heap_used_bytes', 'Heap in use.', getHeapStatistics().used_heap_size)
  return { text: await registry.metrics(), contentType: registry.contentType }
}

/** Bytes of memory of the process. Node reads them from a file: undefined while there is no free file handle. */
function readResidentMemory(): number | undefined {
  try {
    return process.memoryUsage.rss()
  } catch {
    return undefined
  }
}

interface Sample {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/** The samples of the histogram for one endpoint: each bucket counts the smaller ones as well. */
function toSamples([endpoint, { byBucket, seconds }]: readonly [string, EndpointCounts]): Sample[] {
  let count = 0
  const buckets = [...BUCKETS, '+Inf'].map((le, i) => {
    count += byBucket[i]!
    return { metricName: `${LATENCY}_bucket`, labels: { le, endpoint }, value: count }
  })
  const labels = { endpoint }
  return [
    ...buckets,
    { metricName: `${LATENCY}_sum`, labels, value: seconds },
    { metricName: `${LATENCY}_count`, labels, value: count },
  ]
}
