// Replies of the mock itself, as opposed to simulated replies of the service. Their header marks them as such.
import { isPriceFeedMockError, PriceFeedMockError, toProblemDetails } from './errors.js'
import { type HeaderList, MEDIA_TYPE, MOCK_HEADER, type Reply, toAsciiJson, toDictionary } from './outcome.js'

/** A reply of the mock itself. `code` is the error code, if it reports an error. */
export function mockReply(status: number, body: string, headers: HeaderList, code?: string): Reply {
  return {
    kind: 'reply',
    status,
    headers: [
      ...headers,
      'cache-control',
      'no-store',
      MOCK_HEADER,
      toDictionary({ own: true, ...(code === undefined ? {} : { code }) }),
      ...(status === 204 ? [] : ['content-length', String(body.length)]),
    ],
    body,
    delayMs: 0,
  }
}

/** An error as an `application/problem+json` reply. */
export function problemReply(error: PriceFeedMockError, headers: HeaderList = []): Reply {
  const details = toProblemDetails(error)
  return mockReply(details.status, toAsciiJson(details), ['content-type', MEDIA_TYPE.problem, ...headers], error.code)
}

/** The reply to a request that hit a bug of the mock, or a module that cannot be loaded. */
export function internalReply(error: unknown): Reply {
  if (isPriceFeedMockError(error) && error.code === 'MODULE_UNAVAILABLE') return problemReply(error)
  const details = [['got', String(error).split('\n', 1)[0]!]] as const
  return problemReply(
    new PriceFeedMockError('INTERNAL', 'The mock failed to answer: this is a bug of its own.', { details }),
  )
}
