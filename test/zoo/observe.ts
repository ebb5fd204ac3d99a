// The replies that reached a consumer: the genuine prices among them, and how it asked.
import { parseExact } from '../../src/signing/signed-response.js'
import { checkResponse } from '../../src/signing/verify.js'
import type { Deps, Seen, World } from './world.js'

/** A price that the trusted key signed and that a sensible consumer accepts. */
export interface Genuine {
  readonly feed: string
  readonly value: number
  readonly expo: number
  readonly ts: number
  /** Milliseconds at which it reached the consumer. */
  readonly at: number
  /** Whether it is a high or low of the past. */
  readonly isPast: boolean
}

/** A request that has ended. */
export interface Ended {
  readonly at: number
  readonly path: string
  /** Whether a whole reply with status 200 and good prices, or good candles, came. */
  readonly isGood: boolean
  /** Whether it can be read and verified as a whole, though some of its prices may be none. */
  readonly isSound: boolean
  /** The feeds that a good reply has. */
  readonly feeds: readonly string[]
}

/** A candle, perhaps a damaged one. */
export interface Row {
  readonly time: number
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly close: number | null
  readonly volume: number | null
}

/** The replies and requests of a consumer so far. */
export interface Observed {
  readonly genuine: readonly Genuine[]
  readonly ended: readonly Ended[]
  readonly seen: readonly Seen[]
  now(): number
  /** The candles of the last good reply. */
  candles(): readonly Row[]
  /** The newest genuine price of a feed. */
  newest(feed: string): Genuine | undefined
  /** The requests of the last `ms` milliseconds whose path contains a text. */
  endedIn(ms: number, path: string): readonly Ended[]
}

/** A price as a body may show it. */
type Shown = { readonly feedId?: unknown; readonly price?: unknown; readonly expo?: unknown; readonly ts?: unknown }
interface Read {
  readonly prices: readonly Omit<Genuine, 'at' | 'isPast'>[]
  /** Whether it holds nothing else. */
  readonly isWhole: boolean
  /** Whether all of it can be read and verified. */
  readonly isSound: boolean
}

/** The header of a reply says what was done to it. */
const isDoubtful = (header = ''): boolean => /signature\/(?!batch-duplicate)/.test(header)

/** The genuine prices of a doubtful body, verified: each of a history has its own signature. */
function verifyPrices(text: string, header: string, signer: string): Read {
  try {
    const { prices } = checkResponse(parseExact(text), { signers: [signer], allowHighS: true })
    const genuine = prices.flatMap(({ ok, tick }) =>
      ok && tick !== undefined ? [{ ...tick, feed: tick.feedId, value: Number(tick.price) / 10 ** -tick.expo }] : [],
    )
    // The other half of s is no other price, but may be refused.
    const isWhole = genuine.length === prices.length && prices.length > 0 && !header.includes('high-s')
    return { prices: genuine, isWhole, isSound: isWhole }
  } catch {
    return { prices: [], isWhole: false, isSound: false }
  }
}

/** The genuine prices of a body. */
function readPrices(text: string, header: string | undefined, signer: string): Read {
  if (isDoubtful(header)) return verifyPrices(text, header!, signer)
  try {
    const body = JSON.parse(text) as Shown & { prices?: (Shown | null)[] }
    const shown: readonly Shown[] = Array.isArray(body.prices)
      ? body.prices.map(one => one ?? {})
      : 'feedId' in body || 'ts' in body || 'price' in body
        ? [body]
        : Object.values(body as Record<string, { high: Shown; low: Shown }>).flatMap(one =>
            one !== null && typeof one === 'object' ? [one.high, one.low] : [],
          )
    const isRead = ({ feedId, price, expo, ts }: Shown): boolean =>
      typeof feedId === 'string' && [price, expo, ts].every(Number.isSafeInteger)
    const prices = shown.flatMap(one => {
      const { feedId: feed, price, expo, ts } = one as Record<keyof Shown, number> & { feedId: string }
      return isRead(one) && price > 0 ? [{ feed, value: price / 10 ** -expo, expo, ts }] : []
    })
    const isWhole = prices.length === shown.length && shown.length > 0
    // Without a recovery id, for one, a price is genuine, but may be refused.
    if (header?.includes('missing-field')) return { prices, isWhole: false, isSound: false }
    return { prices, isWhole, isSound: shown.length > 0 && shown.every(isRead) }
  } catch {
    return { prices: [], isWhole: false, isSound: false }
  }
}

/** The last ones of a list in order of time. */
export function since<T extends { readonly at: number }>(list: readonly T[], ms: number): T[] {
  let first = list.length
  while (first > 0 && list[first - 1]!.at > ms) first--
  return list.slice(first)
}

/** Observes a consumer in a world: the dependencies to give to it, and what they see. */
export function observe(world: World, signer: string): { deps: Omit<Deps, 'signer' | 'key'>; observed: Observed } {
  const genuine: Genuine[] = []
  const ended: Ended[] = []
  const newest = new Map<string, Genuine>()
  let candles: readonly Row[] = []
  const { now } = world.deps
  const end = (path: string, isGood: boolean, feeds: readonly string[] = [], isSound = isGood): void => {
    ended.push({ at: now(), path, isGood, isSound, feeds })
  }
  const readBody = (path: string, text: string, header: string | undefined): void => {
    if (path.startsWith('/charting')) {
      const { interval, rows } = readChart(text)
      // Without a whole candle that is possible, there is nothing to show.
      const isSound = rows.some(row => !Object.values(row).includes(null) && row.high! >= row.low!)
      const isGood = isSound && path.endsWith(`interval=${interval}`)
      if (isGood) candles = rows
      end(path, isGood, [], isSound)
      return
    }
    const { prices, isWhole, isSound } = readPrices(text, header, signer)
    for (const price of prices) {
      const one = { ...price, at: now(), isPast: path.includes('History') }
      genuine.push(one)
      const isDue = one.ts >= (newest.get(one.feed)?.ts ?? 0) && one.ts <= now() / 1000 + 6
      if (!one.isPast && isDue) newest.set(one.feed, one)
    }
    end(
      path,
      isWhole,
      prices.map(({ feed }) => feed),
      isSound,
    )
  }
  const fetch: Deps['fetch'] = async (path, options) => {
    try {
      const reply = await world.deps.fetch(path, options)
      if (!reply.ok || !reply.header('content-type')?.startsWith('application/json')) end(path, false)
      return {
        ...reply,
        async text() {
          try {
            const text = await reply.text()
            if (reply.ok) readBody(path, text, reply.header('x-price-feed-mock'))
            return text
          } catch (error) {
            end(path, false)
            throw error
          }
        },
      }
    } catch (error) {
      end(path, false)
      throw error
    }
  }
  const observed: Observed = {
    genuine,
    ended,
    seen: world.seen,
    now,
    candles: () => candles,
    newest: feed => newest.get(feed),
    endedIn: (ms, path) => since(ended, now() - ms).filter(one => one.path.includes(path)),
  }
  return { deps: { ...world.deps, fetch }, observed }
}

function readChart(text: string): { readonly interval?: string; readonly rows: readonly Row[] } {
  try {
    const { interval, result } = (JSON.parse(text) as { data: { interval: string; result: Row[] } }).data
    const rows = result.filter(
      ({ time, open, high, low, close }) =>
        Number.isFinite(time) && [open, high, low, close].every(value => value === null || Number.isFinite(value)),
    )
    return { interval, rows }
  } catch {
    return { rows: [] }
  }
}
