// The target of tests: a server, or a mock in process. Fake timers of a test do not affect it.
import type { IncomingMessage } from 'node:http'
import { PriceFeedMockError, tryTo } from '../errors.js'
import { isRedirect, untilAborted, withAddress } from '../hosts/answer.js'
import { readBaseUrl } from '../hosts/base-urls.js'
import { createFetch } from '../hosts/fetch.js'
import { assertTicks, load, realTime } from '../hosts/real-time.js'
import { createMock, type MockOptions } from '../index.js'
import { hasBody } from '../outcome.js'

/** A function like the global `fetch`. */
export type Fetch = (input: Request | URL | string, init?: RequestInit) => Promise<Response>

/** A place where sessions can be created. */
export interface TestTarget {
  /** Without a slash at the end. */
  readonly url: string
  readonly fetch: Fetch
  /** The token of its admin, if it needs one. */
  readonly token?: string | undefined
}

// Loaded before a test can replace timers or msw can patch these modules.
const http = load?.('node:http')
const https = load?.('node:https')
const sendHttp = http?.request
const sendHttps = https?.request

/** The `fetch` for servers. In a browser it is the original one: a test may replace the global one later. */
const { fetch: originalFetch } = globalThis
const serverFetch: Fetch = createHttpFetch() ?? ((target, init) => originalFetch(target, init))

/** The token that `exec` or a user passes on. */
const tokenOfEnvironment = (): string | undefined => globalThis.process?.env.PRICE_FEED_MOCK_ADMIN_TOKEN || undefined

/**
 * The target of a running server.
 * @param token the token of its admin; without one, that of the environment
 * @throws PriceFeedMockError OPTIONS_INVALID if the address is invalid
 */
export function serverTarget(url: string, token = tokenOfEnvironment()): TestTarget {
  return { url: readBaseUrl('url', url), token, fetch: serverFetch }
}

/**
 * The server that tests share, if there is one, otherwise a mock in process.
 * @throws PriceFeedMockError OPTIONS_INVALID for mock options with a shared server, which has its own
 */
export function chooseTarget(url: string | undefined, options: MockOptions, token?: string): TestTarget {
  if (url === undefined) return inProcessTarget(options)
  const keys = Object.keys(options)
  if (keys.length === 0) return serverTarget(url, token)
  throw new PriceFeedMockError('OPTIONS_INVALID', 'priceFeedMockOptions has no effect with a shared server.', {
    problems: [{ at: 'priceFeedMockOptions', got: keys.join(', '), want: 'nothing' }],
    fix: 'pass them to sharedServer({ … }) in the global setup, or use priceFeedOptions for a session',
  })
}

/** No server has this address: the global `fetch` fails with this name in its error, which is the remedy. */
const IN_PROCESS_URL = 'http://use-pricefeed.fetch.price-feed-mock.test'

/** The target of a mock in process. */
export function inProcessTarget(options: MockOptions = {}): TestTarget {
  return { url: IN_PROCESS_URL, fetch: createFetch(createMock({ realTime, ...options })) }
}

const MAX_REDIRECTS = 20

/** Creates a `fetch` that depends on no global timer (on Node 22 the global one calls `setImmediate`), or returns undefined where there is no http module, such as in a browser. */
export function createHttpFetch(): Fetch | undefined {
  if (http === undefined || sendHttp === undefined || sendHttps === undefined || https === undefined) return undefined
  const agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) }
  const fetch = async (input: Request | URL | string, init?: RequestInit, redirects = 0): Promise<Response> => {
    await assertTicks()
    const request = new Request(input, init)
    const { signal, method } = request
    signal.throwIfAborted()
    const body = await bodyOf(request, init)
    const isSecure = request.url.startsWith('https:')
    const send = isSecure ? sendHttps : sendHttp
    const agent = agents[isSecure ? 'https:' : 'http:']
    const sent = { method, headers: Object.fromEntries(request.headers), signal, agent }
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = send(request.url, sent, resolve)
      outgoing.on('error', cause => reject(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause })))
      outgoing.end(body)
    })
    const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = incoming
    const headers = new Headers()
    for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!)
    if (request.redirect !== 'manual' && isRedirect({ status, headers })) {
      incoming.resume()
      const next = tryTo(() => new URL(headers.get('location')!, request.url))
      const problem = redirectProblem(request, next, redirects)
      if (problem !== undefined) throw new TypeError('fetch failed', { cause: new Error(problem) })
      // That of this request would be collected with it.
      const ofCaller = init?.signal ?? (input instanceof Request ? input.signal : undefined) ?? null
      return fetch(next!, { ...redirected(request, body, status, next!), signal: ofCaller }, redirects + 1)
    }
    const isBodiless = method === 'HEAD' || !hasBody(status)
    if (isBodiless) incoming.resume()
    const response = new Response(isBodiless ? null : toBody(incoming, signal), { status, statusText, headers })
    return withAddress(response, request.url, redirects > 0)
  }
  return (input, init) => fetch(input, init)
}

function redirectProblem({ redirect }: Request, next: URL | undefined, redirects: number): string | undefined {
  if (redirect === 'error') return 'unexpected redirect'
  if (redirects === MAX_REDIRECTS) return 'redirect count exceeded'
  return next !== undefined && /^https?:$/.test(next.protocol) ? undefined : 'invalid redirect'
}

/** The request after a redirect. Another origin does not get the key. */
function redirected(
  { url, method, headers, redirect }: Request,
  body: string | Uint8Array<ArrayBuffer> | undefined,
  status: number,
  next: URL,
): RequestInit {
  const kept = new Headers(headers)
  if (next.origin !== new URL(url).origin) for (const name of ['authorization', 'cookie']) kept.delete(name)
  const isSame = status === 303 ? /^(GET|HEAD)$/.test(method) : status > 303 || method !== 'POST'
  if (!isSame) for (const name of ['content-type', 'content-length']) kept.delete(name)
  const sent = isSame ? { method, ...(body === undefined ? {} : { body }) } : {}
  return { ...sent, headers: kept, redirect }
}

/** A body that is text already is not read from the request, which never ends while a test fakes `queueMicrotask`. */
async function bodyOf(
  request: Request,
  init: RequestInit | undefined,
): Promise<string | Uint8Array<ArrayBuffer> | undefined> {
  if (typeof init?.body === 'string') return init.body
  if (request.body === null) return undefined
  return new Uint8Array(await untilAborted(request.arrayBuffer(), request.signal))
}

/**
 * The body of a response. It fails as that of `fetch` if the connection closes early, or if the signal aborts, also when all of it has
 * arrived by then. A message may still emit what it holds when its body is over, which a closed stream would throw back at it, and so
 * end the process.
 */
function toBody(incoming: IncomingMessage, signal: AbortSignal): ReadableStream<Uint8Array> {
  let isOver = false
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const abort = (): void => end(() => controller.error(signal.reason))
      const end = (how: () => void): void => {
        if (!isOver) how()
        isOver = true
        signal.removeEventListener('abort', abort)
      }
      signal.addEventListener('abort', abort, { once: true })
      incoming.pause()
      incoming.on('data', (chunk: Uint8Array) => {
        if (isOver) return
        controller.enqueue(new Uint8Array(chunk))
        incoming.pause()
      })
      incoming.on('end', () => end(() => controller.close()))
      incoming.on('error', cause => end(() => controller.error(new TypeError('terminated', { cause }))))
    },
    pull: () => void incoming.resume(),
    cancel() {
      isOver = true
      incoming.destroy()
    },
  })
}
