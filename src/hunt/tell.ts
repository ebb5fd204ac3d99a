// A find in words: a name, a title, a reason and a question, from the descriptions of its faults.
import { nearest, type Problem, withoutStop } from '../errors.js'
import { canActOn, stageOf } from '../faults/fault.js'
import { FAULTS } from '../faults/index.js'
import { describePlan } from '../scenario/parse.js'
import { keysAt, read } from '../settings/schema.js'
import { FAULT_TEXTS } from './fault-texts.js'
import type { Profile } from './profile.js'
import type { HuntFault, HuntRun, HuntScenario } from './types.js'

const PAGE = 'price-feed-mock/docs/faults.md'
const MAX = { title: 200, why: 2000, question: 1000, /** Faults whose mistakes are told. */ faults: 3 }

/** A text of at most so many characters. */
export const limited = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text)
/** The sentences of a description, each in its parts. */
const sentencesOf = (text: string): string[][] =>
  (text.match(/.+?[.](?= |$)/g) ?? []).map(sentence => sentence.trim().split('; '))

function toSentence(parts: readonly string[]): string {
  const sentence = parts.join('; ')
  return sentence.endsWith('.') ? sentence : `${sentence}.`
}

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
  const unset = known === undefined ? [] : keysAt(known.options).filter(name => !(name in options))
  return sentencesOf(FAULT_TEXTS[fault]?.catches ?? '')
    .map(parts => parts.filter(part => !isAbout(part, unset)))
    .filter(parts => parts.length > 0)
    .map(toSentence)
    .join(' ')
}

/** The effect of a fault, and the mistake that it finds. */
interface Texts {
  readonly effect: string
  readonly catches?: string
}

/** Seconds by which a `ts` that is off is still that of a neighbour. */
const NEAR = 10
const percentOf = (part: number): string => `${Number((Math.abs(part) * 100).toPrecision(3))} %`

/** A `Retry-After` by its form, other than a number of seconds. */
const RETRY_AFTER: Readonly<Record<string, Texts>> = {
  date: {
    effect: 'with a `Retry-After` that is an HTTP date',
    catches: 'A date that is read as a number, so that the pause is NaN',
  },
  zero: { effect: 'with a `Retry-After` of 0', catches: 'A pause of 0' },
  negative: { effect: 'with a `Retry-After` below 0', catches: 'A pause of less than 0' },
  text: { effect: 'with a `Retry-After` that is a word', catches: 'A pause of NaN' },
  none: { effect: 'without a `Retry-After`', catches: 'No pause' },
}

const MOVES =
  'What only a moving market reaches: a limit that looks in one direction, the wrong end of a range, several at once, a state that is entered twice or never left.'
const NO_ANSWER = 'An error without an answer that is not survived, not told, or followed by a wait without a bound.'

/** A field that `reply/missing-field` changes, by its `as`. */
const MISSING: Readonly<Record<string, Texts>> = {
  nothing: {
    effect: 'is missing',
    catches: 'An `undefined` that becomes NaN, or one unusable reply that stops more than itself.',
  },
  null: { effect: 'is null', catches: 'A `null` that becomes 0, or one unusable reply that stops more than itself.' },
  'null-entry': {
    effect: 'has null as its first entry',
    catches: 'A loop that ends at an entry which is none, and with it what the others are for.',
  },
  object: {
    effect: 'is `{}`',
    catches: 'A loop over what is no list, or one unusable reply that stops more than itself.',
  },
}

/** A fault with all of its options, those that are not set as they are by default. */
type WholeFault = HuntFault & Required<Pick<HuntFault, 'options'>>

/**
 * Texts of faults whose options or times say more than their description does; undefined where they do not. Not beside the faults:
 * pages load those, and need no text.
 */
