// Servers of tests on loopback.
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'

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
