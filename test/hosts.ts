// The one list of hosts, and one way to run the same cases over all of them: what a caller sees must not depend on where the
// mock runs.
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { setupServer } from 'msw/node'
import { afterAll, describe, type TestContext } from 'vitest'
import { mockMiddleware } from '../src/hosts/express.js'
import { createFetch } from '../src/hosts/fetch.js'
import { handlers } from '../src/hosts/msw.js'
import { type RunningServer, type ServerOptions, startServer } from '../src/hosts/node/server.js'
import { createMock, type MockOptions } from '../src/index.js'

/** An answer as a caller sees it: header names in lower case, without those of the connection. */
export interface HostReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A mock that runs somewhere. */
export interface Host {
  request(
    path: string,
    init?: {
      readonly method?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string | undefined
    },
  ): Promise<HostReply>
}

/** What not every host can do. */
type Ability = 'the Host header' | 'the Accept header' | 'every method'

/** A place where a mock can run. A new one is a line in `HOSTS`. */
export interface HostKind {
  readonly name: string
  /** What it cannot do, and why. */
  readonly lacks: Partial<Record<Ability, string>>
  start(options: MockOptions): Promise<Host & { stop(): Promise<void> }>
}

export const HOSTS: readonly HostKind[] = [
  { name: 'http', lacks: {}, start: httpHost },
  { name: 'express', lacks: {}, start: startExpress },
  {
    name: 'fetch',
    lacks: {
      'the Host header': 'a Request has no Host header: there is no connection that could be rebound',
      'the Accept header': 'a page is never opened through a function',
      'every method': 'a Request cannot be made with TRACE',
    },
    start: startFetch,
  },
  {
    name: 'msw',
    lacks: {
      'the Host header': 'it is the address that is intercepted: there is no connection that could be rebound',
      'the Accept header': 'a worker does not intercept navigations: no page is opened through it',
      'every method': 'fetch refuses TRACE',
    },
    start: startMsw,
  },
]

/** The instant of the published samples, at which every host stands unless a test says otherwise. */
export const AT = '2025-07-24T10:48:25Z'
export const NOW = 1_753_354_105

/** Starts a host on its first request; it is stopped after the tests of its block. */
export type Start = (options?: MockOptions) => Host

/** Runs cases over every host. */
export function describeHosts(title: string, body: (start: Start, kind: HostKind) => void): void {
  for (const kind of HOSTS)
    describe(`${title} (${kind.name})`, () => {
      const running: ReturnType<HostKind['start']>[] = []
      afterAll(async () => {
        for (const host of await Promise.all(running)) await host.stop()
      })
      const start: Start = options => {
        let host: ReturnType<HostKind['start']> | undefined
        const started = () => {
          host = kind.start({ clock: { at: AT, frozen: true }, ...options })
          running.push(host)
          return host
        }
        return { request: async (path, init) => (await (host ?? started())).request(path, init) }
      }
      body(start, kind)
    })
}

/** Skips a test, with the reason, where the host cannot do what it needs. */
export function need({ lacks }: HostKind, ability: Ability, context: TestContext): void {
  const reason = lacks[ability]
  if (reason !== undefined) context.skip(reason)
}

/** A server of its own, for tests that need no other host; the caller stops it. */
export async function httpHost(options: ServerOptions = {}) {
  const server = await startServer({ port: 0, ...options })
  const client = clientOf(server.url)
  return {
    server,
    request: client.request,
    async stop() {
      client.stop()
      await server.stop()
    },
  } satisfies Awaited<ReturnType<HostKind['start']>> & { readonly server: RunningServer }
}

/** Asks a server below an address. A path goes out as it is, also one that no URL can hold. */
function clientOf(url: string): Host & { stop(): void } {
  const agent = new Agent({ keepAlive: true })
  const { hostname, port, pathname } = new URL(url)
  const prefix = pathname.replace(/\/$/, '')
  return {
    request: (path, { method = 'GET', headers = {}, body: sentBody } = {}) =>
      new Promise<HostReply>((resolve, reject) => {
        const sent = httpRequest({ agent, hostname, port, path: prefix + path, method, headers }, response => {
          let body = ''
          response.setEncoding('utf8')
          response.on('data', chunk => (body += chunk))
          response.on('error', reject)
          response.on('end', () => resolve({ status: response.statusCode!, headers: endToEnd(response.headers), body }))
        })
        sent.on('error', reject)
        sent.end(sentBody)
      }),
    stop: () => agent.destroy(),
  }
}

/** An app that exists and keeps a place for the mock. */
async function startExpress(options: MockOptions) {
  const app = express()
  app.disable('x-powered-by')
  app.use(EXPRESS_PREFIX, mockMiddleware(options, { fallthrough: false }))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}${EXPRESS_PREFIX}`)
  return {
    async request(path, init) {
      const reply = await client.request(path, init)
      const { location } = reply.headers
      if (location === undefined) return reply
      // Redirects lead to a place below the prefix, as everything does there.
      return { ...reply, headers: { ...reply.headers, location: location.replace(EXPRESS_PREFIX, '') } }
    },
    async stop() {
      client.stop()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  } satisfies Awaited<ReturnType<HostKind['start']>>
}

async function startFetch(options: MockOptions) {
  const fetch = createFetch(createMock(options))
  return {
    async request(path, init = {}) {
      const { body, ...rest } = init
      const response = await fetch(`http://localhost${path}`, { ...rest, ...(body === undefined ? {} : { body }) })
      const { status, headers } = response
      return { status, headers: Object.fromEntries(headers), body: await response.text() }
    },
    async stop() {},
  } satisfies Awaited<ReturnType<HostKind['start']>>
}

/** msw intercepts through one server a process: each host has an address of its own. */
const intercepted = { server: setupServer(), started: 0, running: 0 }

async function startMsw(options: MockOptions) {
  const baseUrl = `https://mock-${++intercepted.started}.example`
  if (intercepted.running++ === 0) intercepted.server.listen({ onUnhandledRequest: 'error' })
  intercepted.server.use(...handlers(createMock(options), { baseUrl }))
  return {
    async request(path, init = {}) {
      const { body, ...rest } = init
      const response = await globalThis.fetch(`${baseUrl}${path}`, { ...rest, ...(body === undefined ? {} : { body }) })
      const { status, headers } = response
      return { status, headers: Object.fromEntries(headers), body: await response.text() }
    },
    async stop() {
      if (--intercepted.running === 0) intercepted.server.close()
    },
  } satisfies Awaited<ReturnType<HostKind['start']>>
}

const EXPRESS_PREFIX = '/api/feed'

/** Headers without those that belong to one connection (RFC 9110, 7.6.1). */
function endToEnd(headers: IncomingHttpHeaders): Record<string, string> {
  const { connection: _connection, 'keep-alive': _keepAlive, 'transfer-encoding': _transferEncoding, ...rest } = headers
  return rest as Record<string, string>
}
