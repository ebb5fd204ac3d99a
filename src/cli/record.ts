// `record`: polls a service for prices and writes them to a file that --series reads. It never writes or prints the key.
import { countOf, PriceFeedMockError } from '../errors.js'
import { openRecording, type RecordedPrice } from './recording.js'

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
}

/** The surroundings of a recording, which a test replaces. */
export interface RecordContext {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Resolves after some milliseconds, or rejects when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Reports a line about the progress. */
  readonly report: (line: string) => void
  /** Called once, after the first prices are in the file. */
  readonly onReady: () => void
  /** Ends the recording. */
  readonly signal: AbortSignal
}

/** The waits after failures: doubled each time. */
const FIRST_BACKOFF_MS = 1000
const MAX_BACKOFF_MS = 60_000
/** The longest wait that a service may ask for. */
const MAX_RETRY_AFTER_MS = 3_600_000
/** The longest time of one poll. */
const TIMEOUT_MS = 10_000
/** The part of an error's body that is searched for ids of feeds. */
const MAX_BODY = 10_000
/** Statuses that no later poll changes. */
const FINAL = new Set([400, 401, 403, 404, 405])

/**
 * Records until the signal aborts. After an answer 429, 5xx or none it waits and goes on.
 * @throws PriceFeedMockError FILE_UNREADABLE, or SERVICE_REFUSED for an answer that stays the same
 */
export async function record(options: RecordOptions, context: RecordContext): Promise<void> {
  const { feeds, everyMs, out } = options
  const { now, wait, report, onReady, signal } = context
  const recording = openRecording(out)
  let rows = 0
  let failures = 0
  let isReady = false
  try {
    report(
      recording.rows > 0
        ? `continuing ${out} after ${countOf(recording.rows, 'row')}.`
        : `recording ${countOf(feeds.length, 'feed')} to ${out}.`,
    )
    let next = now()
    while (!signal.aborted) {
      const polled = await poll(options, context)
      if (signal.aborted) break
      if (polled.prices !== undefined) {
        rows += recording.add(polled.prices)
        if (!isReady) onReady()
        isReady = true
        if (failures > 0) report('the service answers again.')
        failures = 0
        // Polls keep their rhythm. Those that are missed are left out.
        next += everyMs * Math.max(1, Math.ceil((now() - next) / everyMs))
        await wait(Math.max(0, next - now()), signal)
      } else {
        if (FINAL.has(polled.status) && (rows === 0 || polled.status === 401 || polled.status === 403))
          throw refused(polled.status, polled.named)
        const backoff = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures++, 10))
        const delay = Math.max(backoff, Math.min(MAX_RETRY_AFTER_MS, polled.retryAfterMs ?? 0))
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
  }
  report(`${countOf(rows, 'new row')} in ${out}.`)
}

/** The result of one poll: prices, or the reason why there are none. */
type Polled =
  | { readonly prices: readonly RecordedPrice[] }
  | {
      readonly prices?: undefined
      /** 0 without an answer. */
      readonly status: number
      readonly reason: string
      /** The asked feeds that the answer names. */
      readonly named?: readonly string[] | undefined
      readonly retryAfterMs?: number | undefined
    }

async function poll({ baseUrl, apiKey, feeds }: RecordOptions, context: RecordContext): Promise<Polled> {
  const { fetch, now, signal } = context
  try {
    const response = await fetch(`${baseUrl}/prices/batch?feedIds=${feeds.map(encodeURIComponent).join(',')}`, {
      headers: { authorization: apiKey },
      // A redirect could send the key elsewhere.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const { status } = response
    if (status !== 200) {
      const retryAfterMs = toRetryAfterMs(response.headers.get('retry-after'), now())
      const named = FINAL.has(status) ? await namedIn(response, feeds) : undefined
      await response.body?.cancel().catch(() => {})
      return { status, reason: `the service answered ${status}`, retryAfterMs, named }
    }
    const prices = toPrices(await response.json(), feeds)
    return prices === undefined ? { status, reason: 'the service answered without valid prices' } : { prices }
  } catch {
    // The message of the error may quote the request.
    return { status: 0, reason: 'the service did not answer' }
  }
}

/** The feeds whose ids are words of the body. The body itself is not shown: it may quote the key. */
async function namedIn(response: Response, feeds: readonly string[]): Promise<readonly string[]> {
  const text = await response.text().catch(() => '')
  const words = new Set(
    text
      .slice(0, MAX_BODY)
      .toUpperCase()
      .match(/[\w.-]+/g),
  )
  return feeds.filter(id => words.has(id.toUpperCase()))
}

/** Milliseconds of a Retry-After header: seconds, or a date. */
export function toRetryAfterMs(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}

/** The prices of a batch; undefined if the body is none. Prices that no feed can have are left out. */
function toPrices(body: unknown, feeds: readonly string[]): RecordedPrice[] | undefined {
  const list = (body as { readonly prices?: unknown } | null)?.prices
  if (!Array.isArray(list)) return undefined
  return list.flatMap((item: unknown, index): RecordedPrice[] => {
    const { feedId, price, expo, ts } = (item ?? {}) as Readonly<Record<string, unknown>>
    // A service may number its feeds; then the order of the request counts.
    const feed =
      typeof feedId === 'string'
        ? feeds.find(id => id.toUpperCase() === feedId.toUpperCase())
        : list.length === feeds.length
          ? feeds[index]
          : undefined
    const isWhole = Number.isSafeInteger(price) && (price as number) > 0
    const isTime = Number.isSafeInteger(ts) && (ts as number) >= 0 && (ts as number) < 4_291_747_200
    const isExpo = Number.isInteger(expo) && (expo as number) >= -18 && (expo as number) <= 0
    if (feed === undefined || !isWhole || !isTime || !isExpo) return []
    return [{ feed, ts: ts as number, price: String(price), expo: expo as number }]
  })
}

function refused(status: number, named: readonly string[] = []): PriceFeedMockError {
  return new PriceFeedMockError('SERVICE_REFUSED', `The service answered ${status}.`, {
    details: [
      [
        'fix',
        status === 401 || status === 403
          ? 'check the key: set PRICE_FEED_API_KEY, or --api-key'
          : named.length > 0
            ? `check ${named.join(', ')} in --feeds: the answer names ${named.length === 1 ? 'it' : 'them'}`
            : 'check --base-url and --feeds',
      ],
    ],
  })
}
