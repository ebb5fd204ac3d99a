// Judges a price reply: the decisions of a consumer, in the order in which they have to be made.
import { isPriceFeedMockError, testSigners, verify } from 'price-feed-mock/verify'
import type { Reply, Silence } from './ask'
import { formatAge } from './format'

/** `fresh` is the only one to trade on. */
export type State = 'fresh' | 'stale' | 'refused' | 'gap' | 'forged' | 'failed' | 'unreachable'

export interface Verdict {
  readonly state: State
  /** The problem, or the signer. */
  readonly detail: string
  /** The price, if a trusted key signed it. */
  readonly price?: number
  /** Seconds since the price occurred. */
  readonly age?: number
}

/** Seconds after which a price is stale. */
export const STALE_AFTER = 60
/** Seconds by which clocks may differ before a price counts as from the future. */
const CLOCK_SKEW = 5

/** Judges the result of `GET /prices/{feed}/latest`. */
export function judge(feed: string, answer: Reply | Silence, signers: readonly string[]): Verdict {
  if (answer.kind === 'silence') return { state: 'unreachable', detail: answer.why }
  const { status, body, now } = answer
  if (status === 401 || status === 403) return { state: 'refused', detail: `${status}: the API key was refused` }
  if (status === 404) return { state: 'gap', detail: '404: unknown feed, or no price now' }
  if (status !== 200) return { state: 'failed', detail: toRefusal(answer) }

  const read = readPrice(body)
  if (read === undefined) return { state: 'failed', detail: 'the answer holds no price' }
  if (read.feedId.toUpperCase() !== feed.toUpperCase())
    return { state: 'forged', detail: `the answer is about ${read.feedId}` }
  const signature = inspectSignature(body, signers)
  if (signature.state !== 'fresh') return signature

  const price = read.price / 10 ** -read.expo
  const age = now - read.ts
  if (age > STALE_AFTER) return { state: 'stale', price, age, detail: `${formatAge(age)} old` }
  if (age < -CLOCK_SKEW) return { state: 'failed', detail: `from the future by ${formatAge(-age)}` }
  if (!(price > 0)) return { state: 'failed', detail: 'the price is not above zero' }
  return { ...signature, price, age }
}

interface Price {
  readonly feedId: string
  readonly price: number
  readonly expo: number
  readonly ts: number
}

function readPrice(body: unknown): Price | undefined {
  const { feedId, price, expo, ts } = (body ?? {}) as Partial<Record<keyof Price, unknown>>
  if (typeof feedId !== 'string') return undefined
  if (typeof price !== 'number' || typeof expo !== 'number' || typeof ts !== 'number') return undefined
  return { feedId, price, expo, ts }
}

function inspectSignature(body: unknown, signers: readonly string[]): Verdict {
  try {
    const [{ address } = { address: '' }] = verify(body, { signers, allowNotPositive: true })
    return { state: 'fresh', detail: `signed by ${nameOf(address)}` }
  } catch (error) {
    if (!isPriceFeedMockError(error)) throw error
    if (error.code === 'SIGNATURE_MISMATCH') return { state: 'forged', detail: 'no trusted key signed it' }
    if (error.code === 'RESPONSE_UNRECOGNISED') return { state: 'forged', detail: 'the signature cannot be read' }
    // The settings of this page are wrong, not the price.
    return { state: 'failed', detail: error.shortMessage }
  }
}

/** A shortened address for people. */
function nameOf(address: string): string {
  const test = testSigners().find(signer => signer.address === address)
  return test === undefined ? `${address.slice(0, 6)}…${address.slice(-4)}` : `test key ${test.number}`
}

function toRefusal({ status, retryAfter }: Reply): string {
  if (status === 429) return retryAfter === null ? '429: asked too often' : `429: asked too often, wait ${retryAfter} s`
  return `${status}: the service failed`
}
