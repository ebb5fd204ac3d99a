// The mistakes that a run leaves open, in words, by how the consumer asked: about an outage, a failed request, a refused key, a pause, a
// reply that it cannot use, a feed that goes away, and prices that move.
import { secondsOf } from '../settings/time.js'
import { familyOf } from './causes.js'
import type { Pace } from './pace.js'
import type { HuntFault } from './types.js'

/** The evidence of a run: how the consumer asked, and how it ended. */
export interface Evidence extends Pace {
  /** Whether it ended after the last fault. Undefined for a run that nobody looked at. */
  readonly isOver: boolean | undefined
  /** Whether it ended with an error that no check throws, or with another text, such as that of a check. Undefined without one. */
  readonly isCrash: boolean | undefined
  /** Whether several faults of one kind make the scenario. */
  readonly isOneKind: boolean
  /** Whether the only fault made it ask another endpoint. */
  readonly hasFallback: boolean
  /** Whether its last words name only feeds without a fault, or only some with one. Undefined if they name both or none, or if a fault is of all. */
  readonly isOfOthers: boolean | undefined
}

/** The evidence about endpoints that have a fault. */
export const evidenceAt = (endpoints: readonly string[] | undefined, seen: Evidence): Evidence =>
  endpoints === undefined || seen.endpoint === undefined || endpoints.includes(seen.endpoint)
    ? seen
    : { ...seen, kind: 'usual' }

const NEVER = Number.POSITIVE_INFINITY
/** Times an interval from which on a request came sooner than usual. */
const SOONER = 1.5

/** Whether no request had the fault, or nobody looked at the run. */
const isUnmet = ({ gap }: Pace): boolean => gap === undefined

/** Whether a consumer never asked again after the fault. */
export const isLast = ({ gap }: Pace): boolean => gap === NEVER

/** Whether it asked again after the fault. */
export const isRepeated = (seen: Pace): boolean => !isUnmet(seen) && !isLast(seen)

/** Whether it asked again sooner than usual. */
export const isSoonAgain = ({ gap = NEVER, interval }: Pace): boolean => gap < interval / SOONER

/** Whether it asked again, neither sooner nor later than usual. */
export const asksAsBefore = (seen: Pace): boolean => isRepeated(seen) && !isSoonAgain(seen) && !seen.hasPaused

/** Whether nothing was answered before the fault. */
const isFirst = ({ hadPrice, hadCandles }: Pace): boolean => hadPrice === false && hadCandles === false

/** Whether a run ended after so few requests that nothing lasted. */
export const isShort = ({ since, interval }: Pace): boolean => since < 3 * interval

/** Whether a run ended before the next request after the fault was due. */
export const isOnce = ({ since, interval }: Pace): boolean => since < interval

/** Whether a request came soon after the fault, as without it. */
const isSoon = (seconds: number, interval: number): boolean => seconds <= 2 * Math.min(interval, 60)

/** Whether it may have asked within some seconds: a check that looks at requests fails before they are sent. */
const mayAskWithin = (seconds: number, gap: number, { since, isCut }: Pace): boolean =>
  gap < seconds || (gap === NEVER && isCut && since < seconds)

/** Whether it may have crashed: no request came, and no check failed soon. */
export const mayCrash = (seen: Evidence): boolean => !seen.goesOn && !(seen.isCrash === false && isShort(seen))

/** Whether it asks several endpoints, so that a pause of one can delay others. */
export const hasOthers = ({ endpoints }: Pace): boolean => endpoints?.length !== 1

/** Whether a pause may have held up other requests. */
const mayDelay = (seen: Pace, pause: number): boolean =>
  seen.elsewhere >= pause && hasOthers(seen) && seen.isDelayed !== false

/** How a consumer asks while its requests fail: a wait that grows is as it should be then. */
const kindInTrouble = ({ kind }: Pace): 'hot' | 'silent' | 'usual' => (kind === 'fewer' ? 'usual' : kind)

/** Whether a fault acts on each request. */
export const isOfEach = ({ requests, chance }: HuntFault): boolean => requests === undefined && chance === undefined

