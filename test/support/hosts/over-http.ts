// The hosts with sockets: the server, and the middleware in an app of Express.
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest, Agent as SecureAgent } from 'node:https'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { mockMiddleware } from '../../../src/hosts/express.js'
import { type RunningServer, type ServerOptions, startServer } from '../../../src/hosts/node/server.js'
import type { MockOptions } from '../../../src/index.js'
import { CERT } from '../tls.js'
import { type Asked, type Experience, type FallibleHost, fallible, type RunningHost } from './host.js'

/** Starts a server for tests that need no other host. The caller stops it. */
export async function httpHost(options: ServerOptions = {}) {
  const server = await startServer({ port: 0, ...options })
  const { stop, ...client } = clientOf(server.url)
  return {
    ...client,
    server,
    async stop() {
      stop()
      await server.stop()
    },
  } satisfies RunningHost & { readonly server: RunningServer }
}

const EXPRESS_PREFIX = '/api/feed'

/** An Express app with the mock at a prefix. */
export async function startExpress(options: MockOptions): Promise<RunningHost> {
  const app = express()
  app.disable('x-powered-by')
  app.use(EXPRESS_PREFIX, mockMiddleware(options, { fallthrough: false }))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}${EXPRESS_PREFIX}`)
  const experience = async (path: string, asked?: Asked): Promise<Experience> => {
    const seen = await client.experience(path, asked)
    if (seen.kind !== 'reply' || seen.headers.location === undefined) return seen
    // Redirects contain the prefix.
    return { ...seen, headers: { ...seen.headers, location: seen.headers.location.replace(EXPRESS_PREFIX, '') } }
  }
  return {
    ...fallible(experience),
    async stop() {
      client.stop()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Sends requests to a server below an address. A path is sent unchanged, even if no URL can contain it. */
export function clientOf(url: string): FallibleHost & { stop(): void } {
  const { hostname, port, pathname, protocol } = new URL(url)
  const isSecure = protocol === 'https:'
  const agent = isSecure ? new SecureAgent({ keepAlive: true, ca: CERT }) : new Agent({ keepAlive: true })
  const send = isSecure ? httpsRequest : httpRequest
  const prefix = pathname.replace(/\/$/, '')
  const experience = (path: string, { body: sentBody, signal, ...asked }: Asked = {}) =>
    new Promise<Experience>(resolve => {
      const options = { agent, hostname, port, path: prefix + path, ...asked, ...(signal && { signal }) }
      const sent = send(options, response => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', chunk => (body += chunk))
        const head = { status: response.statusCode!, headers: endToEnd(response.headers) }
        response.on('error', error => resolve({ kind: 'broken', error: codeOf(error), ...head, body }))
        response.on('end', () => resolve({ kind: 'reply', ...head, body }))
      })
      sent.on('error', error =>
        resolve(signal?.aborted ? { kind: 'silence' } : { kind: 'nothing', error: codeOf(error) }),
      )
      sent.end(sentBody)
    })
  return { ...fallible(experience), stop: () => agent.destroy() }
}

function codeOf(error: NodeJS.ErrnoException): string {
  return error.code ?? error.message
}

/** Headers without those that belong to one connection (RFC 9110, 7.6.1). */
function endToEnd(headers: IncomingHttpHeaders): Record<string, string> {
  const { connection: _connection, 'keep-alive': _keepAlive, 'transfer-encoding': _transferEncoding, ...rest } = headers
  return rest as Record<string, string>
}
