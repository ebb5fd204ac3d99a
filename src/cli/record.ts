// `record`: polls a service for prices and writes them to a file that --series reads. It never writes or prints the key.
import { getOrCreate } from '../caches.js'
import { fixOfTrust, type Service } from '../compare/observe.js'
import { countOf, isPriceFeedMockError, PriceFeedMockError, tryTo } from '../errors.js'
import { readReplyText } from '../hosts/answer.js'
import { findFeed } from '../market/feeds.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import { parseUnits } from '../market/series-text.js'
import { LATEST, parseRetryAfter, toInstant } from '../settings/time.js'
import { checkResponse, parseExact } from '../signing/verify.js'
import { openRecording, type RecordedPrice, type Recording, toDecimal } from './recording.js'

/** Options of a recording. */
export interface RecordOptions {
  /** Address of the service, without a slash at the end. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly feeds: readonly string[]
  /** Milliseconds between two polls. */
  readonly everyMs: number
  /** The file. */
  readonly out: string
  /**
   * The accepted signers, as addresses or public keys. Prices without a valid signature of one are left out.
   * @default signatures are not checked
   */
  readonly signers?: readonly string[] | undefined
}

/** The surroundings of a recording, which a test replaces. The signal ends it. */
export interface RecordContext extends Pick<Service, 'fetch' | 'now' | 'wait' | 'report' | 'signal'> {
  /** Called once, after the first prices are in the file. */
  readonly onReady: () => void
  /**
   * The longest time of one poll, in milliseconds.
   * @default 10000
   */
  readonly timeoutMs?: number | undefined
}

/** The waits after failures: doubled each time. */
const FIRST_BACKOFF_MS = 1000
const MAX_BACKOFF_MS = 60_000
const MAX_RETRY_AFTER_MS = 3_600_000
const TIMEOUT_MS = 10_000
/** The longest body of prices, in characters. 100 feeds need a fiftieth of it. */
const MAX_BODY = 1_000_000
/** The part of an error's body that is searched for ids of feeds. */
const MAX_ERROR_BODY = 10_000
/** Statuses that no later poll changes. */
const FINAL = new Set([400, 401, 403, 404, 405])

/**
 * Records until the signal aborts. After an answer 429, 5xx or none, and while the file cannot be written, it waits and goes on.
 * @throws PriceFeedMockError FILE_UNREADABLE, FILE_UNWRITABLE if not even the first rows can be written, or SERVICE_REFUSED for an
 * answer that stays the same
 */
export async function record(asked: RecordOptions, context: RecordContext): Promise<void> {
  const { everyMs, out, signers } = asked
  const { now, wait, report, onReady, signal } = context
  const recording = openRecording(out)
  const feeds = spelledAlike(asked.feeds, [...recording.lastTs.keys()])
  const options = { ...asked, feeds }
  const reader = createPriceReader({ feeds, signers, lastTs: recording.lastTs })
  let rows = 0
  let failures = 0
  let isReady = false
  let isUnwritable = false
  /** Writes prices to the file. Once it has rows, a file that cannot be written may be so again later. */
  const save = (prices: readonly RecordedPrice[]): void => {
    try {
      rows += recording.add(prices)
      if (isUnwritable) report(`${out} can be written again.`)
      isUnwritable = false
    } catch (error) {
      if (!isPriceFeedMockError(error) || rows === 0) throw error
      for (const { feed } of prices) reader.leaveOut(feed, 'not written')
      if (!isUnwritable) report(`${error.shortMessage.slice(0, -1)}; its ${countOf(recording.total, 'row')} stay.`)
      isUnwritable = true
    }
  }
  const reportLeftOut = (nowMs: number): void => {
    const line = reader.report(nowMs)
    if (line !== undefined) report(line)
  }
  try {
    report(
      recording.rows > 0
        ? `continuing ${out} after ${countOf(recording.rows, 'row')}.`
        : `recording ${countOf(feeds.length, 'feed')} to ${out}.`,
    )
    for (const line of findAhead(recording, options, now())) report(line)
    let next = now()
    while (!signal.aborted) {
      const polled = await poll(options, reader, context)
      if (signal.aborted) break
      if (polled.prices !== undefined) {
        save(polled.prices)
        reportLeftOut(now())
        if (!isReady && recording.total > 0) {
          isReady = true
          onReady()
        }
        if (failures > 0) report('the service answers again.')
        failures = 0
        // Polls keep their rhythm. Those that are missed are left out. The clock of the machine may be set back meanwhile.
        next += everyMs * Math.max(1, Math.ceil((now() - next) / everyMs))
        next = Math.min(next, now() + everyMs)
        await wait(Math.max(0, next - now()), signal)
      } else {
        if (isFinal(polled, rows > 0)) throw refused(polled)
        const delay = delayAfter(polled, failures++)
        report(`${polled.reason}; the next poll is in ${Math.round(delay / 1000)} s.`)
        await wait(delay, signal)
        next = now()
      }
    }
  } catch (error) {
    // The waits end so; anything else is an error.
    if (!signal.aborted) throw error
  } finally {
    recording.close()
    // A key that is refused later ends it with rows as well.
    if (signal.aborted || rows > 0) {
      reportLeftOut(Number.POSITIVE_INFINITY)
      const leftOut = reader.leftOut === 0 ? '' : `, ${countOf(reader.leftOut, 'price')} left out`
      report(`${countOf(rows, 'new row')} in ${out}${leftOut}.`)
    }
  }
}