/** A mistake, or false where the run rules it out. */
type Mistake = string | false

/** The mistakes that a run leaves open. */
export const openOf = (mistakes: readonly Mistake[]): string[] => mistakes.filter(mistake => mistake !== false)

/** The open mistakes of some kinds, a sentence for each: "It crashes, or asks too soon. Or it stops other work." */
export function mistakes(begin: string, ...kinds: readonly (readonly Mistake[])[]): string {
  return kinds
    .map(openOf)
    .filter(open => open.length > 0)
    .map(open => [open.slice(0, -1).join(', '), open.at(-1)].filter(Boolean).join(', or '))
    .map((list, i) => `${i === 0 ? begin : 'Or it'} ${list}.`)
    .join(' ')
}

/** The mistakes in pauses between failed requests. */
const PAUSES: Readonly<Record<NonNullable<Pace['pauses']>, string>> = {
  shorter: 'makes its pause shorter again before it is over',
  steady: 'has a pause that is too long, or does not grow',
  growing: 'lets its pause grow too fast or too far',
  longer: 'lets its pause grow too late, too fast, too far or not far enough',
}

/** The mistakes about a refused key. */
export function refusedKeyOf(hasEnd: boolean, seen: Evidence): string {
  const { keyed, since, asksCandles, isCut } = seen
  const isQuiet = !isUnmet(seen) && keyed === NEVER
  const isKeyedSoon = isSoon(keyed, seen.interval)
  const isKeyedLate = keyed < NEVER && !isKeyedSoon
  /** Whether the run went on after the next request, or that was late: then it has shown whether the key works. */
  const isAnswered = keyed !== since || !isKeyedSoon
  /** So soon that a check may have failed at the next request with the key, before it was sent. */
  const endsSoon = isQuiet && isCut && isSoon(since, seen.shortest)
  const needsNoKey = seen.endpoints?.includes('candles') !== false && !asksCandles
  const stopsOthers = `also stops ${needsNoKey ? 'requests that need no key' : 'other work'}`
  return {
    hot: 'It uses a refused key again and again.',
    silent: mistakes('After a refused key it', ['stops asking for ever or for too long', stopsOthers]),
    usual: mistakes('It', [
      (isUnmet(seen) || isKeyedSoon) && 'keeps using a refused key',
      endsSoon && 'is about to use a refused key again, or does not ask again in time',
      isKeyedLate && `tries it again too soon${asksCandles ? ', as after a reply that needs no key' : ''}`,
      isQuiet && !endsSoon && 'stops asking for too long',
      seen.hadPrice !== false && !isShort(seen) && 'goes on with prices that get too old',
      `does not report or handle the refusal, ${seen.isAlone ? '' : 'does so only once or again each time, '}reports another trouble`,
      hasEnd && !isLast(seen) && isAnswered && 'still treats or reports the key as refused after it works again',
      stopsOthers,
    ]),
  }[kindInTrouble(seen)]
}

/** The mistakes after a reply that cannot be used. */
export const unusableOf = (seen: Evidence): string =>
  ({
    hot: 'After a reply that it cannot use, it asks again and again.',
    silent: 'After a reply that it cannot use, it stops asking, or asks too rarely.',
    fewer:
      'After a reply that it cannot use, it asks less and less often: other failures make the wait longer, or it has no limit.',
    usual: mistakes('After a reply that it cannot use, it', [
      mayCrash(seen) && 'crashes',
      'goes on as if nothing had failed, or with an earlier reply or one of another feed in its place',
      seen.hadPrice !== false && !seen.endsWell && 'uses its last prices for too long',
      (isUnmet(seen) || isSoonAgain(seen)) && 'asks again too soon',
      asksAsBefore(seen) && 'asks as often as before',
      'does not report it or reports another trouble',
      seen.endsWell && 'takes the trouble as over too soon, does what its state forbids',
      !isShort(seen) && 'keeps trying without end',
      'also stops other work',
    ]),
  })[seen.kind]

/** Faults after which a price cannot be used. */
const UNUSABLE = /^(signature\/|tick\/(zero|negative|unsafe|ts-milli))/

