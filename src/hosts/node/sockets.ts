// An HTTP server of Node with our limits. Every answer carries the header of the mock, also to data that is not a request.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { PriceFeedMockError } from '../../errors.js'
import { problemReply, type Reply } from '../../outcome.js'
import { CORS } from '../../service/reply-headers.js'
import { after } from '../real-time.js'
import { NEWEST, trackConnections } from './listen.js'
import { createTurns } from './turns.js'
import { hasPlannedWait, valuesOf, withSocket, writeOutcome, writeToSocket } from './write.js'

/** Larger heads get status 431. */
const MAX_HEAD_BYTES = 128 * 1024
/** Node's default of 5 seconds closes pooled connections of clients that poll less often. */
const KEEP_ALIVE_MS = 75_000

const LIMITS = {
  headMs: 10_000,
  /** Time for a whole request. It can be short: no route needs a large body. */
  requestMs: 30_000,
  /** Node looks for late requests this often. */
  checkEveryMs: 2_000,
  /** Requests that may wait for their answers. */
  pipelined: 100,
  /** Bytes of waiting requests and of their unsent answers. */
  pipelinedBytes: 16 * 1024 * 1024,
  /** Time for requests that arrive together. The others wait for the next turn of the event loop. */
  turnMs: 10,
  /** Time for a client to read its last answer and to close its side. */
  closingMs: 1_000,
  handshakeMs: 10_000,
}
/** Limits of each connection. */
export type SocketLimits = typeof LIMITS

/** A request listener. The requests behind one of which it returns a promise wait until that is resolved: its answer is then made. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

type CreateServer = (options: ServerOptions, listener: RequestListener, handshakeMs: number) => Server

const PIPELINE = Symbol('pipeline')
const MAKING = Symbol('making')
/** A connection with its newest response. An error must follow it, or the client would take the error for that response. */
type Connection = Socket & {
  [NEWEST]?: ServerResponse
  [PIPELINE]?: Pipeline | undefined
  /** Resolves when the long answer that is being made is there. */
  [MAKING]?: Promise<void> | undefined
}

/** The requests of a connection since it last had none waiting. */
interface Pipeline {
  waiting: number
  bytes: number
  isFull: boolean
  /** Whether the requests that wait for their turn get no answer. */
  isGivenUp: boolean
}

/**
 * Creates the server, not yet listening.
 * @param onMalformed called for each answer to data that is not a request
 * @param create creates the server of Node. An error on a connection before its TLS handshake has no answer
 */
export function createServerOf(
  listener: Listener,
  onMalformed: (outcome: Reply) => void = () => {},
  limits: Partial<SocketLimits> = {},
  create: CreateServer = createServer,
): Server {
  const { headMs, requestMs, checkEveryMs, closingMs, handshakeMs, pipelined, pipelinedBytes, turnMs } = {
    ...LIMITS,
    ...limits,
  }
  const rejected = new WeakSet<Duplex>()
  const turns = createTurns(turnMs)
  const listen: RequestListener = (request, response) => {
    const connection = request.socket as Connection
    const newest = connection[NEWEST]
    // An answer that was sent in this callback still has its socket: the next request shares its turn.
    if (newest === undefined || (newest.writableFinished && newest.socket === null)) {
      if (connection[PIPELINE] !== undefined) connection[PIPELINE] = undefined
      connection[NEWEST] = response
      return answer(request, response)
    }
    const pipeline = (connection[PIPELINE] ??= startPipeline(connection, pipelinedBytes))
    // The rest of the chunk that is being parsed: the requests behind the refused one are dropped.
    if (pipeline.isFull) return
    join(pipeline, newest, response)
    if (pipeline.waiting > pipelined || pipeline.bytes > pipelinedBytes) {
      pipeline.isFull = true
      return refuse(connection)
    }
    connection[NEWEST] = response
    takeTurn(() => answerInTurn(pipeline, request, response))
  }
  const answer: RequestListener = (request, response) => {
    // Node reads nothing of what follows such a request in the same packet.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
    if (valuesOf(request.rawHeaders, 'host').length < 2) {
      const connection = request.socket as Connection
      const making = listener(request, response)
      if (making instanceof Promise)
        connection[MAKING] = making.then(() => {
          connection[MAKING] = undefined
        })
      return
    }
    const outcome = problemReply(malformed('The request has several Host headers.'))
    // An intermediary may have taken another one of them, so the rest of this connection is not trusted.
    response.shouldKeepAlive = false
    writeOutcome(response, request.method, outcome)
    onMalformed(outcome)
  }
  const takeTurn = (answer: () => void): void => {
    if (turns.hasTime()) answer()
    else turns.queue(answer)
  }
  /** Answers a pipelined request, unless its connection has ended while it waited for its turn. */
  const answerInTurn = (pipeline: Pipeline, request: IncomingMessage, response: ServerResponse): void => {
    const connection = request.socket as Connection
    if (connection.destroyed || pipeline.isGivenUp) return
    // Answers that are made before it would only be held until it is there.
    const making = connection[MAKING]
    if (making !== undefined) return void making.then(() => takeTurn(() => answerInTurn(pipeline, request, response)))
    answer(request, response)
    const count = (): void => countAnswer(pipeline, connection, response)
    if (connection[MAKING] === undefined) count()
    else connection[MAKING].then(count)
  }
  const countAnswer = (pipeline: Pipeline, connection: Connection, response: ServerResponse): void => {
    // The newest answer is counted when the next request arrives.
    if (response.socket === null && connection[NEWEST] !== response) pipeline.bytes += response.writableLength
    const isTooLarge = pipeline.bytes > pipelinedBytes
    if (pipeline.isFull) {
      // Refused before it was known that an answer waits by plan, or how large the answers are.
      pipeline.isGivenUp = isTooLarge || hasPlannedWait(connection)
      if (pipeline.isGivenUp) connection.destroySoon()
    } else if (isTooLarge) {
      pipeline.isFull = pipeline.isGivenUp = true
      connection[NEWEST] = response
      refuse(connection)
    }
  }
  /** Answers after the waiting requests, and closes. Answers that wait by plan are given up. */
  const refuse = (connection: Connection): void => {
    discardInput(connection)
    if (hasPlannedWait(connection)) connection.destroySoon()
    else reject(connection, pipelineFull(pipelined))
    destroyAfter(connection, requestMs)
  }
  const reject = (socket: Duplex, error: PriceFeedMockError): void => {
    if (rejected.has(socket)) return
    rejected.add(socket)
    const connection = socket as Connection
    const close = (): void => {
      // Closing with unread input would reset the connection, and the client could lose the answer.
      discardInput(connection)
      connection.once('end', () => connection.destroySoon())
      connection.end()
      destroyAfter(connection, closingMs)
    }
    const write = (): void => {
      const outcome = problemReply(error, CORS)
      writeToSocket(connection, outcome)
      close()
      onMalformed(outcome)
    }
    const answer = connection[NEWEST]
    if (answer === undefined || answer.writableFinished) write()
    // Before Node's own listener, which ends a socket whose client has ended its side.
    else if (answer.req.complete) answer.prependOnceListener('finish', write)
    // The answer may be waiting for the body that never arrives.
    else withSocket(answer, answer.headersSent ? close : write)
  }

  const server = create(
    {
      maxHeaderSize: MAX_HEAD_BYTES,
      requireHostHeader: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: headMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkEveryMs,
    },
    listen,
    handshakeMs,
  )
  trackConnections(server)
  // A client may end its side before a delayed answer arrives. The types of Node lack this property.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Node would drop all headers after the first thousand without an error, and a late API key would count as missing.
  server.maxHeadersCount = 0
  // Without these listeners Node answers by itself, or closes the connection without an answer.
  server.on('checkExpectation', listen)
  server.on('connect', (_request, socket) => {
    // Node has detached this socket, so its errors would be unhandled and its end unnoticed.
    socket.on('error', () => socket.destroy())
    socket.resume()
    reject(socket, malformed('CONNECT is not a method of this server.'))
  })
  const secured = new WeakSet<Duplex>()
  server.on('secureConnection', (socket: Duplex) => secured.add(socket))
  server.on('clientError', (error: NodeJS.ErrnoException & { reason?: string }, socket) => {
    // A client that stays connected after its error is disconnected by the timeout.
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    const isUnreadable = 'encrypted' in socket && (!secured.has(socket) || isTlsError(error))
    if (error.code === 'ECONNRESET' || isUnreadable || (isLate && rejected.has(socket))) socket.destroy()
    else reject(socket, toRequestError(error))
  })
  return server
}

