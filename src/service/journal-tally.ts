// Counts of requests by endpoint: the summary of a journal, entries that it has dropped included.
import type * as z from 'zod/mini'
import type { DeepReadonly } from '../settings/schema.js'
import type { JournalEntry } from './journal-entry.js'
import type { Got } from './received.js'
import type { tallySchema } from './saved-state.js'

/** Counts by endpoint. */
export type Tally = Map<string, EndpointTally>
/** Counts of one endpoint, as data. */
export type EndpointTally = z.output<typeof tallySchema>
/** Counts of requests by what the consumer got. */
export type GotCounts = EndpointTally['got']
type Bins = EndpointTally['bins']
type Times = EndpointTally['real']

/** Maximum number of bins of one endpoint: 16 KB in a session of five, and 16 MB in all of them. */
export const MAX_BINS = 32

/** Counts with copies of others, which later requests do not change. */
export const toTally = (all: Iterable<DeepReadonly<EndpointTally>>): Tally =>
  new Map([...all].map(one => [one.endpoint, JSON.parse(JSON.stringify(one)) as EndpointTally]))

function addToBins(bins: Bins, second: number, got: Got): void {
  const number = Math.floor(second / bins.width)
  let own = bins.counts.findLast(([bin]) => bin === number)?.[1]
  if (own === undefined) bins.counts.push([number, (own = {})])
  own[got] = (own[got] ?? 0) + 1
  while (bins.counts.length > MAX_BINS) {
    const wider = new Map<number, GotCounts>()
    for (const [bin, counts] of bins.counts) {
      const half = Math.floor(bin / 2)
      wider.set(half, addCounts(wider.get(half) ?? {}, counts))
    }
    bins.width *= 2
    bins.counts = [...wider]
  }
}

function addCounts(to: GotCounts, more: GotCounts): GotCounts {
  for (const [got, count] of Object.entries(more)) to[got] = (to[got] ?? 0) + count
  return to
}

const startTimes = (time: number): Times => ({ first: time, last: time, least: null, most: null })

function addTime(times: Times, time: number): void {
  const gap = time - times.last
  times.last = time
  times.least = Math.min(times.least ?? gap, gap)
  times.most = Math.max(times.most ?? gap, gap)
}

/** Counts a request. */
export function tally(tallies: Tally, { endpoint, status, got, now, receivedAt }: JournalEntry): void {
  let known = tallies.get(endpoint)
  if (known === undefined) {
    const times = { virtual: startTimes(now * 1000), real: startTimes(receivedAt) }
    tallies.set(
      endpoint,
      (known = { endpoint, requests: 0, statuses: {}, got: {}, bins: { width: 1, counts: [] }, ...times }),
    )
  } else {
    addTime(known.virtual, now * 1000)
    addTime(known.real, receivedAt)
  }
  known.requests++
  known.statuses[status] = (known.statuses[status] ?? 0) + 1
  if (got === undefined) return
  known.got[got] = (known.got[got] ?? 0) + 1
  addToBins(known.bins, now, got)
}

/** The counts of one endpoint as a summary: with the milliseconds between two requests, virtual and real. */
export const toSummary = ({ virtual, real, ...rest }: EndpointTally) => ({
  ...rest,
  betweenVirtualMs: toSpread(virtual, rest.requests),
  betweenRealMs: toSpread(real, rest.requests),
})

/** The counts of some time, from second `from` to `to`, in bins of `least` seconds, or longer ones. */
export function binsBetween({ width, counts }: Bins, from: number, to: number, least: number) {
  // Whole bins: one that is divided would be counted at a time in which none of its requests were sent.
  const size = Math.ceil(least / width) * width
  const found = new Map<number, GotCounts>()
  for (const [bin, got] of counts) {
    if ((bin + 1) * width <= from || bin * width > to) continue
    const start = Math.floor((bin * width) / size) * size
    found.set(start, addCounts(found.get(start) ?? {}, got))
  }
  return [...found].map(([start, got]) => ({ from: start, until: start + size, got }))
}

/** The distances between successive times; null for fewer than two. */
function toSpread({ first, last, least, most }: Times, count: number) {
  return least === null || most === null ? null : { least, mean: (last - first) / (count - 1), most }
}
