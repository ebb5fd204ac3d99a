// The browser host: the mock inside a page, answering through msw's service worker. No server, and nothing of Node.
import { type SetupWorker, setupWorker } from 'msw/browser'
import { PriceFeedMockError } from '../errors.js'
import { createMock, type Mock, type MockOptions } from '../index.js'
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
  /** Lets requests go to the network again; then another worker can be started. */
  stop(): Promise<void>
}

/** Whether a worker runs in this page, or is just starting. */
let isRunning = false

/**
 * Starts a mock in a page; requests from before it resolves go to the network.
 * @throws PriceFeedMockError CONFIG_INVALID, FEEDS_INVALID, OPTIONS_INVALID, WORKER_RUNNING while another one runs, or
 * FILE_UNREADABLE when the script of the worker is not there
 * @example
 * const { mock } = await startWorker({ baseUrl: 'https://api.example', seed: '42' })
 * mock.clock.advance('2m')
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  if (isRunning) throw new PriceFeedMockError(...(await problems()).ALREADY_RUNNING)
  // Plain JavaScript may have left them out.
  const given = options ?? ({} as WorkerOptions)
  const { baseUrl, historyUrl, serviceWorker = {}, onUnhandledRequest = 'bypass', quiet = true, ...rest } = given
  if (!/^(bypass|warn|error)$/.test(onUnhandledRequest))
    throw new PriceFeedMockError(...(await problems()).badUnhandled(onUnhandledRequest))
  const mock = createMock({ ...rest })
  const waits = new AbortController()
  const worker = setupWorker(...handlers(mock, { baseUrl, historyUrl, signal: waits.signal }))
  // The first name is that of msw 2, the other that of msw 3.
  const unhandled = { onUnhandledRequest, onUnhandledFrame: onUnhandledRequest }
  isRunning = true
  try {
    await worker.start({ serviceWorker, quiet, ...unhandled })
  } catch (cause) {
    isRunning = false
    const told = await (await problems()).withoutScript(serviceWorker.url, cause)
    throw told ? new PriceFeedMockError(...told) : cause
  }
  stayKnown(waits.signal)
  const end = async (): Promise<void> => {
    // The worker of msw 3 stays until it has every answer, also those that nobody waits for.
    waits.abort()
    await worker.stop()
    isRunning = false
  }
  let ended: Promise<void> | undefined
  // Once: a second end would be that of the worker that was started since.
  return { mock, worker, stop: () => (ended ??= end()) }
}

/** Words that a worker which starts does not need. */
const problems = () => import('./worker-problems.js')

/** What of a page is needed here; nothing else of the DOM is. */
interface Page {
  readonly document: {
    addEventListener(type: string, listener: () => void, options: { readonly signal: AbortSignal }): void
  }
  readonly navigator: { readonly serviceWorker: { readonly controller: { postMessage(message: string): void } | null } }
}

/**
 * Tells the worker again and again that this page has a mock. The worker of msw 2 keeps its pages in memory, and a browser ends
 * a worker that nobody needed for 30 seconds, such as that of a hidden tab; the next one knows no page (mswjs/msw#2635).
 */
function stayKnown(signal: AbortSignal): void {
  const { document, navigator } = globalThis as unknown as Page
  const tell = (): void => navigator.serviceWorker.controller?.postMessage('MOCK_ACTIVATE')
  for (const event of ['visibilitychange', 'resume']) document.addEventListener(event, tell, { signal })
  const timer = setInterval(tell, 5000)
  signal.addEventListener('abort', () => clearInterval(timer))
}
