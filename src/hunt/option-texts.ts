// The effects of faults, and the mistakes that they find, where their options or times say more than their description does. Not beside
// the faults: pages load those, and need no text.
import { withoutStop } from '../errors.js'
import { secondsOf } from '../settings/time.js'
import { FAULT_TEXTS } from './fault-texts.js'
import {
  asksAsBefore,
  type Evidence,
  failedRequestOf,
  hasOthers,
  heldOf,
  isLast,
  isOfEach,
  isOnce,
  isShort,
  lostFeedOf,
  mayCrash,
  mistakes,
  movesOf,
  noAnswerOf,
  otherPauseOf,
  outageOf,
  pauseOf,
  refusedKeyOf,
  unusableOf,
} from './mistakes.js'
import { knownFeeds } from './profile.js'
import type { HuntFault } from './types.js'

/** The effect of a fault, and the mistake that it finds, where they are other than in its description. */
export interface Texts {
  readonly effect?: string
  readonly catches?: string
}

/** A fault with all of its options, those that are not set as they are by default. */
type WholeFault = HuntFault & Required<Pick<HuntFault, 'options'>>

const describedCatches = (fault: string): string => FAULT_TEXTS[fault]!.catches
const percentOf = (part: unknown): string => `${Number((Math.abs(Number(part)) * 100).toPrecision(3))} %`
/** "30s ahead" */
const offBy = (seconds: unknown, below: string, above: string): string =>
  `${Math.abs(Number(seconds))}s ${Number(seconds) < 0 ? below : above}`
/** "Some candles" */
const candlesOf = (every: unknown): string => `${every === 1 ? 'All' : 'Some'} candles`
/** Whether a fault is of several feeds together. */
const isOfFeeds = ({ feeds = [] }: HuntFault): boolean => feeds.length > 1

/** A `Retry-After` by its form, other than a number of seconds. */
const RETRY_AFTER: Readonly<Record<string, string>> = {
  date: 'with a `Retry-After` that is an HTTP date',
  zero: 'with a `Retry-After` of 0',
  negative: 'with a `Retry-After` below 0',
  text: 'with a `Retry-After` that is a word',
  none: 'without a `Retry-After`',
}

/** The texts of an answer with another status. */
function statusTextsOf(fault: WholeFault, seen: Evidence): Texts {
  const { status, retryAfter, retryAfterForm, keepBody } = fault.options
  const isEach = isOfEach(fault)
  const hasEnd = !isEach || fault.for !== undefined
  const textsOf = (end: string, catches: string): Texts => ({
    effect: `${isEach ? 'Each' : 'The'} answer has the status ${status}${end}.`,
    catches,
  })
  const failureOf = (pause: number): string =>
    isEach ? outageOf(fault, hasEnd, seen, pause) : failedRequestOf(fault, seen, pause)
  const form = RETRY_AFTER[String(retryAfterForm)]
  if (keepBody) return textsOf(', with the body of a good one', Number(status) < 300 ? EACH_BODY : BODY_FIRST)
  if (form !== undefined) return textsOf(`, ${form}`, otherPauseOf(retryAfterForm === 'date', seen))
  if (status === 200) return textsOf(' and the body of an error', ERROR_BODY)
  if (Number(status) < 400) return textsOf(' and no price', NO_ERROR)
  if (status === 401 || status === 403) return textsOf(': the key is refused', refusedKeyOf(hasEnd, seen))
  if (status === 404) return textsOf(': the feeds are unknown', unknownFeedsOf(seen))
  if (retryAfter !== undefined)
    return textsOf(`, with \`Retry-After\` of ${retryAfter}`, pauseOf(String(retryAfter), seen))
  // The fault gives these two the header without being asked.
  if (status === 429 || status === 503) return textsOf(', with `Retry-After` of 5s', failureOf(5))
  return textsOf('', failureOf(0))
}

const EACH_BODY = 'It takes each 2xx, or each body with a price, for a good reply.'
const BODY_FIRST = 'It reads the body before it looks at the status, and takes the price of a failed request.'
const ERROR_BODY = 'An error that only its body tells: it is taken for a price, or also stops other work.'
const NO_ERROR =
  'A status that is neither good nor an error: it counts as good, its body is parsed, the request never counts as failed, or it makes an old price young again.'
