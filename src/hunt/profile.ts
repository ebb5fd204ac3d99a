// The requests of a journal, and from them the profile of a consumer: the endpoints and feeds that it asked for in a calm run, how
// often, and for how long.
import { parametersOf } from '../admin/report/check.js'
import { type Feed, findFeed, toFeedKey } from '../market/feeds.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import type { Journal } from '../service/journal.js'
import type { JournalEntry } from '../service/journal-entry.js'
import type { HuntRequest, HuntRun } from './types.js'

/** How a consumer uses the service. */
export type Profile = ReturnType<typeof profileOf>
/** How a consumer uses an endpoint. */
export type EndpointUse = Profile['endpoints'][number]

/** The feeds of some ids. */
export const knownFeeds = (ids: readonly string[], catalogue: readonly Feed[] = catalogueFeeds()): readonly Feed[] =>
  ids.flatMap(id => findFeed(catalogue, id) ?? [])

/** The profile of a run, on a mock with some feeds. */
export function profileOf({ requests, ms }: Pick<HuntRun, 'requests' | 'ms'>, catalogue = catalogueFeeds()) {
  const times = requests.map(({ at }) => at)
  const start = Math.floor(Math.min(ms, ...times) / 1000)
  const names = [...new Set(requests.flatMap(({ endpoint }) => endpoint ?? []))]
  /** The feeds that were served. A request may name unknown ones, also one that is answered: a policy leaves them out. */
  const feedsIn = (list: readonly HuntRequest[]): string[] =>
    [...new Set(list.flatMap(({ status, feeds }) => (status === 200 ? feeds : [])))].filter(
      id => findFeed(catalogue, id) !== undefined,
    )
  const endpoints = names.map(endpoint => {
    const own = requests.filter(one => one.endpoint === endpoint)
    return {
      endpoint,
      requests: own.length,
      /** Usual seconds between two requests; infinite for a single one. */
      interval: intervalOf(own.map(({ at }) => at)),
      feeds: feedsIn(own),
      /** Whether each request names one feed at most. */
      isByFeed: own.every(({ feeds }) => feeds.length < 2),
    }
  })
  const feeds = feedsIn(requests)
  const seconds = Math.max(0, ms / 1000 - start)
  return {
    /** Virtual seconds from the start of a run to its first request. */
    start,
    /** Virtual seconds from the first request to the end. */
    seconds,
    /** The second of a run with the most requests, soon after the start; undefined if there is none. */
    busiest: mostFrequent(
      times.map(at => Math.floor(at / 1000)).filter(at => at >= start + seconds * 0.05 && at <= start + seconds * 0.2),
    ),
    /** Most requests first. */
    endpoints: endpoints.sort((a, b) => b.requests - a.requests),
    /** In the order of the requests. */
    feeds,
    /** The same, as the mock has them. */
    known: knownFeeds(feeds, catalogue),
    /** All feeds of the mock. */
    catalogue,
    requests,
  }
}

