// A find in words: a title, a reason and a question, from the descriptions of its faults and the evidence of its run.
import { withoutStop } from '../errors.js'
import { canActOn, stageOf } from '../faults/fault.js'
import { FAULTS } from '../faults/index.js'
import { describePlan } from '../scenario/parse.js'
import { keysAt, read } from '../settings/schema.js'
import { secondsOf } from '../settings/time.js'
import { CRASH, familyOf, LATE, lastLinesOf, OF_A_PRICE, toBase } from './causes.js'
import { FAULT_TEXTS } from './fault-texts.js'
import {
  type Evidence,
  evidenceAt,
  isOnce,
  isSoonAgain,
  mistakes,
  openOf,
  pausesOf,
  refusedPriceOf,
} from './mistakes.js'
import { OPTION_TEXTS, type Texts } from './option-texts.js'
import { type Pace, UNKNOWN_PACE } from './pace.js'
import type { HuntFault, HuntScenario } from './types.js'

const MAX = { title: 200, why: 2000, lines: 1000, question: 1000, /** Faults whose mistakes are told. */ faults: 3 }

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

/** A description without its parts about some options. */
const withoutParts = (text: string, options: readonly string[]): string =>
  sentencesOf(text)
    .map(parts => parts.filter(part => !isAbout(part, options)))
    .filter(parts => parts.length > 0)
    .map(toSentence)
    .join(' ')

const knownFault = (name: string) => FAULTS.find(one => one.name === name)

/** The effect of a fault and the mistake that it finds: those of its options, or else as it is described. */
function ownTextsOf(fault: HuntFault, seen: Evidence): Required<Texts> {
  const { options = {} } = fault
  const known = knownFault(fault.fault)
  const defaults = known && (read(known.options, {}).value as HuntFault['options'])
  const unset = keysAt(known?.options).filter(name => !(name in options))
  const described = FAULT_TEXTS[fault.fault] ?? { effect: '', catches: '' }
  const { effect = firstOf(described.effect, options), catches = withoutParts(described.catches, unset) } =
    OPTION_TEXTS[fault.fault]?.(
      { ...fault, options: { ...defaults, ...options } },
      evidenceAt(fault.endpoints, seen),
    ) ?? {}
  const ofAll = options.every === 1 ? effect.replace(/^Some candles/, 'All candles') : effect
  const isHalf = options.only === 'high' || options.only === 'low'
  return { effect: isHalf ? `${ofAll} Only the ${options.only} of a history.` : ofAll, catches }
}

const OF_PRICES = /^(tick|signature)\//
/** Faults of values that nobody should use. */
const BAD_VALUE =
  /^(tick\/(ts|zero|negative|unsafe|wrong)|series\/(?!empty|missing|late)|reply\/(numbers|missing|high-low))/
/** Faults of signatures that change what was signed: of a consumer that leaves that to a contract they show something else. */
const FORGED = /^signature\/(tampered|batch-swapped)/
/** Faults of signatures from which a signer can still be recovered: that of another payload. */
const RECOVERABLE = /^signature\/(tampered|batch-(swapped|reordered)|bit-flip)/
/** Those that a check may refuse with an error. */
const MALFORMED = /^signature\/(?!wrong-signer|tampered|replay|batch|other)/
/** Whether a fault makes prices old, and nothing else. */
const isOld = ({ fault, options }: HuntFault): boolean =>
  fault === 'market/stale' || (fault === 'tick/ts-skew' && Number(options?.seconds) < 0)

/** Whether a fault spoils the one signature of a batch, and so all of its prices. */
const isOfBatch = ({ fault, endpoints }: HuntFault): boolean =>
  /^signature\/(?!batch-(reordered|duplicate)|other-feed)/.test(fault) && endpoints?.join() === 'batch'

/** Faults of two feeds, of which they name one. */
const OF_TWO = /^(signature\/(other-feed|batch-swapped)|tick\/extra-feed)/