const unknownFeedsOf = (seen: Evidence): string =>
  `It ${isLast(seen) ? 'never asks for them again' : 'sends a request again that cannot succeed'}, does not report it, or one unknown feed stops the others.`

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

/** The mistakes with prices that stand still. */
const TIES =
  'Two prices that are exactly equal: a tie that counts as a move, a difference of 0 that is divided by, or "no change" taken for "no news".'
const NO_AGE =
  'It never looks at `ts` or only on arrival, counts its age from the request or the arrival, or has a limit of the wrong size or unit'
/** Seconds by which a `ts` that is off is still that of a neighbour, and within which no price gets too old. */
const NEAR = 10

function oldEffectOf({ options: { age, price } }: WholeFault): string {
  if (age === undefined) return 'No new ticks come: the last one is served again and again.'
  if (price === 'last') return `The last price stays, with a \`ts\` of ${age} ago.`
  return `Each price is that of ${age} ago, with its \`ts\`.`
}

const chartOf = ({ endpoints = [], asksCandles, hadCandles }: Evidence): string =>
  endpoints.includes('candles') && endpoints.length > 1 && (asksCandles || hadCandles !== false)
    ? ' Or its chart ends before its newest price.'
    : ''

/** The mistakes with prices of some age or, without one, with a last one that is served again and again. */
function oldPriceOf({ options: { age }, from }: WholeFault, seen: Evidence): string {
  const isRepeated = age === undefined
  if ((seen.kind === 'silent' || seen.kind === 'fewer') && !isShort(seen))
    return 'When a price is old, it asks for a new one less and less often, or not at all.'
  if (seen.asksOthers)
    return `It sees that a price is old and asks another endpoint, but ${isRepeated ? 'counts one tick as several' : 'does not check that one, keeps what that told it before, has already taken the old price, or refuses it where it should show it as old'}.`
  if (isRepeated && seen.since < NEAR) return 'It counts one tick as several, or its age from the arrival.'
  const isNewerKnown = isRepeated || from !== undefined
  // Hardly too old for any limit: then they are prices of another course.
  const moved = age !== undefined && secondsOf(String(age)) < 2 * NEAR ? ` Or: ${movesOf(seen)}` : ''
  const taken = isRepeated ? ', or counts one tick as several' : ', or lets it replace a newer one'
  const untold = mistakes('Or it', [
    !seen.isOneKind && 'never says that a price is old',
    !isOnce(seen) && 'says so only once or each time anew',
    seen.isOfSeveral !== false && 'goes on when too few are fresh',
    hasOthers(seen) && 'does by another source what it should hold back',
  ])
  return `${NO_AGE}, and trades at an old price${isNewerKnown ? taken : ''}. ${untold}${moved}`
}

/** The mistakes with a single price that is off, or with one that a second tick repeats. */
function badTickOf({ hold }: WholeFault['options'], seen: Evidence): string {
  if (hold !== undefined) return 'It believes a wrong price as soon as a second tick repeats it.'
  return `It acts on a ${seen.isOneKind ? 'second' : 'single'} wrong price${isShort(seen) ? '' : ', or keeps it: in an average, a limit, a highest or lowest value, or as the price that it compares later ones with. Or it refuses good prices or work because of it'}.`
}

/** Seconds after which a host gives up a request, and those that no timeout should need. */
const [GIVEN_UP, TIMEOUT] = [290, 5]

/** The mistakes in a timeout and in what goes on meanwhile, by how long requests without an answer took. */
function timeoutOf(seen: Evidence): string {
  const { within, interval } = seen
  const meanwhile = 'delay moves a schedule, or a price gets too old while it waits.'
  if (asksAsBefore(seen) || within === Number.POSITIVE_INFINITY)
    return `A timeout that is missing, too long or unhandled; or a ${meanwhile}`
  // It may wait before it asks again.
  if (within - (within > interval ? interval : 0) <= TIMEOUT) return `A ${meanwhile}`
  return `A timeout that is ${within < GIVEN_UP ? '' : 'missing or '}too long; or a ${meanwhile}`
}

/** Whether none of some feeds is a stablecoin. */
const areUnstable = (feeds: readonly string[] = []): boolean =>
  knownFeeds(feeds).length > 0 && knownFeeds(feeds).every(({ class: kind }) => kind !== 'stable')

