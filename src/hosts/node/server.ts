// The HTTP server: sockets, their limits and their end. What is answered comes from the mock.
import { createServer as createHttpServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { PriceFeedMockError } from '../../errors.js'
import { createMock, type Mock, type MockOptions, problem } from '../../mock.js'
import { listenOn } from './listen.js'
import { createListener, type ListenerOptions, type Serves } from './listener.js'
import { writeToSocket } from './write.js'

export interface ServerOptions extends MockOptions, Pick<ListenerOptions, 'allowHosts' | 'onAnswer'> {
  /**
   * `localhost` binds both loopbacks.
   * @default 'localhost'
   */
  readonly host?: string | undefined
  /**
   * 0 takes a free one.
   * @default 4700
   */
  readonly port?: number | undefined
  /**
   * A port of its own for the charting endpoint; each port then serves only its own endpoints.
   * @default the one port serves all
   */
  readonly historyPort?: number | undefined
  /**
   * Feeds to invent besides the others.
   * @default 0
   */
  readonly syntheticFeeds?: number | undefined
}

export interface RunningServer {
  /** Base address of the signed-price endpoints, without a slash at the end. */
  readonly url: string
  /** Base address of the charting endpoint. */
  readonly historyUrl: string
  readonly mock: Mock
  /** Closes every socket at once. Calling it again does nothing. */
  stop(): Promise<void>
}

/** Heads above this size are refused with 431. */
const LARGEST_HEAD = 128 * 1024
/** Node's five seconds close pooled connections of clients that poll more slowly than that. */
const KEEP_ALIVE_MS = 75_000

/**
 * Starts a server.
 * @throws PriceFeedMockError PORT_UNAVAILABLE, CONFIG_INVALID or FEEDS_INVALID
 * @example
 * const server = await startServer({ port: 0, seed: '42' })
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const {
    host = 'localhost',
    port = 4700,
    historyPort,
    syntheticFeeds = 0,
    allowHosts,
    onAnswer,
    ...mockOptions
  } = options
  const invented =
    syntheticFeeds > 0
      ? (await import('../../market/synthetic.js')).inventFeeds(String(mockOptions.seed ?? '42'), syntheticFeeds)
      : []
  const feeds =
    invented.length > 0
      ? { ...mockOptions.feeds, feeds: [...(mockOptions.feeds?.feeds ?? []), ...invented] }
      : mockOptions.feeds
  const mock = createMock({ ...mockOptions, feeds, startedAt: mockOptions.startedAt ?? Date.now() })

  const open: Server[] = []
  const listen = async (onPort: number, serves: Serves): Promise<string> => {
    const listener = createListener(mock, { serves, allowHosts, onAnswer })
    const bound = await listenOn(host, onPort, () => createServer(listener))
    open.push(...bound.servers)
    return `http://${urlHost(host)}:${bound.port}`
  }
  const stop = async (): Promise<void> => {
    await Promise.all(
      open.splice(0).map(
        server =>
          new Promise<void>(resolve => {
            server.close(() => resolve())
            server.closeAllConnections()
          }),
      ),
    )
  }

  try {
    const url = await listen(port, historyPort === undefined ? 'all' : 'prices')
    const historyUrl = historyPort === undefined ? url : await listen(historyPort, 'history')
    return { url, historyUrl, mock, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function createServer(listener: ReturnType<typeof createListener>): Server {
  const server = createHttpServer({ maxHeaderSize: LARGEST_HEAD, requireHostHeader: false }, listener)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  // Without these, Node answers by itself, or hangs up without a word.
  server.on('checkExpectation', listener)
  server.on('connect', (_request, socket) =>
    writeToSocket(socket as Socket, problem(malformed('CONNECT is not a method of this server.'))),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy()
    else
      writeToSocket(
        socket as Socket,
        problem(malformed(SENTENCES[error.code ?? ''] ?? 'This is not an HTTP request.', error.code)),
      )
  })
  return server
}

const SENTENCES: Record<string, string> = {
  HPE_HEADER_OVERFLOW: `The head of the request is larger than ${LARGEST_HEAD / 1024} KB.`,
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

function malformed(sentence: string, code?: string): PriceFeedMockError {
  const kind =
    code === 'HPE_HEADER_OVERFLOW'
      ? 'REQUEST_TOO_LARGE'
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'REQUEST_TIMEOUT'
        : 'REQUEST_MALFORMED'
  return new PriceFeedMockError(kind, sentence, {
    facts: [['want', 'an HTTP/1.1 request of at most 128 KB before its body']],
  })
}

/** The name of a bind address in a URL: any address is reached through loopback. */
function urlHost(host: string): string {
  if (host === 'localhost' || host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
