// From an outcome to what happens on a socket of Node.
import type { ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { internalReply } from '../../admin/mock-reply.js'
import { createBoundedCache } from '../../bounded-cache.js'
import {
  bodyToSend,
  type Dribble,
  type Outcome,
  type Reply,
  type Timeout,
  type Truncate,
  toPairs,
  toPieces,
} from '../../outcome.js'
import type { ServiceRequest } from '../../service/request.js'
import { after } from '../timers.js'

/** Carries an outcome out as the response to a request of `method`. The `Date` header is the outcome's where it has one. */
export function writeOutcome(response: ServerResponse, method: string | undefined, outcome: Outcome): void {
  if (outcome.delayMs > 0) later(response, outcome.delayMs, () => carryOut(response, method, outcome))
  else carryOut(response, method, outcome)
}

function carryOut(response: ServerResponse, method: string | undefined, outcome: Outcome): void {
  if (outcome.kind === 'reset') onTurn(response, socket => socket.resetAndDestroy())
  else if (outcome.kind === 'timeout') hangUpLater(response, outcome)
  else send(response, method, outcome)
}

function send(response: ServerResponse, method: string | undefined, outcome: Reply | Truncate | Dribble): void {
  const { status, headers } = outcome
  response.sendDate = !headers.includes('date')
  response.writeHead(status, headers as string[])
  const body = bodyToSend(method, outcome)
  if (body === null) response.end()
  else if (outcome.kind === 'reply') response.end(toBytes(body), 'latin1')
  else if (outcome.kind === 'dribble') dribble(response, toPieces(body, outcome.pieces), outcome.everyMs)
  else {
    response.write(body.slice(0, outcome.sentLength), 'latin1')
    cut(response)
  }
}

/** From this length on a body is sent faster as bytes, if they are at hand; below, it goes out in one string with the head. */
const MIN_BYTES_LENGTH = 2_048
/** The bytes of large bodies by their text: a body is often sent again within its second. */
const bytesOf = createBoundedCache<string, Buffer>(2_000_000)

/** A body as it is written fastest. It is ASCII, and latin1 is written without a scan for wider characters. */
function toBytes(body: string): string | Buffer {
  if (body.length < MIN_BYTES_LENGTH) return body
  let bytes = bytesOf.get(body)
  if (bytes === undefined) bytesOf.set(body, (bytes = Buffer.from(body, 'latin1')), body.length)
  return bytes
}

/**
 * Hangs up when what is written is out, and on its turn. A callback of `write` would not tell: what an app wraps around it, such
 * as a compression, may drop the callback, and may hold back even the head.
 */
export function cut(response: ServerResponse): void {
  response.flushHeaders()
  // A socket that has just come gets what has waited for it after its event.
  onTurn(response, socket => queueMicrotask(() => socket.destroySoon()))
}

function dribble(response: ServerResponse, [piece, ...rest]: readonly string[], everyMs: number): void {
  if (piece !== undefined) response.write(piece, 'latin1')
  if (rest.length === 0) response.end()
  else later(response, everyMs, () => dribble(response, rest, everyMs))
}

function hangUpLater(response: ServerResponse, { closeAfterMs }: Timeout): void {
  if (closeAfterMs !== undefined) later(response, closeAfterMs, () => onTurn(response, socket => socket.destroySoon()))
  // Who gives up ends their side, and nothing that is written would ever find out: the socket would stay open for good.
  onTurn(response, socket => {
    if (socket.readableEnded) socket.destroySoon()
    else socket.once('end', () => socket.destroySoon())
  })
}

/** Acts on the socket when the answers to what was asked before on it are out. */
function onTurn(response: ServerResponse, act: (socket: Socket) => void): void {
  if (response.socket !== null) act(response.socket)
  else response.once('socket', act)
}

/** What is to happen later on each connection: one listener of its end calls all of it off. */
const pending = new WeakMap<Socket, Set<() => void>>()

/** Acts later, unless the connection has gone by then. Answers that wait for their turn never hear of its end by themselves. */
function later({ req: { socket } }: ServerResponse, ms: number, act: () => void): void {
  if (socket.destroyed) return
  const known = pending.get(socket)
  const timers = known ?? new Set<() => void>()
  if (known === undefined) {
    pending.set(socket, timers)
    socket.once('close', () => {
      for (const callOff of timers) callOff()
    })
  }
  const callOff = after(ms, () => {
    timers.delete(callOff)
    act()
  })
  timers.add(callOff)
}

/** Writes a reply to a bare socket and closes it: the answer to what is not a request. */
export function writeToSocket(socket: Socket, outcome: Reply): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const { status, headers, body } = outcome
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
  for (const [name, value] of toPairs(headers)) head += `${name}: ${value}\r\n`
  socket.write(`${head}connection: close\r\n\r\n${body}`)
  // Not only ended: who never closes their side would hold the socket open.
  socket.destroySoon()
}

/** Answers 500 and tells stderr: a bug of the mock's own must not end the process. */
export function writeError(response: ServerResponse, { method, target }: ServiceRequest, error: unknown): void {
  process.stderr.write(
    `price-feed-mock: ${method} ${target.slice(0, 200)} failed.\n${(error as Error)?.stack ?? error}\n`,
  )
  if (response.headersSent) response.destroy()
  else writeOutcome(response, method, internalReply(error))
}