/** The texts by the name of the fault; undefined where options do not matter. */
export const OPTION_TEXTS: Readonly<Record<string, (fault: WholeFault, seen: Evidence) => Texts | undefined>> = {
  'reply/status': statusTextsOf,
  'reply/malformed-json': (_, seen) => ({
    effect: 'The body ends in the middle of its JSON.',
    catches: `${mayCrash(seen) ? 'A `JSON.parse` outside of any `try`. Or: ' : ''}${unusableOf(seen)}`,
  }),
  'wire/refused': (_, seen) => ({ catches: noAnswerOf(seen) }),
  'wire/reset': (_, seen) => ({ catches: noAnswerOf(seen) }),
  'wire/truncate': (_, seen) => ({
    catches: `It treats a part of a body as complete, or loses the status and the headers of a reply that breaks off. Or: ${noAnswerOf(seen)}`,
  }),
  'wire/timeout': (_, seen) => ({
    catches: seen.isCrash ? 'Its timeout ends the request with an error that nothing handles.' : timeoutOf(seen),
  }),
  'market/stale': (fault, seen) => ({ effect: oldEffectOf(fault), catches: oldPriceOf(fault, seen) + chartOf(seen) }),
  'market/flatline': () => ({ catches: `${describedCatches('market/flatline')} Or: ${TIES}` }),
  'market/price': ({ options: { price, over }, feeds }, seen) => ({
    ...(over === undefined && { effect: `Every tick has the price ${price}, rounded to its step.` }),
    catches: `${describedCatches('market/price')} Or: ${TIES} Or: A price of another magnitude: digits that are lost, or a limit in dollars. Or: ${movesOf(seen, feeds)}`,
  }),
  'market/path': ({ feeds }, seen) => ({
    catches: `${describedCatches('market/path')} Or: ${movesOf(seen, feeds)}`,
  }),
  'market/gap': (_, seen) => ({
    effect: 'The feed is unknown: it has no price, not even a stale one.',
    catches: lostFeedOf(seen),
  }),
  'market/shock'(fault, seen) {
    const { options, for: length, feeds } = fault
    const move = `Prices ${Number(options.change) < 0 ? 'fall' : 'rise'} by ${percentOf(options.change)}`
    const how = options.over === undefined ? 'at once' : `over ${options.over}`
    return {
      effect: `${move} ${how}, and ${length === undefined ? 'move on from there' : `return after ${length}`}.`,
      catches: `${movesOf(seen, feeds)}${isOfFeeds(fault) ? '' : heldOf(seen)}`,
    }
  },
  'market/depeg': ({ options: { to }, feeds }, seen) => ({
    effect: `Prices go in a straight line to ${percentOf(to)} of themselves, and stay there.`,
    catches: `${areUnstable(feeds) ? '' : 'It takes a stablecoin for one dollar. Or: '}${movesOf(seen)}`,
  }),
  'market/crash': ({ options: { depth } }, seen) => ({
    effect: `Prices ${Number(depth) < 0 ? 'rise' : 'fall'} by ${percentOf(depth)}, faster and faster, and come back in part.`,
    catches: movesOf(seen) + heldOf(seen),
  }),
  'market/drift': ({ options: { change, per } }, seen) => ({
    effect: `Prices move by ${percentOf(change)} ${Number(change) < 0 ? 'down' : 'up'} in each ${per}, in a straight line.`,
    catches: `A limit or an alert that misses a slow move. Or: ${movesOf(seen)}${heldOf(seen)}`,
  }),
  'market/bad-tick'(fault, seen) {
    const { factor, hold } = fault.options
    return {
      effect: `One tick is ${factor} times the price${hold === undefined ? '' : `, and is repeated for ${hold}`}.`,
      catches: `${isOfFeeds(fault) ? '' : `${badTickOf(fault.options, seen)} Or: `}${movesOf(seen, fault.feeds)}`,
    }
  },
  'market/closed': () => ({ effect: 'The market is closed: no ticks, and the last one stays.' }),
  'reply/redirect': (_, seen) => ({
    catches: `It sends its key to any address that it is told, or takes prices of another origin for those of the service. Or: ${unusableOf(seen)}`,
  }),
  'tick/ts-backwards': ({ requests }) => ({
    effect: `${requests === undefined ? 'Every second answer' : 'The answer'} holds an older tick, as from a replica that lags behind.`,
  }),
  'tick/missing-feed': ({ feeds }, { isOfSeveral }) => ({
    effect: `${feeds?.join(', ') ?? 'The last feed of several'} is left out of the answer.`,
    catches:
      isOfSeveral === false
        ? 'Nothing is left of the answer, so its status is 404: it takes the feed for one that does not exist, goes on with its last price, or never asks for it again.'
        : 'It matches prices to its request by position, refuses the whole reply, goes on with the last price of the feed or renews its age, or counts it as 0.',
  }),
  'signature/other-feed': (_, { hadPrice }) => ({
    effect: 'The answer holds the price of another feed, validly signed.',
    catches: `It verifies the signature, but not the feed. Or it goes by the place or the number of the prices in a reply, not by their feeds, relies on getting each feed that it asked for, or does not notice that one is missing${hadPrice === false ? '' : ' and takes its last price for a new one'}.`,
  }),
  'reply/numbers-as-strings': ({ options: { field } }, seen) => ({
    effect: field === undefined ? 'Every number is sent as a string.' : `\`${field}\` is sent as a string.`,
    catches: `A text is taken for a number: it is converted without being asked, compared as a text, or \`${field ?? 'ts'} + 60\` appends its digits. Or: ${unusableOf(seen)}`,
  }),
  'reply/html-error-page': ({ options: { status } }) => ({
    effect: `A proxy's HTML page comes in place of JSON, with the status ${status}.`,
    ...(status === 200 && { catches: 'It takes each 200 for JSON, or for a success.' }),
    ...(status === 429 && {
      catches:
        'A refusal without `Retry-After` after which it asks again at once, or it parses the body before it looks at the status.',
    }),
  }),
  'reply/empty-body': ({ options: { body } }, seen) =>
    body === ''
      ? undefined
      : {
          effect: `The body is \`${body}\`, with the status of a good one.`,
          catches: `It reads a field of \`${body}\`. Or: ${unusableOf(seen)}`,
        },
  'reply/latency': ({ options: { ms, jitterMs } }) => ({
    effect: `The answer is late by ${ms} ms${jitterMs === 0 ? '' : ` and up to ${jitterMs} ms more`}.`,
    catches: `${withoutStop(describedCatches('reply/latency'))}, prices of two requests that are taken for those of one time, an age that is counted from the arrival, or a count of failures that a success does not reset.`,
  }),
  'reply/missing-field': ({ options: { field, as } }, seen) => {
    const { effect, catches } = MISSING[String(as)]!
    // No comparison with NaN is true, so it is never too old.
    const own = field === 'ts' && as === 'nothing' ? 'An age of NaN, which no limit refuses.' : catches
    return { effect: `\`${field}\` ${effect}.`, catches: as === 'null-entry' ? own : `${own} Or: ${unusableOf(seen)}` }
  },
  'series/null-values': ({ options: { every, fields, as } }) => ({
    effect: `${candlesOf(every)} have ${as === 'zero' ? 0 : 'null'} as their ${[fields].flat().join(', ')}.`,
    catches:
      as === 'zero'
        ? 'A division by a price of a candle, or a zero that is taken for the lowest price.'
        : 'A chart that throws "value is null" and stays empty, or a null that is computed with as 0.',
  }),
  'tick/ts-skew': ({ options: { seconds } }) => ({
    effect: `\`ts\` is ${offBy(seconds, 'behind', 'ahead')}; the signature is valid.`,
    ...(Math.abs(Number(seconds)) <= NEAR
      ? { catches: 'Two prices with one `ts`, or an order of prices by their `ts` alone.' }
      : {
          catches: `${Number(seconds) < 0 ? NO_AGE : `${withoutStop(describedCatches('tick/ts-skew'))}, or a limit of the wrong size or unit`}.`,
        }),
  }),
  'series/other-interval': () => ({
    catches: `${describedCatches('series/other-interval')} Or it takes a candle by its place, not by its time.`,
  }),
  'series/missing': ({ options: { every } }) =>
    every === 1 ? { effect: 'All candles are left out.', catches: describedCatches('series/empty') } : undefined,
  'series/time-skew': ({ options: { every, seconds } }) => ({
    effect: `${candlesOf(every)} begin ${offBy(seconds, 'early', 'late')}.`,
    catches:
      'A bar between two others or in the future, a candle that is looked up by its place, or a newest one that nobody finds old.',
  }),
}