/** The most frequent of some seconds, the first of several. */
function mostFrequent(seconds: readonly number[]): number | undefined {
  const counts = new Map<number, number>()
  for (const second of seconds) counts.set(second, (counts.get(second) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
}

/** The milliseconds between requests that are not simultaneous. */
export const gapsOf = (times: readonly number[]): number[] =>
  times.map((at, i) => at - (times[i - 1] ?? at)).filter(gap => gap > 0)

/** The median of the seconds between such requests. */
export function intervalOf(times: readonly number[]): number {
  const gaps = gapsOf(times).sort((a, b) => a - b)
  return (gaps[gaps.length >> 1] ?? Number.POSITIVE_INFINITY) / 1000
}

/** Requests of one kind: of an endpoint or, where a request names one feed, of that feed, since one can stop while others go on. */
export interface Stream {
  readonly endpoint: string
  /** Empty for any. */
  readonly feed: string
  /** The times of those of the calm run. */
  readonly usual: readonly number[]
}

/** Requests of a calm run from which on a stream has a pace. */
export const LEAST = 4

/** The milliseconds of the requests of a stream. */
export const timesOf = (
  requests: readonly HuntRequest[],
  { endpoint, feed }: Pick<Stream, 'endpoint' | 'feed'>,
): number[] =>
  requests.filter(one => one.endpoint === endpoint && (feed === '' || one.feeds.includes(feed))).map(({ at }) => at)

/** The streams of a calm run that have a pace. */
export const streamsOf = ({ endpoints, requests }: Profile): Stream[] =>
  endpoints
    .flatMap(({ endpoint, feeds, isByFeed }) =>
      (isByFeed && feeds.length > 1 ? feeds : ['']).map(feed => ({ endpoint, feed })),
    )
    .map(stream => ({ ...stream, usual: timesOf(requests, stream) }))
    .filter(({ usual }) => usual.length >= LEAST)

/** The first request with a fault. A market is the background of other faults. */
export const firstHitOf = (requests: readonly HuntRequest[]): HuntRequest | undefined =>
  requests.find(({ faults }) => faults.some(name => !name.startsWith('market/'))) ??
  requests.find(({ faults }) => faults.length > 0)

/** The last requests that are told, the feeds of each, and the requests with a fault up to which all of them are told. */
const [LAST, NAMED, FEW] = [4, 3, 6]

/** The requests of a run around the first fault, the last ones, and all with a fault if they are few: "4s latest BTCUSD 200 market/stale". */
export function requestsOf({ requests, ms }: HuntRun): string[] {
  const hit = requests.indexOf(firstHitOf(requests)!)
  const after = (at: number): string => `${Number((at / 1000).toFixed(1))}s`
  /** Whether other requests of the endpoint ask for something else. */
  const isOwn = (endpoint: string | undefined, parameter: string): boolean =>
    requests.some(one => one.endpoint === endpoint && one.parameters?.includes(parameter) === false)
  const areFew = requests.filter(({ faults }) => faults.length > 0).length <= FEW
  const told = requests.flatMap(({ faults }, i) =>
    Math.abs(i - hit) < 2 || i >= requests.length - LAST || (areFew && faults.length > 0) ? i : [],
  )
  const lines = told.flatMap((i, n) => {
    const { at, endpoint, feeds, parameters = [], status, faults } = requests[i]!
    const names = feeds.length > NAMED ? `${feeds.slice(0, NAMED)},…` : `${feeds}`
    const asked = [endpoint ?? 'another path', names, ...parameters.filter(one => isOwn(endpoint, one))]
    const line = [after(at), ...asked, status || 'no reply', ...faults].filter(part => part !== '').join(' ')
    return n > 0 && i > told[n - 1]! + 1 ? ['…', line] : [line]
  })
  return [...lines, `${after(ms)} the end`]
}

type Entry = Pick<JournalEntry, 'endpoint' | 'target' | 'status' | 'now' | 'ordinal' | 'faults'>

/** Entries of a run. One that sends more has no pace to learn. */
const MAX_ENTRIES = 100_000

/** The entries of a journal from now on, which itself keeps only the newest ones. */
export function collectEntries(journal: Journal): JournalEntry[] {
  const entries: JournalEntry[] = []
  journal.subscribe({
    onEntry({ entry }) {
      if (entries.length < MAX_ENTRIES) entries.push(entry)
    },
    onClose() {},
  })
  return entries
}

/**
 * The requests of a session.
 * @param startMs virtual milliseconds since the epoch at which the run began
 */
export function toHuntRequests(entries: readonly Entry[], startMs: number): HuntRequest[] {
  return entries.map(({ endpoint, target, status, now, ordinal, faults }) => ({
    at: Math.max(0, now * 1000 - startMs),
    endpoint: endpoint || undefined,
    ...askedBy({ target }),
    status,
    ordinal,
    faults,
  }))
}

/**
 * The reason why a run without faults shows nothing of its consumer. Undefined if it got a price.
 * @param noRequest the reason of one without a request
 */
export function whyUseless(requests: readonly HuntRequest[], noRequest: string): string | undefined {
  if (requests.some(({ status }) => status === 200)) return undefined
  const statuses = [...new Set(requests.map(({ status }) => status || 'none'))]
  return requests.length === 0 ? noRequest : `No request got a price, without any fault: status ${statuses.join(', ')}.`
}

function askedBy(entry: Pick<Entry, 'target'>): Pick<HuntRequest, 'feeds' | 'parameters'> {
  const all = parametersOf(entry)
  const ids = all.flatMap(({ namesFeeds, given }) => (namesFeeds ? given.flatMap(list => list.split(',')) : []))
  const parameters = all.flatMap(({ name, namesFeeds, given }) =>
    namesFeeds ? [] : given.map(one => `${name}=${one}`),
  )
  return { feeds: [...new Set(ids.filter(Boolean).map(toFeedKey))], parameters }
}
