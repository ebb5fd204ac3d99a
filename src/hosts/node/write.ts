// From an outcome to bytes on a socket of Node.
import type { ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { internalReply } from '../../admin/own-reply.js'
import type { Outcome } from '../../outcome.js'
import type { ServiceRequest } from '../../service/request.js'

/** Writes an outcome as the response to a request of `method`. The `Date` header is the outcome's where it has one. */
export function writeOutcome(response: ServerResponse, method: string | undefined, outcome: Outcome): void {
  const { status, headers, body } = outcome
  response.sendDate = !headers.includes('date')
  response.writeHead(status, headers as string[])
  if (method === 'HEAD' || status === 204) response.end()
  // ASCII throughout: latin1 is written without a scan for wider characters.
  else response.end(body, 'latin1')
}

/** Writes an outcome to a bare socket and closes it: the answer to what is not a request. */
export function writeToSocket(socket: Socket, outcome: Outcome): void {
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
