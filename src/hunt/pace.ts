// How a consumer asked under the faults of a scenario, against its calm run.
import { familyOf } from './causes.js'
import { firstHitOf, gapsOf, intervalOf, LEAST, type Profile, type Stream, streamsOf, timesOf } from './profile.js'
import type { HuntRequest, HuntRun } from './types.js'

const NEVER = Number.POSITIVE_INFINITY

/** Whether a reply is as without faults. Prices that move are. */
const isGood = ({ status, faults }: HuntRequest): boolean =>
  status === 200 && faults.every(fault => familyOf({ fault }) === 'move')

/** The pace of a run that nobody looked at, where undefined is unknown. Seconds are infinite where no request came. */
export const UNKNOWN_PACE = {
  /** Too often, no more, less and less, or as usual; the endpoint that it asked so, and the same in words. */
  kind: 'usual' as 'hot' | 'silent' | 'fewer' | 'usual',
  endpoint: undefined as string | undefined,
  text: '',
  /** Seconds from the first request with a fault to the next one of its endpoint and feed. Undefined if no request had a fault. */
  gap: undefined as number | undefined,
  /** The same, of whatever feed, after whichever request with that fault. */
  soonest: NEVER,
  /** The longest of such times by endpoint: a request of each was given up within it. */
  within: NEVER,
  /** The same to the next request of another endpoint or feed, to the next one with a key after whichever, and to the end of the run. */
  elsewhere: NEVER,
  keyed: NEVER,
  since: NEVER,
  /** Usual seconds between two such requests, and between two of the endpoint that is asked most. */
  interval: 0,
  shortest: 0,
  /** Whether requests followed that fault, and whether some were for candles. */
  goesOn: false,
  asksCandles: false,
  /** Whether the first request with a fault asked for several feeds. */
  isOfSeveral: undefined as boolean | undefined,
  /** Whether it asked less often after the fault than without one. */
  isSlower: false,
  /** Whether other requests came later than without faults; undefined if too few are usual. */
  isDelayed: undefined as boolean | undefined,
  /** Whether one request only had the fault, and whether a good reply to the same request followed. */
  isAlone: false,
  isCorrected: false,
  /** Whether it passed with the first of several replies with the fault. */
  takesSeveral: false,
  /** Whether a pause after a failed request was longer than usual. */
  hasPaused: false,
  /** Whether it did not ask again, for twice as long as any pause before. */
  isStopped: false,
  /** How its pauses between failed requests went on; undefined while they are as usual, or too few. */
  pauses: undefined as 'shorter' | 'steady' | 'longer' | 'growing' | undefined,
  /** Seconds from the start of the run to its end, and whether it ended earlier than the calm run. */
  end: 0,
  isCut: false,
  /** Endpoints of the consumer without faults. */
  endpoints: undefined as readonly string[] | undefined,
  /** Feeds that it asks for without faults. */
  feeds: [] as readonly string[],
  /** Whether it asked another endpoint under the faults, and whether that one had a fault as well, or gave an answer. */
  asksOthers: false,
  hitsOthers: false,
  hearsOthers: false,
  /** Whether it asked such endpoints for each feed of the first request with a fault. */
  asksAll: false,
  /** Whether some reply before the last second had a price and no fault, and whether some had candles. */
  hadPrice: undefined as boolean | undefined,
  hadCandles: undefined as boolean | undefined,
  /** Whether the last reply is as without faults, and whether it has one: a price that moves may be both. */
  endsWell: false,
  endsHit: false,
}

/** How a consumer asked under the faults of a scenario, against its calm run. */
export type Pace = Readonly<typeof UNKNOWN_PACE>

type Way = Pick<Pace, 'kind' | 'endpoint' | 'text'>

/** Times the usual rate from which on a consumer asks too often, and requests more than usual; part of it up to which it asks seldom. */
const [HOT, MORE, SELDOM] = [2, 5, 0.5]
/** Part of the usual requests after a fault up to which a consumer has become slower; and times a gap that one after it has, if gaps grow. */
const [SLOWER, GROWTH] = [0.7, 1.5]
/** Part of an earlier pause, or of a usual one, below which one is shorter, and seconds below which it is the chance of a loop without one. */
const [SHORTER, JITTER] = [0.8, 0.05]
/** Requests with a fault after which the next one is looked for. */
const MAX_ALIKE = 100
/** Part of the time of the calm run from which on a run counts as whole: real time differs a little. */
const WHOLE = 0.9
/** Usual requests that a stream without any has missed, at least, and the part of the calm run that it was silent. */
const [MISSED, SILENT] = [5, 1 / 4]

