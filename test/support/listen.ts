// Servers of tests on loopback, which end with the test or with the file.
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { type RunningServer, type ServerOptions, startServer } from '../../src/hosts/node/server.js'

/**
 * Starts a server on a free port, and returns the port.
 * @param onEnd when it ends: `afterAll` for the servers of a file
 */
export async function listen(server: Server, onEnd: (stop: () => void) => void = onTestFinished): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onEnd(() => {
    server.close()
    if ('closeAllConnections' in server) (server as HttpServer).closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

/**
 * Starts a mock on a free port.
 * @param onEnd when it stops: `afterAll` for the mock of a file
 */
export async function startMock(
  options: ServerOptions = {},
  onEnd: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<RunningServer> {
  const server = await startServer({ port: 0, ...options })
  onEnd(() => server.stop())
  return server
}
