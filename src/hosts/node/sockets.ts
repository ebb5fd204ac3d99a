// An HTTP server of Node with our limits: whatever arrives on a socket, the answer carries the header of the mock.
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { problemReply } from '../../admin/mock-reply.js'
import { PriceFeedMockError } from '../../errors.js'
import type { Reply } from '../../outcome.js'
import { writeToSocket } from './write.js'

/** Heads above this size are refused with 431. */
const MAX_HEAD_BYTES = 128 * 1024
/** Node's five seconds close pooled connections of clients that poll more slowly than that. */
const KEEP_ALIVE_MS = 75_000
/** How long a request may take to arrive: nothing that the mock answers has a body worth waiting for. */
const HEAD_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000

/** The newest answer of a connection: a refusal comes after it, or it would pass for that answer. */
const NEWEST = Symbol('newest answer')
/** A property, since an entry of a WeakMap for each request would cost every collection. */
type Connection = Duplex & { [NEWEST]?: ServerResponse }

/**
 * Creates the server, not yet listening.
 * @param onRefusal told of every answer to what was no request
 */
export function createServerOf(listener: RequestListener, onRefusal: (outcome: Reply) => void = () => {}): Server {
  const refused = new WeakSet<Duplex>()
  const listen: RequestListener = (request, response) => {
    ;(request.socket as Connection)[NEWEST] = response
    listener(request, response)
  }
  const refuse = (socket: Duplex, error: PriceFeedMockError): void => {
    if (refused.has(socket)) return
    refused.add(socket)
    const write = (): void => {
      const outcome = problemReply(error)
      writeToSocket(socket as Socket, outcome)
      onRefusal(outcome)
    }
    const answer = (socket as Connection)[NEWEST]
    if (answer === undefined || answer.writableFinished) write()
    // Before Node's own listener, which ends the socket when the client has ended its side.
    else answer.prependOnceListener('finish', write)
  }

  const server = createServer(
    {
      maxHeaderSize: MAX_HEAD_BYTES,
      requireHostHeader: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEAD_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 2_000,
    },
    listen,
  )
  // Who ends their side early still gets an answer that takes a moment. Node knows the property; its types do not.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Without these, Node answers by itself, or hangs up without a word.
  server.on('checkExpectation', listen)
  server.on('connect', (_request, socket) => {
    // Node has let go of this socket: nobody else hears its errors.
    socket.on('error', () => socket.destroy())
    refuse(socket, malformed('CONNECT is not a method of this server.'))
  })
  server.on('clientError', (error: NodeJS.ErrnoException & { reason?: string }, socket) => {
    // What follows a refusal is not read; who neither leaves nor ends is cut off in time.
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    if (error.code === 'ECONNRESET' || (isLate && refused.has(socket))) socket.destroy()
    else refuse(socket, toRefusal(error))
  })
  return server
}

/** What the parser of Node reports, in our words. */
function toRefusal({ code, reason }: NodeJS.ErrnoException & { reason?: string }): PriceFeedMockError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new PriceFeedMockError('REQUEST_TOO_LARGE', 'The head of the request is too large.', {
      details: [['want', `at most ${MAX_HEAD_BYTES / 1024} KB`]],
    })
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new PriceFeedMockError('REQUEST_TIMEOUT', 'The request did not arrive in time.', {
      details: [['want', `its head within ${HEAD_TIMEOUT_MS / 1000} seconds`]],
    })
  return malformed('This is not an HTTP request.', reason)
}

function malformed(shortMessage: string, reason?: string): PriceFeedMockError {
  return new PriceFeedMockError('REQUEST_MALFORMED', shortMessage, {
    details: [
      ...(reason === undefined ? [] : ([['got', reason]] as const)),
      ['want', 'an HTTP/1.1 request: GET, HEAD or OPTIONS of a percent-encoded path'],
    ],
  })
}
