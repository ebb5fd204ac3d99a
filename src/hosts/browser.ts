// The browser host: the mock inside a page, behind msw's service worker. It needs no server and nothing of Node.
import { type SetupWorker, setupWorker } from 'msw/browser'
import { createLateModule } from '../caches.js'
import { PriceFeedMockError, wrongValue } from '../errors.js'
import { createMockWith, type Mock, type MockOptions } from '../mock.js'
import { type BaseUrls, handlers } from './msw.js'
import { isProductionBuild } from './production.js'
import { clearInterval, realTime, setInterval, wait } from './real-time.js'

export { ownScenario } from '../scenario-input.js'

/** Options of a worker. */
export interface WorkerOptions extends MockOptions, BaseUrls {
  /**
   * URL and registration options of msw's worker script: `{ url, options: { scope } }`.
   * @default { url: '/mockServiceWorker.js' }
   */
  readonly serviceWorker?: { url?: string | undefined; options?: { scope?: string } } | undefined
  /**
   * How msw treats requests that are not for the mock: pass them on, warn in the console, or fail them.
   * @default 'bypass'
   */
  readonly onUnhandledRequest?: 'bypass' | 'warn' | 'error' | undefined
  /**
   * Whether msw keeps requests out of the console.
   * @default true
   */
  readonly quiet?: boolean | undefined
  /**
   * Whether to start in a production build too, for example in a published demo.
   * @default false
   */
  readonly allowProductionUnsafe?: boolean | undefined
}

/** A started worker. */
export interface RunningWorker {
  readonly mock: Mock
  /** The worker of msw: `worker.use(…)` adds handlers of your own. */
  readonly worker: SetupWorker
  /** Stops answering requests. Another worker can be started afterwards. */
  stop(): Promise<void>
}

/** Loads the reader of series, which most pages do not need. */
const loadReader = createLateModule('The reader of series', () => import('../market/read-series.js'))

/** Whether a worker of this page is running or starting. */
let isRunning = false