/** Whether a fault is of an endpoint that the consumer asks only in trouble. */
const isOfSecond = ({ endpoints }: HuntFault, seen: Evidence): boolean =>
  endpoints?.some(endpoint => seen.endpoints?.includes(endpoint)) === false

/** Faults of signatures with another price, for which a second source may be asked without a look at the signature. */
const MOVED = /^signature\/(tampered|batch-swapped|replay)/

/** Whether the consumer showed that it refuses a value or a signature: it asked for another one, or for all of a batch again. */
const isRefused = ({ fault }: HuntFault, seen: Evidence): boolean =>
  seen.hasFallback &&
  (/^tick\//.test(fault) ? BAD_VALUE.test(fault) : /^signature\//.test(fault)) &&
  (!MOVED.test(fault) || (seen.asksAll && seen.isOfSeveral === true))

/** The mistakes that faults of some names show besides their own. */
function furtherOf(fault: HuntFault, seen: Evidence, hasEnd: boolean): string[] {
  const is = (names: RegExp): boolean => names.test(fault.fault)
  const { options = {}, from } = fault
  const isKnown = seen.endpoints !== undefined
  const hadPrice = seen.hadPrice === true
  const isOneOfSeveral = fault.feeds?.length === 1 && seen.isOfSeveral === true && !isOfBatch(fault)
  const ofOthers = seen.isOfOthers === true
  /** The batch has one signature. */
  const isSignedApart = isOneOfSeveral && fault.endpoints?.join() !== 'batch'
  /** The endpoint that is asked most is the one that is checked most. */
  const isElsewhere = isKnown && fault.endpoints?.length === 1 && fault.endpoints[0] !== seen.endpoints?.[0]
  const isTaken = !isRefused(fault, seen)
  return openOf([
    options.only === 'high' && 'Or one that looks at the low alone.',
    options.only === 'low' && 'Or one that looks at the high alone.',
    is(BAD_VALUE) &&
      !ofOthers &&
      isTaken &&
      `Or it uses or corrects a value that it should refuse: a limit is missing${isOnce(seen) ? ' or works in one direction only' : ', works in one direction only, or lapses'}.`,
    is(/(expo|integer)$/) && 'Or it loses digits of a price of another magnitude.',
    is(RECOVERABLE) && isTaken && options.valid !== true && 'Or it recovers a signer, but accepts any.',
    is(FORGED) &&
      isTaken &&
      `Or, if it deliberately does not verify: it acts on a wrong value${isOnce(seen) ? '' : ', keeps it, or compares later ones with it'}.`,
    is(/^(tick|signature|series)\//) && isSoonAgain(seen) && 'Or it refuses the reply, and asks again too soon.',
    pausesOf(fault, seen, hasEnd),
    // With the fault from the start on, it passed.
    is(OF_PRICES) && isKnown && from !== undefined && !hasEnd && KEEPS_EARLIER,
    is(OF_PRICES) && seen.hitsOthers && isTaken && !isOfSecond(fault, seen) && `Or: ${ASKS_ANOTHER}`,
    is(MALFORMED) && isTaken && 'Or it takes an error of its check for a success.',
    is(/^signature\//) &&
      (isSignedApart || hadPrice || isElsewhere) &&
      mistakes('Or it verifies', [
        hadPrice && 'some prices only: the first ones, or one of each feed and time',
        isSignedApart && 'only a part of a reply',
        isElsewhere && 'the replies of some endpoints only',
      ]),
    is(OF_A_PRICE) &&
      isOneOfSeveral &&
      (isOld(fault) || seen.hadPrice !== false) &&
      `Or it puts the old price of one feed together with newer ones${isOld(fault) ? ', or calls all of them fresh or complete because some are' : ''}.`,
    is(OF_A_PRICE) && isKnown && !ofOthers && refusedPriceOf(fault, seen),
    is(/^series\//) &&
      'Or, if it rightly refused or missed candles: it makes up, takes from a neighbour, keeps, overwrites, misorders or drops others, takes one for another, computes as if none were missing, or does not say that some are.',
    (is(BAD_VALUE) || is(/^(tick|signature|series)\//)) &&
      seen.isCorrected &&
      'Or, when a good reply follows: it keeps the bad value or what it computed from it (a sum, a high or low, a count), or does not take what that reply corrects or brings late.',
  ])
}

const KEEPS_EARLIER = 'Or it keeps something of an earlier price or of another feed, such as its exponent or its time.'
const ASKS_ANOTHER = 'It refuses this at one endpoint and asks another one instead, but does not check it there.'
const HAS_SECOND = 'It refuses this and asks another endpoint, and uses that wrongly.'
const SEVERAL_ENDPOINTS =
  'It fails in this way only when several endpoints have this fault: one may stand in for another, their failures count together, or it checks one of them only. Or:'
const SECOND_ENDPOINT = 'It checks less at an endpoint that it asks only in trouble. Or:'
const AFTERWARDS =
  'It fails only after the fault has ended: it does not leave a state, leaves it without a word or enters it twice, loses something from before or mixes it with the new, counts time that should not count, lacks a limit or check on the way back, makes up never, wrongly or too late for what it missed or gave up, for example with values of another time, or used values that were too old before.'
const SUBSTITUTE =
  'Or it took a wrong or unfinished substitute meanwhile, keeps it, or does the same work again now that it needs none.'

/** The mistakes that a fault of a scenario shows: its own, where and when they show, and further ones. */
function mistakesOf(fault: HuntFault, catches: string, { loop, faults }: HuntScenario, seen: Evidence): string {
  const known = knownFault(fault.fault)
  // A request for one feed may end well while another is closed.
  const hasOpened = fault.fault === 'market/closed' && seen.isOfSeveral === true && seen.endsWell
  // A single endpoint, and a fault without an end, were tried. The next loop is an end as well.
  const hasEnd = hasOpened || fault.for !== undefined || (loop !== undefined && fault.from !== undefined)
  const takesEnd = hasEnd && !areOneKind(faults) && fault.repeat === undefined && fault.requests === undefined
  const isOfRequests = known !== undefined && !/market|series/.test(stageOf(known))
  const places = isOfRequests ? (seen.endpoints ?? []).filter(endpoint => canActOn(known, endpoint)) : []
  const isEverywhere = fault.endpoints === undefined && places.length > 1
  const isAfterwards = takesEnd && (seen.isOver === true || hasOpened)
  const own = isRefused(fault, seen) ? (seen.hitsOthers ? ASKS_ANOTHER : HAS_SECOND) : catches
  return openOf([
    isEverywhere && !takesEnd && typeof fault.requests !== 'string' && SEVERAL_ENDPOINTS,
    OF_PRICES.test(fault.fault) && seen.hearsOthers && isOfSecond(fault, seen) && SECOND_ENDPOINT,
    seen.isOfOthers === true &&
      'It fails for feeds without the fault: it drops or stops good ones with the bad one, mixes feeds up, or shares a state between them. Or:',
    isAfterwards && AFTERWARDS,
    isAfterwards && seen.asksOthers && SUBSTITUTE,
    isAfterwards ? familyOf(fault) === 'move' && `Or: ${catches}` : own,
    ...furtherOf(fault, seen, hasEnd),
  ]).join(' ')
}

/** Whether several faults are of one kind: then the others are what comes before or after. */
const areOneKind = (faults: readonly HuntFault[]): boolean =>
  faults.length > 1 && new Set(faults.map(({ fault }) => fault)).size === 1

const KEEPS =
  'It keeps something of the first one until the second: a count, a state or a price that what came between should have ended.'
const SECOND_PRICE =
  'It holds back a suspicious price until a second one confirms it, but accepts any second price (another value, the same tick again, or the one from before); or, after a bad price, it never accepts a real move.'
const fallbackOf = ({ endpoints, asksOthers }: Evidence): string =>
  `One fault makes it use ${endpoints && !asksOthers ? '' : 'a fallback, a second source or '}a special state, and the mistake is in how it works there.`
const ANOTHER_TIME = 'Another time'
const IN_2038 = 'It keeps seconds in 32 bits, or fails at the prices of that time.'
const AT_A_TIME = 'It fails at the turn of a day, a month or a year, at a weekend, or at the prices of that time.'
const TOO_LATE = 'A wait without a limit, or with one that is longer than a run may be.'

const hasBadTick = (faults: readonly HuntFault[]): boolean => faults.some(({ fault }) => fault === 'market/bad-tick')

/** The mistakes that faults of several effects show only together. */
function togetherOf(faults: readonly HuntFault[], seen: Evidence): readonly string[] {
  if (areOneKind(faults)) return hasBadTick(faults) ? [SECOND_PRICE, KEEPS] : [KEEPS]
  return [hasBadTick(faults) ? SECOND_PRICE : fallbackOf(seen)]
}

/** Whether a fault is the background of others with several effects: a market that moves, and old prices beside a bad tick. */
function isBackground(fault: HuntFault, faults: readonly HuntFault[], effects: number): boolean {
  if (effects < 2 || areOneKind(faults)) return false
  return hasBadTick(faults) ? /^(move|time)$/.test(familyOf(fault)) : effects > 2 && familyOf(fault) === 'move'
}

/** Characters by which alternatives are compared: two faults of a kind may differ in a clause. */
const BEGINNING = 40

/** The alternatives of a reason, and what was seen when it was found. */
export const partsOf = (why: string): string[] => why.split(/(?<=\.) (?=Or\b|In the run that found this)/)

/** Mistakes as alternatives. One that several faults have in common is said once. */
function alternativesOf(mistakes: readonly string[]): string {
  const distinct = new Map(mistakes.flatMap(partsOf).map(part => [part.slice(0, BEGINNING), part]))
  return [...distinct.values()].map((part, i) => (i === 0 || /^Or\b/.test(part) ? part : `Or: ${part}`)).join(' ')
}

/** Whether a text names, by its id or the base of that, only feeds that no fault has: see `Evidence`. */
function namesOthers(faults: readonly HuntFault[], text: string, feeds: readonly string[] = []): boolean | undefined {
  if (faults.some(fault => fault.feeds === undefined || isOfBatch(fault) || OF_TWO.test(fault.fault))) return undefined
  const words = text.split(/\W+/)
  const named = feeds.filter(id => words.includes(id) || words.includes(toBase({ id })))
  const have = new Set(named.map(id => faults.some(fault => fault.feeds?.includes(id))))
  return have.size === 1 ? have.has(false) : undefined
}

/** The evidence of a run that ended with an output; of none without a pace. */
function evidenceOf({ faults, loop }: HuntScenario, output: string, pace?: Pace): Evidence {
  const isOver = ({ end, endsHit }: Pace): boolean =>
    (loop === undefined || !endsHit) &&
    faults.every(one => (one.for ?? loop) !== undefined && end >= secondsOf(one.from) + secondsOf(one.for))
  return {
    ...(pace ?? UNKNOWN_PACE),
    isOver: pace && isOver(pace),
    isCrash: output === '' ? undefined : CRASH.test(output),
    isOneKind: areOneKind(faults),
    hasFallback: pace?.asksOthers === true && faults.length === 1,
    isOfOthers: namesOthers(faults, lastLinesOf(output), pace?.feeds),
  }
}

/** Whether a find depends on the time, alone or as well. */
const isOfAnotherTime = ({ faults, clock }: HuntScenario): boolean => clock?.at !== undefined || faults.length === 0

/** The scenario with the title and the reason that tell what was found, by how the consumer asked. */
export function toldScenario(scenario: HuntScenario, output: string, pace?: Pace): HuntScenario {
  const { faults, clock } = scenario
  const seen = evidenceOf(scenario, output, pace)
  const texts = faults.map(fault => ({ fault, ...ownTextsOf(fault, seen) }))
  // A fault that is there several times is told once.
  const effects = [...new Set(texts.map(({ effect }) => effect))]
  const own = texts
    .filter(({ fault }) => !isBackground(fault, faults, effects.length))
    .map(({ fault, catches }) => mistakesOf(fault, catches, scenario, seen))
  // A good reply to another request says nothing of the bad one.
  const isOfOwnWork = seen.endsWell && (seen.gap === undefined || seen.isCorrected || seen.endsHit)
  const crash = isOfOwnWork
    ? 'It crashes in its own work, after a good reply.'
    : 'It stops with an error that it does not handle.'
  const mistakes = [
    ...(seen.isCrash ? [crash] : []),
    ...(effects.length > 1 ? togetherOf(faults, seen) : []),
    ...(clock?.at === undefined ? [] : [/^2038/.test(String(clock.at)) ? IN_2038 : AT_A_TIME]),
    ...own.slice(0, MAX.faults),
  ]
  const reason = LATE.test(output.trim()) ? TOO_LATE : alternativesOf(mistakes) || AT_A_TIME
  const lines = limited(lastLinesOf(output), MAX.lines)
  // A file is read long after the run.
  const found = [
    seen.takesSeveral && 'It took more than one such reply.',
    seen.text,
    lines && `It ended with: ${lines}`,
  ]
    .filter(Boolean)
    .join(' ')
    .replace(/^I/, 'In the run that found this, i')
  const title = [...effects, ...(isOfAnotherTime(scenario) ? [ANOTHER_TIME] : [])].join(' Also: ')
  const why = [limited(reason, MAX.why - found.length - 1), found].join(' ').trim()
  return { ...scenario, title: limited(title, MAX.title), why }
}

/** The question to answer before a find is called a bug: the effects of its faults, each with where and when. */
export function questionOf(scenario: HuntScenario): string {
  const { faults, clock, loop } = scenario
  const seen = evidenceOf(scenario, '')
  const again = loop === undefined ? [] : [`all again each ${loop}`]
  const at = clock?.at === undefined ? '' : String(clock.at)
  const events = [
    ...faults.map(fault => [ownTextsOf(fault, seen).effect, [placeOf(fault), ...again]] as const),
    ...(isOfAnotherTime(scenario) ? [[ANOTHER_TIME, [at]] as const] : []),
  ]
  const told = events.map(([effect, plans]) => {
    const plan = plans.filter(text => text !== '').join('; ')
    return `${withoutStop(effect)}${plan === '' ? '' : ` (${plan})`}.`
  })
  return `${limited([...new Set(told)].join(' Also: '), MAX.question)} Is this what your consumer should do then?`
}

const TH = ['', '', 'second', 'third', 'fourth', 'fifth']

/** "request 3 only", "requests 2,5", "request 3 of every 34" */
function ordinalsOf(requests: string): string {
  const [list = '', of] = requests.split(' of ')
  const isOne = /^\d+$/.test(list)
  return `request${isOne ? '' : 's'} ${list}${of === undefined ? (isOne ? ' only' : '') : ` of every ${of}`}`
}

/** Where and when a fault acts: "BTCUSD, ETHUSD; latest; from 10s for 5m; first request only". */
function placeOf({ feeds = [], endpoints = [], requests, chance, alone: _, ...times }: HuntFault): string {
  const { first, every } = typeof requests === 'object' ? { first: undefined, every: undefined, ...requests } : {}
  return [
    feeds.join(', '),
    endpoints.join(', '),
    describePlan(times).replace(' repeat ', ', again each '),
    typeof requests === 'string' ? ordinalsOf(requests) : '',
    first === undefined ? '' : first === 1 ? 'first request only' : `first ${first} requests`,
    every === undefined ? '' : every === 1 ? '' : `every ${TH[every] ?? `${every}th`} request`,
    chance === undefined ? '' : `with a chance of ${chance}`,
  ]
    .filter(text => text !== '')
    .join('; ')
}
