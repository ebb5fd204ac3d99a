// What the service says with a status: simulated errors have the form of its real ones.

const SENTENCES: Readonly<Record<number, readonly [code: string, message: string]>> = {
  400: ['bad_request', 'The request is malformed.'],
  401: ['unauthorized', 'The API key in the Authorization header is not a valid one.'],
  403: ['forbidden', 'The API key may not read this.'],
  404: ['not_found', 'There is nothing here.'],
  408: ['request_timeout', 'The request took too long to arrive.'],
  429: ['too_many_requests', 'Too many requests.'],
  500: ['internal_error', 'Something went wrong.'],
  502: ['bad_gateway', 'The service behind the gateway gave no valid answer.'],
  503: ['service_unavailable', 'The service is unavailable.'],
  504: ['gateway_timeout', 'The service behind the gateway gave no answer in time.'],
}

/** What statuses have in common, by their hundreds. */
const KINDS: Readonly<Record<number, string>> = { 2: 'OK', 3: 'redirect', 4: 'error', 5: 'error' }

/** Statuses with which a service tells when to come back (RFC 9110, 10.2.3; RFC 6585, 4). */
const COME_BACK: ReadonlySet<number> = new Set([429, 503])

/** The body of an error: `{"error": code, "message": sentence}`. */
export function errorBody(status: number, message?: string): { readonly error: string; readonly message: string } {
  const [code, shortMessage] = SENTENCES[status] ?? [`status_${status}`, `The service answers with status ${status}.`]
  return { error: code, message: message ?? shortMessage }
}

/** What the page of a proxy calls a status: `502 Bad Gateway`; where there is no word for it, what kind it is. */
export function titleOf(status: number): string {
  const words = SENTENCES[status]?.[0].replaceAll('_', ' ') ?? KINDS[Math.floor(status / 100)]
  return `${status} ${words}`.replace(/\b[a-z]/g, letter => letter.toUpperCase())
}

/** Whether `Retry-After` belongs to a status. */
export const tellsWhenToComeBack = (status: number): boolean => COME_BACK.has(status)
