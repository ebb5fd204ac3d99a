// The Express app behind the five endpoints: guard, metrics, events, index, a user's handlers and the admin.
import type { IncomingMessage } from 'node:http'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import type { Addresses } from '../../admin/admin-route.js'
import { mockReply, problemReply } from '../../admin/mock-reply.js'
import { isPriceFeedMockError, PriceFeedMockError } from '../../errors.js'
import type { Mock } from '../../mock.js'
import type { Reply } from '../../outcome.js'
import { isMockPath } from '../mock-path.js'
import { streamJournal } from './events.js'
import { type OwnExchange, toOwnExchange } from './exchange.js'
import { findObjection } from './guard.js'
import type { Mount } from './guarded-handlers.js'
import type { Metrics } from './metrics.js'
import { toServiceRequest } from './read.js'
import { writeError, writeOutcome } from './write.js'

/** What the app needs besides the mock. */
export interface AppOptions {
  /** Names besides loopback under which the admin may be reached. */
  readonly allowHosts: readonly string[]
  readonly metrics: Metrics
  /** A user's own handlers: they get what is nobody's. */
  readonly userHandlers?: Mount | undefined
  /** Under which addresses the mock was reached; where a server listens is known once it does. */
  addresses(request: IncomingMessage): Addresses
  /** Told of every answer of the mock's own. */
  onExchange(exchange: OwnExchange): void
}

/** The largest body that the admin reads. */
const MAX_BODY_BYTES = '1mb'

/** Creates the app. */
export function createApp(mock: Mock, options: AppOptions): Express {
  const { allowHosts, metrics, userHandlers, addresses, onExchange } = options
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')

  const reply = (request: Request, response: Response, outcome: Reply): void => {
    const started = performance.now()
    writeOutcome(response, request.method, outcome)
    onExchange(toOwnExchange(toServiceRequest(request), outcome, performance.now() - started))
  }

  app.use((request, response, next) => {
    const objection = findObjection(request, allowHosts)
    if (objection === undefined) next()
    else reply(request, response, problemReply(objection))
  })
  app.get('/_mock/metrics', async (request, response) => {
    const { text, contentType } = await metrics.scrape()
    reply(request, response, mockReply(200, text, ['content-type', contentType]))
  })
  app.get('/_mock/sessions/:id/events', (request, response) => {
    const last = /^\d{1,15}$/.exec(request.get('last-event-id') ?? '')
    const { journal } = mock.sessions.get(request.params.id)
    streamJournal(response, journal, last === null ? undefined : Number(last[0]))
  })
  app.get('/', (request, response, next) => {
    if (!request.headers.accept?.includes('text/html')) return next()
    reply(request, response, mockReply(302, '', ['location', `${request.baseUrl}/_mock/`]))
  })
  if (userHandlers !== undefined) {
    // Whole, and before the reader of the admin's bodies: a handler may want any kind.
    const readBody = express.raw({ type: () => true, limit: MAX_BODY_BYTES })
    app.use((request, response, next) => {
      if (request.path === '/' || isMockPath(request.url)) return next()
      readBody(request, response, error => {
        if (error !== undefined) return next(error)
        userHandlers(request, response, { next, onExchange })
      })
    })
  }
  // A body has to say that it is JSON: a page of another site cannot say so without asking first.
  app.use(express.text({ type: 'application/json', limit: MAX_BODY_BYTES }))
  app.use(async (request, response) => {
    const body = jsonOf(request)
    const outcome =
      body === undefined && hasBody(request)
        ? problemReply(
            new PriceFeedMockError('BODY_NOT_JSON', 'The body does not say that it is JSON.', {
              details: [['want', 'content-type: application/json']],
            }),
          )
        : await mock.administer({ ...toServiceRequest(request), body }, addresses(request))
    reply(request, response, outcome)
  })
  // Express knows a handler of errors by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const told = isPriceFeedMockError(error) ? error : bodyError(error)
    if (told === undefined) writeError(response, toServiceRequest(request), error)
    else reply(request, response, problemReply(told))
  })
  return app
}

/** The text of a body that says it is JSON; the app around this one, or a user's handlers, may have read it. */
function jsonOf(request: Request): string | undefined {
  const { body } = request
  if (!request.is('application/json')) return undefined
  if (Buffer.isBuffer(body)) return body.toString()
  return typeof body === 'object' ? JSON.stringify(body) : (body as string | undefined)
}

function hasBody({ method, headers }: Request): boolean {
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || method === 'TRACE'
  return !isRead && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
}

/** What the reader of bodies reports, in our words. */
function bodyError(error: unknown): PriceFeedMockError | undefined {
  const { type, status, message } = error as { type?: string; status?: number; message?: string }
  if (type === 'entity.too.large')
    return new PriceFeedMockError('BODY_TOO_LARGE', 'The body is too large.', { details: [['want', 'at most 1 MB']] })
  // Express itself refuses paths that it cannot decode.
  if (type === undefined && status !== 400) return undefined
  return new PriceFeedMockError('REQUEST_INVALID', `The request cannot be read: ${message}.`)
}