/** A refused key stays refused. After the first rows, a service that is being replaced may give other such answers for a while. */
const isFinal = ({ status, moved }: Failed, hasRows: boolean): boolean =>
  isRefusedKey(status) || (!hasRows && (FINAL.has(status) || moved !== undefined))
const isRefusedKey = (status: number): boolean => status === 401 || status === 403

/** The milliseconds to wait after a failure, of which there were some before. */
function delayAfter({ retryAfter }: Failed, failures: number): number {
  const backoff = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures, 10))
  return Math.max(backoff, Math.min(MAX_RETRY_AFTER_MS, 1000 * (retryAfter || 0)))
}

/** Each of some ids once, whatever its case, in the spelling of the file. */
function spelledAlike(asked: readonly string[], known: readonly string[]): readonly string[] {
  const spellings = new Map([...asked, ...known].map(id => [id.toLowerCase(), id]))
  return [...new Set(asked.map(id => spellings.get(id.toLowerCase())!))]
}

/** A line for each feed whose last row is in the future: nothing is newer than that row. */
function findAhead({ lastTs }: Recording, { feeds, out }: RecordOptions, nowMs: number): string[] {
  return feeds.flatMap(feed => {
    const ts = lastTs.get(feed)
    if (ts === undefined || !isAhead(ts, nowMs)) return []
    const at = toInstant(ts * 1000)
    return [
      `${out} has a row of ${feed} at ${at}, ahead of this machine's clock: remove it, or ${feed} stays without rows until then.`,
    ]
  })
}

interface Failed {
  readonly prices?: undefined
  /** 0 without an answer. */
  readonly status: number
  readonly reason: string
  /** The asked feeds that the answer names. */
  readonly named?: readonly string[] | undefined
  /** Seconds; NaN where the answer names none. */
  readonly retryAfter?: number
  /** The origin to which it redirects. */
  readonly moved?: string | undefined
}
type Polled = { readonly prices: readonly RecordedPrice[] } | Failed

async function poll(
  { baseUrl, apiKey, feeds }: RecordOptions,
  reader: ReturnType<typeof createPriceReader>,
  context: RecordContext,
): Promise<Polled> {
  const { fetch, now, signal, timeoutMs = TIMEOUT_MS } = context
  const timeout = AbortSignal.timeout(timeoutMs)
  const ended = AbortSignal.any([signal, timeout])
  let status = 0
  try {
    const response = await fetch(`${baseUrl}/prices/batch?feedIds=${feeds.map(encodeURIComponent).join(',')}`, {
      headers: { authorization: apiKey },
      // A redirect could send the key elsewhere.
      redirect: 'manual',
      signal: ended,
    })
    status = response.status
    if (status !== 200) {
      const retryAfter = parseRetryAfter(response.headers.get('retry-after') ?? '', now() / 1000)
      const named = FINAL.has(status) ? await namedIn(response, feeds, ended) : undefined
      await response.body?.cancel().catch(() => {})
      const moved = status < 400 ? originOf(response.headers.get('location'), baseUrl) : undefined
      const where = moved === undefined ? '' : `, a redirect to ${moved}`
      return { status, reason: `the service answered ${status}${where}`, retryAfter, named, moved }
    }
    const text = await readReplyText(response, MAX_BODY, ended)
    if (text.length > MAX_BODY)
      return { status, reason: `the service answered 200 with more than ${MAX_BODY} characters` }
    const body = tryTo(() => parseExact(text))
    if (body === undefined) return { status, reason: 'the service answered 200 with broken JSON' }
    const prices = reader.read(body, now())
    return prices === undefined ? { status, reason: 'the service answered 200 without a list of prices' } : { prices }
  } catch (error) {
    return { status: 0, reason: reasonOf(error, status !== 0, timeout.aborted ? timeoutMs : undefined) }
  }
}

