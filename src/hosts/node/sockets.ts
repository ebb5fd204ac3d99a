// An HTTP server of Node with our limits. Every answer carries the header of the mock, also to data that is not a request.
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { problemReply } from '../../admin/mock-reply.js'
import { PriceFeedMockError } from '../../errors.js'
import type { Reply } from '../../outcome.js'
import { writeOutcome, writeToSocket } from './write.js'

/** Larger heads get status 431. */
const MAX_HEAD_BYTES = 128 * 1024
/** Node's default of 5 seconds closes pooled connections of clients that poll less often. */
const KEEP_ALIVE_MS = 75_000
/** Time limits for the arrival of a request. They can be short: no route needs a large body. */
const HEAD_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000

/** The newest response of a connection. An error must follow it, or the client would take the error for that response. */
const NEWEST = Symbol('newest response')
/** A property is cheaper than an entry of a WeakMap, which each garbage collection has to visit. */
type Connection = Duplex & { [NEWEST]?: ServerResponse }

/**
 * Creates the server, not yet listening.
 * @param onMalformed called for each answer to data that is not a request
 */
export function createServerOf(listener: RequestListener, onMalformed: (outcome: Reply) => void = () => {}): Server {
  const rejected = new WeakSet<Duplex>()
  const listen: RequestListener = (request, response) => {
    ;(request.socket as Connection)[NEWEST] = response
    if (countHosts(request.rawHeaders) < 2) return listener(request, response)
    const outcome = problemReply(malformed('The request has several Host headers.'))
    // An intermediary may have taken another one of them, so the rest of this connection is not trusted.
    response.shouldKeepAlive = false
    writeOutcome(response, request.method, outcome)
    onMalformed(outcome)
  }
  const reject = (socket: Duplex, error: PriceFeedMockError): void => {
    if (rejected.has(socket)) return
    rejected.add(socket)
    const write = (): void => {
      const outcome = problemReply(error)
      writeToSocket(socket as Socket, outcome)
      onMalformed(outcome)
    }
    const answer = (socket as Connection)[NEWEST]
    if (answer === undefined || answer.writableFinished) write()
    // Before Node's own listener, which ends a socket whose client has ended its side.
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
  // A client may end its side before a delayed answer arrives. The types of Node lack this property.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Node would drop all headers after the first thousand without an error, and a late API key would count as missing.
  server.maxHeadersCount = 0
  // Without these listeners Node answers by itself, or closes the connection without an answer.
  server.on('checkExpectation', listen)
  server.on('connect', (_request, socket) => {
    // Node has detached this socket, so its errors would be unhandled.
    socket.on('error', () => socket.destroy())
    reject(socket, malformed('CONNECT is not a method of this server.'))
  })
  server.on('clientError', (error: NodeJS.ErrnoException & { reason?: string }, socket) => {
    // A client that stays connected after its error is disconnected by the timeout.
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    if (error.code === 'ECONNRESET' || (isLate && rejected.has(socket))) socket.destroy()
    else reject(socket, toRequestError(error))
  })
  return server
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}

/** Converts an error of Node's parser. */
function toRequestError({ code, reason }: NodeJS.ErrnoException & { reason?: string }): PriceFeedMockError {
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
