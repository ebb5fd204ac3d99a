// Counts of requests by endpoint: the summary of a journal, entries that it has dropped included.
import type { EndpointSummary, Spread } from './journal.js'
import type { JournalEntry } from './journal-entry.js'

/** Counts by endpoint. */
export type Tally = Map<string, EndpointTally>
/** Counts of one endpoint. */
interface EndpointTally {
  readonly endpoint: string
  requests: number
  readonly statuses: Record<string, number>
  readonly virtual: Times
  readonly real: Times
}
/** First and last of some times, with the least and the greatest distance between two that follow each other. */
interface Times {
  readonly first: number
  last: number
  least: number
  most: number
}

/** A copy that later requests do not change. */
export const copyOf = ({ statuses, virtual, real, ...rest }: EndpointTally): EndpointTally => ({
  ...rest,
  statuses: { ...statuses },
  virtual: { ...virtual },
  real: { ...real },
})

/** Times as JSON can hold them: null stands for no distance yet. */
interface SavedTimes {
  readonly first: number
  readonly last: number
  readonly least: number | null
  readonly most: number | null
}
/** Counts of one endpoint as data. */
export interface SavedTally extends Omit<EndpointTally, 'virtual' | 'real'> {
  readonly virtual: SavedTimes
  readonly real: SavedTimes
}

const timesToSaved = ({ first, last, least, most }: Times): SavedTimes =>
  least <= most ? { first, last, least, most } : { first, last, least: null, most: null }
const timesFromSaved = ({ first, last, least, most }: SavedTimes): Times => ({
  ...startTimes(first),
  last,
  ...(least === null || most === null ? {} : { least, most }),
})
/** Counts as data. */
export const toSaved = (one: EndpointTally): SavedTally => ({
  ...copyOf(one),
  virtual: timesToSaved(one.virtual),
  real: timesToSaved(one.real),
})
/** Counts from data. */
export const fromSaved = (one: SavedTally): EndpointTally => ({
  ...one,
  statuses: { ...one.statuses },
  virtual: timesFromSaved(one.virtual),
  real: timesFromSaved(one.real),
})

const startTimes = (time: number): Times => ({
  first: time,
  last: time,
  least: Number.POSITIVE_INFINITY,
  most: Number.NEGATIVE_INFINITY,
})

function addTime(times: Times, time: number): void {
  const gap = time - times.last
  times.last = time
  times.least = Math.min(times.least, gap)
  times.most = Math.max(times.most, gap)
}

/** Counts a request. */
export function tally(tallies: Tally, { endpoint, status, now, receivedAt }: JournalEntry): void {
  const known = tallies.get(endpoint)
  if (known === undefined) {
    const times = { virtual: startTimes(now * 1000), real: startTimes(receivedAt) }
    tallies.set(endpoint, { endpoint, requests: 1, statuses: { [status]: 1 }, ...times })
    return
  }
  known.requests++
  known.statuses[status] = (known.statuses[status] ?? 0) + 1
  addTime(known.virtual, now * 1000)
  addTime(known.real, receivedAt)
}

/** The counts as a summary. */
export const toSummary = ({ endpoint, requests, statuses, virtual, real }: EndpointTally): EndpointSummary => ({
  endpoint,
  requests,
  statuses,
  betweenVirtualMs: toSpread(virtual, requests),
  betweenRealMs: toSpread(real, requests),
})

function toSpread({ first, last, least, most }: Times, count: number): Spread | null {
  return count < 2 ? null : { least, mean: (last - first) / (count - 1), most }
}
