// The HTTP server: a mock behind one port or two, from start to stop.
import type { Server } from 'node:http'
import { saveSnapshot } from '../../admin/reproduce-command.js'
import { isObject, PriceFeedMockError } from '../../errors.js'
import { createMock, type Mock, type MockOptions } from '../../index.js'
import { withSyntheticFeeds } from '../../market/synthetic.js'
import { MOCK_OPTIONS } from '../../mock.js'
import type { Reply } from '../../outcome.js'
import { restored } from '../../service/changes.js'
import type { Base } from '../../service/endpoint.js'
import type { Restored } from '../../service/saved-state.js'
import { assertNoProblems, findUnknownKeys } from '../../settings/schema.js'
import { assertOptions, SERVER_RULES } from '../options.js'
import { assertTicks, realTime } from '../real-time.js'
import type { UserHandler } from '../user-handlers.js'
import type { AccessOptions } from './guard.js'
import type { Mount } from './guarded-handlers.js'
import { closeServers, keepTickObject, listenOn } from './listen.js'
import { createListener } from './listener.js'
import { createMetrics } from './metrics.js'
import { createServerOf } from './sockets.js'
import type { StateOptions } from './state/state.js'
import type { StoreOptions, UsedSessions } from './store/replica.js'
import type { Tls, TlsOptions } from './tls.js'
import { type Exchange, toMockExchange } from './write.js'

/** Options of a server, all optional. */
export interface ServerOptions extends MockOptions, AccessOptions {
  /**
   * `localhost` binds both loopbacks.
   * @default 'localhost'
   */
  readonly host?: string | undefined
  /**
   * 0 chooses a free one.
   * @default 4700
   */
  readonly port?: number | undefined
  /**
   * A separate port for the charting endpoint. Each port then serves only its own endpoints.
   * @default one port serves all endpoints
   */
  readonly historyPort?: number | undefined
  /**
   * Number of additional synthetic feeds.
   * @default 0
   */
  readonly syntheticFeeds?: number | undefined
  /**
   * A certificate and its key in PEM. All ports then speak HTTPS only.
   * @default plain HTTP
   */
  readonly tls?: TlsOptions | undefined
  /**
   * A snapshot that the session `default` starts from. `clock` changes its clock; the other options are those of new sessions, and of
   * `default` after a reset.
   * @default none
   */
  readonly snapshot?: unknown
  /**
   * A file that keeps all sessions and their journals: they are restored at the start and saved at the end and every 10 seconds.
   * @default nothing is kept
   */
  readonly state?: StateOptions | undefined
  /**
   * A Redis that keeps all sessions and their journals, so that several servers answer as one.
   * @default sessions are kept in memory
   */
  readonly store?: StoreOptions | string | undefined
  /**
   * The address under which clients reach the server, such as that of a proxy before it. The admin answers to its host name.
   * @default the address that it listens on
   */
  readonly publicUrl?: string | undefined
  /**
   * Request handlers of msw for all paths that are not the mock's. They need msw 2 and @mswjs/http-middleware.
   * @default none
   */
  readonly handlers?: readonly UserHandler[] | undefined
  /** Called for each reply. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

/** Options of a stop. */
export interface StopOptions {
  /**
   * Real milliseconds for the answers in progress.
   * @default 0
   */
  readonly drainMs?: number | undefined
}

/** A listening server. */
export interface RunningServer {
  /** Base address of the signed-price endpoints, without a slash at the end. */
  readonly url: string
  /** Base address of the charting endpoint. */
  readonly historyUrl: string
  readonly mock: Mock
  /** The state that was restored at the start, if there was one. */
  readonly restored?: Restored | undefined
  /** The address of its store, without a password. */
  readonly store?: string | undefined
  /** The sessions of its store that are used through it, if they are noted. */
  readonly used?: UsedSessions | undefined
  /**
   * Closes all sockets. Answers that are being made or written have `drainMs` to finish; silent and slow faults and event streams do
   * not hold it. A call without `drainMs` ends it at once, also while another call waits. The state is saved last.
   * @throws PriceFeedMockError STATE_UNAVAILABLE if the state cannot be saved; TIMERS_FAKED if a test fakes `process.nextTick`
   */
  stop(options?: StopOptions): Promise<void>
}

/**
 * Starts a server.
 * @throws PriceFeedMockError PORT_UNAVAILABLE, CONFIG_INVALID, OPTIONS_INVALID, FEEDS_INVALID, TLS_INVALID, SNAPSHOT_INVALID,
 * STATE_INVALID, STATE_UNAVAILABLE, STORE_UNAVAILABLE, STORE_MISMATCH, SESSION_UNREADABLE, HANDLERS_UNAVAILABLE, or TIMERS_FAKED
 * if a test fakes `process.nextTick`
 * @example
 * const server = await startServer({ port: 0, seed: '42' })
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  assertServerOptions(options)
  const {
    host: given = 'localhost',
    port = 4700,
    historyPort,
    syntheticFeeds,
    allowHosts = [],
    allowOrigins,
    adminToken,
    tls: pair,
    snapshot,
    state: kept,
    store,
    publicUrl,
    handlers,
    onExchange,
    ...rest
  } = options
  await assertTicks()
  // A URL writes an IPv6 address in brackets.
  const host = given.replace(/^\[(.*)\]$/, '$1')
  const feeds = await withSyntheticFeeds(rest.feeds, syntheticFeeds, rest.seed)
  const own = createMock({ realTime, ...rest, feeds })
  if (snapshot !== undefined) await restoreSnapshot(own, snapshot, rest.clock)
  // The modules of these options are loaded only where they are set.
  const tls = pair && (await import('./tls.js')).loadTls(pair, realTime())
  const userHandlers = handlers && (await loadMount(handlers))
  const state = kept && (await import('./state/state.js')).openState(own, kept)
  keepTickObject()
  const storeOptions = typeof store === 'string' ? { url: store } : store
  const replica = storeOptions && (await (await import('./store/replica.js')).joinStore(own, storeOptions, rest.flags))
  const mock = replica?.mock ?? own
  const metrics = createMetrics(() => replica?.size() ?? mock.sessions.size)
  const addresses = {
    baseUrl: '',
    historyUrl: '',
    saveSnapshot: (id: string, before?: number): string =>
      saveSnapshot(addresses.baseUrl, id, adminToken !== undefined, rest.flags, before),
  }
  const report = (exchange: Exchange): void => {
    metrics.observe(exchange)
    onExchange?.(exchange)
  }
  /** Data that is not an HTTP request has neither method nor target. */
  const reportMalformed = (reply: Reply): void =>
    report(
      toMockExchange({ method: '-', target: '-', authorization: undefined, receivedAt: mock.realTime() }, reply, 0),
    )