const SPECIAL: Readonly<Record<string, (fault: WholeFault, pace?: Pace['kind']) => Texts | undefined>> = {
  'reply/status'({ options: { status, retryAfter, retryAfterForm, keepBody }, requests, chance, endpoints }, pace) {
    const isEach = requests === undefined && chance === undefined
    const effect = `${isEach ? 'Each' : 'The'} answer has the status ${status}`
    if (keepBody) return { effect: `${effect}, with the body of a good one.` }
    const form = RETRY_AFTER[String(retryAfterForm)]
    if (form !== undefined)
      return {
        effect: `${effect}, ${form.effect}.`,
        catches: `${form.catches}: a request that is sent again at once, again and again, or never.`,
      }
    if (status === 200)
      return {
        effect: `${effect} and the body of an error.`,
        catches: 'An error that only its body tells, and that is taken for a price, or stops more than itself.',
      }
    if (Number(status) < 400)
      return {
        effect: `${effect} and no price.`,
        catches:
          'A status that is neither good nor an error, with a body that is parsed, or a request that never counts as failed.',
      }
    if (status === 401 || status === 403)
      return {
        effect: `${effect}: the key is refused.`,
        catches: {
          hot: 'A refused key that is used again at once, and again.',
          silent: 'A consumer that gives up at a refused key for good, or for longer and for more than it should.',
          usual:
            'A consumer that goes on with a refused key, tells nobody, tells it for ever, or gives up more than the key is for.',
        }[pace ?? 'usual'],
      }
    if (status === 404)
      return {
        effect: `${effect}: the feeds are unknown.`,
        catches: 'A request that is wrong and sent again, or one unknown feed that takes others with it.',
      }
    if (retryAfter !== undefined)
      return {
        effect: `${effect}, with \`Retry-After\` of ${retryAfter}.`,
        catches:
          'A wait without a bound or in another unit, one that is cut short, or one that stops more than it is for.',
      }
    // The fault gives these two the header without being asked.
    const pause = status === 429 || status === 503 ? ', with `Retry-After` of 5s' : ''
    if (isEach) {
      const stopped = endpoints === undefined ? '' : ' Or one endpoint whose errors stop another.'
      const catches = {
        hot: 'An outage that is polled without a pause.',
        silent:
          'An outage after which it asks no more, or seldom: a wait without a bound, or a counter that is not reset.',
        usual:
          'An outage that is not survived or not told, polled as often as ever, filled by the last price for ever, or not made up for.',
      }[pace ?? 'usual']
      return { effect: `${effect}${pause}.`, catches: catches + stopped }
    }
    const catches = {
      hot: 'A failed request that is sent again at once, and again: no back-off.',
      silent: 'A consumer that gives up at a failure, or waits without a bound.',
      usual: 'A failure that is not told, not tried again in time, or takes more with it than itself.',
    }[pace ?? 'usual']
    return {
      effect: `${effect}${pause}.`,
      catches: pause === '' ? catches : `${catches} Or a wait in another unit, or that stops more than it is for.`,
    }
  },
  'reply/malformed-json': (_, pace) =>
    pace === 'usual' || pace === undefined
      ? undefined
      : {
          effect: 'The body ends in the middle of its JSON.',
          catches:
            pace === 'hot'
              ? 'A refused reply that is asked for again at once, and again.'
              : 'A refused reply after which it asks no more, or seldom, or that stops more than itself.',
        },
  'wire/refused': (_, pace) =>
    pace === 'hot' ? undefined : { effect: 'The connection is refused at once.', catches: NO_ANSWER },
  'wire/reset': (_, pace) => ({
    effect: 'The connection is reset before the first byte of the answer.',
    catches: pace === 'hot' ? 'A network error that is sent again at once, and again.' : NO_ANSWER,
  }),
  'market/stale'({ options: { age, price } }, pace) {
    const asked =
      pace === 'silent' ? 'A consumer that asks for an old price less and less, or no more. Or one' : 'A consumer'
    if (age === undefined)
      return {
        effect: 'Ticks stop and the last one is served.',
        catches: `${asked} that never looks at \`ts\` and trades at an old price, or takes one tick for several.`,
      }
    return {
      effect:
        price === 'last'
          ? `The last price stays, with a \`ts\` of ${age} ago.`
          : `Each price is that of ${age} ago, with its \`ts\`.`,
      catches: `${asked} that never looks at \`ts\` and trades at an old price, or lets it replace a newer one.`,
    }
  },
  'market/gap': () => ({
    effect: 'The feed is unknown: it has no price, not even a stale one.',
    catches: 'A feed that goes away and takes others with it, stays as its last price, or is asked for again at once.',
  }),
  'market/shock': ({ options: { change, over }, for: length }) => ({
    effect: [
      `Prices ${Number(change) < 0 ? 'fall' : 'rise'} by ${percentOf(Number(change))}`,
      over === undefined ? ' at once' : ` over ${over}`,
      length === undefined ? ', and move on from there.' : `, and return after ${length}.`,
    ].join(''),
    catches: MOVES,
  }),
  'market/depeg': ({ options: { to } }) => ({
    effect: `Prices go in a straight line to ${percentOf(Number(to))} of themselves, and stay there.`,
    catches: `A stablecoin that is taken for one dollar. ${MOVES}`,
  }),
  'market/bad-tick': ({ options: { factor, hold } }) => ({
    effect: `One tick is ${factor} times the price${hold === undefined ? '' : `, and is repeated for ${hold}`}.`,
    catches:
      hold === undefined
        ? `A single print that is acted on, or that stays: in a limit, an average, an extreme, or as the price that later ones are compared with. ${MOVES}`
        : `A wrong price that is believed as soon as a second tick repeats it. ${MOVES}`,
  }),
  'market/closed': () => ({
    effect: 'The market is closed: no ticks, and the last one stays.',
    catches:
      'A market that is closed and taken for an outage, its last price for a fresh one, or ticks expected at the weekend.',
  }),
  'tick/ts-backwards': ({ requests }) =>
    requests === undefined
      ? undefined
      : { effect: 'The answer holds an older tick, as from a replica that lags behind.' },
  'reply/html-error-page': ({ options: { status } }) => ({
    effect: `A proxy's HTML page comes in place of JSON, with the status ${status}.`,
    ...(status === 200 && { catches: 'A consumer that takes each 200 for JSON, or tells it as no failure.' }),
    ...(status === 429 && {
      catches:
        'A refusal without `Retry-After` that is asked again at once, or a body that is parsed before the status is read.',
    }),
  }),
  'reply/empty-body': ({ options: { body } }) =>
    body === ''
      ? undefined
      : {
          effect: `The body is \`${body}\`, with the status of a good one.`,
          catches: 'A property that is read of what has none, or one unusable reply that stops more than itself.',
        },
  'reply/latency': ({ options: { ms, jitterMs } }) => ({
    effect: `The answer is late by ${ms} ms${jitterMs === 0 ? '' : ` and up to ${jitterMs} ms more`}.`,
  }),
  'reply/missing-field': ({ options: { field, as } }) => {
    const { effect, catches } = MISSING[String(as)]!
    // No comparison with NaN is true, so it is never too old.
    const own = field === 'ts' && as === 'nothing' ? 'An age of NaN, which no limit refuses.' : catches!
    return { effect: `\`${field}\` ${effect}.`, catches: own }
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
    ...(Math.abs(Number(seconds)) <= NEAR && {
      catches: 'Two prices with one `ts`, or an order of prices by their `ts` alone.',
    }),
  }),
  'series/missing': ({ options: { every } }) =>
    every === 1 ? { effect: 'All candles are left out.', catches: FAULT_TEXTS['series/empty']!.catches } : undefined,
  'series/time-skew': ({ options: { every, seconds } }) => ({
    effect: `${every === 1 ? 'All' : 'Some'} candles begin ${Math.abs(Number(seconds))}s ${Number(seconds) < 0 ? 'early' : 'late'}.`,
    catches:
      'A bar between two others or in the future, a candle that is looked up by its place, or a newest one that nobody finds old.',
  }),
}

