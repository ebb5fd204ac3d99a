// A find in words: a name, a title, a reason and a question, from the descriptions of its faults.
import { withoutStop } from '../errors.js'
import { canActOn, stageOf } from '../faults/fault.js'
import { FAULTS } from '../faults/index.js'
import { keysAt, read } from '../settings/schema.js'
import { secondsOf } from '../settings/time.js'
import { CRASH, familyOf, LATE, lastLinesOf, OF_A_PRICE, placeOf } from './causes.js'
import { FAULT_TEXTS } from './fault-texts.js'
import {
  asksAsBefore,
  failedRequestOf,
  hasOthers,
  heldOf,
  isShort,
  isSoonAgain,
  lostFeedOf,
  mayCrash,
  movesOf,
  otherPauseOf,
  outageOf,
  PAUSES,
  type Pace,
  paceAt,
  pauseOf,
  refusedKeyOf,
  unusableOf,
} from './pace.js'
import { knownFeeds } from './profile.js'
import type { HuntFault, HuntScenario } from './types.js'

const MAX = { title: 200, why: 2000, question: 1000, /** Faults whose mistakes are told. */ faults: 3 }

/** A text of at most so many characters. */
export const limited = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text)
/** The sentences of a description, each in its parts. */
const sentencesOf = (text: string): string[][] =>
  (text.match(/.+?[.](?= |$)/g) ?? []).map(sentence => sentence.trim().split('; '))
const toSentence = (parts: readonly string[]): string => `${withoutStop(parts.join('; '))}.`

/** Whether a part of a sentence is about one of some options. */
const isAbout = (part: string, options: readonly string[]): boolean =>
  options.some(name => part.includes(`\`${name}\``))

/** The first sentence of a description, up to a part about an option that is not set. */
function firstOf(text: string, options: HuntFault['options'] = {}): string {
  const [[main = '', ...parts] = []] = sentencesOf(text)
  return toSentence([main, ...parts.filter(part => isAbout(part, Object.keys(options)))])
}

/** The mistakes that a fault finds, without what is said of options that are not set. */
function catchesOf({ fault, options = {} }: HuntFault): string {
  const known = FAULTS.find(({ name }) => name === fault)
  const unset = keysAt(known?.options).filter(name => !(name in options))
  return sentencesOf(FAULT_TEXTS[fault]?.catches ?? '')
    .map(parts => parts.filter(part => !isAbout(part, unset)))
    .filter(parts => parts.length > 0)
    .map(toSentence)
    .join(' ')
}

/** The effect of a fault, and the mistake that it finds, where they are other than in its description. */
interface Texts {
  readonly effect?: string
  readonly catches?: string
}

/** Faults of signatures that change what was signed: of a consumer that leaves that to a contract they show something else. */
const FORGED = /^signature\/(tampered|batch-swapped)/
/** Faults of signatures from which a signer can still be recovered: that of another payload. */
const RECOVERABLE = /^signature\/(tampered|batch-(swapped|reordered)|bit-flip)/

/** Faults of values that nobody should use. */
const BAD_VALUE =
  /^(tick\/(ts|zero|negative|unsafe|wrong)|series\/(?!empty|missing|late)|reply\/(numbers|missing|high-low))/

/** Faults after which a price cannot be used. */
const UNUSABLE = /^(signature\/|tick\/(zero|negative|unsafe|ts-milli))/

/** Whether none of some feeds is a stablecoin. */
const areUnstable = (feeds: readonly string[] = []): boolean =>
  knownFeeds(feeds).length > 0 && knownFeeds(feeds).every(({ class: kind }) => kind !== 'stable')

/** Seconds by which a `ts` that is off is still that of a neighbour, and within which no price gets too old. */
const NEAR = 10
const percentOf = (part: number): string => `${Number((Math.abs(part) * 100).toPrecision(3))} %`

/** A `Retry-After` by its form, other than a number of seconds. */
const RETRY_AFTER: Readonly<Record<string, string>> = {
  date: 'with a `Retry-After` that is an HTTP date',
  zero: 'with a `Retry-After` of 0',
  negative: 'with a `Retry-After` below 0',
  text: 'with a `Retry-After` that is a word',
  none: 'without a `Retry-After`',
}

const NO_AGE =
  'It never looks at `ts` or only on arrival, counts its age from the arrival, or has a limit of the wrong size or unit'
