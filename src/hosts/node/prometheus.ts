// Prints the counts of one server in the text format of Prometheus, version 0.0.4.
import { getHeapStatistics } from 'node:v8'
import { BUCKETS, type EndpointCounts, type LoopDelay } from './metrics.js'

/** The media type of the text. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Prints counts by endpoint, the number of sessions, the delay of the event loop and the memory of the process. */
export function toPrometheus(
  counts: ReadonlyMap<string, EndpointCounts>,
  sessions: number,
  loopDelay: LoopDelay,
): string {
  const requests = [...counts].flatMap(([endpoint, { byStatus }]) =>
    [...byStatus].map(([status, count]) => [`{endpoint="${endpoint}",status="${status}"}`, count] as const),
  )
  const resident = readResidentMemory()
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

/** Bytes of memory of the process. Node reads them from a file: undefined while there is no free file handle. */
function readResidentMemory(): number | undefined {
  try {
    return process.memoryUsage.rss()
  } catch {
    return undefined
  }
}