/**
 * Starts a mock in a page. Requests sent before it resolves go to the network.
 * @throws PriceFeedMockError PRODUCTION_BUILD, CONFIG_INVALID, FEEDS_INVALID, OPTIONS_INVALID, WORKER_RUNNING if the page has a
 * running worker, or FILE_UNREADABLE if the worker script is missing
 * @example
 * // Imported in development only: docs/hosts.md shows the condition.
 * const { mock } = await startWorker({ baseUrl: 'https://api.example', seed: '42' })
 * mock.clock.advance('2m')
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  // JavaScript callers may omit the options.
  const { allowProductionUnsafe, ...given } = options ?? ({} as WorkerOptions)
  if (allowProductionUnsafe !== true && isProductionBuild())
    throw new PriceFeedMockError('PRODUCTION_BUILD', 'startWorker does not start in a production build.', {
      fix: 'import it only in development; a demo may set allowProductionUnsafe: true',
    })
  // With msw 2 a second worker would take over silently, with msw 3 it would fail in patched globals.
  if (isRunning)
    throw new PriceFeedMockError('WORKER_RUNNING', 'This page already has a running worker of the mock.', {
      fix: 'reuse the result of the first startWorker, or await its stop() before the next',
    })
  // Before the first wait: a second call meanwhile would start a second worker.
  isRunning = true
  try {
    return await start(given)
  } catch (error) {
    isRunning = false
    throw error
  }
}

async function start({
  baseUrl,
  historyUrl,
  serviceWorker: { url = '/mockServiceWorker.js', ...registration } = {},
  onUnhandledRequest = 'bypass',
  quiet = true,
  ...rest
}: Omit<WorkerOptions, 'allowProductionUnsafe'>): Promise<RunningWorker> {
  if (!/^(bypass|warn|error)$/.test(onUnhandledRequest)) {
    const problem = { at: 'onUnhandledRequest', got: onUnhandledRequest, want: 'one of "bypass", "warn", "error"' }
    throw wrongValue('OPTIONS_INVALID', 'Invalid onUnhandledRequest.', problem)
  }
  const readSeries = rest.series === undefined ? undefined : (await loadReader()).readSeries
  const mock = createMockWith(realTime, rest, readSeries)
  const waits = new AbortController()
  const worker = setupWorker(...handlers(mock, { baseUrl, historyUrl, signal: waits.signal }))
  // msw 2 reads the first name, msw 3 the second.
  const unhandled = { onUnhandledRequest, onUnhandledFrame: onUnhandledRequest }
  try {
    await worker.start({ serviceWorker: { url, ...registration }, quiet, ...unhandled })
  } catch (cause) {
    // Otherwise the next start would fail in globals that this one has patched. In msw 3 it never ends: no worker confirms it.
    void (async () => worker.stop())().catch(() => {})
    if (await isScript(url)) throw cause
    throw new PriceFeedMockError('FILE_UNREADABLE', `There is no worker script at ${url}.`, {
      fix: 'npx msw init public --save, or set its address: serviceWorker: { url }',
      cause,
    })
  }
  if (!(await isCovered(url))) {
    await worker.stop()
    const want = 'a script in a folder above the page, and a scope that has it'
    const problem = { at: 'serviceWorker', got: url, want }
    throw wrongValue('OPTIONS_INVALID', 'The worker does not see the requests of this page.', problem)
  }
  keepRegistered(waits.signal)
  const end = async (): Promise<void> => {
    // The worker of msw 3 waits for every pending answer, including those of aborted requests.
    waits.abort()
    await worker.stop()
    // The worker of msw 2 then ends its registration, unless other tabs use it. A start meanwhile would take the ending one, which leaves
    // an error that nobody catches, and in Firefox never answers.
    const { navigator } = globalThis as unknown as Page
    for (let i = 0; i < 20 && (await navigator.serviceWorker?.getRegistration()); i++) await wait(50)
    isRunning = false
  }
  let ended: Promise<void> | undefined
  // Only once: a second call would stop a worker that was started in the meantime.
  return { mock, worker, stop: () => (ended ??= end()) }
}

/** Whether a URL serves JavaScript. Many servers answer an unknown path with their page instead. */
async function isScript(url: string): Promise<boolean | undefined> {
  const response = await fetch(url).catch(() => undefined)
  return response?.ok && response.headers.get('content-type')?.includes('javascript')
}

/** Whether this page is in the scope of a worker script: its folder, unless it is registered for another one. */
async function isCovered(url: string): Promise<boolean> {
  const { location, navigator } = globalThis as unknown as Page
  // Without service workers, as on an insecure origin, msw 2 patches the globals of the page.
  if (navigator.serviceWorker === undefined) return true
  const { active, waiting, installing } = (await navigator.serviceWorker.getRegistration()) ?? {}
  const { href } = new URL(url, location.href)
  // After a stop the script of the page is still at work, while its registration ends.
  const scripts = [active, waiting, installing, navigator.serviceWorker.controller]
  return scripts.some(script => script?.scriptURL === href)
}

/** The parts of a page that are needed here, instead of the types of the whole DOM. */
interface Page {
  readonly document: {
    addEventListener(type: string, listener: () => void, options: { readonly signal: AbortSignal }): void
  }
  readonly location: { readonly href: string }
  readonly navigator: {
    readonly serviceWorker?: {
      readonly controller: (Script & { postMessage(message: string): void }) | null
      getRegistration(): Promise<
        Readonly<Partial<Record<'active' | 'waiting' | 'installing', Script | null>>> | undefined
      >
    }
  }
}

interface Script {
  readonly scriptURL: string
}

/**
 * Registers the page with the worker again and again. The worker of msw 2 keeps its pages in memory, and browsers end a worker
 * that is idle for 30 seconds, such as that of a hidden tab. The next one would know no page (mswjs/msw#2635).
 */
function keepRegistered(signal: AbortSignal): void {
  const { document, navigator } = globalThis as unknown as Page
  const register = (): void => navigator.serviceWorker?.controller?.postMessage('MOCK_ACTIVATE')
  for (const event of ['visibilitychange', 'resume']) document.addEventListener(event, register, { signal })
  const timer = setInterval(register, 5000)
  signal.addEventListener('abort', () => clearInterval(timer))
}
