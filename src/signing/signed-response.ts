// From the parsed body of a signed response to what its signatures cover, recognised by shape. It knows nothing of cryptography.
import { type Fact, PriceFeedMockError, show } from '../errors.js'
import type { SignablePrice } from './encode.js'

/** A signature of a response, and the prices that it covers. */
export interface SignedPrices {
  /** Whose layout it is signed with. */
  readonly form: 'svm' | 'evm'
  /** What is signed, as a reader would name it: "the high of BTCUSD". */
  readonly label: string
  readonly prices: readonly SignablePrice[]
  readonly signature: string
  /** As it stands beside the signature: not checked; undefined where there is none. */
  readonly recoveryId: unknown
}

/** The symbol of a batch that answers integers. */
export type SymbolOf = (number: number) => string | undefined

/**
 * Takes apart the body of a batch, a history, an evm or a latest response.
 * @throws PriceFeedMockError RESPONSE_UNRECOGNISED when it is none of them, or SIGNATURE_MISMATCH when a history holds
 * the signed price of one feed under the name of another
 */
export function readSignedResponse(body: unknown, symbolOf: SymbolOf = () => undefined): SignedPrices[] {
  if (isRecord(body)) {
    const { prices } = body
    if (isFilled(prices)) return Object.hasOwn(body, 'signature') ? [readBatch(body, prices, symbolOf)] : readEvm(prices)
    if (typeof body.feedId === 'string') return [readSigned(body, '', 'svm', 'the latest price')]
    const feeds = Object.entries(body)
    if (feeds.length > 0 && feeds.every(isHighLow)) return feeds.flatMap(readHighLow)
  }
  throw unrecognised('The body is none of the signed responses.', [
    ['got', describe(body)],
    ['want', 'the parsed body of a batch, history, evm or latest response, with at least one price'],
  ])
}

function readBatch(body: Record<string, unknown>, items: readonly unknown[], symbolOf: SymbolOf): SignedPrices {
  const prices = items.map((item, i) => {
    const number = isRecord(item) && typeof item.feedId === 'number' ? item.feedId : undefined
    return readPrice(number === undefined ? item : { ...(item as object), feedId: symbolOf(number) }, `prices[${i}]`)
  })
  const ids = prices.map(({ feedId }) => feedId)
  const named = ids.length > 5 ? `${ids.slice(0, 5).join(', ')} and ${ids.length - 5} more` : ids.join(', ')
  const label = ids.length > 1 ? `the prices of ${named}` : `the price of ${named}`
  return { form: 'svm', label, prices, signature: readSignature(body, ''), recoveryId: body.recoveryId }
}

const readEvm = (prices: readonly unknown[]): SignedPrices[] =>
  prices.map((price, i) => ({ ...readSigned(price, `prices[${i}]`, 'evm', 'the price'), recoveryId: undefined }))

type HighLow = [key: string, value: { high: unknown; low: unknown }]

const isHighLow = (entry: [string, unknown]): entry is HighLow =>
  isRecord(entry[1]) && isRecord(entry[1].high) && isRecord(entry[1].low)

function readHighLow([key, { high, low }]: HighLow): SignedPrices[] {
  const both = [
    readSigned(high, `${key}.high`, 'svm', 'the high'),
    readSigned(low, `${key}.low`, 'svm', 'the low'),
  ]
  // The key is not signed: a valid price of another feed under it would pass.
  const other = both.map(({ prices }) => prices[0]!.feedId).find(id => id.toUpperCase() !== key.toUpperCase())
  if (other === undefined) return both
  throw new PriceFeedMockError('SIGNATURE_MISMATCH', `The history of ${show(key)} holds a price of another feed.`, {
    facts: [
      ['got', `a price signed for ${other}`],
      ['want', `prices signed for ${key}`],
    ],
  })
}

function readSigned(value: unknown, at: string, form: SignedPrices['form'], noun: string): SignedPrices {
  const price = readPrice(value, at)
  const { recoveryId } = value as Record<string, unknown>
  const label = `${noun} of ${price.feedId}`
  return { form, label, prices: [price], signature: readSignature(value as Record<string, unknown>, at), recoveryId }
}

function readPrice(value: unknown, at: string): SignablePrice {
  if (!isRecord(value)) throw unreadable(at, value, 'a price: an object')
  const field = <T>(name: string, is: (field: unknown) => field is T, want: string): T => {
    if (is(value[name])) return value[name]
    throw unreadable(join(at, name), value[name], want)
  }
  return {
    feedId: field('feedId', isFeedId, 'a feed id in visible ASCII; symbolOf gives it where a batch answers integers'),
    price: field('price', isPrice, 'an integer; above 2^53 a bigint, parsed without loss'),
    expo: field('expo', isInteger, 'an integer'),
    ts: field('ts', isTime, 'seconds since the epoch, an integer'),
  }
}

function readSignature({ signature }: Record<string, unknown>, at: string): string {
  if (typeof signature === 'string') return signature
  throw unreadable(join(at, 'signature'), signature, 'a signature in hex')
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isFilled = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0

// What has the same bytes as something else is refused: other characters than ASCII, padding, and numbers that differ by 2^32, 2^64 …

const isFeedId = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,99}$/.test(value)

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

const isTime = (value: unknown): value is number => isInteger(value) && value >= 0

const isPrice = (value: unknown): value is number | bigint =>
  isInteger(value) || (typeof value === 'bigint' && value >= -(2n ** 63n))

const join = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`)

function unreadable(at: string, got: unknown, want: string): PriceFeedMockError {
  return unrecognised(`The response has no usable ${at}.`, [
    ['at', at],
    ['got', describe(got)],
    ['want', want],
  ])
}

const unrecognised = (sentence: string, facts: readonly Fact[]): PriceFeedMockError =>
  new PriceFeedMockError('RESPONSE_UNRECOGNISED', sentence, { facts })

/** A value of any kind in a few words: bigints and cycles inside it do no harm. */
function describe(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  if (!isRecord(value)) return show(value)
  const keys = Object.keys(value)
  return keys.length === 0 ? 'an empty object' : `an object with the keys ${show(keys.join(', '))}`
}
