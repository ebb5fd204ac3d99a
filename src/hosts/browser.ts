// The browser host: the mock inside a page, answering through msw's service worker. No server, and nothing of Node.
import { type SetupWorker, setupWorker } from 'msw/browser'
import { createMock, type Mock, type MockOptions } from '../mock.js'
import { type BaseUrls, handlers } from './msw.js'

/** How a worker is started. */
export interface WorkerOptions extends MockOptions, BaseUrls {
  /**
   * Where the page finds the script of msw's worker, and how it is registered: `{ url, options: { scope } }`.
   * @default { url: '/mockServiceWorker.js' }
   */
  readonly serviceWorker?: { url?: string; options?: { scope?: string } } | undefined
  /**
   * What msw does about requests that are not for the mock: let them pass, tell the console, or fail them.
   * @default 'bypass'
   */
  readonly onUnhandledRequest?: 'bypass' | 'warn' | 'error' | undefined
  /**
   * Whether msw keeps from telling the console of every request.
   * @default true
   */
  readonly quiet?: boolean | undefined
}

/** A worker that answers. */
export interface RunningWorker {
  readonly mock: Mock
  /** What msw made of it: `worker.use(…)` adds handlers of your own. */
  readonly worker: SetupWorker
  /** Lets requests go to the network again. */
  stop(): Promise<void>
}

/**
 * Starts a mock in a page; requests from before it resolves go to the network.
 * @throws PriceFeedMockError CONFIG_INVALID, FEEDS_INVALID or OPTIONS_INVALID
 * @example
 * const { mock } = await startWorker({ baseUrl: 'https://api.example', seed: '42' })
 * mock.clock.advance('2m')
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { baseUrl, historyUrl, serviceWorker = {}, onUnhandledRequest = 'bypass', quiet = true, ...rest } = options
  const mock = createMock({ realTime: Date.now, startedAt: Date.now(), ...rest })
  const worker = setupWorker(...handlers(mock, { baseUrl, historyUrl }))
  // The first name is that of msw 2, the other that of msw 3.
  const unhandled = { onUnhandledRequest, onUnhandledFrame: onUnhandledRequest }
  await worker.start({ serviceWorker, quiet, ...unhandled })
  return {
    mock,
    worker,
    // In msw 3 it takes a moment.
    stop: async () => worker.stop(),
  }
}
