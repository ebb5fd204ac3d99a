// Binds ports. `localhost` means both loopbacks with the same port, because clients resolve it to either.
import type { Server } from 'node:http'
import { PriceFeedMockError } from '../../errors.js'

/** Attempts to find a port that is free on both loopbacks. */
const ATTEMPTS = 20

/**
 * Binds a server for each address of `host` and returns their common port.
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
    return new PriceFeedMockError('PORT_UNAVAILABLE', `${host} is not an address of this machine.`, { cause })
  const reason = REASONS[cause.code ?? ''] ?? `cannot be bound (${cause.code})`
  return new PriceFeedMockError('PORT_UNAVAILABLE', `Port ${port} of ${host} ${reason}.`, {
    cause,
    fix: 'choose another; 0 takes a free one',
  })
}
