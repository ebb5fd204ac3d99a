// From the parsed body of a signed response, recognised by its shape, to its signatures and the prices they cover.
import { type Detail, PriceFeedMockError, show } from '../errors.js'
import type { Tick } from './encode.js'

/** A signature of a response, and the prices that it covers. */
export interface SignedPrices {
  /** The form whose layout the signature uses. */
  readonly form: 'svm' | 'evm'
  /** A name of the signed prices for messages: "the high of BTCUSD". */
  readonly label: string
  readonly prices: readonly Tick[]
  readonly signature: string
  /** The recovery id beside the signature, unchecked; undefined when there is none. */
  readonly recoveryId: unknown
}

/** Returns the symbol of a feed's number, for a batch with integer ids. */
export type SymbolOf = (number: number) => string | undefined

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Reads the signatures of a batch, history, evm or latest response.
 * @throws PriceFeedMockError RESPONSE_UNRECOGNISED when it is none of these, SIGNATURE_MISMATCH when a history holds a
 * price of one feed under the id of another
 */
export function readSignedResponse(body: unknown, symbolOf: SymbolOf = () => undefined): SignedPrices[] {
  if (isObject(body)) {
    const { prices } = body
    if (isNonEmptyArray(prices)) return 'signature' in body ? [readBatch(body, prices, symbolOf)] : prices.map(readEvm)
    if (typeof body.feedId === 'string') return [readSigned(body, '', 'svm', 'the latest price')]
    const histories = Object.entries(body)
    if (histories.length > 0 && histories.every(isHistory)) return histories.flatMap(readHistory)
  }
  throw unrecognised('The body is none of the signed responses.', [
    ['got', inWords(body)],
    ['want', 'the parsed body of a batch, history, evm or latest response, with at least one price'],
  ])
}

function readBatch(body: JsonObject, items: readonly unknown[], symbolOf: SymbolOf): SignedPrices {
  const prices = items.map((item, i) => {
    const isNumbered = isObject(item) && typeof item.feedId === 'number'
    return readPrice(isNumbered ? { ...item, feedId: symbolOf(item.feedId as number) } : item, `prices[${i}].`)
  })
  const ids = prices.map(({ feedId }) => feedId)
  const rest = ids.length > 5 ? ` and ${ids.length - 5} more` : ''
  const label = `the ${ids.length > 1 ? 'prices' : 'price'} of ${ids.slice(0, 5).join(', ')}${rest}`
  return { form: 'svm', label, prices, ...readSignature(body, '') }
}

const readEvm = (price: unknown, i: number): SignedPrices => readSigned(price, `prices[${i}].`, 'evm', 'the price')

type History = [id: string, { high: JsonObject; low: JsonObject }]

const isHistory = (entry: [string, unknown]): entry is History =>
  isFeedId(entry[0]) && isObject(entry[1]) && isObject(entry[1].high) && isObject(entry[1].low)

function readHistory([id, { high, low }]: History): SignedPrices[] {
  const both = [readSigned(high, `${id}.high.`, 'svm', 'the high'), readSigned(low, `${id}.low.`, 'svm', 'the low')]
  const signedIds = both.map(({ prices }) => prices[0]!.feedId)
  // No signature covers the key of the object, so a valid price of another feed could be put under it.
  const other = signedIds.find(signedId => signedId.toUpperCase() !== id.toUpperCase())
  if (other === undefined) return both
  throw new PriceFeedMockError('SIGNATURE_MISMATCH', `The history of ${id} holds a price of another feed.`, {
    details: [
      ['got', `a price signed for ${other}`],
      ['want', `prices signed for ${id}`],
    ],
  })
}

/** Reads a price with its own signature. `at` is the path to it, with a trailing dot, for error messages. */
function readSigned(value: unknown, at: string, form: SignedPrices['form'], noun: string): SignedPrices {
  const price = readPrice(value, at)
  return { form, label: `${noun} of ${price.feedId}`, prices: [price], ...readSignature(value as JsonObject, at) }
}

function readPrice(value: unknown, at: string): Tick {
  const { feedId, price, expo, ts } = isObject(value) ? value : {}
  return {
    feedId: expect(feedId, isFeedId, `${at}feedId`, 'visible ASCII; symbolOf gives it where a batch answers integers'),
    price: expect(price, isPrice, `${at}price`, 'an integer; one above 2^53 as a bigint, parsed without loss'),
    expo: expect(expo, isInteger, `${at}expo`, 'an integer'),
    ts: expect(ts, isTime, `${at}ts`, 'seconds since the epoch'),
  }
}

function readSignature(value: JsonObject, at: string): Pick<SignedPrices, 'signature' | 'recoveryId'> {
  const signature = expect(value.signature, text => typeof text === 'string', `${at}signature`, 'a signature in hex')
  return { signature, recoveryId: value.recoveryId }
}

function expect<T>(value: unknown, is: (value: unknown) => value is T, at: string, want: string): T {
  if (is(value)) return value
  throw unrecognised(`The response has no usable ${at}.`, [
    ['got', inWords(value)],
    ['want', want],
  ])
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isNonEmptyArray = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0

// Two values with the same bytes would let a changed price keep its signature, so these are rejected: ids with padding or with
// characters beyond ASCII, and times or prices that are off by 2^32 or 2^64.

const isFeedId = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,99}$/.test(value)

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

const isTime = (value: unknown): value is number => isInteger(value) && value >= 0

const isPrice = (value: unknown): value is number | bigint =>
  isInteger(value) || (typeof value === 'bigint' && value >= -(1n << 63n))

function unrecognised(shortMessage: string, details: readonly Detail[]): PriceFeedMockError {
  return new PriceFeedMockError('RESPONSE_UNRECOGNISED', shortMessage, { details })
}

/** Describes any value in a few words. */
export function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  if (!isObject(value)) return show(value)
  const keys = Object.keys(value)
  return keys.length === 0 ? 'an object without keys' : `an object with the keys ${keys.join(', ').slice(0, 80)}`
}
