// How a consumer asked under the faults of a find, against its calm run, and the mistakes which that leaves.
import { secondsOf } from '../settings/time.js'
import { familyOf } from './causes.js'
import { firstHitOf, gapsOf, intervalOf, LEAST, type Profile, type Stream, streamsOf, timesOf } from './profile.js'
import type { HuntFault, HuntRequest, HuntRun } from './types.js'

/** How a consumer asked under the faults of a scenario, against its calm run. */
export interface Pace {
  /** Too often, no more, less and less, or as usual. */
  readonly kind: 'hot' | 'silent' | 'fewer' | 'usual'
  /** The endpoint that it asked so. */
  readonly endpoint?: string
  readonly text?: string
  /** Seconds from the first fault of a request to the next request of its endpoint and feed; infinite if none came. */
  readonly gap?: number
  /** The same, of whatever feed, after whichever request with that fault. */
  readonly soonest?: number
  /** The same to the next request of another endpoint or feed, to the next one with a key, and to the end of the run. */
  readonly elsewhere?: number
  readonly keyed?: number
  readonly since?: number
  /** Usual seconds between two such requests, and between two of the endpoint that is asked most. */
  readonly interval?: number
  readonly shortest?: number
  /** Whether requests followed that fault, and whether some were for candles. */
  readonly goesOn: boolean
  readonly asksCandles?: boolean
  /** Whether some reply had a price and no fault, whether some had candles, and whether the last one is as without faults. */
  readonly hadPrice?: boolean
  readonly hadCandles?: boolean
  readonly endsWell?: boolean
  /** Whether it ended after the last fault, and whether with an error that is none of the language, such as that of a check. */
  readonly isOver?: boolean
  readonly isOwnError?: boolean
  /** Seconds from the start of the run to its end, and whether it ended earlier than the calm run. */
  readonly end?: number
  readonly isCut?: boolean
  /** Endpoints of the consumer without faults. */
  readonly endpoints?: readonly string[]
  /** Whether it asked another endpoint under the faults, and whether that one had a fault as well. */
  readonly asksOthers?: boolean
  readonly hitsOthers?: boolean
  /** Whether the first request with a fault asked for several feeds. */
  readonly isOfSeveral?: boolean
  /** Whether it asked less often after the fault than without one. */
  readonly isSlower?: boolean
  /** How its pauses between failed requests went on; undefined while they are as usual, or too few. */
  readonly pauses?: 'shorter' | 'steady' | 'longer'
  /** Whether a pause after a failed request was longer than usual. */
  readonly hasPaused?: boolean
  /** Whether it did not ask again, for twice as long as any pause before. */
  readonly isStopped?: boolean
}

/** Times the usual rate from which on a consumer asks too often, and part of it up to which it asks seldom. */
const [HOT, SELDOM] = [2, 0.5]
/** Part of the usual requests after a fault up to which a consumer has become slower; and times a gap that one after it has, if gaps grow. */
const [SLOWER, GROWTH] = [0.7, 1.5]
/** Part of an earlier pause below which one is shorter, and seconds below which it is the chance of a loop without one. */
const [SHORTER, JITTER] = [0.8, 0.05]

/** Requests with a fault after which the next one is looked for. */
const MOST = 100
/** Part of the time of the calm run from which on a run counts as whole: real time differs a little. */
const WHOLE = 0.9
/** Usual requests that a stream without any has missed, at least. */
const MISSED = 5

