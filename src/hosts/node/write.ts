// Requests of Node as the mock takes them, outcomes on a socket, and both as the server reports them to the log and the metrics.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { createBoundedCache, getOrCreate } from '../../caches.js'
import { bodyToSend, internalReply, type Outcome, type Reply, type Timeout, toPairs, toPieces } from '../../outcome.js'
import type { JournalEntry } from '../../service/journal-entry.js'
import type { ServiceRequest } from '../../service/request.js'
import { toShownTarget } from '../../settings/settings.js'
import { after, realTime } from '../real-time.js'

/** Carries an outcome out as the response to a request of `method`. Node adds a `Date` header only if the outcome has none. */
export function writeOutcome(response: ServerResponse, method: string | undefined, outcome: Outcome): void {
  const { req } = response
  // A body that nobody reads would hide that the client has gone, until the answer is sent: Node reads no more of its connection. The
  // answer may wait by plan, or behind one that does.
  if ('content-length' in req.headers || 'transfer-encoding' in req.headers) req.resume()
  if (outcome.delayMs > 0) schedule(response, outcome.delayMs, () => carryOut(response, method, outcome))
  else carryOut(response, method, outcome)
}

function carryOut(response: ServerResponse, method: string | undefined, outcome: Outcome): void {
  if (outcome.kind === 'reset') return void withSocket(response, reset)
  if (outcome.kind === 'timeout') return void waitForClient(response, outcome)
  const { status, headers } = outcome
  response.sendDate = !headers.includes('date')
  // Middlewares that replace this method, such as old versions of compression, morgan and express-session, take no flat list.
  const isReplaced = Object.hasOwn(response, 'writeHead')
  response.writeHead(status, isReplaced ? Object.fromEntries(toPairs(headers)) : (headers as string[]))
  const body = bodyToSend(method, outcome)
  if (body === null) response.end()
  else if (outcome.kind === 'reply') response.end(toBytes(response, body), 'latin1')
  else if (outcome.kind === 'dribble') dribble(response, toPieces(body, outcome.pieces), outcome.everyMs)
  else {
    response.write(body.slice(0, outcome.sentLength), 'latin1')
    hangUp(response)
  }
}

/**
 * Resets a connection. Under TLS only the TCP socket below can be reset, and Node has no public name for it: without it the connection
 * closes without the end that TLS announces, which clients report as an error as well.
 */
function reset(socket: Socket): void {
  const tcp = 'encrypted' in socket ? (socket as { readonly _parent?: Partial<Socket> })._parent : socket
  if (tcp?.resetAndDestroy === undefined) socket.destroy()
  else tcp.resetAndDestroy()
}

/** Smaller bodies are faster as a string, which Node sends in one piece with the head. */
const MIN_BYTES_LENGTH = 2_048
/** The bytes of large bodies by their text: one body is often sent many times within a second. */
const bytesOf = createBoundedCache<string, Buffer>(2_000_000)

/** The fastest form of a body. Bodies are ASCII, and Node writes latin1 without checking for wider characters. */
function toBytes(response: ServerResponse, body: string): string | Buffer {
  // Behind an unfinished response Node queues the head of a Buffer before a `100 Continue` that was queued earlier.
  if (body.length < MIN_BYTES_LENGTH || response.socket === null) return body
  let bytes = bytesOf.get(body)
  if (bytes === undefined) bytesOf.set(body, (bytes = Buffer.from(body, 'latin1')), body.length)
  return bytes
}

/**
 * Closes the connection once everything written so far is sent. A callback of `write` is not reliable: a wrapper of the app, such
 * as a compression middleware, may drop it, and may hold back even the head.
 */
export function hangUp(response: ServerResponse): void {
  response.flushHeaders()
  // A socket that was just assigned gets the queued data only after this event.
  withSocket(response, socket => queueMicrotask(() => socket.destroySoon()))
}