/** The pace of a run. */
export function paceOf(run: HuntRun, profile: Profile): Pace {
  const { requests, ms } = run
  const { endpoints, start, seconds } = profile
  const names = endpoints.map(({ endpoint }) => endpoint)
  const others = requests.filter(({ endpoint }) => endpoint !== undefined && !names.includes(endpoint))
  const last = requests.at(-1)
  const hit = firstHitOf(requests)
  const isHit = (id: string): boolean => hit?.feeds.includes(id) !== false
  const good = requests.filter(({ status, faults, at }) => status === 200 && faults.length === 0 && at < last!.at)
  const streams = streamsOf(profile).map(stream => measure(stream, run, profile))
  return {
    ...afterFault(hit, streams, run, profile),
    end: ms / 1000,
    isCut: ms < (start + WHOLE * seconds) * 1000,
    endpoints: names,
    feeds: profile.feeds,
    asksOthers: others.length > 0,
    asksAll: hit?.feeds.every(id => others.some(({ feeds }) => feeds.includes(id))) === true,
    hitsOthers: others.some(({ faults }) => faults.length > 0),
    hearsOthers: others.some(({ status }) => status === 200),
    hadPrice: good.some(({ endpoint, feeds }) => endpoint !== 'candles' && feeds.some(id => isHit(id))),
    hadCandles: good.some(({ endpoint }) => endpoint === 'candles'),
    endsWell: last !== undefined && isGood(last),
    endsHit: last !== undefined && last.faults.length > 0,
  }
}

/** A stream of a run, against that of the same seconds of the calm run. */
type Measured = ReturnType<typeof measure>

/** Measures a stream. A consumer may ask more at the start, or for other feeds later. */
function measure(stream: Stream, { requests, ms }: HuntRun, { start, seconds, endpoints: [main] }: Profile) {
  const { endpoint, feed, usual } = stream
  const times = timesOf(requests, stream)
  const gaps = gapsOf(times)
  const calmEnd = (start + seconds) * 1000
  /** A run that took longer than the calm one goes on at its rate. */
  const usualAfter = (from: number, to = ms): number =>
    usual.filter(at => at > from && at <= to).length +
    (usual.length / (Math.max(1, seconds) * 1000)) * Math.max(0, to - Math.max(from, calmEnd))
  /** Milliseconds by which it began sooner than the calm run: the first start of an interpreter takes seconds. */
  const ahead = Math.max(0, start * 1000 - (requests[0]?.at ?? 0))
  // Times are whole seconds: a short run would have few usual requests by chance.
  const expected = Math.max(1, usualAfter(-1, ms + ahead + 1000))
  const last = times.at(-1) ?? -1
  /** Those that came sooner than the endpoint that is asked most is asked again: a rare request may be repeated at that pace. */
  const quickOf = (list: readonly number[]): number =>
    list.filter((at, i) => i > 0 && at - list[i - 1]! < 1000 * main!.interval * SHORTER).length
  return {
    ...stream,
    name: feed === '' ? endpoint : `${endpoint} of ${feed}`,
    part: times.length / expected,
    extra: Math.min(times.length - expected, quickOf(times) - quickOf(usual)),
    quiet: (ms - Math.max(last, start * 1000)) / 1000,
    missed: usualAfter(last),
    /** Milliseconds by which the next one came too late. */
    delayAfter: (from: number) => (times.find(at => at > from) ?? ms) - (usual.find(at => at > from) ?? NEVER),
    usualAfter,
    /** The last gap is the longest, and longer than the one before. */
    isGrowing: gaps.length > 2 && gaps.at(-1)! >= GROWTH * gaps.at(-2)! && gaps.at(-1) === Math.max(...gaps),
  }
}

/** Whether a request is one of a stream. */
const isAskedBy = ({ endpoint, feed }: Stream, hit: HuntRequest): boolean =>
  endpoint === hit.endpoint && (feed === '' || hit.feeds.includes(feed))