  const publicAt = publicUrl === undefined ? undefined : new URL(publicUrl)
  const open: Server[] = []
  const listen = async (onPort: number, base?: Base): Promise<string> => {
    const listener = createListener(mock, {
      base,
      replica,
      allowHosts: publicAt === undefined ? allowHosts : [...allowHosts, publicAt.hostname],
      allowOrigins,
      publicOrigin: publicAt?.origin,
      adminToken,
      metrics,
      userHandlers,
      addresses: () => addresses,
      onExchange: report,
    })
    const bound = await listenOn(host, onPort, () => createServerOf(listener, reportMalformed, {}, tls?.createServer))
    open.push(...bound.servers)
    return addressOf(host, bound.port, tls)
  }
  let stopped: Promise<void> | undefined
  let isRunning = false
  const stop = async (options?: StopOptions): Promise<void> => {
    const drainMs = options?.drainMs ?? 0
    metrics.stop()
    stopped ??= closeServers(open, drainMs).then(async () => {
      await (isRunning ? state?.stop() : state?.release())
      replica?.close()
    })
    if (drainMs === 0) for (const server of open) server.closeAllConnections()
    await Promise.race([stopped, assertTicks().then(() => stopped)])
  }

  try {
    const url = await listen(port, historyPort === undefined ? undefined : 'prices')
    const historyUrl = historyPort === undefined ? url : await listen(historyPort, 'history')
    const shown = publicUrl?.replace(/\/+$/, '')
    Object.assign(addresses, { baseUrl: shown ?? url, historyUrl: shown ?? historyUrl })
    await state?.start()
    isRunning = true
    // Bound, which hides the parameter: Vitest would take it for fixtures in `afterAll(server.stop)`.
    const ofStore = replica && { store: replica.shown, used: replica.used }
    return { url, historyUrl, mock, restored: state?.restored, ...ofStore, stop: stop.bind(undefined) }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Checks the options that no mock has, the names of all, and those that exclude each other. */
function assertServerOptions(options: ServerOptions): void {
  const own = isObject(options)
    ? Object.fromEntries(Object.entries(options).filter(([name]) => name in SERVER_RULES))
    : options
  assertOptions('startServer(options)', own, SERVER_RULES)
  const others = ['syntheticFeeds', 'snapshot'] satisfies (keyof ServerOptions)[]
  const known = [...Object.keys(SERVER_RULES), ...others, ...MOCK_OPTIONS]
  assertNoProblems('OPTIONS_INVALID', 'startServer(options)', findUnknownKeys(options, known))
  const { snapshot, state, store } = options
  if (store !== undefined && state !== undefined)
    throw new PriceFeedMockError('OPTIONS_INVALID', 'A server has either a state or a store.', {
      fix: 'leave out the state: the store keeps all sessions',
    })
  if (snapshot !== undefined && (store ?? state) !== undefined)
    throw new PriceFeedMockError('OPTIONS_INVALID', 'A server with a state or a store takes no snapshot.', {
      fix: 'leave out the snapshot, and restore it with POST /_mock/sessions/{id}/restore',
    })
}

async function restoreSnapshot(mock: Mock, snapshot: unknown, clock: MockOptions['clock']): Promise<void> {
  const { readSnapshot } = await import('../../service/snapshot.js')
  const session = mock.sessions.default
  session.run(restored(readSnapshot(snapshot, session), mock.realTime()))
  if (clock !== undefined && Object.values(clock).some(value => value !== undefined)) mock.change({ clock })
}

async function loadMount(handlers: readonly UserHandler[]): Promise<Mount> {
  const { loadHttpMiddleware } = await import('../user-handlers.js')
  const { guardHandlers } = await import('./guarded-handlers.js')
  return guardHandlers(handlers, loadHttpMiddleware())
}

/** The URL of a bound port, by a name that its certificate is valid for. */
function addressOf(host: string, port: number, tls: Tls | undefined): string {
  const name = urlHost(host)
  return tls === undefined
    ? `http://${name}:${port}`
    : `https://${name === '127.0.0.1' ? tls.hostFor(name) : name}:${port}`
}

/** A bind address as a host in a URL: loopback for the unspecified addresses. */
function urlHost(host: string): string {
  if (host === 'localhost' || host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