/** Faults of a price, which a consumer may refuse rightly. */
const OF_A_PRICE = /^(market\/stale|tick\/|signature\/)/

/** How a consumer asked under faults, against its run without any: in words, if it was not as usual. */
interface Pace {
  readonly kind: 'hot' | 'silent' | 'usual'
  readonly text?: string
}

/** Parts of the usual rate from which on a consumer asks too often, and up to which it asks seldom. */
const [HOT, SELDOM] = [2, 0.5]

/** The pace of the endpoint that differs most from the usual: asked too often, no more at the end, or seldom. */
function paceOf({ requests, ms }: HuntRun, { endpoints, start, seconds }: Profile): Pace {
  const of = endpoints
    .filter(use => use.requests >= 4)
    .map(({ endpoint, interval, requests: usual }) => {
      const own = requests.filter(one => one.endpoint === endpoint)
      const expected = (usual / seconds) * Math.max(1, ms / 1000 - start)
      const quiet = (ms - (own.at(-1)?.at ?? start * 1000)) / 1000
      return { endpoint, part: own.length / expected, extra: own.length - expected, quiet, interval }
    })
  const hot = of.find(({ part, extra }) => part >= HOT && extra >= 5)
  if (hot) return { kind: 'hot', text: `It asked for ${hot.endpoint} ${hot.part.toFixed(1)} times as often as usual.` }
  const silent = of.find(({ quiet, interval }) => quiet >= Math.max(5 * interval, seconds / 4))
  if (silent)
    return { kind: 'silent', text: `It asked for ${silent.endpoint} no more in the last ${Math.round(silent.quiet)}s.` }
  const rare = of.find(({ part }) => part <= SELDOM)
  if (rare)
    return { kind: 'silent', text: `It asked for ${rare.endpoint} ${rare.part.toFixed(1)} times as often as usual.` }
  return { kind: 'usual' }
}

