// One request to the service and its result. Nothing here throws: any request may fail.

/** The clock by which the age of a price is measured. */
export type ClockOf = 'mock' | 'service' | 'page'

/** A reply. */
export interface Reply {
  readonly kind: 'reply'
  readonly status: number
  /** The parsed body; undefined when it is not JSON. */
  readonly body: unknown
  /** The service's present, in seconds since the epoch. */
  readonly now: number
  readonly clockOf: ClockOf
  /** Faults that the mock applied. A real service names none. */
  readonly faults: readonly string[]
  /** Seconds to wait, from Retry-After. */
  readonly retryAfter: string | null
}

/** No reply. */
export interface Silence {
  readonly kind: 'silence'
  readonly why: string
}

const PATIENCE_MS = 5000

/** Sends the request; `key` is the whole value of `Authorization`. */
export async function ask(url: string, key?: string): Promise<Reply | Silence> {
  try {
    const response = await fetch(url, {
      headers: key === undefined ? {} : { authorization: key },
      cache: 'no-store',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const text = await response.text()
    return {
      kind: 'reply',
      status: response.status,
      body: parse(text),
      ...readClock(response.headers),
      faults: /faults=\(([^)]*)\)/.exec(markOf(response.headers))?.[1]?.match(/[\w./-]+/g) ?? [],
      retryAfter: response.headers.get('retry-after'),
    }
  } catch (error) {
    const late = error instanceof DOMException && error.name === 'TimeoutError'
    return { kind: 'silence', why: late ? `no answer within ${PATIENCE_MS / 1000} s` : 'the connection failed' }
  }
}

/** The time of the service, which may be in another year for a mock. The clock of the page is the last resort. */
function readClock(headers: Headers): Pick<Reply, 'now' | 'clockOf'> {
  const mock = /(?:^|[\s,])now=(\d+)/.exec(markOf(headers))?.[1]
  if (mock !== undefined) return { now: Number(mock), clockOf: 'mock' }
  const date = Date.parse(headers.get('date') ?? '')
  if (!Number.isNaN(date)) return { now: date / 1000, clockOf: 'service' }
  return { now: Math.floor(Date.now() / 1000), clockOf: 'page' }
}

const markOf = (headers: Headers): string => headers.get('x-price-feed-mock') ?? ''

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