/** The first stream that is asked in another way than usual. `dropped` is that of the fault, if it is not asked again. */
function wayOf(streams: readonly Measured[], seconds: number, hit?: HuntRequest, dropped?: Measured): Way {
  const toWay = (kind: Way['kind'], { endpoint }: Measured, text: string): Way => ({ kind, endpoint, text })
  const hot = streams.find(({ part, extra }) => part >= HOT && extra >= MORE)
  if (hot) return toWay('hot', hot, `It asked for ${hot.name} ${hot.part.toFixed(1)} times as often as without faults.`)
  const isSilent = ({ missed, quiet }: Measured): boolean => missed >= MISSED && quiet >= seconds * SILENT
  // One feed that waits for another one, which is asked for on and on, is no consumer that stopped.
  const isGoingOn = streams.some(one => hit !== undefined && isAskedBy(one, hit) && !isSilent(one))
  const waits = (one: Measured): boolean =>
    isGoingOn && one.feed !== '' && one.endpoint === hit?.endpoint && !isAskedBy(one, hit)
  const silents = streams.filter(isSilent)
  const silent = silents.find(one => !waits(one)) ?? dropped ?? silents[0]
  if (silent) {
    const text = `It sent no request for ${silent.name} in the last ${Math.round(silent.quiet)} s.`
    return toWay(waits(silent) ? 'usual' : 'silent', silent, text)
  }
  const rare = streams.find(({ part, isGrowing }) => part <= SELDOM && isGrowing)
  if (rare) return toWay('fewer', rare, `Its requests for ${rare.name} became fewer and fewer.`)
  return { kind: 'usual', endpoint: undefined, text: '' }
}

/** The way of all streams, and how that of the first request with a fault went on. */
function afterFault(hit: HuntRequest | undefined, streams: readonly Measured[], run: HuntRun, profile: Profile): Pace {
  if (hit === undefined) return { ...UNKNOWN_PACE, ...wayOf(streams, profile.seconds) }
  const { facts, after, again, rows } = followedBy(hit, run, profile)
  const own = streams.find(one => isAskedBy(one, hit))
  const others = streams.filter(stream => stream !== own)
  const usual = own === undefined ? 0 : intervalOf(own.usual)
  const usualAfter = own?.usualAfter(hit.at) ?? 0
  // Not asked again while others are: a run that fails soon shows no long silence.
  const isDropped = again.length === 0 && after.length > 0 && usualAfter >= LEAST
  const dropped = own && isDropped ? { ...own, quiet: facts.since } : undefined
  const way = wayOf(streams, profile.seconds, hit, dropped)
  const gaps = rows.flat()
  const hasPaused = Math.max(...gaps) >= Math.max(GROWTH * usual, JITTER)
  const pauses = hasPaused && gaps.length > 1 ? wayOfPauses(rows) : undefined
  const apart = pauses && `Its requests for ${own?.name ?? hit.endpoint} came ${listOf(gaps)} s apart.`
  // It may have waited for the reply most of the time: that is no request that it forgot.
  const idle = hit.status === 0 && after[0] !== undefined ? (after[0].at - hit.at) / 1000 : 0
  const waited =
    idle > Math.max(2 * facts.shortest, facts.since / 2) &&
    `It sent no request for ${Math.round(idle)} s after one without a reply.`
  // A process needs a moment to end, as in the calm run.
  const tail = profile.start + profile.seconds - Math.max(...profile.requests.map(({ at }) => at)) / 1000
  return {
    ...UNKNOWN_PACE,
    ...way,
    text: way.kind === 'fewer' && apart ? apart : [waited || way.text, apart].filter(Boolean).join(' '),
    ...facts,
    isSlower: usualAfter >= LEAST && again.length <= SLOWER * usualAfter,
    isDelayed: others.length > 0 ? others.some(one => one.delayAfter(hit.at) > 500 * intervalOf(one.usual)) : undefined,
    hasPaused,
    isStopped: gaps.length > 0 && run.ms - again.at(-1)!.at > 2000 * Math.max(usual, ...gaps, tail),
    pauses,
  }
}

