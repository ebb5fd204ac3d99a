// A user's msw handlers on a socket of Node, through @mswjs/http-middleware. Alone that ends the process at a Host header that is
// no name, at TRACE, at HttpResponse.error() and at bodies that fail: here each of them gets an answer.
import { validateHeaderValue } from 'node:http'
import type { Readable } from 'node:stream'
import type { Response as ExpressResponse, Request } from 'express'
import { problemReply } from '../../admin/mock-reply.js'
import { PriceFeedMockError } from '../../errors.js'
import { MOCK_HEADER, type Outcome, toDictionary } from '../../outcome.js'
import { CORS } from '../../service/reply-headers.js'
import type { HttpMiddleware, UserHandler } from '../user-handlers.js'
import type { OwnExchange } from './exchange.js'
import { toServiceRequest } from './read.js'
import { cut, writeOutcome } from './write.js'

/** Answers a request whose body is read, or passes it on. */
export type Mount = (
  request: Request,
  response: ExpressResponse,
  then: { next(error?: unknown): void; onExchange(exchange: OwnExchange): void },
) => void

/** What `new Request` of the Fetch standard refuses. */
const FORBIDDEN_METHODS: readonly string[] = ['CONNECT', 'TRACE', 'TRACK']
/** What comes of `HttpResponse.error()`. */
const RESET: Outcome = { kind: 'reset', delayMs: 0 }
/** A name with or without a port: msw makes a pattern of it, and an URL. */
const HOST = /^[\w.-]+(:\d{1,5})?$/
const IPV6_HOST = /^\[[\da-f:.]+\](:\d{1,5})?$/i

/** Makes of handlers something that answers on sockets and outlives whatever they do. */
export function guardHandlers(handlers: readonly UserHandler[], createMiddleware: HttpMiddleware): Mount {
  return (request, response, { next, onExchange }) => {
    const asked = toServiceRequest(request)
    const started = performance.now()
    let isTold = false
    const tell = (status: number): void => {
      if (isTold) return
      isTold = true
      onExchange({
        by: 'mock',
        method: asked.method,
        target: asked.target,
        status,
        receivedAt: asked.receivedAt,
        durationMs: performance.now() - started,
      })
    }
    const answer = (outcome: Outcome): void => {
      writeOutcome(response, request.method, outcome)
      tell(outcome.kind === 'reset' ? 0 : response.statusCode)
    }

    if (FORBIDDEN_METHODS.includes(request.method)) return next()
    const host = hostOf(request)
    if (host === undefined) return answer(problemReply(badHost(request), CORS))

    const fail = (error: unknown): void => {
      if (response.headersSent || response.destroyed) response.destroy()
      else if (error === NETWORK_ERROR) answer(RESET)
      else answer(problemReply(toError(error, request), CORS))
    }
    const guarded = handlers.map(handler => guard(handler, taken => prepare(response, taken, tell)))
    // It pipes the body without a look at its errors, and goes on reading when nobody listens any more.
    response.once('pipe', (body: Readable) => {
      body.on('error', error => {
        report(request, error)
        cut(response)
      })
      if (response.destroyed) body.destroy()
      else response.once('close', () => body.destroy())
    })
    const standIn = standInFor(request, `http://${host}`)
    createMiddleware(...guarded)(standIn, response, error => {
      if (error === undefined) next()
      else fail(error)
    }).catch(fail)
  }
}

/** A handler that gives what Node can send, or fails: then the middleware hands on the failure, which it does not when it writes. */
function guard(handler: UserHandler, onTaken: (taken: Response) => void): UserHandler {
  return {
    async run(details) {
      const result = await handler.run(details).catch(error => {
        if (isOfNoObject(error)) throw new Error(NO_RESPONSE, { cause: error })
        // msw takes nothing for no error.
        throw error ?? new Error('it threw nothing that says why')
      })
      const taken = result?.response
      if (taken === undefined) return result
      // A Response of another package is one as well.
      if (typeof taken.headers?.forEach !== 'function') throw new Error(NO_RESPONSE)
      if (isPassedOn(taken)) return result
      assertSendable(taken)
      onTaken(taken)
      return result
    },
  }
}