const noAnswerOf = (pace: Pace): string =>
  `It treats a broken connection in another way than an error status: it crashes, does not count or repeat it, ${isSoonAgain(pace) ? 'repeats it at once, ' : ''}does not report it, or waits too long.`

/** The mistakes with prices that stand still. */
const TIES =
  'Two prices that are exactly equal: a tie that counts as a move, a difference of 0 that is divided by, or "no change" taken for "no news".'

/** A field that `reply/missing-field` changes, by its `as`. */
const MISSING: Readonly<Record<string, Required<Texts>>> = {
  nothing: { effect: 'is missing', catches: 'An `undefined` that becomes NaN.' },
  null: { effect: 'is null', catches: 'A `null` that becomes 0.' },
  'null-entry': {
    effect: 'has null as its first entry',
    catches: 'A loop that ends at the entry which is null, so that the others are lost as well.',
  },
  object: { effect: 'is `{}`', catches: 'It loops over a value that is no list.' },
}

/** Whether a fault acts on each request. */
const isOfEach = ({ requests, chance }: { readonly requests?: unknown; readonly chance?: unknown }): boolean =>
  requests === undefined && chance === undefined

/** A fault with all of its options, those that are not set as they are by default. */
type WholeFault = HuntFault & Required<Pick<HuntFault, 'options'>>

/**
 * Texts of faults whose options or times say more than their description does; undefined where they do not. Not beside the faults:
 * pages load those, and need no text.
 */
