// Ends the servers of a mock: at once, or after the answers that are being made or written.
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { after, wait } from '../timers.js'
import { hasPlannedWait } from './write.js'

/** The newest response of a connection, set by `sockets.ts`. A property is cheaper than an entry of a WeakMap. */
export const NEWEST: unique symbol = Symbol('newest response')

/** The connections of each server, so that a stop finds the answers in progress without cost for a request. */
const connections = new WeakMap<Server, Set<Socket>>()

/** Begins to count the connections of a server. Its `closeAllConnections` then also ends those that Node has detached, as for CONNECT. */
export function trackConnections(server: Server): void {
  const open = new Set<Socket>()
  connections.set(server, open)
  // A server with TLS hands its requests the socket of this event.
  for (const event of ['connection', 'secureConnection'])
    server.on(event, (socket: Socket) => {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    })
  const closeAll = server.closeAllConnections.bind(server)
  server.closeAllConnections = () => {
    closeAll()
    for (const socket of open) socket.destroy()
  }
}

/** Closes servers. Answers in progress have `drainMs` to be written; everything else is closed at once. */
export async function closeServers(servers: readonly Server[], drainMs: number): Promise<void> {
  // `close` calls it, and it also cuts answers that have ended but are not sent. `drain` closes idle connections.
  if (drainMs > 0) for (const server of servers) server.closeIdleConnections = () => {}
  const closed = Promise.all(servers.map(server => new Promise<void>(resolve => server.close(() => resolve()))))
  if (drainMs > 0) {
    let cancel = (): void => {}
    const limit = new Promise<void>(resolve => (cancel = after(drainMs, resolve)))
    await Promise.race([drain(servers), limit, closed])
    cancel()
  }
  for (const server of servers) server.closeAllConnections()
  await closed
}

/** Looks at the connections that find no answer before the end: pipelined requests are read once an earlier answer is written. */
const LOOKS = 3

/** Resolves when no answer is in progress. */
async function drain(servers: readonly Server[]): Promise<void> {
  for (const socket of socketsOf(servers)) if (isIdle(socket)) socket.destroy()
  for (let looks = 0; looks < LOOKS; looks++) {
    const busy = inProgress(servers)
    if (busy.length > 0) looks = -1
    await Promise.all(busy.map(untilWritten))
    await wait(1)
  }
}

function untilWritten(response: ServerResponse): Promise<void> {
  // The client learns from its answer that no other will follow.
  if (!response.headersSent) response.shouldKeepAlive = false
  return new Promise(resolve => {
    response.once('close', resolve)
    response.once('finish', resolve)
  })
}

/**
 * The newest answer of each connection, if it is not finished: earlier ones are written before it. Connections that wait by plan do not
 * hold a stop.
 */
function inProgress(servers: readonly Server[]): ServerResponse[] {
  return socketsOf(servers)
    .filter(socket => !hasPlannedWait(socket))
    .map(newestOf)
    .filter(response => response !== undefined)
    .filter(response => !response.writableFinished && !response.destroyed)
}

const socketsOf = (servers: readonly Server[]): Socket[] =>
  servers.flatMap(server => [...(connections.get(server) ?? [])])

const newestOf = (socket: Socket): ServerResponse | undefined => (socket as { [NEWEST]?: ServerResponse })[NEWEST]

/** Whether all answers of a connection are written. One without a request may be the raw socket below TLS. */
const isIdle = (socket: Socket): boolean => newestOf(socket)?.writableFinished === true
