// The judgement on a reply: decided from all that arrives, and from the faults that changed it.
import { isObject, tryTo } from '../errors.js'
import type { Feed } from '../market/feeds.js'
import type { Outcome } from '../outcome.js'

/**
 * The kinds of what a consumer can get: a good price; one that is too old; an error status; no reply, or one that cannot be read or
 * has an impossible value; a signature that does not fit.
 */
export const GOT = ['fresh', 'stale', 'refused', 'broken', 'forged'] as const
/** One of these kinds. */
export type Got = (typeof GOT)[number]

/** The judgement on a reply, with the reason if it is not a good price. */
export interface Received {
  readonly got: Got
  readonly why?: string | undefined
}

/** The request, as far as its reply depends on it. */
interface Asked {
  readonly endpoint: string
  /** Virtual seconds since the epoch. */
  readonly now: number
  /** A feed by its id in any case. */
  feed(id: string): Feed | undefined
  /** A feed by its number in the catalogue. */
  numbered(number: number): Feed | undefined
  /** The ids of the feeds that the request names. */
  feeds(): ReadonlySet<string>
  /** The minutes that a history covers. */
  minutes(): number
}

const FRESH: Received = { got: 'fresh' }
/** The judgement on an error status. */
export const refused = (status: number): Received => ({ got: 'refused', why: `status ${status}` })
const broken = (why: string): Received => ({ got: 'broken', why })
/** Seconds that a time may be ahead. */
const MAX_AHEAD = 5

/** Seconds after which the price of a feed is too old: a minute, or the time in which the feed has another price. */
export const maxAgeOf = ({ heartbeat, lag }: Pick<Feed, 'heartbeat' | 'lag'>): number =>
  Math.max(60, heartbeat + lag + 2)

/**
 * Judges a reply.
 * @param forger name of the fault that made a signature unfit
 * @param read what the whole body says; the caller can remember it
 */
export function toReceived(outcome: Outcome, forger: string | undefined, read: (body: string) => Received): Received {
  if (outcome.kind === 'reset')
    return broken(outcome.isRefused ? 'the connection was refused' : 'the connection was reset')
  if (outcome.kind === 'timeout') return broken('no reply came')
  const { kind, status, body } = outcome
  if (kind === 'truncate') return broken(`the body ended after ${outcome.sentLength} of ${body.length} bytes`)
  if (status >= 400) return refused(status)
  if (status !== 200) return broken(`status ${status} has no prices`)
  const received = read(body)
  if (forger === undefined || received.got === 'broken') return received
  return { got: 'forged', why: `the signature does not fit: ${forger}` }
}

/** Judges the body of a 200. */
export function readBody(body: string, asked: Asked): Received {
  const value = tryTo((): unknown => JSON.parse(body))
  if (value === undefined) return broken(body === '' ? 'the body is empty' : 'the body is not JSON')
  return (asked.endpoint === 'candles' ? readCandles(value, asked) : readPrices(value, asked)) ?? FRESH
}

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields => (isObject(value) ? (value as Fields) : {})
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

/** The first reason why some prices are not good ones: what cannot be used comes before what is old. */
function readPrices(value: unknown, asked: Asked): Received | undefined {
  const { endpoint, now } = asked
  const whole = fieldsOf(value)
  const pairs = endpoint === 'history' ? Object.values(whole).map(fieldsOf) : []
  const list = endpoint === 'latest' ? [value] : endpoint === 'history' ? pairs.flatMap(toPair) : whole.prices
  if (!Array.isArray(list)) return broken('there is no list of prices')
  const prices = list.map(fieldsOf)
  const signed = endpoint === 'batch' ? [whole] : prices
  if (!signed.every(({ signature }) => typeof signature === 'string')) return broken('a signature is missing')
  const reach = endpoint === 'history' ? 60 * asked.minutes() : 0
  const seen = new Set<string>()
  let stale: Received | undefined
  for (const { feedId, price, expo, ts } of prices) {
    const feed = typeof feedId === 'number' ? asked.numbered(feedId) : asked.feed(String(feedId))
    if (feed === undefined) return broken('a price has no feed that is known')
    if (!isInteger(price) || !isInteger(ts)) return broken(`the price or the time of ${feed.id} is no exact integer`)
    if (price <= 0) return broken(`the price of ${feed.id} is ${price}`)
    if (expo !== feed.expo) return broken(`the expo of ${feed.id} is ${String(expo)} instead of ${feed.expo}`)
    const age = now - ts
    if (age < -MAX_AHEAD) return broken(`the time of ${feed.id} is ${-age} s in the future`)
    seen.add(feed.id)
    const most = maxAgeOf(feed) + reach
    if (age > most) stale ??= { got: 'stale', why: `${feed.id} is ${age} s old; ${most} s are allowed` }
  }
  if (endpoint !== 'evm' && !signed.every(({ recoveryId }) => isInteger(recoveryId)))
    return broken('a recoveryId is missing')
  for (const id of asked.feeds()) if (id !== '' && !seen.has(id)) return broken(`${id} is missing`)
  if (pairs.some(({ high, low }) => Number(fieldsOf(high).price) < Number(fieldsOf(low).price)))
    return broken('a high is below its low')
  return stale
}

const toPair = ({ high, low }: Fields): unknown[] => [high, low]

function readCandles(value: unknown, { now, feeds, feed }: Asked): Received | undefined {
  const rows = fieldsOf(fieldsOf(value).data).result
  if (!Array.isArray(rows)) return broken('there is no list of candles')
  if (rows.length === 0) return broken('there are no candles')
  const isInSeconds = (time: number): boolean => time <= now && time > now / 2
  let before = Number.NEGATIVE_INFINITY
  let width = Number.POSITIVE_INFINITY
  for (const { time, open, high, low, close, volume } of rows.map(fieldsOf)) {
    const numbers = [time, open, high, low, close, volume]
    if (!numbers.every(Number.isFinite)) return broken('a candle has a value that is no number')
    const [at, o, h, l, c, v] = numbers as [number, number, number, number, number, number]
    if (h < Math.max(o, c, l) || l > Math.min(o, c) || l <= 0) return broken('the prices of a candle contradict')
    if (v < 0) return broken('a volume is below 0')
    // Milliseconds of 1970 are as small, but in a chart that reaches back so far no candle beside them is decades later.
    if (isInSeconds(Math.min(at, before)) && Math.max(at, before) > now * 500)
      return broken('the time of a candle is in seconds')
    if (at <= before) return broken(at === before ? 'a candle is there twice' : 'candles are out of order')
    width = Math.min(width, at - before)
    before = at
  }
  if (isInSeconds(before)) return broken('the time of a candle is in seconds')
  if (before > (now + MAX_AHEAD) * 1000) return broken('a candle lies in the future')
  const [id = ''] = feeds()
  const asked = feed(id)
  const age = now - (before + width) / 1000
  if (asked === undefined || age <= maxAgeOf(asked)) return undefined
  return { got: 'stale', why: `the newest candle of ${id} ended ${Math.round(age)} s ago` }
}
