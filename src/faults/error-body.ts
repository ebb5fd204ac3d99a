// The bodies and titles of simulated errors, in the form of the service's real ones.

const ERRORS: Readonly<Record<number, readonly [code: string, message: string]>> = {
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

/** Titles for statuses without an entry above, by the first digit. */
const CLASS_TITLES: Readonly<Record<number, string>> = { 2: 'OK', 3: 'redirect', 4: 'error', 5: 'error' }

/** Statuses that carry `Retry-After` (RFC 9110, 10.2.3; RFC 6585, 4). */
const RETRY_AFTER_STATUSES: ReadonlySet<number> = new Set([429, 503])

/** The body of an error: `{"error": code, "message": sentence}`. */
export function errorBody(status: number, message?: string): { readonly error: string; readonly message: string } {
  const [code, defaultMessage] = ERRORS[status] ?? [`status_${status}`, `The service answers with status ${status}.`]
  return { error: code, message: message ?? defaultMessage }
}

/** The title of a status on a proxy's error page: `502 Bad Gateway`. */
export function titleOf(status: number): string {
  const title = ERRORS[status]?.[0].replaceAll('_', ' ') ?? CLASS_TITLES[Math.floor(status / 100)]
  return `${status} ${title}`.replace(/\b[a-z]/g, letter => letter.toUpperCase())
}

/** Whether a status carries `Retry-After`. */
export const hasRetryAfter = (status: number): boolean => RETRY_AFTER_STATUSES.has(status)