/** A stream of a run, against that of the same seconds of the calm run: a consumer may ask more at the start, or for other feeds later. */
function measure(stream: Stream, { requests, ms }: HuntRun, { start, seconds }: Profile) {
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
  const isLikeHit = ({ endpoint, faults }: HuntRequest): boolean =>
    endpoint === hit.endpoint && faults.some(name => hit.faults.includes(name))
  const secondsTo = (one: HuntRequest | undefined, from = hit): number =>
    one === undefined ? Number.POSITIVE_INFINITY : (one.at - from.at) / 1000
  const laterThan = ({ endpoint, at }: HuntRequest) => requests.find(one => one.endpoint === endpoint && one.at > at)
  const after = requests.slice(requests.indexOf(hit) + 1)
  const again = after.filter(isOfHit)
  const failed = [hit, ...again]
  const alike = requests.filter(isLikeHit).slice(0, MOST)
  const gap = secondsTo(again[0])
  const since = (ms - hit.at) / 1000
  const interval = isInTurns ? intervalOf(same.map(({ at }) => at)) : (use?.interval ?? 0)
  const facts = {
    gap,
    soonest: Math.min(gap, ...alike.map(one => secondsTo(laterThan(one), one))),
    // Those of the same second were perhaps sent together, unless the run ends soon.
    elsewhere: secondsTo(after.find(one => !isOfHit(one) && (one.at > hit.at || since < 2 * interval))),
    // The charts need none.
    keyed: secondsTo(after.find(({ endpoint }) => endpoint !== undefined && endpoint !== 'candles')),
    since,
    interval,
    shortest: endpoints[0]?.interval ?? 0,
    // Others of the same second were perhaps sent together.
    goesOn: after.some(one => one.at > hit.at || isOfHit(one)),
    asksCandles: after.some(({ endpoint }) => endpoint === 'candles'),
    isOfSeveral: hit.feeds.length > 1,
  }
  /** The pauses after failed requests; those of a row in which none was answered. */
  const rows: number[][] = [[]]
  for (const [i, one] of again.entries())
    if (!isLikeHit(failed[i]!)) rows.push([])
    else if (one.at > failed[i]!.at) rows.at(-1)!.push(secondsTo(one, failed[i]))
  return { facts, after, again, rows }
}

/** The pace of a run: of the endpoint that is asked in another way than usual, if there is one. */
export function paceOf(run: HuntRun, profile: Profile): Pace {
  const { requests, ms } = run
  const { endpoints, start, seconds } = profile
  const hit = firstHitOf(requests)
  const followed = hit && followedBy(hit, run, profile)
  const { again = [], rows = [] } = followed ?? {}
  const gaps = rows.flat()
  const paces = streamsOf(profile).map(stream => measure(stream, run, profile))
  const own = paces.find(
    ({ endpoint, feed }) => endpoint === hit?.endpoint && (feed === '' || hit.feeds.includes(feed)),
  )
  const usual = own === undefined ? 0 : intervalOf(own.usual)
  const usualAfter = own?.usualAfter(hit!.at) ?? 0
  /** The endpoint that is asked in another way than usual. */
  const wayOf = (): Pick<Pace, 'kind' | 'endpoint' | 'text'> => {
    const noneFor = (name: string, quiet: number) =>
      `It sent no request for ${name} in the last ${Math.round(quiet)} s.`
    const hot = paces.find(({ part, extra }) => part >= HOT && extra >= 5)
    const often = `It asked for ${hot?.name} ${hot?.part.toFixed(1)} times as often as without faults.`
    if (hot) return { kind: 'hot', endpoint: hot.endpoint, text: often }
    const quiet = paces.find(({ quiet, missed }) => missed >= MISSED && quiet >= seconds / 4)
    if (quiet) return { kind: 'silent', endpoint: quiet.endpoint, text: noneFor(quiet.name, quiet.quiet) }
    // Not asked again while others are: a run that fails soon shows no long silence.
    if (followed && again.length === 0 && followed.after.length > 0 && own !== undefined && usualAfter >= LEAST)
      return { kind: 'silent', endpoint: own.endpoint, text: noneFor(own.name, followed.facts.since) }
    const rare = paces.find(({ part, isGrowing }) => part <= SELDOM && isGrowing)
    const fewer = `Its requests for ${rare?.name} became fewer and fewer.`
    return rare ? { kind: 'fewer', endpoint: rare.endpoint, text: fewer } : { kind: 'usual' }
  }
  const way = wayOf()
  const others = requests.filter(
    ({ endpoint }) => endpoint !== undefined && !endpoints.some(one => one.endpoint === endpoint),
  )
  const good = requests.filter(({ status, faults }) => status === 200 && faults.length === 0)
  const hasPaused = Math.max(...gaps) >= Math.max(GROWTH * usual, JITTER)
  const pauses = hasPaused && gaps.length > 1 ? wayOfPauses(rows) : undefined
  const isCut = ms < (start + WHOLE * seconds) * 1000
  const tail = start + seconds - Math.max(...profile.requests.map(({ at }) => at)) / 1000
  const apart = pauses && `Its requests for ${own?.name ?? hit!.endpoint} came ${listOf(gaps)} s apart.`
  return {
    goesOn: false,
    ...followed?.facts,
    endpoints: endpoints.map(({ endpoint }) => endpoint),
    hadPrice: good.some(({ endpoint }) => endpoint !== 'candles'),
    hadCandles: good.some(({ endpoint }) => endpoint === 'candles'),
    // Prices that move are as without faults.
    endsWell: requests.at(-1)?.status === 200 && requests.at(-1)!.faults.every(fault => familyOf({ fault }) === 'move'),
    asksOthers: others.length > 0,
    hitsOthers: others.some(({ faults }) => faults.length > 0),
    isSlower: usualAfter >= LEAST && again.length <= SLOWER * usualAfter,
    hasPaused,
    // A process needs a moment to end, as in the calm run.
    isStopped: gaps.length > 0 && ms - again.at(-1)!.at > 2000 * Math.max(usual, ...gaps, tail),
    end: ms / 1000,
    isCut,
    ...way,
    ...(pauses !== undefined && { pauses }),
    text: way.kind === 'fewer' && apart ? apart : [way.text, apart].filter(Boolean).join(' '),
  }
}

