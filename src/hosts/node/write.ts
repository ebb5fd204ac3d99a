// From an outcome to what happens on a socket of Node.
import type { ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { internalReply } from '../../admin/own-reply.js'
import {
  bodyToSend,
  type Dribble,
  type Outcome,
  type Reply,
  type Timeout,
  type Truncate,
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
  // ASCII throughout: latin1 is written without a scan for wider characters.
  else if (outcome.kind === 'reply') response.end(body, 'latin1')
  else if (outcome.kind === 'dribble') dribble(response, toPieces(body, outcome.pieces), outcome.everyMs)
  else {
    response.write(body.slice(0, outcome.sentLength), 'latin1')
    onTurn(response, socket => socket.destroySoon())
  }
}

function dribble(response: ServerResponse, [piece, ...rest]: readonly string[], everyMs: number): void {
  if (piece !== undefined) response.write(piece, 'latin1')
  if (rest.length === 0) response.end()
  else later(response, everyMs, () => dribble(response, rest, everyMs))
}

function hangUpLater(response: ServerResponse, { closeAfterMs }: Timeout): void {
  if (closeAfterMs !== undefined) later(response, closeAfterMs, () => onTurn(response, socket => socket.destroySoon()))
}

/** Acts on the socket when the answers to what was asked before on it are out. */
function onTurn(response: ServerResponse, act: (socket: Socket) => void): void {
  if (response.socket !== null) act(response.socket)
  else response.once('socket', act)
}

/** Acts later, unless the caller has gone by then. */
function later(response: ServerResponse, ms: number, act: () => void): void {
  response.once('close', after(ms, act))
}

/** Writes a reply to a bare socket and closes it: the answer to what is not a request. */
export function writeToSocket(socket: Socket, outcome: Reply): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const { status, headers, body } = outcome
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`
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
