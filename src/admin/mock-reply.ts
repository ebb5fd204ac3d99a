// Replies of the mock's own: they carry no session and imitate nothing, and their header says so.
import { PriceFeedMockError, toProblemDetails } from '../errors.js'
import { type HeaderList, MEDIA_TYPE, MOCK_HEADER, type Reply, toAsciiJson, toDictionary } from '../outcome.js'

/** A reply of the mock's own. `code` is that of the error it tells of. */
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

/** An error of the mock's own as a reply, `application/problem+json`. */
export function problemReply(error: PriceFeedMockError, headers: HeaderList = []): Reply {
  const details = toProblemDetails(error)
  return mockReply(details.status, toAsciiJson(details), ['content-type', MEDIA_TYPE.problem, ...headers], error.code)
}

/** What is answered when the mock itself has failed. */
export function internalReply(error: unknown): Reply {
  const details = [['got', String(error).split('\n', 1)[0]!]] as const
  return problemReply(
    new PriceFeedMockError('INTERNAL', 'The mock failed to answer: this is a bug of its own.', { details }),
  )
}