/** Pauses that are told. */
const TOLD = 10

/** The first of some pauses: "2, 4, 4 …". */
const listOf = (seconds: readonly number[]): string =>
  `${seconds.slice(0, TOLD).map(one => Number(one.toPrecision(2)))}`.replaceAll(',', ', ') +
  (seconds.length > TOLD ? ' …' : '')

/** How two pauses or more between failed requests go on, of which one is longer than usual; a request that is answered ends a row. */
function wayOfPauses(rows: readonly (readonly number[])[]): NonNullable<Pace['pauses']> {
  const gaps = rows.flat()
  if (rows.some(row => row.some((gap, i) => gap < SHORTER * Math.max(...row.slice(0, i))))) return 'shorter'
  return Math.max(...gaps) < Math.min(...gaps) / SHORTER ? 'steady' : 'longer'
}

/** The mistakes in such pauses. */
export const PAUSES: Readonly<Record<NonNullable<Pace['pauses']>, string>> = {
  shorter: 'makes its pause shorter again before it is over',
  steady: 'has a pause that is too long, or does not grow',
  longer: 'lets its pause grow too late, too fast, too far or not far enough',
}

/** The pace of the endpoints that have a fault. */
export const paceAt = (endpoints: readonly string[] | undefined, pace: Pace): Pace =>
  endpoints === undefined || pace.endpoint === undefined || endpoints.includes(pace.endpoint)
    ? pace
    : { ...pace, kind: 'usual' }

/** How a consumer asks while its requests fail: a wait that grows is as it should be then. */
const kindInTrouble = ({ kind }: Pace): 'hot' | 'silent' | 'usual' => (kind === 'fewer' ? 'usual' : kind)

/** Whether a consumer never asked again after the fault. */
const isLast = ({ gap }: Pace): boolean => gap === Number.POSITIVE_INFINITY

/** Whether it may have asked within some seconds: a check that looks at requests fails before they are sent. */
const mayAskWithin = (seconds: number, gap: number | undefined, { since = 0, isCut }: Pace): boolean =>
  gap !== undefined && (gap < seconds || (gap === Number.POSITIVE_INFINITY && isCut === true && since < seconds))

type Mistake = readonly [isOpen: boolean, mistake: string]

/** The mistakes that a run leaves open, a sentence for each kind: "It crashes, or asks too soon. Or it stops other work." */
function mistakes(begin: string, ...kinds: readonly (readonly Mistake[])[]): string {
  return kinds
    .map(all => all.filter(([isOpen]) => isOpen).map(([, mistake]) => mistake))
    .filter(open => open.length > 0)
    .map(open => [open.slice(0, -1).join(', '), open.at(-1)].filter(Boolean).join(', or '))
    .map((list, i) => `${i === 0 ? begin : 'Or it'} ${list}.`)
    .join(' ')
}

/** Whether a request came soon after the fault, as without it. */
const isSoon = (seconds: number | undefined, { interval = 0 }: Pace): boolean =>
  seconds !== undefined && seconds <= 2 * Math.min(interval, 60)