function dribble(response: ServerResponse, [piece, ...rest]: readonly string[], everyMs: number): void {
  if (piece !== undefined) response.write(piece, 'latin1')
  if (rest.length === 0) response.end()
  else schedule(response, everyMs, () => dribble(response, rest, everyMs))
}

function waitForClient(response: ServerResponse, { closeAfterMs }: Timeout): void {
  if (closeAfterMs !== undefined)
    schedule(response, closeAfterMs, () => withSocket(response, socket => socket.destroySoon()))
  // We write nothing, so a client half-close would go unnoticed and leak the socket.
  markEndless(response)
  onClientEnd(response, socket => socket.destroySoon())
}

/** Calls back when the client ends its side of the connection, at once if it has, unless the response has closed by then. */
export function onClientEnd(response: ServerResponse, act: (socket: Socket) => void): void {
  withSocket(response, socket => {
    const end = (): void => act(socket)
    if (socket.readableEnded) return end()
    socket.once('end', end)
    response.once('close', () => socket.off('end', end))
  })
}

/** Calls back with the socket once all earlier responses of the connection are sent. */
export function withSocket(response: ServerResponse, act: (socket: Socket) => void): void {
  if (response.socket !== null) act(response.socket)
  else response.once('socket', act)
}

/** Connections whose answer has no end: a silent one, or a stream of events. */
const endless = new WeakSet<Socket>()

/** Marks the connection of an answer without an end. It is not used for another request. */
export function markEndless({ req: { socket } }: ServerResponse): void {
  endless.add(socket)
}

/** Whether an answer of the connection waits by plan: it has no end, is delayed or sent in pieces. */
export const hasPlannedWait = (socket: Socket): boolean => endless.has(socket) || (scheduled.get(socket)?.size ?? 0) > 0

/** Scheduled calls of each connection. One listener cancels all of them when it closes. */
const scheduled = new WeakMap<Socket, Set<() => void>>()

/** Calls back after `ms`, unless the connection has closed by then. A queued response gets no event of its own for that. */
function schedule({ req: { socket } }: ServerResponse, ms: number, act: () => void): void {
  if (socket.destroyed) return
  const timers = getOrCreate(scheduled, socket, () => {
    const created = new Set<() => void>()
    socket.once('close', () => created.forEach(cancel => void cancel()))
    return created
  })
  const cancel = after(ms, () => {
    timers.delete(cancel)
    act()
  })
  timers.add(cancel)
}

/** Writes a reply to a socket without a request. The caller closes it. */
export function writeToSocket(socket: Socket, outcome: Reply): void {
  if (!socket.writable) return void socket.destroy()
  const { status, headers, body } = outcome
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
  head += `date: ${new Date(realTime()).toUTCString()}\r\n`
  for (const [name, value] of toPairs(headers)) head += `${name}: ${value}\r\n`
  socket.write(`${head}connection: close\r\n\r\n${body}`)
}

/** Answers 500 and prints the error: a bug of the mock must not end the process. */
export function writeError(response: ServerResponse, { method, target }: ServiceRequest, error: unknown): void {
  process.stderr.write(
    `price-feed-mock: ${method} ${toShownTarget(target).slice(0, 200)} failed.\n${(error as Error)?.stack ?? error}\n`,
  )
  if (response.headersSent) response.destroy()
  else writeOutcome(response, method, internalReply(error))
}

/** A reply that imitates the service, errors included. */
export interface ServiceExchange {
  readonly by: 'service'
  /** The id of the session. */
  readonly session: string
  readonly entry: JournalEntry
  readonly durationMs: number
}

/** A reply of the mock's own: the admin, a user's handlers, or an error that imitates nothing. */
export interface MockExchange extends Pick<ServiceRequest, 'method' | 'receivedAt'> {
  readonly by: 'mock'
  /** Without the values of parameters that may be keys. */
  readonly target: string
  readonly status: number
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