const SPECIAL: Readonly<Record<string, (fault: WholeFault, pace: Pace) => Texts | undefined>> = {
  'reply/status'(fault, pace) {
    const { options, endpoints, for: length } = fault
    const { status, retryAfter, retryAfterForm, keepBody } = options
    const isEach = isOfEach(fault)
    const told = (how: string, catches?: string): Texts => ({
      effect: `${isEach ? 'Each' : 'The'} answer has the status ${status}${how}.`,
      ...(catches !== undefined && { catches }),
    })
    const hasEnd = !isEach || length !== undefined
    const form = RETRY_AFTER[String(retryAfterForm)]
    if (keepBody)
      return told(
        ', with the body of a good one',
        Number(status) < 300
          ? 'It takes each 2xx, or each body with a price, for a good reply.'
          : 'It reads the body before it looks at the status, and takes the price of a failed request.',
      )
    if (form !== undefined) return told(`, ${form}`, otherPauseOf(retryAfterForm === 'date', pace))
    if (status === 200)
      return told(
        ' and the body of an error',
        'An error that only its body tells: it is taken for a price, or also stops other work.',
      )
    if (Number(status) < 400)
      return told(
        ' and no price',
        'A status that is neither good nor an error: it counts as good, its body is parsed, the request never counts as failed, or it makes an old price young again.',
      )
    if (status === 401 || status === 403) return told(': the key is refused', refusedKeyOf(hasEnd, pace))
    if (status === 404)
      return told(
        ': the feeds are unknown',
        'It sends a request again that cannot succeed, does not report it, or one unknown feed stops the others.',
      )
    if (retryAfter !== undefined)
      return told(`, with \`Retry-After\` of ${retryAfter}`, pauseOf(String(retryAfter), pace))
    // The fault gives these two the header without being asked.
    const hasPause = status === 429 || status === 503
    return told(
      hasPause ? ', with `Retry-After` of 5s' : '',
      isEach ? outageOf(endpoints, hasEnd, pace, hasPause) : failedRequestOf(hasPause, fault, pace),
    )
  },
  'reply/malformed-json': (_, pace) => ({
    effect: 'The body ends in the middle of its JSON.',
    catches: `${mayCrash(pace) ? 'A `JSON.parse` outside of any `try`. Or: ' : ''}${unusableOf(pace)}`,
  }),
  'wire/refused': (_, pace) => ({ catches: noAnswerOf(pace) }),
  'wire/reset': (_, pace) => ({ catches: noAnswerOf(pace) }),
  'wire/truncate': (_, pace) => ({ catches: `It treats a part of a body as complete. Or: ${noAnswerOf(pace)}` }),
  'wire/timeout': () => ({ catches: 'A timeout that is missing, too long or unhandled; or a delay moves a schedule.' }),
  'market/stale'({ options: { age, price }, from }, pace) {
    const { kind, endpoints = [], asksOthers, since } = pace
    const chart =
      endpoints.includes('candles') && endpoints.length > 1 ? ' Or its chart ends before its newest price.' : ''
    const older = age === undefined ? 'counts one tick as several' : 'lets it replace a newer one'
    const isSeldom = (kind === 'silent' || kind === 'fewer') && !isShort(pace)
    const catches = isSeldom
      ? 'When a price is old, it asks for a new one less and less often, or not at all.'
      : asksOthers === true
        ? `It sees that a price is old and asks another endpoint, but ${age === undefined ? 'counts one tick as several' : 'does not check that one, has already taken the old price, or refuses it where it should show it as old'}.`
        : age === undefined && since !== undefined && since < NEAR
          ? 'It counts one tick as several, or its age from the arrival.'
          : `${NO_AGE}, and trades at an old price${age !== undefined && from === undefined ? '' : `, or ${older}`}. Or it never says that a price is old, says so each time anew, or goes on when too few are fresh.`
    return {
      effect:
        age === undefined
          ? 'No new ticks come: the last one is served again and again.'
          : price === 'last'
            ? `The last price stays, with a \`ts\` of ${age} ago.`
            : `Each price is that of ${age} ago, with its \`ts\`.`,
      catches: catches + chart,
    }
  },
  'market/flatline': () => ({ catches: `${FAULT_TEXTS['market/flatline']!.catches} Or: ${TIES}` }),
  'market/price': ({ options: { price, over } }) => ({
    ...(over === undefined && { effect: `Every tick has the price ${price}, rounded to its step.` }),
    catches: `${FAULT_TEXTS['market/price']!.catches} Or: ${TIES} Or: A price of another magnitude: digits that are lost, or a limit in dollars.`,
  }),
  'market/gap': (_, pace) => ({
    effect: 'The feed is unknown: it has no price, not even a stale one.',
    catches: lostFeedOf(pace),
  }),
  'market/shock': ({ options: { change, over }, for: length, feeds }, pace) => ({
    effect: [
      `Prices ${Number(change) < 0 ? 'fall' : 'rise'} by ${percentOf(Number(change))}`,
      over === undefined ? ' at once' : ` over ${over}`,
      length === undefined ? ', and move on from there.' : `, and return after ${length}.`,
    ].join(''),
    catches: `${movesOf(pace, feeds)}${length === undefined && (feeds?.length ?? 0) < 2 ? heldOf(pace) : ''}`,
  }),
  'market/depeg': ({ options: { to }, feeds }, pace) => ({
    effect: `Prices go in a straight line to ${percentOf(Number(to))} of themselves, and stay there.`,
    catches: `${areUnstable(feeds) ? '' : 'It takes a stablecoin for one dollar. Or: '}${movesOf(pace)}`,
  }),
  'market/crash': ({ options: { depth } }, pace) => ({
    effect: `Prices ${Number(depth) < 0 ? 'rise' : 'fall'} by ${percentOf(Number(depth))}, faster and faster, and come back in part.`,
    catches: movesOf(pace) + heldOf(pace),
  }),
  'market/drift': ({ options: { change, per } }, pace) => ({
    effect: `Prices move by ${percentOf(Number(change))} ${Number(change) < 0 ? 'down' : 'up'} in each ${per}, in a straight line.`,
    catches: `A limit or an alert that misses a slow move. Or: ${movesOf(pace)}${heldOf(pace)}`,
  }),
  'market/bad-tick': ({ options: { factor, hold }, feeds }, pace) => ({
    effect: `One tick is ${factor} times the price${hold === undefined ? '' : `, and is repeated for ${hold}`}.`,
    catches: [
      (feeds?.length ?? 0) > 1
        ? ''
        : hold === undefined
          ? `It acts on a single wrong price${isShort(pace) ? '' : ', or keeps it: in an average, a limit, a highest or lowest value, or as the price that it compares later ones with. Or it refuses good prices or work because of it'}.`
          : 'It believes a wrong price as soon as a second tick repeats it.',
      movesOf(pace, feeds),
    ]
      .filter(text => text !== '')
      .join(' Or: '),
  }),
  'market/closed': () => ({
    effect: 'The market is closed: no ticks, and the last one stays.',
    catches:
      'It takes a closed market for an outage, its last price or its history for a fresh one, or expects ticks at the weekend.',
  }),
  'reply/redirect': (_, pace) => ({
    catches: `It sends its key to any address that it is told, or takes prices of another origin for those of the service. Or: ${unusableOf(pace)}`,
  }),
  'tick/ts-backwards': ({ requests }) => ({
    effect: `${requests === undefined ? 'Every second answer' : 'The answer'} holds an older tick, as from a replica that lags behind.`,
    catches: 'It overwrites a newer price with an older one, or does not check how old a price is.',
  }),
  'tick/ts-milliseconds': () => ({
    catches:
      'A price from the future: its age is below 0, so a check for "too old" lets it pass. Or it divides such a time by 1000, and goes on.',
  }),
  'tick/missing-feed': ({ feeds }, { isOfSeveral }) => ({
    effect: `${feeds?.join(', ') ?? 'The last feed of several'} is left out of the answer.`,
    catches:
      isOfSeveral === false
        ? 'Nothing is left of the answer, so its status is 404: it takes the feed for one that does not exist, goes on with its last price, or never asks for it again.'
        : 'It matches the prices of a batch to its request by position, refuses the whole reply, goes on with the last price of the feed or renews its age, or counts it as 0.',
  }),
  'tick/extra-feed': () => ({
    effect: 'A feed that was not asked for comes first.',
    catches: 'It matches prices to its request by position, adds up whatever comes, or refuses the whole reply.',
  }),
  'signature/other-feed': (_, { hadPrice }) => ({
    effect: 'The answer holds the price of another feed, validly signed.',
    catches: `It verifies the signature, but not the feed. Or it goes by the place or the number of the prices in a reply, not by their feeds, relies on getting each feed that it asked for, or does not notice that one is missing${hadPrice === false ? '' : ' and takes its last price for a new one'}.`,
  }),
  'reply/numbers-as-strings': ({ options: { field } }, pace) => ({
    effect: field === undefined ? 'Every number is sent as a string.' : `\`${field}\` is sent as a string.`,
    catches: `A text is taken for a number: it is converted without being asked, compared as a text, or \`${field ?? 'ts'} + 60\` appends its digits. Or: ${unusableOf(pace)}`,
  }),
  'reply/html-error-page': ({ options: { status } }) => ({
    effect: `A proxy's HTML page comes in place of JSON, with the status ${status}.`,
    ...(status === 200 && { catches: 'It takes each 200 for JSON, or for a success.' }),
    ...(status === 429 && {
      catches:
        'A refusal without `Retry-After` after which it asks again at once, or it parses the body before it looks at the status.',
    }),
  }),
  'reply/empty-body': ({ options: { body } }, pace) =>
    body === ''
      ? undefined
      : {
          effect: `The body is \`${body}\`, with the status of a good one.`,
          catches: `It reads a field of \`${body}\`. Or: ${unusableOf(pace)}`,
        },
  'reply/latency': ({ options: { ms, jitterMs } }) => ({
    effect: `The answer is late by ${ms} ms${jitterMs === 0 ? '' : ` and up to ${jitterMs} ms more`}.`,
    catches: `${withoutStop(FAULT_TEXTS['reply/latency']!.catches)}, prices of two requests that are taken for those of one time, or an age that is counted from the arrival.`,
  }),
  'reply/missing-field': ({ options: { field, as } }, pace) => {
    const { effect, catches } = MISSING[String(as)]!
    // No comparison with NaN is true, so it is never too old.
    const own = field === 'ts' && as === 'nothing' ? 'An age of NaN, which no limit refuses.' : catches
    return { effect: `\`${field}\` ${effect}.`, catches: as === 'null-entry' ? own : `${own} Or: ${unusableOf(pace)}` }
  },
  'series/null-values': ({ options: { every, fields, as } }) => ({
    effect: `${every === 1 ? 'All' : 'Some'} candles have ${as === 'zero' ? 0 : 'null'} as their ${[fields].flat().join(', ')}.`,
    catches:
      as === 'zero'
        ? 'A division by a price of a candle, or a zero that is taken for the lowest price.'
        : 'A chart that throws "value is null" and stays empty, or a null that is computed with as 0.',
  }),
  'tick/ts-skew': ({ options: { seconds } }) => ({
    effect: `\`ts\` is ${Math.abs(Number(seconds))}s ${Number(seconds) < 0 ? 'behind' : 'ahead'}; the signature is valid.`,
    ...(Math.abs(Number(seconds)) <= NEAR
      ? { catches: 'Two prices with one `ts`, or an order of prices by their `ts` alone.' }
      : Number(seconds) < 0 && { catches: `${NO_AGE}.` }),
  }),
  'series/missing': ({ options: { every } }) =>
    every === 1 ? { effect: 'All candles are left out.', catches: FAULT_TEXTS['series/empty']!.catches } : undefined,
  'series/time-skew': ({ options: { every, seconds } }) => ({
    effect: `${every === 1 ? 'All' : 'Some'} candles begin ${Math.abs(Number(seconds))}s ${Number(seconds) < 0 ? 'early' : 'late'}.`,
    catches:
      'A bar between two others or in the future, a candle that is looked up by its place, or a newest one that nobody finds old.',
  }),
}

