// One request and its answer, as the server tells of it: to the log and to the metrics.
import type { Reply } from '../../outcome.js'
import type { JournalEntry } from '../../service/journal.js'
import type { ServiceRequest } from '../../service/request.js'

/** An answer of the service: what it imitates, errors included. */
export interface ServiceExchange {
  readonly by: 'service'
  readonly entry: JournalEntry
  readonly durationMs: number
}

/** An answer of the mock's own: the admin, or an error that imitates nothing. */
export interface OwnExchange {
  readonly by: 'mock'
  readonly method: string
  readonly target: string
  readonly status: number
  /** Real milliseconds since the epoch. */
  readonly receivedAt: number
  readonly durationMs: number
}

/** Any answer of a server. */
export type Exchange = ServiceExchange | OwnExchange

/** Tells of an answer of the mock's own. */
export function toOwnExchange(
  { method, target, receivedAt }: ServiceRequest,
  { status }: Reply,
  durationMs: number,
): OwnExchange {
  return { by: 'mock', method, target, status, receivedAt, durationMs }
}
