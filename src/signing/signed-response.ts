// Reads JSON without losing digits: an integer that a number cannot hold becomes a bigint. And the way from the parsed body of a signed
// response, recognised by its shape, to its signatures and the prices they cover, with the reasons for which a price is rejected.
import { type Lines, PriceFeedMockError, show } from '../errors.js'
import type { Tick } from './encode.js'

/** A price of a response as it was read. */
export interface ReadPrice {
  /** The path to it in the body: `prices[0]`, `BTCUSD.high`; nothing where the price is the body, or missing from it. */
  readonly at: string
  /** Its feed, as far as it can be read. */
  readonly feedId: string | undefined
  /** The price; undefined when a field is malformed or the feed is missing. */
  readonly tick: Tick | undefined
  /** Every reason to reject it. */
  readonly findings: readonly Finding[]
}

/** A signature of a response, and the prices that it covers. */
export interface SignedBlock {
  /** The form whose layout the signature uses. */
  readonly form: 'svm' | 'evm'
  /** The path to the signature in the body. */
  readonly at: string
  /** "the high", "the latest price": for messages. */
  readonly noun: string
  readonly prices: readonly ReadPrice[]
  /** Unchecked. */
  readonly signature: unknown
  /** The recovery id beside the signature, unchecked; undefined when there is none. */
  readonly recoveryId: unknown
}

/** A signed response. */
export interface SignedResponse {
  readonly endpoint: 'batch' | 'evm' | 'history' | 'latest'
  /** In the order of the body. */
  readonly blocks: readonly SignedBlock[]
}

/** Returns the symbol of a feed's number, for a batch with integer ids. */
export type SymbolOf = (number: number) => string | undefined

type JsonObject = Readonly<Record<string, unknown>>

const NO_SYMBOL: SymbolOf = () => undefined

/** Reads a batch, history, evm or latest response with all its defects. Undefined when the body is none, or several, of these. */
export function readResponse(body: unknown, symbolOf: SymbolOf = NO_SYMBOL): SignedResponse | undefined {
  if (!isObject(body)) return undefined
  const { prices } = body
  const histories = Object.entries(body)
  const hasHistory = histories.some(isHistory)
  // A body of two forms is none: one of them would be checked, and the consumer might read the other.
  if (Array.isArray(prices) && prices.length) {
    if (hasHistory || 'price' in body) return undefined
    return 'signature' in body
      ? { endpoint: 'batch', blocks: [readBatch(body, prices, symbolOf)] }
      : { endpoint: 'evm', blocks: prices.map((price, i) => readSigned(price, `prices[${i}]`, 'evm', 'the price')) }
  }
  const isLatest = typeof body.feedId === 'string'
  if (isLatest === hasHistory) return undefined
  return isLatest
    ? { endpoint: 'latest', blocks: [readSigned(body, '', 'svm', 'the latest price')] }
    : { endpoint: 'history', blocks: histories.flatMap(readHistory) }
}

/** The body that has signatures. */
export const WANT_RESPONSE = 'the parsed body of a batch, history, evm or latest response, with at least one price'

/** The defect of a signature that is no text. */
export function signatureFindings({ at, signature }: SignedBlock): Finding[] {
  return typeof signature === 'string'
    ? []
    : [{ reason: 'malformed', at: join(at, 'signature'), got: inWords(signature), want: 'a signature in hex' }]
}

/** The path of a key below another path. */
export const join = (at: string, key: string): string => (at === '' ? key : `${at}.${key}`)

/** A name of the prices under a signature. */
export function labelOf({ noun, prices }: SignedBlock): string {
  const ids = prices.map(({ feedId }) => feedId ?? 'an unknown feed')
  const rest = ids.length > 5 ? ` and ${ids.length - 5} more` : ''
  return `${noun} of ${ids.slice(0, 5).join(', ')}${rest}`
}

