// From the text of a reply to the verdict of `price-feed-mock/verify`, and the signed bytes by field.
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Feed } from '../../../src/market/feeds.js'
import { decodeText } from '../../../src/service/request.js'
import { bytesOfField, type Layout } from '../../../src/settings/layouts.js'
import type { SigningSettings } from '../../../src/settings/settings.js'
import { createEncoder, type Tick } from '../../../src/signing/encode.js'
import { createInspect } from '../../../src/signing/recover.js'
import { labelOf, readResponse } from '../../../src/signing/signed-response.js'
import {
  checkResponse,
  type Finding,
  isPriceFeedMockError,
  type NotChecked,
  type PriceVerdict,
  parseExact,
  testSigners,
  type VerifyOptions,
  verify,
} from '../../../src/signing/verify.js'

/** The part of a feed's definition that a price is checked against. */
type KnownFeed = Pick<Feed, 'id' | 'number' | 'expo' | 'heartbeat' | 'lag'>

/** The checks of a reply. */
export interface Checks {
  readonly signing: SigningSettings
  /** The address that is expected to sign. */
  readonly signer: string
  readonly catalogue: readonly KnownFeed[]
  /** The time of the reply, in seconds since the epoch. */
  readonly now: number
  /** Seconds. Without it, 60 or what the slowest feed of the reply needs. */
  readonly maxAge?: number | undefined
  /** The requested feeds, if they are known. */
  readonly feeds?: readonly string[] | undefined
  /** The minutes of a history, if they are known. */
  readonly minutes?: number | undefined
}

/** The feeds and the minutes that a request asks for. */
export function requestedBy(target: string, catalogue: readonly KnownFeed[]): Pick<Checks, 'feeds' | 'minutes'> {
  const { pathname, searchParams } = new URL(target, 'http://mock')
  const [, latest] = /^\/prices\/([^/]+)\/latest$/.exec(pathname) ?? []
  const names = latest === undefined ? searchParams.getAll('feedIds').join().split(',') : [decodeText(latest)]
  const feeds = names
    .filter(Boolean)
    .map(name => (/^\d+$/.test(name) ? (catalogue.find(feed => feed.number === Number(name))?.id ?? name) : name))
  const minutes = Number(searchParams.get('minutes') || Number.NaN)
  return { feeds: feeds.length === 0 ? undefined : feeds, minutes: Number.isInteger(minutes) ? minutes : undefined }
}

/** One field of the signed message. */
export interface SignedField {
  readonly name: string
  readonly encoding: string
  readonly hex: string
  readonly value: string
}

/** One signature of a reply, and the verdict on the prices that it covers. */
export interface InspectedSignature {
  /** A name of the signed prices: "the high of BTCUSD". */
  readonly label: string
  readonly layout: string
  readonly hash: string
  /** As in the reply, of any type. */
  readonly signature: string
  /** Undefined where a price cannot be read. */
  readonly signed: { readonly fields: readonly SignedField[]; readonly digest: string } | undefined
  /** The prices that it covers, as they were read; fewer than the reply has where one cannot be read. */
  readonly ticks: readonly Tick[]
  /** The address to which it recovers if it covers these prices instead. */
  readonly signerOf: (ticks: readonly Tick[]) => string | undefined
  /** The recovered address, trusted or not. */
  readonly address: string | undefined
  /** The number of the test key with that address. */
  readonly testKey: number | undefined
  /** Every reason to reject a price; none for good prices. */
  readonly findings: readonly Finding[]
}

/** The verdict on a reply, or the reason why there is none. */
type Inspected =
  | {
      readonly signatures: readonly InspectedSignature[]
      readonly missing: readonly Finding[]
      readonly notChecked: readonly NotChecked[]
    }
  | { readonly problem: string }

const MAX_AGE = 60
const MAX_FUTURE = 5

/** Checks a reply. */
export function inspectReply(text: string, checks: Checks): Inspected {
  let body: unknown
  try {
    body = parseExact(text, { plainDigits: true })
  } catch (error) {
    return { problem: `The body is not JSON: ${(error as Error).message}.` }
  }
  const { signing } = checks
  const symbolOf = (number: number) => checks.catalogue.find(feed => feed.number === number)?.id
  const response = readResponse(body, symbolOf)
  const ids = response?.blocks.flatMap(({ prices }) => prices.flatMap(({ feedId }) => feedId ?? [])) ?? []
  const options: VerifyOptions = {
    signers: [checks.signer],
    svm: signing.layouts[signing.svm],
    evm: signing.layouts[signing.evm],
    symbolOf,
    feeds: checks.feeds,
    now: checks.now,
    maxFuture: MAX_FUTURE,
    ...limitsOf(ids, response?.endpoint === 'history', checks),
  }
  const { endpoint, prices, notChecked } = checkResponse(body, options)
  if (endpoint === undefined) return { problem: reasonOf(() => verify(body, options)) }
  let next = 0
  const signatures = (response?.blocks ?? []).map((block): InspectedSignature => {
    const verdicts = prices.slice(next, (next += block.prices.length))
    const layout = signing[block.form]
    const address = verdicts[0]?.signer?.address
    return {
      label: labelOf(block),
      layout,
      hash: signing.layouts[layout]!.digest,
      signature: typeof block.signature === 'string' ? block.signature : (JSON.stringify(block.signature) ?? 'none'),
      signed: signedBytes(signing.layouts[layout]!, verdicts),
      ticks: verdicts.flatMap(({ tick }) => tick ?? []),
      signerOf(ticks) {
        const { at, signature, recoveryId } = block
        if (typeof signature !== 'string') return undefined
        return createInspect(signing.layouts[layout]!, true)({ at, signature, recoveryId, prices: ticks }).key?.address
      },
      address,
      testKey: testSigners().find(signer => signer.address === address)?.number,
      findings: findingsOf(verdicts),
    }
  })
  return { signatures, missing: findingsOf(prices.slice(next)), notChecked }
}