/** Whether a fault makes prices old, and nothing else. */
const isOld = ({ fault, options }: HuntFault): boolean =>
  fault === 'market/stale' || (fault === 'tick/ts-skew' && Number(options?.seconds) < 0)

/** That of a run that nobody looked at. */
const UNKNOWN_PACE: Pace = { kind: 'usual', goesOn: false }

/** The texts of a fault in a scenario, by how a consumer asked under it. */
function textsOf(fault: HuntFault, pace = UNKNOWN_PACE, loop?: string, isOfOneKind = false): Required<Texts> {
  const known = FAULTS.find(({ name }) => name === fault.fault)
  const defaults = known && (read(known.options, {}).value as HuntFault['options'])
  const whole = { ...fault, options: { ...defaults, ...fault.options } }
  const special = SPECIAL[fault.fault]?.(whole, paceAt(fault.endpoints, pace))
  const catches = special?.catches ?? catchesOf(fault)
  const effect = special?.effect ?? firstOf(FAULT_TEXTS[fault.fault]?.effect ?? '', fault.options)
  const { only, every } = fault.options ?? {}
  const half = only === 'high' || only === 'low' ? only : undefined
  const isOfRequests = known !== undefined && !/market|series/.test(stageOf(known))
  const places = (pace.endpoints ?? []).filter(endpoint => isOfRequests && canActOn(known, endpoint))
  const isOfOrdinals = typeof fault.requests === 'string'
  // A request for one feed may end well while another is closed.
  const hasOpened = fault.fault === 'market/closed' && pace.isOfSeveral === true && pace.endsWell === true
  // A single endpoint, and a fault without an end, were tried. The next loop is an end as well.
  const hasEnd = hasOpened || fault.for !== undefined || (loop !== undefined && fault.from !== undefined)
  const takesAnEnd = hasEnd && !isOfOneKind && fault.repeat === undefined && fault.requests === undefined
  const takesSeveral = fault.endpoints === undefined && places.length > 1 && !isOfOrdinals && !takesAnEnd
  const isOfPrices = known !== undefined && /tick|signature/.test(stageOf(known))
  const isOfReply = known !== undefined && /tick|signature|series/.test(stageOf(known))
  const isOfSecond = fault.endpoints?.some(endpoint => pace.endpoints?.includes(endpoint)) === false
  // From the start on it passes.
  const takesEarlier = isOfPrices && fault.from !== undefined && !hasEnd && pace.endpoints !== undefined
  const isEach = isOfEach(fault)
  const isRefused = UNUSABLE.test(fault.fault) && isEach && fault.for === undefined && !isShort(pace)
  /** Whether its text tells the pauses, or there are none, since no request fails by it. */
  const leavesPausesOut = /^reply\/(status|latency)/.test(fault.fault) || familyOf(fault) === 'move'
  const isAway = isEach && /^wire\/(timeout|refused|reset)$/.test(fault.fault)
  const isRefusable = OF_A_PRICE.test(fault.fault) && pace.endpoints !== undefined
  const { since = Number.POSITIVE_INFINITY, interval = 0 } = pace
  /** The run ended with the reply, or before the next one. */
  const [isAtOnce, isOnce] = [since < 1, since < interval]
  const asksElse = pace.asksOthers === true || (hasOthers(pace) && !isShort(pace))
  const isBesideOthers = isRefusable && fault.feeds?.length === 1 && pace.isOfSeveral === true
  const mistakes = [
    takesSeveral &&
      'It fails in this way only when several endpoints have this fault: one may stand in for another, their failures count together, or it checks one of them only. Or:',
    isOfPrices &&
      pace.asksOthers === true &&
      isOfSecond &&
      'It checks less at an endpoint that it asks only in trouble. Or:',
    takesAnEnd && (pace.isOver === true || hasOpened)
      ? 'It fails only after the fault has ended: it does not leave a state, leaves it without a word or enters it twice, loses something from before or mixes it with the new, counts time that should not count, lacks a limit or check on the way back, or makes up wrongly for what it missed or gave up, for example with values of another time.' +
        (familyOf(fault) === 'move' ? ` Or: ${catches}` : '')
      : catches,
    half !== undefined && `Or one that looks at the ${half === 'high' ? 'low' : 'high'} alone.`,
    BAD_VALUE.test(fault.fault) &&
      `Or it uses or corrects a value that it should refuse: a limit is missing${isOnce ? ' or' : ','} works in one direction only${isOnce ? '' : ', or lapses'}.`,
    RECOVERABLE.test(fault.fault) && 'Or it recovers a signer, but accepts any.',
    FORGED.test(fault.fault) &&
      'Or, if it deliberately does not verify: it acts on a wrong value, keeps it, or compares later ones with it.',
    fault.fault === 'series/duplicate' && 'Or it counts a candle twice.',
    fault.fault === 'series/late-revision' &&
      'Or it does not compare it with other prices, has a limit of the wrong size for that, or forgets what it has seen.',
    /expo$/.test(fault.fault) &&
      'Or it assumes one exponent, takes that of another price, does not expect this one, or loses digits.',
    isOfReply && isSoonAgain(pace) && 'Or it refuses the reply, and asks again too soon.',
    isAway
      ? `Or: ${outageOf(fault.endpoints, hasEnd, pace)}`
      : !leavesPausesOut && pace.pauses !== undefined && `Or it ${PAUSES[pace.pauses]}.`,
    takesEarlier && 'Or it keeps something of an earlier price or of another feed, such as its exponent or its time.',
    isOfPrices &&
      pace.hitsOthers === true &&
      !isOfSecond &&
      'Or it refuses this at one endpoint and asks another one instead, but does not check it there.',
    isRefusable &&
      fault.fault.startsWith('signature/') &&
      (isBesideOthers || pace.hadPrice === true) &&
      `Or it verifies ${pace.hadPrice === true ? 'some prices only: the first ones, or' : 'only'} a part of a reply.`,
    isBesideOthers &&
      pace.hadPrice !== false &&
      `Or it puts the old price of one feed together with newer ones${isOld(fault) ? ', or calls all of them fresh because some are' : ''}.`,
    isRefusable &&
      `Or, if it rightly refused the price: it ${isRefused ? 'counts replies, not prices, and so does not notice that prices are missing, ' : ''}fills the gap with a wrong value or a substitute, ${pace.hadPrice === false || isAtOnce ? '' : 'goes on with the last one for too long, '}also drops good prices${pace.hadPrice === false ? '' : ' or the last one it had'}, counts the reply as a success, ${asksElse ? `asks ${pace.asksOthers === true ? '' : 'no other source or '}for every feed again, ` : ''}${asksAsBefore(pace) && !isShort(pace) ? 'keeps asking without end, ' : ''}or stops, drops or reports other work.`,
    /^series/.test(fault.fault) &&
      'Or, if it rightly refused or missed candles: it makes up, keeps, overwrites, misorders or drops others, takes one for another, computes as if none were missing, or does not say that some are.',
  ]
  const ofAll = every === 1 ? effect.replace(/^Some candles/, 'All candles') : effect
  return {
    effect: half === undefined ? ofAll : `${ofAll} Only the ${half} of a history.`,
    catches: mistakes.filter(text => text !== false).join(' '),
  }
}