function readBatch(body: JsonObject, items: readonly unknown[], symbolOf: SymbolOf): SignedBlock {
  const prices = items.map((item, i) => {
    const symbol = isObject(item) && typeof item.feedId === 'number' ? symbolOf(item.feedId) : undefined
    return readPrice(symbol === undefined ? item : { ...(item as JsonObject), feedId: symbol }, `prices[${i}]`)
  })
  const { signature, recoveryId } = body
  return { form: 'svm', at: '', noun: `the ${prices.length > 1 ? 'prices' : 'price'}`, prices, signature, recoveryId }
}

const isHistory = ([, value]: [string, unknown]): boolean =>
  isObject(value) && (isObject(value.high) || isObject(value.low))

function readHistory([id, value]: [string, unknown]): SignedBlock[] {
  const pair = isObject(value) ? value : {}
  return (['high', 'low'] as const).map(name => {
    const block = readSigned(pair[name], `${id}.${name}`, 'svm', `the ${name}`)
    const price = block.prices[0]!
    // No signature covers the key of the object, so a valid price of another feed could be put under it.
    if (!isFeedId(id))
      return withFinding(block, { reason: 'malformed', at: 'feedId', got: inWords(id), want: 'an id of visible ASCII' })
    if (price.tick === undefined || price.tick.feedId.toUpperCase() === id.toUpperCase()) return block
    return withFinding(block, {
      reason: 'wrong-feed',
      at: id,
      got: `a price signed for ${price.tick.feedId}`,
      want: `prices signed for ${id}`,
    })
  })
}

function withFinding(block: SignedBlock, finding: Finding): SignedBlock {
  const [price] = block.prices as readonly [ReadPrice]
  return { ...block, prices: [{ ...price, findings: [...price.findings, finding] }] }
}

function readSigned(value: unknown, at: string, form: SignedBlock['form'], noun: string): SignedBlock {
  const { signature, recoveryId } = isObject(value) ? value : {}
  return { form, at, noun, prices: [readPrice(value, at)], signature, recoveryId }
}

function readPrice(value: unknown, at: string): ReadPrice {
  const { feedId, price, expo, ts } = isObject(value) ? value : {}
  const findings: Finding[] = []
  const read = <T>(field: unknown, is: (field: unknown) => field is T, name: string, want: string): T | undefined => {
    if (is(field)) return field
    findings.push({ reason: 'malformed', at: join(at, name), got: inWords(field), want })
    return undefined
  }
  const tick = {
    feedId: read(
      feedId,
      isFeedId,
      'feedId',
      'the id of a feed in visible ASCII, or in a batch a number that symbolOf knows',
    ),
    price: read(price, isPrice, 'price', 'an integer in plain digits; one above 2^53 as a bigint, parsed without loss'),
    expo: read(expo, isInteger, 'expo', 'an integer'),
    ts: read(ts, isTime, 'ts', 'seconds since the epoch'),
  }
  return { at, feedId: tick.feedId, tick: findings.length === 0 ? (tick as Tick) : undefined, findings }
}

/** The error for a price that cannot be read. */
export function toError({ reason, at, got, want }: Finding): PriceFeedMockError {
  return reason === 'wrong-feed'
    ? new PriceFeedMockError('SIGNATURE_MISMATCH', `The history of ${at} holds a price of another feed.`, { got, want })
    : unrecognised(`The response has no usable ${at}.`, { got, want })
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// Two values with the same bytes would let a changed price keep its signature, so these are rejected: ids with padding or with
// characters beyond ASCII, and times below 0. Numbers that do not fit into their field are found by the encoder.

const isFeedId = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,99}$/.test(value)

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

const isTime = (value: unknown): value is number => isInteger(value) && value >= 0

const isPrice = (value: unknown): value is number | bigint => isInteger(value) || typeof value === 'bigint'

/** The error for a body that is no signed response. */
export const unrecognised = (shortMessage: string, lines: Lines): PriceFeedMockError =>
  new PriceFeedMockError('RESPONSE_UNRECOGNISED', shortMessage, lines)

/** Describes any value in a few words. */
export function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  if (!isObject(value)) return show(value)
  const keys = Object.keys(value)
  return keys.length === 0 ? 'an object without keys' : `an object with the keys ${keys.join(', ').slice(0, 80)}`
}