/** The mistakes of a consumer that rightly refused a price. */
export function refusedPriceOf(fault: HuntFault, seen: Evidence): string {
  const isRefused = UNUSABLE.test(fault.fault) && isOfEach(fault) && fault.for === undefined && !isShort(seen)
  const { hadPrice, asksOthers } = seen
  return mistakes('Or, if it rightly refused the price: it', [
    isRefused && 'counts replies, not prices, and so does not notice that prices are missing',
    'fills the gap with a wrong value or a substitute',
    hadPrice !== false && seen.since >= 1 && 'goes on with the last one for too long',
    (seen.isOfOthers !== false || seen.isCorrected) && 'also drops good prices',
    hadPrice !== false && 'drops the last one it had',
    `counts the reply as a success${isOnce(seen) ? '' : ' or as the end of a trouble'}`,
    asksOthers && seen.asksAll && 'asks for every feed again',
    !asksOthers && hasOthers(seen) && !isShort(seen) && 'asks no other source',
    asksAsBefore(seen) && !isShort(seen) && 'keeps asking without end',
    'stops, drops or reports other work',
  ])
}

/** The mistakes about a connection without an answer. */
export const noAnswerOf = (seen: Evidence): string =>
  `It treats a broken connection in another way than an error status: it crashes, does not count or repeat it, ${isSoonAgain(seen) ? 'repeats it at once, ' : ''}does not report it, or waits too long.`

/** The mistakes about a feed that goes away. */
export const lostFeedOf = (seen: Evidence): string =>
  mistakes(
    'When a feed goes away, it',
    [
      'stops the others with it',
      seen.hadPrice !== false && 'goes on with its last price',
      'takes the answer for a good one or does not say so',
      (seen.asksCandles || seen.hadCandles === true) && 'takes a neighbour for a missing candle',
    ],
    [
      (isUnmet(seen) || isSoonAgain(seen)) && 'asks for it again at once',
      asksAsBefore(seen) && 'asks as often as before',
      (seen.kind === 'hot' || seen.asksOthers) && 'asks for each feed alone, too often or for ever',
      'gives up what it should only put off or waits for it for ever',
      !isRepeated(seen) && 'never asks for it again',
    ],
  )

/** The mistakes in an outage, of all endpoints or of some, perhaps with seconds of a pause that the service asks for. */
export function outageOf({ endpoints }: HuntFault, hasEnd: boolean, seen: Evidence, pause = 0): string {
  const isOfCharts = endpoints?.join() === 'candles'
  const isAsUsual = seen.kind !== 'fewer' && !seen.isSlower && !seen.isStopped && !seen.hasPaused
  const usual = mistakes(
    'During an outage it',
    [
      mayCrash(seen) && 'crashes',
      seen.pauses === undefined ? isAsUsual && 'asks as often as before' : PAUSES[seen.pauses],
      seen.isStopped ? 'stops asking' : !seen.endsWell && 'keeps trying without end',
      seen.elsewhere < pause && 'goes on with other requests during the pause',
    ],
    [
      !seen.isOneKind && 'does not report it',
      !seen.isAlone && 'reports it only once, each time anew or again after a restart',
      'reports another trouble',
    ],
    [
      `${seen.hasPaused ? '' : 'goes on as if nothing had failed, '}takes an error for an answer`,
      !isLast(seen) && !isFirst(seen) && 'does again what was done before',
      hasEnd && 'takes it as over too soon',
      'counts replies instead of seconds, mixes times or failures that do not belong together',
      isOfCharts && seen.hadCandles !== false && 'goes on with its last candles, which are too old or unfinished',
      !isOfCharts && seen.hadPrice !== false && 'goes on with the last prices, drops them or limits their age wrongly',
      'stops other work',
    ],
  )
  const afterwards = ' Or afterwards it does not make up for what it missed, or by values of another time.'
  return {
    hot: 'During an outage it asks too often: without a pause, or with one that does not grow.',
    silent: `In an outage it stops asking, or asks too rarely: it waits without an upper limit, or never resets a counter.${seen.hadPrice === false ? '' : ' Or it goes on with the last prices for too long.'}`,
    usual: hasEnd && seen.isOver !== false ? usual + afterwards : usual,
  }[kindInTrouble(seen)]
}

