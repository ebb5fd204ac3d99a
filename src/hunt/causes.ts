// Faults that show the same mistakes: which of them explains a failure best, which failures are one find, and how finds are called.
import { nearest, type Problem } from '../errors.js'
import { FAULTS } from '../faults/index.js'
import type { Feed } from '../market/feeds.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import type { HuntFault, HuntScenario } from './types.js'

/** Faults by the mistake that they show. Within a family, a failure of the same consumer is the same find. */
const FAMILIES: readonly (readonly [family: string, faults: RegExp])[] = [
  ['key', /^reply\/status 40[13]$/],
  ['limit', /^reply\/(rate-limit|retry-after|status 429)/],
  ['signature', /^signature\//],
  ['series', /^series\//],
  ['number', /^tick\/(zero|negative|unsafe-integer|wrong-expo|other-expo)/],
  ['time', /^(market\/(stale|flatline|closed)|tick\/ts-)/],
  ['feed', /^(market\/gap|tick\/)/],
  ['move', /^market\//],
  ['reply', /^(reply|wire)\//],
]

/** The family of a fault. */
export function familyOf({ fault, options }: HuntFault): string {
  const name = options?.status === undefined ? fault : `${fault} ${options.status}`
  return FAMILIES.find(([, faults]) => faults.test(name))?.[0] ?? fault
}

/** Faults of a price, which a consumer may refuse rightly. */
export const OF_A_PRICE = /^(market\/stale|tick\/|signature\/)/

/** An explanation to try: faults that must all fail as well, the last of which is then told. */
type Plainer = readonly HuntFault[]

const ANY_FAILURE: HuntFault = { fault: 'reply/status' }
/** One without a pause that the service asks for. */
const ANY_ERROR: HuntFault = { fault: 'reply/status', options: { status: 500 } }
/** A reply that no consumer can use: then the mistake is what follows when it refuses one, rightly. */
const UNUSABLE: HuntFault = { fault: 'reply/malformed-json' }
/** Whether a signature is checked at all, and whether its signer is. */
const UNSIGNED: readonly Plainer[] = [
  [{ fault: 'signature/all-zero' }, { fault: 'signature/wrong-signer' }, { fault: 'signature/tampered-price' }],
  [{ fault: 'signature/wrong-signer' }],
]
/** A price that is far off, for one tick or from then on. An odd number or exponent is one, too, for a consumer that reads it well. */
const JUMPS: readonly Plainer[] = [
  [{ fault: 'market/bad-tick' }],
  [{ fault: 'market/shock' }],
  [{ fault: 'market/shock', options: { change: 0.5 } }],
]
/** Plainer explanations by the faults that they replace, the plainest first. */
const PLAINER: readonly (readonly [faults: RegExp, explanations: readonly Plainer[]])[] = [
  [/^market\/(drift|crash|depeg|price|path)/, JUMPS],
  [/^market\/gap/, [[ANY_FAILURE]]],
  [/^market\/shock/, [[{ fault: 'market/bad-tick' }]]],
  [/^(tick\/ts-skew|market\/closed)/, [[{ fault: 'market/stale', options: { age: '5m' } }]]],
  [/^tick\/(negative|unsafe-integer)/, [[ANY_FAILURE], [UNUSABLE], [{ fault: 'tick/zero' }], ...JUMPS]],
  [/^tick\/(wrong|other)-expo/, [[ANY_FAILURE], [UNUSABLE], ...JUMPS]],
  // An older price that is validly signed: then it is no matter of the signature.
  [/^signature\/tampered-ts/, [[ANY_FAILURE], [UNUSABLE], [{ fault: 'tick/ts-backwards' }], ...UNSIGNED]],
  [/^signature\//, [[ANY_FAILURE], [UNUSABLE], ...UNSIGNED]],
  // An older price: one that is as old from the start on never goes back.
  [/^tick\/ts-backwards/, [[ANY_FAILURE], [UNUSABLE], [{ fault: 'market/stale', options: { age: '5m' } }]]],
  [/^wire\/dribble|^reply\/latency/, [[ANY_FAILURE], [{ fault: 'wire/timeout' }]]],
  [/^reply\/(empty|html|missing|numbers)|^wire\/truncate/, [[ANY_FAILURE], [UNUSABLE]]],
  [/^(tick|series)\//, [[ANY_FAILURE], [UNUSABLE]]],
  [/^reply\/status/, [[ANY_FAILURE]]],
  [/^(reply|wire)\//, [[ANY_FAILURE], [ANY_ERROR]]],
]

/** Plainer explanations for a fault, without itself. */
export function plainerThan({ fault, options }: HuntFault): readonly Plainer[] {
  const found = PLAINER.find(([faults]) => faults.test(fault))?.[1] ?? []
  const isDefault = Object.keys(options ?? {}).length === 0
  return found.filter(one => one.at(-1)!.fault !== fault || !isDefault)
}

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
const errorsAmong = (lines: readonly string[]): string[] =>
  lines.filter(line => /error|exception|expected|assert|panic/i.test(line))

/** An error of the language or its timers, which no check throws. */
export const CRASH =
  /^(Uncaught )?(Type|Syntax|Range|Reference|Timeout|Abort)Error\b|\bcrashed\b|Cannot (read properties of|mix BigInt)|is not (a function|iterable)|in JSON at position|end of JSON input/m
/** The end of the output of a run that took too long. */
export const LATE = /did not end (in|within) [^\n]+$/

/** The last lines of an output; of those with errors, if there are any: the last ones of all are often a summary. */
export function lastLinesOf(output: string): string {
  const lines = linesOf(output)
  const errors = errorsAmong(lines)
  return (errors.length > 0 ? errors : lines).slice(-3).join(' / ')
}

/** An error of `JSON.parse`, which says where it stopped. */
const NO_JSON = /(?<=SyntaxError: ).*\bJSON\b.*/
/** A feed by its id or its base: "BTCUSD", "btc". Made on first use, since it needs the catalogue. */
const feedPattern = (): RegExp =>
  (pattern ??= new RegExp(`\\b(${catalogueFeeds().map(toBase).join('|')}|[A-Z]+USD)\\b`, 'gi'))
let pattern: RegExp | undefined
/** The base of a feed: "BTC". */
export const toBase = ({ id }: Pick<Feed, 'id'>): string => id.replace(/USD$/, '')

/** The lines of an output without numbers, addresses, times and feeds, which differ from run to run. */
const plainLinesOf = (output: string): string[] =>
  linesOf(output)
    .map(line =>
      line
        .replace(/0x[0-9a-f]+|([-+−]?\d[\d.,:_]*(e[-+]?\d+)?)+/gi, '#')
        .replace(feedPattern(), '#')
        .replace(NO_JSON, ''),
    )
    .filter(line => /[a-z]{2}/i.test(line))

/** The lines by which two outputs are compared: those with errors, if both have some. A test runner ends each failure with the others. */
function linesToCompare(a: string, b: string): [some: string[], others: string[]] {
  const [some, others] = [plainLinesOf(a), plainLinesOf(b)]
  const [someErrors, otherErrors] = [errorsAmong(some), errorsAmong(others)]
  return someErrors.length > 0 && otherErrors.length > 0 ? [someErrors, otherErrors] : [some, others]
}

/** Whether two outputs may be of one cause: one of them says nothing, or they share a line. */
export function areAlike(a: string, b: string): boolean {
  const [some, others] = linesToCompare(a, b)
  return some.length === 0 || others.length === 0 || some.some(line => others.includes(line))
}

/** The words with which a line begins, such as those of an assertion, without what it was about. Each assertion of Node has a code. */
const beginningOf = (line: string): string =>
  (line.replace('[ERR_ASSERTION]', '').match(/[a-z]+/gi) ?? []).slice(0, 3).join(' ')

/** Whether two outputs are alike, or at least begin a line with the same three words: that of one mistake may name another feed or order. */
export function areOfOneKind(a: string, b: string): boolean {
  const [some, others] = linesToCompare(a, b)
  const beginnings = others.map(beginningOf)
  return areAlike(a, b) || some.some(line => beginnings.includes(beginningOf(line)))
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

/** The page of a fault, with the heading of its fault. */
export const pageOf = ([first]: readonly HuntFault[]): string =>
  first === undefined
    ? 'price-feed-mock/docs/scenarios.md'
    : `price-feed-mock/docs/faults.md#${first.fault.replace(/[^\w-]/g, '')}`

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