/** A price of the session at a second. */
export interface MarketPrice {
  readonly price: number | null
  readonly ts: number | null
}

/**
 * Compares the prices under a signature with those of the session at their seconds.
 * @param market in the order of the prices
 * @returns `data` if the signature of the session fits its own prices, `key` if the prices are its own, or else neither
 */
export function compareWithMarket(
  { ticks, signerOf }: Pick<InspectedSignature, 'ticks' | 'signerOf'>,
  market: readonly (MarketPrice | undefined)[],
  signer: string | undefined,
): {
  readonly rows: readonly { readonly tick: Tick; readonly price: number | undefined; readonly isEqual: boolean }[]
  readonly verdict: 'data' | 'key' | 'unknown'
} {
  const rows = ticks.slice(0, market.length).map((tick, i) => {
    const { price, ts } = market[i] ?? {}
    // Not a number where there is no price, and not a safe one where the exponent of the reply is absurd.
    const own = Math.round((price ?? Number.NaN) * 10 ** -tick.expo)
    return { tick, price: price ?? undefined, own, isEqual: own === Number(tick.price) && ts === tick.ts }
  })
  const own = rows.filter(row => Number.isSafeInteger(row.own)).map(row => ({ ...row.tick, price: row.own }))
  if (own.length < ticks.length) return { rows, verdict: 'unknown' }
  if (rows.every(({ isEqual }) => isEqual)) return { rows, verdict: 'key' }
  return { rows, verdict: signer !== undefined && signerOf(own) === signer ? 'data' : 'unknown' }
}

/** The age and the exponent to check with: those of the feeds in the reply. */
function limitsOf(
  ids: readonly string[],
  isHistory: boolean,
  { catalogue, maxAge, minutes }: Checks,
): Pick<VerifyOptions, 'maxAge' | 'expo'> {
  const found = catalogue.filter(feed => ids.includes(feed.id))
  const expos = new Set(found.map(({ expo }) => expo))
  const age = maxAge ?? Math.max(MAX_AGE, ...found.map(({ heartbeat, lag }) => heartbeat + lag + 2))
  // The prices of a history are as old as its window.
  const window = isHistory ? (minutes ?? (maxAge === undefined ? undefined : 0)) : 0
  return {
    maxAge: window === undefined ? undefined : age + 60 * window,
    // One number for all prices: feeds with other exponents leave it unchecked.
    expo: expos.size === 1 ? [...expos][0] : undefined,
  }
}

/** A signature of several prices has one finding for all of them. */
const findingsOf = (prices: readonly PriceVerdict[]): Finding[] => [
  ...new Set(prices.flatMap(({ findings }) => findings)),
]

function reasonOf(reject: () => unknown): string {
  try {
    reject()
  } catch (error) {
    if (isPriceFeedMockError(error)) return error.shortMessage
    throw error
  }
  return ''
}

/** The bytes of each field, in the order in which the layout signs them. */
function signedBytes(layout: Layout, prices: readonly PriceVerdict[]): InspectedSignature['signed'] {
  const ticks = prices.flatMap(({ tick }) => tick ?? [])
  if (ticks.length < prices.length) return undefined
  const { encode, digest } = createEncoder(layout)
  let message: Uint8Array
  try {
    message = encode(ticks, 'wrap')
  } catch (error) {
    // An id that is too long for its field.
    if (isPriceFeedMockError(error)) return undefined
    throw error
  }
  return { fields: fieldsOf(layout, ticks, bytesToHex(message)), digest: bytesToHex(digest(message)) }
}

function fieldsOf(layout: Layout, ticks: readonly Tick[], hex: string): SignedField[] {
  let offset = 0
  return ticks.flatMap(tick =>
    layout.fields.map(field => {
      const [name, encoding] = field.split(':') as [keyof Tick, string]
      const digits = 2 * bytesOfField(field)
      const bytes = hex.slice(offset, offset + digits)
      offset += digits
      return { name, encoding, hex: bytes, value: String(tick[name]) }
    }),
  )
}