/** The reasons for which no trusted key can have signed the price that is shown. */
export const SIGNATURE_REASONS = [
  '0x-prefix',
  'wrong-length',
  'zero',
  'high-s',
  'wrong-recovery-id',
  'wrong-v',
  'unrecoverable',
  'wrong-signer',
] as const

/** Every reason. Stable across versions; a later version can add some. */
export const REASONS = [
  // The body.
  'malformed',
  'missing-feed',
  'wrong-feed',
  ...SIGNATURE_REASONS,
  // The price.
  'out-of-range',
  'zero-price',
  'negative-price',
  'wrong-expo',
  'stale',
  'future',
] as const
/** A reason for which a price is rejected. */
export type Reason = (typeof REASONS)[number]

/** One reason, with the place and the value that caused it. */
export interface Finding {
  readonly reason: Reason
  /** The path in the body: `prices[0].signature`, `BTCUSD.high.ts`. */
  readonly at: string
  /** The value there, in a few words. */
  readonly got: string
  /** The expected value. */
  readonly want: string
}

/** An integer of a reply: a number where that is exact, otherwise a bigint. `Number(price)` is a number in both cases. */
export type ExactInteger = number | bigint

/** The start of a string, or a number. */
const TOKENS = /"|-?\d[\d.eE+-]*/g
/** A part of a string, up to its end or with an escape: a pattern for all of it would need a stack for its escapes. */
const PART_OF_STRING = /[^"\\]*(\\.)?/y
const AFTER_KEY = /\s*:/y
// Looked for at the start of a number alone, which takes a third of the time of a search at each of its digits.
const MANY_DIGITS = /(?:^|\D)\d{16}/

/** How strictly `parseExact` reads integers. */
export interface ParseOptions {
  /**
   * Keeps an integer in another notation, `1.1e13` or `5.0`, as its text, so that `verify` rejects it as `malformed`. Readers of
   * integers, such as those of Go, Rust and Java, reject it too.
   * @default false: it is a number
   */
  readonly plainDigits?: boolean | undefined
}

/**
 * Parses JSON like `JSON.parse`, with every integer beyond ±2^53 as a bigint. Signatures cover the exact digits.
 * @throws SyntaxError for text that is not JSON, as `JSON.parse`, and for such integers within thousands of levels
 * @example
 * const body = parseExact(await response.text())
 */
export function parseExact(text: string, { plainDigits = false }: ParseOptions = {}): unknown {
  const rounded: unknown = JSON.parse(text)
  if (!MANY_DIGITS.test(text) && !plainDigits) return rounded
  let found = false
  // Every value gets a mark of its kind, so that no text can pass for a number. Keys stay as they are.
  const toMarked = (token: string): string => {
    if (token.startsWith('"')) return `"s${token.slice(1)}`
    const isPlain = /^-?\d+$/.test(token)
    if (isPlain === Number.isSafeInteger(Number(token)) || (!isPlain && !plainDigits)) return token
    found = true
    return `"${isPlain ? 'i' : 's'}${token}"`
  }
  let marked = ''
  let done = 0
  TOKENS.lastIndex = 0
  for (let match = TOKENS.exec(text); match !== null; match = TOKENS.exec(text)) {
    if (match[0] === '"') {
      PART_OF_STRING.lastIndex = TOKENS.lastIndex
      while (PART_OF_STRING.exec(text)?.[1]);
      AFTER_KEY.lastIndex = TOKENS.lastIndex = PART_OF_STRING.lastIndex + 1
      if (AFTER_KEY.test(text)) continue
    }
    marked += text.slice(done, match.index) + toMarked(text.slice(match.index, TOKENS.lastIndex))
    done = TOKENS.lastIndex
  }
  if (!found) return rounded
  try {
    return JSON.parse(marked + text.slice(done), (_, value: unknown) =>
      typeof value !== 'string' ? value : value.startsWith('i') ? BigInt(value.slice(1)) : value.slice(1),
    )
  } catch (cause) {
    // Each level takes a part of the stack.
    throw new SyntaxError('The JSON is nested too deeply to be read exactly.', { cause })
  }
}