/** The texts of a fault in a scenario, of a run of a consumer. */
function textsOf(fault: HuntFault, { pace, profile }: { pace?: Pace; profile?: Profile } = {}): Required<Texts> {
  const known = FAULTS.find(({ name }) => name === fault.fault)
  const defaults = known && (read(known.options, {}).value as HuntFault['options'])
  const special = SPECIAL[fault.fault]?.({ ...fault, options: { ...defaults, ...fault.options } }, pace?.kind)
  const catches = special?.catches ?? catchesOf(fault)
  const effect = special?.effect ?? firstOf(FAULT_TEXTS[fault.fault]?.effect ?? '', fault.options)
  const { only, every } = fault.options ?? {}
  const half = only === 'high' || only === 'low' ? only : undefined
  const isOfOne = fault.feeds !== undefined && OF_A_PRICE.test(fault.fault)
  const isOfRequests = known !== undefined && !/market|series/.test(stageOf(known))
  const places = (profile?.endpoints ?? []).filter(({ endpoint }) => isOfRequests && canActOn(known, endpoint))
  // A single endpoint, and a fault without an end, were tried.
  const takesSeveral = fault.endpoints === undefined && places.length > 1
  const takesAnEnd = fault.for !== undefined && fault.repeat === undefined && fault.requests === undefined
  return {
    effect: [
      every === 1 ? effect.replace(/^Some candles/, 'All candles') : effect,
      half === undefined ? '' : ` Only the ${half} of a history.`,
    ].join(''),
    catches: [
      ...(takesSeveral ? ['It takes it at several endpoints: none covers for another, or none checks it.'] : []),
      ...(profile !== undefined && takesAnEnd
        ? ['It takes its end: a state that is not left or entered again, or a time that is made up for.']
        : []),
      catches,
      ...(half === undefined ? [] : [`Or one that looks at the ${half === 'high' ? 'low' : 'high'} alone.`]),
      ...(isOfOne ? ['Or one refused price that stops the others.'] : []),
    ].join(' '),
  }
}

/** A name for a file, such as `tick-zero-batch`: the faults, the status and the endpoint. */
export function nameOf({ faults, clock }: HuntScenario): string {
  const parts = faults.flatMap(({ fault, endpoints = [], options }) => [
    fault.replaceAll('/', '-'),
    ...(options?.status === undefined ? [] : [String(options.status)]),
    ...(options?.field === undefined ? [] : [String(options.field)]),
    ...endpoints,
  ])
  return (
    [...parts, ...(clock === undefined ? [] : ['clock'])]
      .join('-')
      .replace(/[^\w.-]/g, '-')
      .slice(0, 48) || 'clock'
  )
}

/** The problems of names to accept: each is that of a fault, of a scenario, of a known find, or begins as `nameOf` does. */
export function checkAllowed(allow: readonly string[], known: readonly string[]): Problem[] {
  const faults = FAULTS.map(({ name }) => name)
  const names = [...faults, ...known, 'clock']
  const beginnings = faults.map(name => name.replaceAll('/', '-'))
  return allow.flatMap((got, i): Problem[] =>
    names.includes(got) || beginnings.some(beginning => got.startsWith(beginning))
      ? []
      : [{ at: `allow[${i}]`, got, want: 'the name of a fault, a scenario or a find', closest: nearest(got, names) }],
  )
}

