// The HTTP server: a mock behind one port or two, from start to stop.
import type { Server } from 'node:http'
import { createMock, type Mock, type MockOptions } from '../../index.js'
import { toFeeds } from '../../market/feeds-file.js'
import type { Reply } from '../../outcome.js'
import type { Base } from '../../service/endpoint.js'
import { DEFAULT_SETTINGS } from '../../settings/settings.js'
import { assertOptions, NAMES } from '../options.js'
import type { UserHandler } from '../user-handlers.js'
import type { Exchange } from './exchange.js'
import type { Mount } from './guarded-handlers.js'
import { listenOn } from './listen.js'
import { createListener } from './listener.js'
import { createMetrics } from './metrics.js'
import { createServerOf } from './sockets.js'

/** How a server is started; every part may be left out. */
export interface ServerOptions extends MockOptions {
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
  /**
   * Names besides loopback under which the admin may be reached.
   * @default none
   */
  readonly allowHosts?: readonly string[] | undefined
  /**
   * Request handlers of msw, or what `loadUserHandlers` has read: they answer what no endpoint and no admin route does. They need
   * msw 2 and @mswjs/http-middleware.
   * @default none
   */
  readonly handlers?: readonly UserHandler[] | undefined
  /** Told of every answer. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

/** A server that listens. */
export interface RunningServer {
  /** Base address of the signed-price endpoints, without a slash at the end. */
  readonly url: string
  /** Base address of the charting endpoint. */
  readonly historyUrl: string
  readonly mock: Mock
  /** Closes every socket at once. Calling it again does nothing. */
  stop(): Promise<void>
}

/**
 * Starts a server.
 * @throws PriceFeedMockError PORT_UNAVAILABLE, CONFIG_INVALID, OPTIONS_INVALID, FEEDS_INVALID, or HANDLERS_UNAVAILABLE
 * @example
 * const server = await startServer({ port: 0, seed: '42' })
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const {
    host = 'localhost',
    port = 4700,
    historyPort,
    syntheticFeeds,
    allowHosts = [],
    handlers,
    onExchange,
    ...rest
  } = options
  assertOptions('startServer(options)', { allowHosts }, { allowHosts: NAMES })
  const feeds = await withInvented(rest.feeds, syntheticFeeds ?? 0, String(rest.seed ?? DEFAULT_SETTINGS.seed))
  const mock = createMock({ ...rest, feeds })
  const userHandlers = handlers && (await mountHandlers(handlers))
  const metrics = createMetrics(() => mock.sessions.size)
  const addresses = { baseUrl: '', historyUrl: '' }
  const tell = (exchange: Exchange): void => {
    metrics.observe(exchange)
    onExchange?.(exchange)
  }

  /** What was no request has neither method nor target. */
  const tellRefusal = ({ status }: Reply): void =>
    tell({ by: 'mock', method: '-', target: '-', status, receivedAt: Date.now(), durationMs: 0 })

  const open: Server[] = []
  const listen = async (onPort: number, base?: Base): Promise<string> => {
    const listener = createListener(mock, {
      base,
      allowHosts,
      metrics,
      userHandlers,
      addresses: () => addresses,
      onExchange: tell,
    })
    const bound = await listenOn(host, onPort, () => createServerOf(listener, tellRefusal))
    open.push(...bound.servers)
    return `http://${urlHost(host)}:${bound.port}`
  }
  const stop = async (): Promise<void> => {
    await Promise.all(open.splice(0).map(close))
  }

  try {
    const url = await listen(port, historyPort === undefined ? undefined : 'prices')
    const historyUrl = historyPort === undefined ? url : await listen(historyPort, 'history')
    Object.assign(addresses, { baseUrl: url, historyUrl })
    return { url, historyUrl, mock, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A user's own handlers, ready to answer; what they need is loaded only when there are some. */
async function mountHandlers(handlers: readonly UserHandler[]): Promise<Mount> {
  const { loadHttpMiddleware } = await import('../user-handlers.js')
  const { guardHandlers } = await import('./guarded-handlers.js')
  return guardHandlers(handlers, loadHttpMiddleware())
}

/** The user's feeds and the invented ones; the generator is loaded only when needed. */
async function withInvented(feeds: MockOptions['feeds'], count: number, seed: string): Promise<MockOptions['feeds']> {
  if (count === 0) return feeds
  const { inventFeeds } = await import('../../market/synthetic.js')
  return toFeeds(feeds, inventFeeds(seed, count))
}

function close(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** The name of a bind address in a URL: any address is reached through loopback. */
function urlHost(host: string): string {
  if (host === 'localhost' || host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
