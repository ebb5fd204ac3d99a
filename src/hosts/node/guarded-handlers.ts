// Runs a user's msw handlers by @mswjs/http-middleware. Unguarded, an invalid Host header, TRACE, HttpResponse.error() and a failing
// body each end the process. Here each gets an answer.
import { validateHeaderValue } from 'node:http'
import type { Readable } from 'node:stream'
import type { Response as ExpressResponse, Request } from 'express'
import { firstLineOf, PriceFeedMockError, tryTo } from '../../errors.js'
import { MOCK_HEADER, type Outcome, problemReply, toDictionary } from '../../outcome.js'
import { CORS } from '../../service/reply-headers.js'
import { toShownTarget } from '../../settings/settings.js'
import { after, monotonicMs, realTime } from '../real-time.js'
import type { HttpMiddleware, UserHandler } from '../user-handlers.js'
import { hangUp, type MockExchange, onClientEnd, toMockExchange, toServiceRequest, writeOutcome } from './write.js'

/** Answers a request with a parsed body, or passes it on. */
export type Mount = (
  request: Request,
  response: ExpressResponse,
  then: { next(error?: unknown): void; onExchange(exchange: MockExchange): void },
) => void

/** Methods that `new Request` of the Fetch standard rejects. */
const FORBIDDEN_METHODS: readonly string[] = ['CONNECT', 'TRACE', 'TRACK']
/** The outcome of `HttpResponse.error()`. */
const RESET: Outcome = { kind: 'reset', delayMs: 0 }
/** A name with or without a port. msw builds a pattern and a URL from it. */
const HOST = /^[\w.-]+(:\d{1,5})?$/
const IPV6_HOST = /^\[[\da-f:.]+\](:\d{1,5})?$/i

const LIMITS = {
  answerMs: 120_000,
  /** A client that has ended its side, and to which nothing is sent for this long, is taken to have left. */
  halfClosedMs: 1_000,
}

/** Wraps handlers so that their errors cannot end the process, and that none holds a connection for ever. */
export function guardHandlers(
  handlers: readonly UserHandler[],
  createMiddleware: HttpMiddleware,
  limits: Partial<typeof LIMITS> = {},
): Mount {
  const { answerMs, halfClosedMs } = { ...LIMITS, ...limits }
  return (request, response, { next, onExchange }) => {
    const received = toServiceRequest(request, realTime())
    const started = monotonicMs()
    let isReported = false
    const report = (status: number): void => {
      if (isReported) return
      isReported = true
      onExchange(toMockExchange(received, { status }, monotonicMs() - started))
    }
    const answer = (outcome: Outcome): void => {
      writeOutcome(response, request.method, outcome)
      report(outcome.kind === 'reset' ? 0 : response.statusCode)
    }

    if (FORBIDDEN_METHODS.includes(request.method)) return next()
    const host = hostOf(request)
    if (host === undefined) return answer(problemReply(badHost(request), CORS))

    const over = new AbortController()
    const fail = (error: unknown): void => {
      if (over.signal.aborted) return
      if (response.headersSent || response.destroyed) response.destroy()
      else if (error === NETWORK_ERROR) answer(RESET)
      else answer(problemReply(toError(error, request), CORS))
    }
    const guarded = handlers.map(handler =>
      guard(handler, over.signal, taken => {
        stopWaiting()
        prepare(response, taken, report)
      }),
    )
    const stopWaiting = after(answerMs, () => {
      fail(new Error(`it has not answered within ${answerMs / 1000} seconds`))
      over.abort()
    })
    endWithClient(response, halfClosedMs)
    response.once('close', () => {
      stopWaiting()
      if (!response.writableFinished) over.abort()
    })
    // The middleware pipes the body, ignores its errors, and goes on reading after the client has disconnected.
    response.once('pipe', (body: Readable) => {
      body.on('error', error => {
        printError(request, error)
        hangUp(response)
      })
      if (response.destroyed) body.destroy()
      else response.once('close', () => body.destroy())
    })
    const standIn = standInFor(request, host)
    createMiddleware(...guarded)(standIn, response, error => {
      stopWaiting()
      if (over.signal.aborted) return
      if (error === undefined) next()
      else fail(error)
    }).catch(fail)
  }
}

/** Checks the response of a handler before the middleware writes it: errors while writing would be unhandled. */
function guard(handler: UserHandler, over: AbortSignal, onTaken: (taken: Response) => void): UserHandler {
  return {
    async run(details: never) {
      const { request } = details as { readonly request: object }
      // The middleware builds the request without a signal.
      Object.defineProperty(request, 'signal', { value: over, configurable: true })
      const result = await handler.run(details).catch(error => {
        // A handler returned a primitive, and msw checks the result for a generator.
        const isPrimitive = error instanceof TypeError && error.message.startsWith('Reflect.has called on non-object')
        if (isPrimitive) throw new Error(NO_RESPONSE, { cause: error })
        // msw treats a thrown `undefined` as success.
        throw error ?? new Error('it threw nothing that says why')
      })
      over.throwIfAborted()
      const taken = result?.response
      if (taken === undefined) return result
      // Checked by shape: the Response may come from another package.
      if (typeof taken.headers?.forEach !== 'function') throw new Error(NO_RESPONSE)
      // msw's `passthrough()`. There is no network behind this server, so the next handler answers.
      if (taken.status === 302 && taken.headers.get('x-msw-intention') === 'passthrough') return result
      assertSendable(taken)
      onTaken(taken)
      return { ...result, response: asSent(taken) }
    },
  }
}

