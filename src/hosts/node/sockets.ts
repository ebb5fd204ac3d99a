// An HTTP server of Node with our limits: whatever arrives on a socket, the answer carries the header of the mock.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { problemReply } from '../../admin/own-reply.js'
import { type ErrorCode, PriceFeedMockError } from '../../errors.js'
import { writeToSocket } from './write.js'

/** Heads above this size are refused with 431. */
const LARGEST_HEAD = 128 * 1024
/** Node's five seconds close pooled connections of clients that poll more slowly than that. */
const KEEP_ALIVE_MS = 75_000
/** How long a request may take to arrive: nothing that the mock answers has a body worth waiting for. */
const HEAD_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000

/** What the parser of Node reports, in our words. */
const REASONS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['REQUEST_TOO_LARGE', `The head of the request is larger than ${LARGEST_HEAD / 1024} KB.`],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'The request did not arrive in time.'],
}

/** Creates the server, not yet listening. */
export function createServerOf(listener: RequestListener): Server {
  const server = createServer(
    {
      maxHeaderSize: LARGEST_HEAD,
      requireHostHeader: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEAD_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 2_000,
    },
    listener,
  )
  // Without these, Node answers by itself, or hangs up without a word.
  server.on('checkExpectation', listener)
  server.on('connect', (_request, socket) =>
    refuse(socket as Socket, 'REQUEST_MALFORMED', 'CONNECT is not a method of this server.'),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy()
    refuse(
      socket as Socket,
      ...(REASONS[error.code ?? ''] ?? (['REQUEST_MALFORMED', 'This is not an HTTP request.'] as const)),
    )
  })
  return server
}

function refuse(socket: Socket, code: ErrorCode, sentence: string): void {
  const facts = [['want', `an HTTP/1.1 request with a head of at most ${LARGEST_HEAD / 1024} KB`]] as const
  writeToSocket(socket, problemReply(new PriceFeedMockError(code, sentence, { facts })))
}