/** The mistakes about a refused key. */
export function refusedKeyOf(hasEnd: boolean, pace: Pace): string {
  const { keyed, since, asksCandles, endpoints, hadPrice, isCut } = pace
  const isQuiet = keyed === Number.POSITIVE_INFINITY
  /** Whether the run went on after the next request, or that was late: then it has shown whether the key works. */
  const isAnswered = since === undefined || keyed !== since || !isSoon(keyed, pace)
  /** So soon that a check may have failed at the next request with the key, before it was sent. */
  const endsSoon = isQuiet && isCut === true && isSoon(since, { ...pace, interval: pace.shortest ?? 0 })
  const needsNoKey = endpoints?.includes('candles') !== false && asksCandles !== true
  const stopsOthers = [true, `also stops ${needsNoKey ? 'requests that need no key' : 'other work'}`] as const
  return {
    hot: 'It uses a refused key again and again.',
    silent: mistakes('After a refused key it', [[true, 'stops asking for ever or for too long'], stopsOthers]),
    usual: mistakes('It', [
      [keyed === undefined || isSoon(keyed, pace), 'keeps using a refused key'],
      [endsSoon, 'is about to use a refused key again'],
      [
        keyed !== undefined && !isQuiet && !isSoon(keyed, pace),
        `tries it again too soon${asksCandles === true ? ', as after a reply that needs no key' : ''}`,
      ],
      [isQuiet && !endsSoon, 'stops asking for too long'],
      [hadPrice !== false && !isShort(pace), 'goes on with prices that get too old'],
      [true, 'does not report or handle the refusal, does so only once or again each time, or reports another trouble'],
      [hasEnd && !isLast(pace) && isAnswered, 'still treats or reports the key as refused after it works again'],
      stopsOthers,
    ]),
  }[kindInTrouble(pace)]
}

/** Whether it asked again sooner than usual. */
export const isSoonAgain = ({ gap = Number.POSITIVE_INFINITY, interval = 0 }: Pace): boolean => gap < interval / GROWTH

/** Whether it asked again, neither sooner nor later than usual. */
export const asksAsBefore = (pace: Pace): boolean =>
  pace.gap !== undefined && !isLast(pace) && !isSoonAgain(pace) && pace.hasPaused !== true

/** Whether a run ended after so few requests that nothing lasted. */
export const isShort = ({ since, interval = 0 }: Pace): boolean => since !== undefined && since < 3 * interval

/** Whether it may have crashed: no request came, and no check failed soon. */
export const mayCrash = (pace: Pace): boolean =>
  pace.gap === undefined || !(pace.goesOn || (pace.isOwnError === true && isShort(pace)))

/** The mistakes after a reply that cannot be used. */
export function unusableOf(pace: Pace): string {
  return {
    hot: 'After a reply that it cannot use, it asks again and again.',
    silent: 'After a reply that it cannot use, it stops asking, or asks too rarely.',
    fewer:
      'After a reply that it cannot use, it asks less and less often: other failures make the wait longer, or it has no limit.',
    usual: mistakes('After a reply that it cannot use, it', [
      [mayCrash(pace), 'crashes'],
      [true, 'goes on as if nothing had failed'],
      [pace.hadPrice !== false && pace.endsWell !== true, 'uses its last prices for too long'],
      [pace.gap === undefined || isSoonAgain(pace), 'asks again too soon'],
      [asksAsBefore(pace), 'asks as often as before'],
      [true, 'does not report it or reports another trouble'],
      [pace.endsWell === true, 'takes the trouble as over too soon, does what its state forbids'],
      [!isShort(pace), 'keeps trying without end'],
      [true, 'also stops other work'],
    ]),
  }[pace.kind]
}

/** The mistakes about a feed that goes away. */
export const lostFeedOf = (pace: Pace): string =>
  mistakes(
    'When a feed goes away, it',
    [
      [true, 'stops the others with it'],
      [pace.hadPrice !== false, 'goes on with its last price'],
      [true, 'takes the answer for a good one or does not say so'],
    ],
    [
      [pace.gap === undefined || isSoonAgain(pace), 'asks for it again at once'],
      [asksAsBefore(pace), 'asks as often as before'],
      [pace.kind === 'hot' || pace.asksOthers === true, 'asks for each feed alone, too often or for ever'],
      [true, 'gives up what it should only put off or waits for it for ever'],
      [pace.gap === undefined || isLast(pace), 'never asks for it again'],
    ],
  )