/** The end of the output of a run that took too long. */
const LATE = /did not end (in|within) [^\n]+$/

/** Lines around the message of an error that say nothing of their own. */
const AROUND =
  /^(\+ actual - expected|- Expected|\+ Received|at .*[:)]|(generatedMessage|code|actual|expected|operator|diff): .*|[{}\]]+|(node|file):\S+:\d+|\^+)$/

/** The lines of an output that say something of their own. */
export const linesOf = (output: string): string[] =>
  output
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    // The line above a caret is that of a source, which Node shows before the error.
    .filter((line, i, all) => !AROUND.test(line) && !/^\^+$/.test(all[i + 1] ?? ''))

/** Those of some lines with errors. */
export const errorsAmong = (lines: readonly string[]): string[] =>
  lines.filter(line => /error|exception|expected|assert|panic/i.test(line))

/** The last lines of an output; of those with errors, if there are any: the last ones of all are often a summary. */
function endOf(output: string): string {
  const lines = linesOf(output)
  const errors = errorsAmong(lines)
  return (errors.length > 0 ? errors : lines).slice(-3).join(' / ')
}

const ANOTHER_TIME = 'Another time'

/** The scenario with the title and the reason that tell what was found in a run, by a consumer that asks as its profile says. */
export function toldScenario(
  scenario: HuntScenario,
  run: Pick<HuntRun, 'output'> & Partial<HuntRun>,
  profile?: Profile,
): HuntScenario {
  const pace = profile === undefined ? undefined : paceOf(run as HuntRun, profile)
  const texts = scenario.faults.map(fault => textsOf(fault, { ...(pace && { pace }), ...(profile && { profile }) }))
  // A fault that is there several times is told once, as is a sentence of several.
  const told = new Set<string>()
  const newOf = (text: string): string =>
    text
      .split(/(?<=\.) /)
      .filter(sentence => told.size < told.add(sentence).size)
      .join(' ')
  const title = [...new Set(texts.map(({ effect }) => effect))].join(' Also: ') || ANOTHER_TIME
  const catches =
    texts
      .slice(0, MAX.faults)
      .map(one => newOf(one.catches))
      .filter(text => text !== '')
      .join(' Or: ') || 'A consumer that fails at this time.'
  const isOfSeveral = new Set(texts.map(({ effect }) => effect)).size > 1
  const isRemembered = isOfSeveral && scenario.faults.some(({ fault }) => fault === 'market/bad-tick')
  const reason = LATE.test(run.output.trim())
    ? 'A wait without a limit, or with one that is longer than a run may be.'
    : [
        ...(isRemembered
          ? ['A far-off price that is remembered: another one confirms it, or the next level never counts. Or:']
          : isOfSeveral
            ? ['A fallback, a second source or a state that one of them leads to, and another one breaks. Or:']
            : []),
        catches,
      ].join(' ')
  const end = endOf(run.output)
  const why = [reason, ...(pace?.text ? [pace.text] : []), ...(end === '' ? [] : [`It ended with: ${end}`])].join(' ')
  return { ...scenario, title: limited(title, MAX.title), why: limited(why, MAX.why) }
}

/** The page of a fault, with the heading of its fault. */
export const pageOf = ([first]: readonly HuntFault[]): string =>
  first === undefined ? 'price-feed-mock/docs/scenarios.md' : `${PAGE}#${first.fault.replace(/[^\w-]/g, '')}`

/** The question to answer before a find is called a bug: the effects of its faults, each with where and when. */
export function questionOf({ faults, clock, loop }: HuntScenario): string {
  const again = loop === undefined ? [] : [`again each ${loop}`]
  const planOf = (fault: HuntFault): string => [describePlan(fault), ...again].filter(text => text !== '').join(', ')
  const effects = faults.map(fault => [textsOf(fault).effect, planOf(fault)] as const)
  const at = clock?.at === undefined ? '' : String(clock.at)
  const told = [...effects, ...(at !== '' || faults.length === 0 ? [[ANOTHER_TIME, at] as const] : [])].map(
    ([effect, plan]) => `${withoutStop(effect)}${plan === '' ? '' : ` (${plan})`}.`,
  )
  return `${limited([...new Set(told)].join(' Also: '), MAX.question)} Is this what your consumer should do then?`
}