/** The mistakes in the pauses after a fault, unless its own text tells them, or no request fails by it. */
export function pausesOf(fault: HuntFault, seen: Evidence, hasEnd: boolean): Mistake {
  const isAway = /^wire\/(timeout|refused|reset)$/.test(fault.fault) && isOfEach(fault)
  if (isAway) return `Or: ${outageOf(fault, hasEnd, seen)}`
  if (/^reply\/(status|latency)/.test(fault.fault) || familyOf(fault) === 'move') return false
  return seen.pauses !== undefined && `Or it ${PAUSES[seen.pauses]}.`
}

/** Seconds after which a request that failed should be repeated, however seldom it is sent. */
const PATIENCE = 10

/** The mistakes about the time at which a failed request is repeated. */
function repetitionOf({ requests }: HuntFault, seen: Evidence, pause: number): Mistake[] {
  const { gap = NEVER, since, interval, elsewhere } = seen
  const hasPause = pause > 0
  // Of an endpoint that is asked once nothing is usual.
  const soon = hasPause || interval === NEVER ? pause : interval / 2
  const isTooSoon = mayAskWithin(soon, hasPause ? seen.soonest : gap, seen)
  const isEvery = typeof requests === 'object' && 'every' in requests
  return [
    isUnmet(seen) && 'repeats it too late or too soon',
    seen.isStopped && 'stops asking',
    isLast(seen) && since > pause + Math.min(2 * interval, PATIENCE) && 'never repeats it',
    isTooSoon &&
      `${isLast(seen) ? 'is about to repeat it' : 'repeats it'} ${hasPause ? 'before the pause is over' : 'too soon'}`,
    isRepeated(seen) && gap > pause + 2 * interval && !isTooSoon && 'repeats it too late',
    !isLast(seen) &&
      (isEvery || seen.pauses === 'longer' || seen.pauses === 'growing') &&
      'does not reset its count of failures after a success',
    elsewhere < pause && 'goes on with other requests during the pause or misreads its length',
    hasPause && mayDelay(seen, pause) && 'delays other requests that need no wait',
  ]
}

/** The mistakes about single requests that fail and again after good ones, perhaps with seconds of a pause that the service asks for. */
export function failedRequestOf(fault: HuntFault, seen: Evidence, pause: number): string {
  const isAgain = isRepeated(seen)
  const isOfCharts = fault.endpoints?.join() === 'candles'
  /** Whether it showed that it took the only failure for one. */
  const isNoticed = seen.hasPaused || (seen.isAlone && isSoonAgain(seen))
  const hadReply = isOfCharts ? seen.hadCandles !== false : seen.hadPrice !== false
  return {
    hot: 'It sends a failed request again and again, without a pause.',
    silent: 'It gives up after a failed request, or waits without an upper limit.',
    usual: mistakes(
      'When a request fails, it',
      [mayCrash(seen) && 'crashes', ...repetitionOf(fault, seen, pause)],
      [
        !isUnmet(seen) && !isNoticed && 'goes on as if it had not failed',
        !isUnmet(seen) && !isNoticed && hadReply && 'takes an earlier reply in its place',
        isAgain && !isFirst(seen) && 'does again what was done before',
        isAgain && 'shifts its schedule, does what comes next too late or by values of another time',
        isAgain &&
          !isShort(seen) &&
          'does other work too early or too late, lacks a limit, or counts time or failures that should not count',
        !(isNoticed && seen.isAlone) && 'takes an error for an answer or a missing value for 0',
        isOfCharts && 'computes with the candles that it has as if none were missing',
        hadReply && 'drops what it has though it is still good, goes on with what is too old',
        seen.isCorrected && 'keeps what it computed without the reply when that comes later',
        (!isLast(seen) || !isSoon(seen.elsewhere, seen.interval) || isShort(seen)) &&
          'stops other work or gives up what it should only put off',
      ],
      [
        'does not report it or reports another trouble',
        isAgain && 'still reports it afterwards or takes it as over too soon',
      ],
    ),
  }[kindInTrouble(seen)]
}