/** Why an answer did not arrive as a whole. The message of an error may quote the request, its code does not. */
function reasonOf(error: unknown, hasBegun: boolean, limitMs: number | undefined): string {
  const { code, message } = Object((error as Error | null)?.cause) as Record<'code' | 'message', unknown>
  // The Fetch standard lists ports that are never asked, such as 6000.
  if (message === 'bad port') return 'the service cannot be asked: fetch refuses its port, as browsers do'
  const none = 'the service did not answer'
  if (limitMs !== undefined) return `${hasBegun ? 'the answer did not end' : none} in ${limitMs / 1000} s`
  const failed = hasBegun ? 'the answer broke off' : none
  const fix = fixOfTrust(code)
  return typeof code === 'string' ? `${failed} (${code}${fix === undefined ? '' : `: ${fix}`})` : failed
}

/** The feeds whose ids are words of the body. The body itself is not shown: it may quote the key. */
async function namedIn(response: Response, feeds: readonly string[], ended: AbortSignal): Promise<readonly string[]> {
  const text = await readReplyText(response, MAX_ERROR_BODY, ended).catch(() => '')
  const words = new Set(text.toUpperCase().match(/[\w.-]+/g))
  return feeds.filter(id => words.has(id.toUpperCase()))
}

/** The origin of a redirect. Its path may quote the request. */
const originOf = (location: string | null, baseUrl: string): string | undefined =>
  location !== null && URL.canParse(location, baseUrl) ? new URL(location, baseUrl).origin : undefined

const refused = (failed: Failed): PriceFeedMockError =>
  new PriceFeedMockError('SERVICE_REFUSED', `The service answered ${failed.status}.`, { fix: fixOf(failed) })

function fixOf({ status, named = [], moved }: Failed): string {
  if (moved !== undefined) return `check --base-url: the answer is a redirect to ${moved}`
  if (isRefusedKey(status)) return 'check the key: set PRICE_FEED_API_KEY, or --api-key'
  if (named.length === 0) return 'check --base-url and --feeds'
  return `check ${named.join(', ')} in --feeds: the answer names ${named.length === 1 ? 'it' : 'them'}`
}

/** Seconds by which the `ts` of a price may be ahead of this machine's clock, or of the other feeds. */
const MAX_AHEAD_S = 600
/** Milliseconds between two lines about prices that were left out. */
const REPORT_MS = 60_000
/** Groups of such prices in one line. */
const MAX_GROUPS = 10

type PriceFilter = Pick<RecordOptions, 'feeds' | 'signers'> & Pick<Recording, 'lastTs'>

const isAhead = (ts: number, nowMs: number): boolean => ts - nowMs / 1000 > MAX_AHEAD_S

/** Creates a reader of replies for one recording: it leaves out prices that would spoil the file, and counts them. */
function createPriceReader({ feeds, signers, lastTs }: PriceFilter) {
  const groups = new Map<string, { readonly feed: string; readonly reason: string; count: number }>()
  let leftOut = 0
  let reportedAt = Number.NEGATIVE_INFINITY
  /** The last accepted time of each feed, and the time at which it came. */
  const accepted = new Map<string, { readonly ts: number; readonly atMs: number }>()

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
    /** The prices of a batch that are newer than the last rows; undefined if the body is none. It has integers above 2^53 as bigints. */
    read(body: unknown, nowMs: number): RecordedPrice[] | undefined {
      const list = (body as { readonly prices?: unknown } | null)?.prices
      if (!Array.isArray(list)) return undefined
      const named = list.map((item: unknown, index) => withFeed(item, feeds, list.length === feeds.length ? index : -1))
      const verdicts =
        signers && checkResponse({ ...(body as object), prices: named.map(({ signed }) => signed) }, { signers })
      const found = named.flatMap(({ feed, fields }, index): RecordedPrice[] => {
        const price = feed === undefined ? 'unknown feed' : toPrice(feed, fields)
        const verdict = verdicts?.prices[index]
        if (typeof price === 'string') leaveOut(feed ?? 'others', price)
        // A body of two forms has no verdicts.
        else if (verdicts && !verdict?.ok) leaveOut(feed!, `bad signature: ${verdict?.reason ?? 'malformed'}`)
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
  const known = findFeed(catalogueFeeds(), feed)
  if (known && !(parseUnits(toDecimal(String(price), expo as number), -known.expo) > 0))
    return 'price is out of its range'
  return { feed, ts: ts as number, price: String(price), expo: expo as number }
}