/** The requests after the first one with a fault, and how soon they came. */
function followedBy(hit: HuntRequest, { requests, ms }: HuntRun, { endpoints, requests: calm }: Profile) {
  const use = endpoints.find(({ endpoint }) => endpoint === hit.endpoint)
  // Of the same feeds, where requests name one, or some in turns.
  const isSame = ({ endpoint, feeds }: HuntRequest): boolean =>
    endpoint === hit.endpoint && `${feeds}` === `${hit.feeds}`
  const ofEndpoint = calm.filter(({ endpoint }) => endpoint === hit.endpoint)
  const same = ofEndpoint.filter(isSame)
  const isRepeated = requests.some(one => one.at > hit.at && isSame(one))
  const isInTurns = isRepeated && Math.min(same.length, ofEndpoint.length - same.length) >= LEAST
  const isOfHit = (one: HuntRequest): boolean =>
    isSame(one) || (!isInTurns && use?.isByFeed !== true && one.endpoint === hit.endpoint && one.at > hit.at)
  const hasFault = ({ faults }: HuntRequest): boolean => faults.some(name => hit.faults.includes(name))
  const isLikeHit = (one: HuntRequest): boolean => one.endpoint === hit.endpoint && hasFault(one)
  const secondsTo = (one: HuntRequest | undefined, from = hit): number =>
    one === undefined ? NEVER : (one.at - from.at) / 1000
  const toNext = (one: HuntRequest): number =>
    secondsTo(
      requests.find(({ endpoint, at }) => endpoint === one.endpoint && at > one.at),
      one,
    )
  // The charts need no key.
  const keyedAfter = (first: HuntRequest) =>
    requests.slice(requests.indexOf(first) + 1).find(({ endpoint }) => endpoint !== undefined && endpoint !== 'candles')
  const after = requests.slice(requests.indexOf(hit) + 1)
  const again = after.filter(isOfHit)
  const failed = [hit, ...again]
  const alike = requests.filter(isLikeHit).slice(0, MAX_ALIKE)
  const gap = secondsTo(again[0])
  const ofFault = requests.filter(hasFault).slice(0, MAX_ALIKE)
  const names = new Set(ofFault.map(({ endpoint }) => endpoint))
  const nextWithin = (name: HuntRequest['endpoint']): number =>
    Math.min(...ofFault.filter(({ endpoint }) => endpoint === name).map(toNext))
  const since = (ms - hit.at) / 1000
  const interval = isInTurns ? intervalOf(same.map(({ at }) => at)) : (use?.interval ?? 0)
  const facts = {
    gap,
    soonest: Math.min(gap, ...alike.map(toNext)),
    within: Math.max(...Array.from(names, nextWithin)),
    // Those of the same second were perhaps sent together, unless the run ends soon.
    elsewhere: secondsTo(after.find(one => !isOfHit(one) && (one.at > hit.at || since < 2 * interval))),
    keyed: Math.min(...alike.map(one => secondsTo(keyedAfter(one), one))),
    since,
    interval,
    shortest: endpoints[0]?.interval ?? 0,
    // Others of the same second were perhaps sent together.
    goesOn: after.some(one => one.at > hit.at || isOfHit(one)),
    asksCandles: after.some(({ endpoint }) => endpoint === 'candles'),
    isOfSeveral: hit.feeds.length > 1,
    isAlone: alike.length === 1,
    isCorrected: again.some(one => isGood(one) && `${one.parameters}` === `${hit.parameters}`),
  }
  /** The pauses after failed requests; those of a row in which none was answered. */
  const rows: number[][] = [[]]
  for (const [i, one] of again.entries())
    if (!isLikeHit(failed[i]!)) rows.push([])
    else if (one.at > failed[i]!.at) rows.at(-1)!.push(secondsTo(one, failed[i]))
  return { facts, after, again, rows }
}

/** How two pauses or more between failed requests go on, of which one is longer than usual; a request that is answered ends a row. */
function wayOfPauses(rows: readonly (readonly number[])[]): NonNullable<Pace['pauses']> {
  const gaps = rows.flat()
  if (rows.some(row => row.some((gap, i) => gap < SHORTER * Math.max(...row.slice(0, i))))) return 'shorter'
  if (Math.max(...gaps) < Math.min(...gaps) / SHORTER) return 'steady'
  return gaps.every((gap, i) => i === 0 || gap >= GROWTH * gaps[i - 1]!) ? 'growing' : 'longer'
}

/** Pauses that are listed. */
const MAX_LISTED = 10

/** The first of some pauses: "2, 4, 4 …". */
const listOf = (seconds: readonly number[]): string =>
  `${seconds.slice(0, MAX_LISTED).map(one => Number(one.toPrecision(2)))}`.replaceAll(',', ', ') +
  (seconds.length > MAX_LISTED ? ' …' : '')
