// The requests of a journal, and from them the profile of a consumer: the endpoints and feeds that it asked for in a calm run, how
// often, and for how long.
import { readTarget } from '../admin/report/check.js'
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
export function profileOf({ requests, ms }: Pick<HuntRun, 'requests' | 'ms'>, catalogue?: readonly Feed[]) {
  const times = requests.map(({ at }) => at)
  const start = Math.floor(Math.min(ms, ...times) / 1000)
  const names = [...new Set(requests.flatMap(({ endpoint }) => endpoint ?? []))]
  // A refused request may name unknown feeds.
  const feedsIn = (list: readonly HuntRequest[]): string[] => [
    ...new Set(list.flatMap(({ status, feeds }) => (status === 200 ? feeds : []))),
  ]
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
    /** Those that the mock has. */
    known: knownFeeds(feeds, catalogue),
    requests,
  }
}

/** The most frequent of some seconds, the first of several. */
function mostFrequent(seconds: readonly number[]): number | undefined {
  const counts = new Map<number, number>()
  for (const second of seconds) counts.set(second, (counts.get(second) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
}

/** The median of the seconds between requests that are not simultaneous. */
function intervalOf(times: readonly number[]): number {
  const gaps = times
    .map((at, i) => at - (times[i - 1] ?? at))
    .filter(gap => gap > 0)
    .sort((a, b) => a - b)
  return (gaps[gaps.length >> 1] ?? Number.POSITIVE_INFINITY) / 1000
}

/** How a consumer asked under the faults of a scenario, against its calm run. */
export interface Pace {
  /** Too often, no more, less and less, or as usual. */
  readonly kind: 'hot' | 'silent' | 'fewer' | 'usual'
  /** The endpoint that it asked so. */
  readonly endpoint?: string
  readonly text?: string
  /** Seconds from the first fault of a request to the next request of its endpoint and feed; infinite if none came. */
  readonly gap?: number
  /** Whether requests followed that fault, and whether some were to other endpoints. */
  readonly goesOn: boolean
  readonly goesOnElsewhere?: boolean
  /** Seconds from the start of the run to its end. */
  readonly end?: number
  /** Endpoints of the consumer without faults. */
  readonly endpoints?: readonly string[]
  /** Whether it asked another endpoint under the faults. */
  readonly asksOthers?: boolean
  /** Whether a fault of one feed passes if all feeds have it. */
  readonly isOfOneFeed?: boolean
}
/** That of a run that nobody looked at. */
export const UNKNOWN_PACE: Pace = { kind: 'usual', goesOn: false }

/** Times the usual rate from which on a consumer asks too often, and part of it up to which it asks seldom. */
const [HOT, SELDOM] = [2, 0.5]
/** Times a gap that one after it has, if gaps grow. */
const GROWTH = 1.5

/** Requests of one kind: of an endpoint or, where a request names one feed, of that feed, since one can stop while others go on. */
interface Stream {
  readonly endpoint: string
  /** Empty for any. */
  readonly feed: string
  /** The times of those of the calm run. */
  readonly usual: readonly number[]
}

/** Requests of a calm run from which on a stream has a pace. */
const LEAST = 4
/** Usual requests that a stream without any has missed, at least. */
const MISSED = 5

const timesOf = (requests: readonly HuntRequest[], { endpoint, feed }: Pick<Stream, 'endpoint' | 'feed'>): number[] =>
  requests.filter(one => one.endpoint === endpoint && (feed === '' || one.feeds.includes(feed))).map(({ at }) => at)

const streamsOf = ({ endpoints, requests }: Profile): Stream[] =>
  endpoints
    .flatMap(({ endpoint, feeds, isByFeed }) =>
      (isByFeed && feeds.length > 1 ? feeds : ['']).map(feed => ({ endpoint, feed })),
    )
    .map(stream => ({ ...stream, usual: timesOf(requests, stream) }))
    .filter(({ usual }) => usual.length >= LEAST)

/** A stream of a run, against that of the same seconds of the calm run: a consumer may ask more at the start, or for other feeds later. */
function measure(stream: Stream, { requests, ms }: HuntRun, { start, seconds }: Profile) {
  const { endpoint, feed, usual } = stream
  const times = timesOf(requests, stream)
  const gaps = times.map((at, i) => at - (times[i - 1] ?? at)).filter(gap => gap > 0)
  const calmEnd = (start + seconds) * 1000
  /** A run that took longer than the calm one goes on at its rate. */
  const usualAfter = (from: number): number =>
    usual.filter(at => at > from && at <= ms).length +
    (usual.length / (seconds * 1000)) * Math.max(0, ms - Math.max(from, calmEnd))
  const expected = Math.max(1, usualAfter(-1))
  const last = times.at(-1) ?? -1
  return {
    ...stream,
    name: feed === '' ? endpoint : `${endpoint} of ${feed}`,
    part: times.length / expected,
    extra: times.length - expected,
    quiet: (ms - Math.max(last, start * 1000)) / 1000,
    missed: usualAfter(last),
    usualAfter,
    /** The last gap is the longest, and longer than the one before. */
    isGrowing: gaps.length > 2 && gaps.at(-1)! >= GROWTH * gaps.at(-2)! && gaps.at(-1) === Math.max(...gaps),
  }
}

/** The pace of a run: of the endpoint that is asked in another way than usual, if there is one. */
export function paceOf(run: HuntRun, profile: Profile): Pace {
  const { requests, ms } = run
  const { endpoints, seconds } = profile
  const hit = requests.find(({ faults }) => faults.length > 0)
  const after = hit === undefined ? [] : requests.filter(one => one.at >= hit.at && one !== hit)
  const use = endpoints.find(({ endpoint }) => endpoint === hit?.endpoint)
  // Of the same feed, where a request names one.
  const isOfHit = ({ endpoint, feeds }: HuntRequest): boolean =>
    endpoint === hit!.endpoint && (use?.isByFeed !== true || `${feeds}` === `${hit!.feeds}`)
  const next = after.find(isOfHit)
  const facts = {
    goesOn: after.length > 0,
    goesOnElsewhere: after.some(({ endpoint }) => endpoint !== hit?.endpoint),
    end: ms / 1000,
    ...(hit && { gap: next === undefined ? Number.POSITIVE_INFINITY : (next.at - hit.at) / 1000 }),
    endpoints: endpoints.map(({ endpoint }) => endpoint),
    asksOthers: requests.some(
      ({ endpoint }) => endpoint !== undefined && !endpoints.some(one => one.endpoint === endpoint),
    ),
  }
  const told = ({ endpoint }: Stream, kind: Pace['kind'], text: string): Pace => ({ ...facts, kind, endpoint, text })
  const paces = streamsOf(profile).map(stream => measure(stream, run, profile))
  const hot = paces.find(({ part, extra }) => part >= HOT && extra >= 5)
  if (hot) return told(hot, 'hot', `It asked for ${hot.name} ${hot.part.toFixed(1)} times as often as without faults.`)
  const quiet = paces.find(({ quiet, missed }) => missed >= MISSED && quiet >= seconds / 4)
  if (quiet)
    return told(quiet, 'silent', `It sent no request for ${quiet.name} in the last ${Math.round(quiet.quiet)} s.`)
  // Not asked again while others are: a run that fails soon shows no long silence.
  const since = hit === undefined ? 0 : (ms - hit.at) / 1000
  const own = paces.find(
    ({ endpoint, feed }) => endpoint === hit?.endpoint && (feed === '' || hit.feeds.includes(feed)),
  )
  if (next === undefined && after.length > 0 && own !== undefined && own.usualAfter(hit!.at) >= 4)
    return told(own, 'silent', `It sent no request for ${own.name} in the last ${Math.round(since)} s.`)
  const rare = paces.find(({ part, isGrowing }) => part <= SELDOM && isGrowing)
  if (rare) return told(rare, 'fewer', `Its requests for ${rare.name} became fewer and fewer.`)
  return { ...facts, kind: 'usual' }
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
    feeds: feedsOf({ endpoint, target }),
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

function feedsOf(entry: Pick<Entry, 'endpoint' | 'target'>): string[] {
  const ids = readTarget(entry).feedParameters.flatMap(list => list.split(','))
  return [...new Set(ids.filter(Boolean).map(toFeedKey))]
}
