// Counts of requests by endpoint: the summary of a journal, entries that it has dropped included.
import type { EndpointSummary, Spread } from './journal.js'
import type { JournalEntry } from './journal-entry.js'
import type { Got } from './received.js'

/** Counts by endpoint. */
export type Tally = Map<string, EndpointTally>
/** Counts of one endpoint, as data. */
export interface EndpointTally {
  readonly endpoint: string
  requests: number
  readonly statuses: Record<string, number>
  readonly got: Partial<Record<Got, number>>
  readonly virtual: Times
  readonly real: Times
}
/** First and last of some times, with the least and the greatest distance between two that follow each other: null for one time. */
interface Times {
  readonly first: number
  last: number
  least: number | null
  most: number | null
}

/** Counts with copies of others, which later requests do not change. */
export const toTally = (all: Iterable<EndpointTally>): Tally =>
  new Map(
    // A state that an earlier version has saved does not know what consumers got.
    [...all].map(({ statuses, got = {}, virtual, real, ...rest }) => [
      rest.endpoint,
      { ...rest, statuses: { ...statuses }, got: { ...got }, virtual: { ...virtual }, real: { ...real } },
    ]),
  )

const startTimes = (time: number): Times => ({ first: time, last: time, least: null, most: null })

function addTime(times: Times, time: number): void {
  const gap = time - times.last
  times.last = time
  times.least = Math.min(times.least ?? gap, gap)
  times.most = Math.max(times.most ?? gap, gap)
}

/** Counts a request. */
export function tally(tallies: Tally, { endpoint, status, got, now, receivedAt }: JournalEntry): void {
  const known = tallies.get(endpoint)
  if (known === undefined) {
    const times = { virtual: startTimes(now * 1000), real: startTimes(receivedAt) }
    tallies.set(endpoint, {
      endpoint,
      requests: 1,
      statuses: { [status]: 1 },
      got: got === undefined ? {} : { [got]: 1 },
      ...times,
    })
    return
  }
  known.requests++
  known.statuses[status] = (known.statuses[status] ?? 0) + 1
  if (got !== undefined) known.got[got] = (known.got[got] ?? 0) + 1
  addTime(known.virtual, now * 1000)
  addTime(known.real, receivedAt)
}

/** The counts as a summary. */
export const toSummary = ({ endpoint, requests, statuses, got, virtual, real }: EndpointTally): EndpointSummary => ({
  endpoint,
  requests,
  statuses,
  got,
  betweenVirtualMs: toSpread(virtual, requests),
  betweenRealMs: toSpread(real, requests),
})

function toSpread({ first, last, least, most }: Times, count: number): Spread | null {
  return least === null || most === null ? null : { least, mean: (last - first) / (count - 1), most }
}
