// Binds ports, and ends servers: at once, or after the answers that are being made or written.
import { executionAsyncResource } from 'node:async_hooks'
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PriceFeedMockError } from '../../errors.js'
import { after, wait } from '../real-time.js'
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
  // A connection without a request may be the raw socket below TLS.
  for (const socket of socketsOf(servers)) if (newestOf(socket)?.writableFinished) socket.destroy()
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

/** Attempts to find a port that is free on both loopbacks. */
const ATTEMPTS = 20

/**
 * Binds a server for each address of `host` and returns their common port. `localhost` means both loopbacks with the same port, because
 * clients resolve it to either.
 * @param port 0 chooses a free one
 * @param createServer creates the server of one address
 * @throws PriceFeedMockError PORT_UNAVAILABLE
 */
export async function listenOn(
  host: string,
  port: number,
  createServer: () => Server,
): Promise<{ servers: Server[]; port: number }> {
  if (host !== 'localhost') {
    const server = createServer()
    return { servers: [server], port: await bind(server, host, port) }
  }
  for (let attempt = 1; ; attempt++) {
    const v4 = createServer()
    const bound = await bind(v4, '127.0.0.1', port)
    const v6 = createServer()
    try {
      await bind(v6, '::1', bound)
      return { servers: [v4, v6], port: bound }
    } catch (error) {
      // Without IPv6 there is one loopback.
      if (isWithoutIpv6(error)) return { servers: [v4], port: bound }
      v4.close()
      if (port !== 0 || attempt === ATTEMPTS) throw error
    }
  }
}

function isWithoutIpv6(error: unknown): boolean {
  const { code } = (error as PriceFeedMockError).cause as NodeJS.ErrnoException
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'
}

async function bind(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(unavailable(error, host, port)))
    server.listen({ host, port, ipv6Only: host === '::1' }, resolve)
  })
  server.removeAllListeners('error')
  // A connection that cannot be accepted, for lack of file handles, must not end the process.
  server.on('error', () => {})
  return (server.address() as { port: number }).port
}

const FOREIGN_ADDRESS: readonly unknown[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN']
const REASONS: Record<string, string> = { EADDRINUSE: 'is in use', EACCES: 'needs more rights than this process has' }

function unavailable(cause: NodeJS.ErrnoException, host: string, port: number): PriceFeedMockError {
  if (FOREIGN_ADDRESS.includes(cause.code))
    return new PriceFeedMockError('PORT_UNAVAILABLE', `${host} is not an address of this machine.`, {
      cause,
      want: 'localhost, an address of this machine, or 0.0.0.0 for all of them',
    })
  const reason = REASONS[cause.code ?? ''] ?? `cannot be bound (${cause.code})`
  return new PriceFeedMockError('PORT_UNAVAILABLE', `Port ${port} of ${host} ${reason}.`, {
    cause,
    fix: 'choose another; 0 takes a free one',
  })
}

/** The object that is kept. */
export const kept: object[] = []

/**
 * Keeps one of the objects that `process.nextTick` creates, because requests would otherwise cost half as much again. Node creates
 * several per request. If a garbage collection finds none alive, V8 frees their hidden class and from then on creates each of them
 * by slow calls into its runtime.
 */
export function keepTickObject(): void {
  process.nextTick(() => {
    if (kept.length === 0) kept.push(executionAsyncResource())
  })
}
