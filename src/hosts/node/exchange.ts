// One request and its reply: as the mock takes it from Node, and as the server reports it to the log and the metrics.
import type { IncomingMessage } from 'node:http'
import type { Reply } from '../../outcome.js'
import type { JournalEntry } from '../../service/journal-entry.js'
import type { ServiceRequest } from '../../service/request.js'
import { toShownTarget } from '../../settings/shown-keys.js'

/** A reply that imitates the service, errors included. */
export interface ServiceExchange {
  readonly by: 'service'
  /** The id of the session. */
  readonly session: string
  readonly entry: JournalEntry
  readonly durationMs: number
}

/** A reply of the mock's own: the admin, a user's handlers, or an error that imitates nothing. */
export interface MockExchange {
  readonly by: 'mock'
  readonly method: string
  /** Without the values of parameters that may be keys. */
  readonly target: string
  readonly status: number
  /** Real milliseconds since the epoch. */
  readonly receivedAt: number
  readonly durationMs: number
}

/** Any request with its reply. */
export type Exchange = ServiceExchange | MockExchange

/** Creates the exchange of a reply of the mock's own. */
export function toMockExchange(
  { method, target, receivedAt }: ServiceRequest,
  { status }: Pick<Reply, 'status'>,
  durationMs: number,
): MockExchange {
  return { by: 'mock', method, target: toShownTarget(target), status, receivedAt, durationMs }
}

/** Converts a request of Node. `receivedAt` is in real milliseconds since the epoch. */
export function toServiceRequest({ method, url, rawHeaders }: IncomingMessage, receivedAt: number): ServiceRequest {
  const authorization = valuesOf(rawHeaders, 'authorization')
  return {
    method: method ?? 'GET',
    target: url ?? '/',
    // Joined as the Fetch standard joins repeated ones.
    authorization: authorization.length === 0 ? undefined : authorization.join(', '),
    receivedAt,
  }
}

/** The values of a header. `request.headers` keeps only the first of some, and `request.headersDistinct` parses all headers. */
export function valuesOf(rawHeaders: readonly string[], name: string): readonly string[] {
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]!
    if (header.length === name.length && header.toLowerCase() === name) values.push(rawHeaders[i + 1]!)
  }
  return values
}