/** The mistakes in an outage, of all endpoints or of some. */
export function outageOf(
  endpoints: readonly string[] | undefined,
  hasEnd: boolean,
  pace: Pace,
  hasPause = false,
): string {
  const { elsewhere = Number.POSITIVE_INFINITY } = pace
  const isOfCharts = endpoints?.join() === 'candles'
  const afterwards =
    hasEnd && pace.isOver !== false
      ? ' Or afterwards it does not make up for what it missed, or by values of another time.'
      : ''
  const usual = mistakes(
    'During an outage it',
    [
      [mayCrash(pace), 'crashes'],
      pace.pauses === undefined
        ? [pace.kind !== 'fewer' && !pace.isSlower && !pace.isStopped && !pace.hasPaused, 'asks as often as before']
        : [true, PAUSES[pace.pauses]],
      [pace.isStopped === true, 'stops asking'],
      [pace.isStopped !== true, 'keeps trying without end'],
      [hasPause && elsewhere < PAUSE, 'goes on with other requests during the pause'],
    ],
    [[true, 'does not report it, reports it only once or each time anew, or reports another trouble']],
    [
      [true, 'goes on as if nothing had failed, takes an error for an answer'],
      [pace.gap !== Number.POSITIVE_INFINITY, 'does again what was done before'],
      [hasEnd, 'takes it as over too soon'],
      [true, 'counts replies instead of seconds, adds up times or failures that do not belong together'],
      [isOfCharts && pace.hadCandles !== false, 'goes on with its last candles, which are too old or unfinished'],
      [!isOfCharts && pace.hadPrice !== false, 'goes on with the last prices, drops them or limits their age wrongly'],
      [true, 'stops other work'],
    ],
  )
  return {
    hot: 'During an outage it asks too often: without a pause, or with one that does not grow.',
    silent:
      'In an outage it stops asking, or asks too rarely: it waits without an upper limit, or never resets a counter.',
    usual: usual + afterwards,
  }[kindInTrouble(pace)]
}

/** Seconds of the pause that a 429 or 503 asks for. */
const PAUSE = 5

/** Seconds after which a request that failed should be repeated, however seldom it is sent. */
const PATIENCE = 10

/** Whether it asks several endpoints, so that a pause of one can delay others. */
export const hasOthers = ({ endpoints }: Pace): boolean => endpoints?.length !== 1

/** The mistakes about single requests that fail, perhaps with a pause that the service asks for, and again after good ones. */
export function failedRequestOf(hasPause: boolean, fault: HuntFault, pace: Pace): string {
  const { gap, elsewhere = Number.POSITIVE_INFINITY, since = 0, interval = 0 } = pace
  const isRepeated = gap !== undefined && !isLast(pace)
  const isCounted = !isLast(pace) && (Object(fault.requests).every !== undefined || pace.pauses === 'longer')
  const pause = hasPause ? PAUSE : 0
  // Of an endpoint that is asked once nothing is usual.
  const soon = hasPause || interval === Number.POSITIVE_INFINITY ? pause : interval / 2
  const isTooSoon = mayAskWithin(soon, hasPause ? pace.soonest : gap, pace)
  const repeats = isLast(pace) ? 'is about to repeat it' : 'repeats it'
  return {
    hot: 'It sends a failed request again and again, without a pause.',
    silent: 'It gives up after a failed request, or waits without an upper limit.',
    usual: mistakes(
      'When a request fails, it',
      [
        [mayCrash(pace), 'crashes'],
        [gap === undefined, 'repeats it too late or too soon'],
        [pace.isStopped === true, 'stops asking'],
        [isLast(pace) && since > pause + Math.min(2 * interval, PATIENCE), 'never repeats it'],
        [isTooSoon, `${repeats} ${hasPause ? 'before the pause is over' : 'too soon'}`],
        [isRepeated && gap > pause + 2 * interval && !isTooSoon, 'repeats it too late'],
        [isCounted, 'does not reset its count of failures after a success'],
        [hasPause && elsewhere < PAUSE, 'goes on with other requests during the pause or misreads its length'],
        [hasPause && elsewhere >= PAUSE && hasOthers(pace), 'delays other requests that need no wait'],
      ],
      [
        [gap !== undefined, 'goes on as if it had not failed'],
        [isRepeated, 'does again what was done before, does what comes next too late or by values of another time'],
        [
          isRepeated && !isShort(pace),
          'does other work too early or too late, lacks a limit, or counts time or failures that should not count',
        ],
        [true, 'takes an error for an answer or a missing value for 0'],
        [fault.endpoints?.join() === 'candles', 'computes with the candles that it has as if none were missing'],
        [true, 'drops what it has though it is still good, goes on with what is too old'],
        [
          !isLast(pace) || !isSoon(elsewhere, pace) || isShort(pace),
          'stops other work or gives up what it should only put off',
        ],
      ],
      [
        [true, 'does not report it or reports another trouble'],
        [isRepeated, 'still reports it afterwards or takes it as over too soon'],
      ],
    ),
  }[kindInTrouble(pace)]
}

