// A `fetch` over Node's http module. The global one stops under faked timers on Node 22: its code calls the global `setImmediate`.
import type { IncomingMessage } from 'node:http'
import { tryTo } from '../errors.js'
import { isRedirect, ReadableStream, untilAborted, withAddress } from '../hosts/answer.js'
import { assertTicks, load } from '../hosts/real-time.js'
import { hasBody } from '../outcome.js'
import type { Fetch } from './test-target.js'

// Loaded before a test can replace timers or msw can patch these modules.
const { request: sendHttp, Agent } = load?.('node:http') ?? ({} as Partial<typeof import('node:http')>)
const { request: sendHttps, Agent: SecureAgent } = load?.('node:https') ?? ({} as Partial<typeof import('node:https')>)
const Socket = load?.('node:net')?.Socket
const connect = Socket?.prototype.connect

const MAX_REDIRECTS = 20

/** Creates a `fetch` that depends on no global timer, or returns undefined where there is no http module, such as in a browser. */
export function createHttpFetch(): Fetch | undefined {
  if (!sendHttp || !Agent || !sendHttps || !SecureAgent || !Socket || !connect) return undefined
  // msw 3 patches every socket: the handlers of a test would refuse or report these connections.
  const createConnection = (options: object) => Reflect.apply(connect, new Socket(options), [options])
  const plain = Object.assign(new Agent({ keepAlive: true }), { createConnection })
  const secure = new SecureAgent({ keepAlive: true })
  const fetch = async (input: Request | URL | string, init?: RequestInit, redirects = 0): Promise<Response> => {
    await assertTicks()
    const request = new Request(input, init)
    const { signal, method } = request
    signal.throwIfAborted()
    const body = await bodyOf(request, init)
    const [send, agent] = request.url.startsWith('https:') ? [sendHttps, secure] : [sendHttp, plain]
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

/** The request after a redirect. Another origin does not get the key, and a GET in place of another method has no body. */
function redirected(
  { url, method, headers, redirect }: Request,
  body: string | Uint8Array<ArrayBuffer> | undefined,
  status: number,
  next: URL,
): RequestInit {
  const becomesGet = status === 303 ? !/^(GET|HEAD)$/.test(method) : status < 303 && method === 'POST'
  const kept = new Headers(headers)
  if (next.origin !== new URL(url).origin) for (const name of ['authorization', 'cookie']) kept.delete(name)
  if (becomesGet) for (const name of ['content-type', 'content-length']) kept.delete(name)
  return { headers: kept, redirect, ...(becomesGet ? {} : { method, body: body ?? null }) }
}

/** A body that is text already is not read from the request, which never ends while a test fakes `queueMicrotask`. */
async function bodyOf(request: Request, init: RequestInit | undefined) {
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