const KEEPS =
  'It keeps something of the first one until the second: a count, a state or a price that what came between should have ended.'
const ANOTHER_TIME = 'Another time'
const IN_2038 = 'It keeps seconds in 32 bits, or fails at the prices of that time.'
const AT_A_TIME = 'It fails at the turn of a day, a month or a year, at a weekend, or at the prices of that time.'

/** Characters by which alternatives are compared: two faults of a kind may differ in a clause. */
const BEGINNING = 40

/** The alternatives of a reason, and what was seen when it was found. */
export const partsOf = (why: string): string[] => why.split(/(?<=\.) (?=Or\b|In the run that found this)/)

/** The scenario with the title and the reason that tell what was found, by how the consumer asked. */
export function toldScenario(scenario: HuntScenario, output: string, pace?: Pace): HuntScenario {
  const { faults, loop, clock } = scenario
  // Of one kind, the others are what comes before or after.
  const isOfOneKind = faults.length > 1 && new Set(faults.map(({ fault }) => fault)).size === 1
  const end = pace?.end ?? 0
  const isOver = faults.every(one => (one.for ?? loop) !== undefined && end >= secondsOf(one.from) + secondsOf(one.for))
  const isCrash = CRASH.test(output)
  const isOwnError = output !== '' && !isCrash
  const texts = faults.map(fault => textsOf(fault, pace && { ...pace, isOver, isOwnError }, loop, isOfOneKind))
  // A fault that is there several times is told once.
  const effects = [...new Set(texts.map(({ effect }) => effect))]
  const title = effects.join(' Also: ') || ANOTHER_TIME
  // Of several, a market that moves is the background of the others.
  const hasBadTick = effects.length > 1 && faults.some(({ fault }) => fault === 'market/bad-tick')
  const isBackground = faults.map(
    fault =>
      effects.length > 1 && !isOfOneKind && (familyOf(fault) === 'move' || (hasBadTick && familyOf(fault) === 'time')),
  )
  const own = texts.filter((_, i) => !isBackground[i] || (effects.length === 2 && !hasBadTick)).slice(0, MAX.faults)
  const together =
    effects.length < 2
      ? []
      : hasBadTick
        ? [
            'It holds back a suspicious price until a second one confirms it, but accepts any second price (another value, the same tick again, or the one from before); or, after a bad price, it never accepts a real move.',
            ...(isOfOneKind ? [KEEPS] : []),
          ]
        : isOfOneKind
          ? [KEEPS]
          : [
              'One fault makes it use a fallback, a second source or a special state, and the mistake is in how it works there.',
            ]
  const crash = isCrash
    ? [
        pace?.endsWell
          ? 'It crashes in its own work, after a good reply.'
          : 'It stops with an error that it does not handle.',
      ]
    : []
  const time = clock?.at === undefined ? [] : [/^2038/.test(String(clock.at)) ? IN_2038 : AT_A_TIME]
  // Said once, though several faults have it in common.
  const parts = [...crash, ...together, ...time, ...own.map(one => one.catches)].flatMap(partsOf)
  const distinct = new Map(parts.map(part => [part.slice(0, BEGINNING), part]))
  const catches = [...distinct.values()]
    .map((part, i) => (i === 0 || /^Or\b/.test(part) ? part : `Or: ${part}`))
    .join(' ')
  const reason = LATE.test(output.trim())
    ? 'A wait without a limit, or with one that is longer than a run may be.'
    : catches || AT_A_TIME
  const lines = lastLinesOf(output)
  // A file is read long after the run.
  const found = [pace?.text, lines && `It ended with: ${lines}`]
    .filter(Boolean)
    .join(' ')
    .replace(/^I/, 'In the run that found this, i')
  const why = [reason, found].join(' ').trim()
  return { ...scenario, title: limited(title, MAX.title), why: limited(why, MAX.why) }
}

/** The question to answer before a find is called a bug: the effects of its faults, each with where and when. */
export function questionOf({ faults, clock, loop }: HuntScenario): string {
  const again = loop === undefined ? [] : [`all again each ${loop}`]
  const planOf = (fault: HuntFault): string => [placeOf(fault), ...again].filter(text => text !== '').join('; ')
  const effects = faults.map(fault => [textsOf(fault).effect, planOf(fault)] as const)
  const at = clock?.at === undefined ? '' : String(clock.at)
  const told = [...effects, ...(at !== '' || faults.length === 0 ? [[ANOTHER_TIME, at] as const] : [])].map(
    ([effect, plan]) => `${withoutStop(effect)}${plan === '' ? '' : ` (${plan})`}.`,
  )
  return `${limited([...new Set(told)].join(' Also: '), MAX.question)} Is this what your consumer should do then?`
}