/** The mistake about a `Retry-After` that is no number, by when the next request came. */
export function otherPauseOf(isDate: boolean, seen: Evidence): string {
  const begin = isDate ? 'It does not understand the date: it' : 'It'
  if (isUnmet(seen)) return `${begin} sends the request again and again, or never.`
  if (isLast(seen) && !isShort(seen)) return `${begin} never sends the request again.`
  return `${begin} waits as if there were none, or not at all.`
}

/** Seconds of a pause in which prices get too old. */
const LONG_PAUSE = 30
const TOO_SHORT =
  'It waits for less time than asked: it cuts the wait short, reads it in the wrong unit, forgets it in a restart, or lets a shorter one replace it.'

/** The mistakes about a pause that the service asks for, by when the next requests came. */
export function pauseOf(asked: string, seen: Evidence): string {
  const { gap, soonest, elsewhere, since, interval } = seen
  if (gap === undefined) return 'It waits too long, too short, in the wrong unit, or delays requests that need no wait.'
  const pause = secondsOf(asked)
  if (gap < pause) return TOO_SHORT
  return openOf([
    (soonest < pause || mayAskWithin(Math.min(pause, 2 * interval), soonest, seen)) && TOO_SHORT,
    // It had the time to ask again: all of a pause, or a minute of a long one.
    since > Math.min(pause, Math.max(60, 2 * interval)) &&
      'It waits too long: without an upper limit or in the wrong unit.',
    elsewhere < pause && 'It goes on with other requests during the pause.',
    mayDelay(seen, pause) && 'It delays other requests that need no wait.',
    pause >= LONG_PAUSE && seen.hadPrice !== false && 'It goes on with prices that get too old meanwhile.',
  ]).join(' Or: ')
}

/** A guard against bad prices that never lets a move pass: that takes a while. */
export const heldOf = (seen: Evidence): string =>
  isShort(seen) ? '' : ' Or it takes a real move for a bad price and never accepts it.'

/** The mistakes that a move of the market shows, of all feeds or of those that it takes. */
export function movesOf(seen: Evidence, feeds: readonly string[] = []): string {
  if (feeds.length > 1)
    return 'When several prices cross a limit at once, it does too much, does it in the wrong order, or the first one stops the others.'
  const { endpoints, kind, isOfSeveral, hadPrice } = seen
  const hasRanges = endpoints === undefined || endpoints.some(one => one === 'history' || one === 'candles')
  const ranges = hasRanges ? ', mixes up high, low and latest or keeps old ones' : ''
  const again = kind === 'hot' ? ' tries again with other values or as something new,' : ''
  const [some, shared, feed] =
    isOfSeveral === false ? ['', '', ''] : [' or for some feeds', ', shares it between feeds', ' or feed']
  // Before the first one there was nothing to compare it with.
  const other =
    hadPrice === false ? 'does not expect prices of this magnitude' : `compares with a price of another time${feed}`
  const sources = hasOthers(seen) ? ', acts though another source contradicts' : ''
  const main = `A mistake in code that runs only when prices move: it${again} checks a limit in one direction${some} only or in the wrong place, has no limit or one of the wrong size or unit${sources}, writes a price of more or fewer digits wrongly${ranges}, or ${other}.`
  // A run that ends with the first such price shows none that follow.
  const endsOnce = isOnce(seen)
  const second = endsOnce ? '' : ' or on any second one, acts too late or never'
  const acts = `Or it acts on the first price beyond a limit${second}, or does too much at once, twice, for other feeds, with another time or in the wrong order.`
  const states = endsOnce
    ? 'never enters a state, does so without a word, or does what that state forbids'
    : `never enters or leaves a state, enters it twice or only once, does not report it, or reports it again and again. Or it does what the state forbids${shared}, keeps its data afterwards, loses older data, or never does what was due meanwhile`
  return `${main} ${acts} Or it ${states}.`
}