/** The codings that every `fetch` of Node decodes. */
const DECODED = /^ *(x-)?(gzip|deflate|br)( *, *(x-)?(gzip|deflate|br))* *$/i

/** The reply of another server, from `fetch`, has a body that is decoded, and headers of the encoded one. */
function asSent(response: Response): Response {
  if (response.url === '' || !DECODED.test(response.headers.get('content-encoding') ?? '')) return response
  const headers = new Headers(response.headers)
  headers.delete('content-encoding')
  headers.delete('content-length')
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
}

const NO_RESPONSE =
  'a handler returns a Response, such as HttpResponse.json(…), or nothing: this one returned something else'

const NETWORK_ERROR = Symbol('HttpResponse.error()')

function assertSendable(response: Response): void {
  if (response.type === 'error' || response.status === 0) throw NETWORK_ERROR
  if (response.status < 200 || response.status > 999)
    throw new Error(`${response.status} is not the status of an answer`)
  if (response.bodyUsed || response.body?.locked)
    throw new Error('the body of its Response has been read: make a new one for each request')
  validateHeaderValue('statusText', response.statusText)
  response.headers.forEach((value, name) => {
    validateHeaderValue(name, value)
  })
}

/**
 * Closes the connection of a client that has left. The end of its side alone does not tell, because a client may end it and
 * still wait for the answer.
 */
function endWithClient(response: ExpressResponse, ms: number): void {
  let written = -1
  let cancel = (): void => {}
  onClientEnd(response, function check(socket) {
    if (written === socket.bytesWritten) return void socket.destroy()
    written = socket.bytesWritten
    cancel = after(ms, () => check(socket))
  })
  response.once('close', () => cancel())
}

/** Adds the headers of every reply of this process, unless the handler set them. */
function prepare(response: ExpressResponse, { headers }: Response, report: (status: number) => void): void {
  if (!headers.has(MOCK_HEADER)) response.setHeader(MOCK_HEADER, toDictionary({ handlers: true }))
  if (!headers.has('access-control-allow-origin'))
    for (let i = 0; i < CORS.length; i += 2) if (!headers.has(CORS[i]!)) response.setHeader(CORS[i]!, CORS[i + 1]!)
  response.once('close', () => report(response.statusCode))
}

/** The request in the form that the middleware reads, with a valid host and the parsed body. */
function standInFor({ method, url, headers, body, protocol }: Request, host: string): object {
  // Without the mark of msw's `bypass()`, which would skip all handlers: there is no network behind this server.
  const types = headers.accept?.split(',').filter(type => !type.includes('msw/passthrough'))
  const accept = types?.join()
  return {
    method,
    // Absolute: `//a/b` alone would parse as the host `a`.
    url: `${protocol}://${host}${url}`,
    protocol,
    get: () => host,
    headers: accept === undefined ? headers : { ...headers, accept },
    readable: false,
    body: Buffer.isBuffer(body) ? body : undefined,
    // No content type: the middleware would serialize JSON bodies again.
    header: () => undefined,
  }
}

/** The host for handlers, or undefined if the header is invalid. msw 2 cannot match IPv6 addresses, so they become `localhost`. */
function hostOf({ headers: { host = '' } }: Request): string | undefined {
  if (host === '') return 'localhost'
  if (IPV6_HOST.test(host)) return host.replace(/^\[.*\]/, 'localhost')
  return HOST.test(host) && URL.canParse(`http://${host}`) ? host : undefined
}

function badHost({ headers: { host = '' } }: Request): PriceFeedMockError {
  return new PriceFeedMockError('REQUEST_INVALID', 'The Host header is not the name of a host.', {
    got: host.slice(0, 100),
    want: 'a name or an address, with or without a port',
  })
}

function toError(error: unknown, request: Request): PriceFeedMockError {
  const path = toShownTarget(request.url).slice(0, 200)
  if (error instanceof URIError && tryTo(() => decodeURIComponent(request.path)) === undefined)
    return new PriceFeedMockError('REQUEST_INVALID', `The path of ${path} cannot be decoded.`, {
      want: 'percent-encoded UTF-8',
    })
  printError(request, error)
  return new PriceFeedMockError('HANDLER_FAILED', `A handler of your own failed to answer ${request.method} ${path}.`, {
    got: firstLineOf(error),
  })
}

/** Prints where a handler failed. The stack is for the user, not for the client. */
function printError({ method, url }: Request, error: unknown): void {
  process.stderr.write(
    `price-feed-mock: a handler of your own failed at ${method} ${toShownTarget(url).slice(0, 200)}.\n${(error as Error)?.stack ?? error}\n`,
  )
}