/** The mistake about a `Retry-After` that is no number, by when the next request came. */
export function otherPauseOf(isDate: boolean, pace: Pace): string {
  const again =
    pace.gap === undefined
      ? 'sends the request again and again, or never'
      : isLast(pace) && !isShort(pace)
        ? 'never sends the request again'
        : 'waits as if there were none, or not at all'
  return isDate ? `It does not understand the date: it ${again}.` : `It ${again}.`
}

/** Seconds of a pause in which prices get too old. */
const LONG_PAUSE = 30

/** The mistake about a pause that the service asks for, by when the next requests came. */
export function pauseOf(asked: string, pace: Pace): string {
  const { gap, soonest = gap!, elsewhere = Number.POSITIVE_INFINITY, since = 0, interval = 0, hadPrice } = pace
  if (gap === undefined) return 'It waits too long, too short, in the wrong unit, or delays requests that need no wait.'
  const pause = secondsOf(asked)
  const short =
    'It waits for less time than asked: it cuts the wait short, reads it in the wrong unit, or lets a shorter one replace it.'
  if (gap < pause) return short
  return [
    ...(soonest < pause || mayAskWithin(Math.min(pause, 2 * interval), soonest, pace) ? [short] : []),
    // It had the time to ask again.
    ...(since > Math.min(pause, interval) ? ['It waits too long: without an upper limit or in the wrong unit.'] : []),
    ...(elsewhere < pause ? ['It goes on with other requests during the pause.'] : []),
    ...(elsewhere >= pause && hasOthers(pace) ? ['It delays other requests that need no wait.'] : []),
    ...(pause >= LONG_PAUSE && hadPrice !== false ? ['It goes on with prices that get too old meanwhile.'] : []),
  ].join(' Or: ')
}

/** A guard against bad prices that never lets a move pass: that takes a while. */
export const heldOf = (pace: Pace): string =>
  isShort(pace) ? '' : ' Or it takes a real move for a bad price and never accepts it.'

/** The mistakes that a move of the market shows, of all feeds or of those that it takes. */
export function movesOf(pace: Pace, feeds: readonly string[] = []): string {
  const { endpoints, kind, isOfSeveral, hadPrice, since = Number.POSITIVE_INFINITY, interval = 0 } = pace
  if (feeds.length > 1)
    return 'When several prices cross a limit at once, it does too much, does it in the wrong order, or the first one stops the others.'
  const hasRanges = endpoints === undefined || endpoints.some(one => one === 'history' || one === 'candles')
  const ranges = hasRanges ? ', mixes up high, low and latest' : ''
  const again = kind === 'hot' ? ' tries again with other values or as something new,' : ''
  const [some, shared] = isOfSeveral === false ? ['', ''] : [' or for some feeds', ', shares it between feeds']
  // Before the first one there was nothing to compare it with.
  const another = `compares with a price of another time${isOfSeveral === false ? '' : ' or feed'}`
  const other = hadPrice === false ? 'does not expect prices of this magnitude' : another
  const main = `A mistake in code that runs only when prices move: it${again} checks a limit in one direction${some} only or in the wrong place, has no limit or one of the wrong size or unit${ranges}, or ${other}.`
  // A run that ends with the first such price shows none that follow.
  const isFirst = since < interval
  const second = isFirst ? '' : ' or on any second one, acts too late or never'
  const acts = `Or it acts on the first price beyond a limit${second}, or does too much at once, for other feeds, with another time or in the wrong order.`
  const states = isFirst
    ? 'never enters a state, does so without a word, or does what that state forbids'
    : `never enters or leaves a state, enters it twice or only once, does not report it, or reports it again and again. Or it does what the state forbids${shared}, keeps its data afterwards, loses older data, or never does what was due meanwhile`
  return `${main} ${acts} Or it ${states}.`
}
