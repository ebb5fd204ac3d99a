// From the reply of a service to the prices of a recording: it leaves out prices that would spoil the file, and counts them.
import { getOrCreate } from '../caches.js'
import { countOf } from '../errors.js'
import { LATEST, toInstant } from '../settings/time.js'
import { checkResponse } from '../signing/verify.js'
import type { RecordOptions } from './record.js'
import type { RecordedPrice, Recording } from './recording.js'

/** Seconds by which the `ts` of a price may be ahead of this machine's clock, or of the other feeds. */
const MAX_AHEAD_S = 600
/** Milliseconds between two lines about prices that were left out. */
const REPORT_MS = 60_000
/** Groups of such prices in one line. */
const MAX_GROUPS = 10

/** The prices that a recording takes. */
type PriceFilter = Pick<RecordOptions, 'feeds' | 'signers'> & Pick<Recording, 'lastTs'>

/** Takes prices from replies. */
export type PriceReader = ReturnType<typeof createPriceReader>

/** Whether the times of a feed can only be wrong, because they are ahead of the clock. */
export const isAhead = (ts: number, nowMs: number): boolean => ts - nowMs / 1000 > MAX_AHEAD_S

/** Creates a reader for one recording. */
export function createPriceReader({ feeds, signers, lastTs }: PriceFilter) {
  const groups = new Map<string, { readonly feed: string; readonly reason: string; count: number }>()
  let leftOut = 0
  let reportedAt = Number.NEGATIVE_INFINITY
  /** The last accepted time of each feed, and the time at which it came. */
  const accepted = new Map<string, { readonly ts: number; readonly atMs: number }>()

  /** Counts a price that is not in the file. */
  const leaveOut = (feed: string, reason: string): void => {
    getOrCreate(groups, `${feed} ${reason}`, () => ({ feed, reason, count: 0 })).count++
    leftOut++
  }

  /** Whether a time continues the times of its feed, or is that of the clock. */
  const isExpected = ({ feed, ts }: RecordedPrice, nowMs: number): boolean => {
    const last = accepted.get(feed)
    return (
      nowMs / 1000 - ts <= MAX_AHEAD_S ||
      (last !== undefined && ts - last.ts <= MAX_AHEAD_S + (nowMs - last.atMs) / 1000)
    )
  }

  return {
    /**
     * The prices of a batch that are newer than the last rows; undefined if the body is no batch.
     * @param body the parsed body; integers above 2^53 as bigints
     */
    read(body: unknown, nowMs: number): RecordedPrice[] | undefined {
      const list = (body as { readonly prices?: unknown } | null)?.prices
      if (!Array.isArray(list)) return undefined
      const named = list.map((item: unknown, index) => withFeed(item, feeds, list.length === feeds.length ? index : -1))
      const verdicts =
        signers && checkResponse({ ...(body as object), prices: named.map(({ signed }) => signed) }, { signers })
      const found = named.flatMap(({ feed, fields }, index): RecordedPrice[] => {
        const price = feed === undefined ? 'unknown feed' : toPrice(feed, fields)
        const findings = verdicts?.prices[index]?.findings ?? []
        if (typeof price === 'string') leaveOut(feed ?? 'others', price)
        else if (findings.length > 0) leaveOut(feed!, `bad signature: ${findings[0]!.reason}`)
        else if (isAhead(price.ts, nowMs)) leaveOut(feed!, "ts is ahead of this machine's clock")
        else return [price]
        return []
      })
      for (const id of feeds) if (!named.some(({ feed }) => feed === id)) leaveOut(id, 'not in the reply')
      return found.filter(price => {
        const { feed, ts } = price
        const others = Math.max(...found.filter(other => other.feed !== feed).map(other => other.ts))
        if (!isExpected(price, nowMs) && Number.isFinite(others) && ts - others > MAX_AHEAD_S) {
          leaveOut(feed, 'ts is ahead of the other feeds')
          return false
        }
        accepted.set(feed, { ts, atMs: nowMs })
        const last = lastTs.get(feed)
        if (last === undefined || ts > last) return true
        // The same price again is no news.
        if (ts < last) leaveOut(feed, `ts is before the last row of ${toInstant(last * 1000)}`)
        return false
      })
    },
    leaveOut,
    /** A line about the prices that were left out since the last one; undefined if there are none, or the last one was given just now. */
    report(nowMs: number): string | undefined {
      if (groups.size === 0 || nowMs - reportedAt < REPORT_MS) return undefined
      reportedAt = nowMs
      const all = [...groups.values()].sort((a, b) => b.count - a.count)
      groups.clear()
      const shown = all.slice(0, MAX_GROUPS).map(({ feed, reason, count }) => `${count} of ${feed} (${reason})`)
      const rest = all.length > shown.length ? `, and ${all.length - shown.length} more kinds` : ''
      const count = all.reduce((sum, group) => sum + group.count, 0)
      return `left out ${countOf(count, 'price')}: ${shown.join(', ')}${rest}.`
    },
    /** The number of all prices that were left out. */
    get leftOut() {
      return leftOut
    },
  }
}

type Fields = Readonly<Record<string, unknown>>

/** An item of a batch with its feed. A service may number its feeds; then the order of the request counts. */
function withFeed(item: unknown, feeds: readonly string[], index: number) {
  const fields = (item ?? {}) as Fields
  const { feedId } = fields
  if (typeof feedId === 'string')
    return { feed: feeds.find(id => id.toUpperCase() === feedId.toUpperCase()), fields, signed: item }
  const feed = feeds[index]
  // The signed bytes contain the symbol.
  return { feed, fields, signed: feed === undefined ? item : { ...fields, feedId: feed } }
}

/** A price, or the reason why no series can hold it. */
function toPrice(feed: string, { price, expo, ts }: Fields): RecordedPrice | string {
  if (!Number.isSafeInteger(price) || (price as number) <= 0) return 'price is not an integer from 1 to 2^53 - 1'
  if (!Number.isSafeInteger(ts) || (ts as number) < 0 || (ts as number) > LATEST) return 'ts is not a time in seconds'
  if (!Number.isInteger(expo) || (expo as number) < -18 || (expo as number) > 0)
    return 'expo is not an integer from -18 to 0'
  return { feed, ts: ts as number, price: String(price), expo: expo as number }
}