/** Whether the data of a connection failed below HTTP, so that its client can read no answer. */
const isTlsError = ({ code = '' }: NodeJS.ErrnoException): boolean => code === 'EPROTO' || /^ERR_(SSL|TLS)_/.test(code)

function startPipeline(connection: Connection, maxBytes: number): Pipeline {
  // Node stops reading a connection once so many bytes of its answers wait. It would then not notice that the client has gone, and
  // behind a silent answer it would never read again. Its own default is a few kilobytes; ours closes the connection.
  Object.defineProperty(connection, 'writableHighWaterMark', { value: maxBytes, configurable: true })
  return { waiting: 1, bytes: 0, isFull: false, isGivenUp: false }
}

/** Counts a request that arrived while others of its connection wait. `newest` is the one before it. */
function join(pipeline: Pipeline, newest: ServerResponse, response: ServerResponse): void {
  const { url = '', rawHeaders } = response.req
  pipeline.waiting++
  pipeline.bytes += newest.writableLength + url.length
  for (const part of rawHeaders) pipeline.bytes += part.length
  response.once('close', () => pipeline.waiting--)
}

/** Reads what still arrives, without parsing it. */
function discardInput(socket: Socket): void {
  const parsers = socket.listeners('data')
  // Also takes the socket back from Node's parser, which otherwise reads it directly.
  socket.on('data', () => {})
  for (const parser of parsers) socket.off('data', parser as () => void)
  socket.resume()
}

/** Ends a connection whose client does not read. */
function destroyAfter(socket: Socket, ms: number): void {
  if (socket.destroyed) return
  socket.once(
    'close',
    after(ms, () => socket.destroy()),
  )
}

function pipelineFull(max: number): PriceFeedMockError {
  return new PriceFeedMockError('PIPELINE_FULL', 'Too many requests of this connection wait for their answers.', {
    want: `at most ${max} requests at a time on a connection`,
  })
}

function toRequestError({ code, reason }: NodeJS.ErrnoException & { reason?: string }): PriceFeedMockError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new PriceFeedMockError('REQUEST_TOO_LARGE', 'The head of the request is too large.', {
      want: `at most ${MAX_HEAD_BYTES / 1024} KB`,
    })
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new PriceFeedMockError('REQUEST_TIMEOUT', 'The request did not arrive in time.', {
      want: `its head within ${LIMITS.headMs / 1000} seconds, all of it within ${LIMITS.requestMs / 1000}`,
    })
  return malformed('This is not an HTTP request.', reason)
}

function malformed(shortMessage: string, reason?: string): PriceFeedMockError {
  return new PriceFeedMockError('REQUEST_MALFORMED', shortMessage, {
    got: reason,
    want: 'an HTTP/1.1 request of a percent-encoded path: GET, HEAD, OPTIONS, and below /_mock POST, PATCH, DELETE',
  })
}