/** The mark of msw's `passthrough()`: there is no network behind this server, so the next may answer. */
function isPassedOn({ status, headers }: Response): boolean {
  return status === 302 && headers.get('x-msw-intention') === 'passthrough'
}

const NO_RESPONSE =
  'a handler returns a Response, such as HttpResponse.json(…), or nothing: this one returned something else'

/** What msw fails with when a handler has returned a number or a text: it looks whether that is a generator. */
function isOfNoObject(error: unknown): boolean {
  return error instanceof TypeError && error.message.startsWith('Reflect.has called on non-object')
}

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

/** What every reply of this process carries, unless the user says otherwise. */
function prepare(response: ExpressResponse, { headers }: Response, tell: (status: number) => void): void {
  if (!headers.has(MOCK_HEADER)) response.setHeader(MOCK_HEADER, toDictionary({ handlers: true }))
  if (!headers.has('access-control-allow-origin'))
    for (let i = 0; i < CORS.length; i += 2) if (!headers.has(CORS[i]!)) response.setHeader(CORS[i]!, CORS[i + 1]!)
  response.once('close', () => tell(response.statusCode))
}

/** The request as the middleware reads it: with a Host that is a name, and a body that is there. */
function standInFor({ method, url, headers, body }: Request, origin: string): object {
  return {
    method,
    // Whole: of `//a/b` alone a URL would take `a` for a host.
    url: `${origin}${url}`,
    protocol: 'http',
    get: () => origin.slice('http://'.length),
    headers: headers.accept === undefined ? headers : { ...headers, accept: withoutPassthrough(headers.accept) },
    readable: false,
    body: Buffer.isBuffer(body) ? body : undefined,
    // It would write JSON anew where it finds the type.
    header: () => undefined,
  }
}

/** What msw's `bypass()` marks its requests with. From a client it would skip all handlers, and here is no network behind them. */
function withoutPassthrough(accept: string): string {
  return accept
    .split(',')
    .filter(type => !type.includes('msw/passthrough'))
    .join()
}

/** The host that handlers see, or undefined when the header cannot be one. An address of IPv6 is no pattern of msw 2. */
function hostOf({ headers: { host = '' } }: Request): string | undefined {
  if (host === '') return 'localhost'
  if (IPV6_HOST.test(host)) return host.replace(/^\[.*\]/, 'localhost')
  return HOST.test(host) && URL.canParse(`http://${host}`) ? host : undefined
}

function badHost({ headers: { host = '' } }: Request): PriceFeedMockError {
  return new PriceFeedMockError('REQUEST_INVALID', 'The Host header is not the name of a host.', {
    details: [
      ['got', host.slice(0, 100)],
      ['want', 'a name or an address, with or without a port'],
    ],
  })
}

function toError(error: unknown, request: Request): PriceFeedMockError {
  const path = request.url.slice(0, 200)
  if (error instanceof URIError && !isDecodable(request.path))
    return new PriceFeedMockError('REQUEST_INVALID', `The path of ${path} cannot be decoded.`, {
      details: [['want', 'percent-encoded UTF-8']],
    })
  report(request, error)
  const reason = String((error as Error)?.message ?? error).split('\n', 1)[0]!
  return new PriceFeedMockError('HANDLER_FAILED', `A handler of your own failed to answer ${request.method} ${path}.`, {
    details: [['got', reason]],
  })
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** Tells the user where their handler failed: the stack is theirs to read, not the caller's. */
function report({ method, url }: Request, error: unknown): void {
  process.stderr.write(
    `price-feed-mock: a handler of your own failed at ${method} ${url.slice(0, 200)}.\n${(error as Error)?.stack ?? error}\n`,
  )
}
