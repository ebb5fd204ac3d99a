// The Express app behind the five endpoints: guard, metrics, events, index and the admin.
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import type { Addresses } from '../../admin/lever.js'
import { ownReply, problemReply } from '../../admin/own-reply.js'
import { isPriceFeedMockError, PriceFeedMockError } from '../../errors.js'
import type { Mock } from '../../mock.js'
import type { Reply } from '../../outcome.js'
import { streamJournal } from './events.js'
import { type OwnExchange, toOwnExchange } from './exchange.js'
import { findObjection } from './guard.js'
import type { Metrics } from './metrics.js'
import { toServiceRequest } from './read.js'
import { writeError, writeOutcome } from './write.js'

/** What the app needs besides the mock. */
export interface AppOptions {
  /** Names besides loopback under which the admin may be reached. */
  readonly allowHosts: readonly string[]
  readonly metrics: Metrics
  /** Where the server listens, known once it does. */
  addresses(): Addresses
  /** Told of every answer of the mock's own. */
  onExchange(exchange: OwnExchange): void
}

/** The largest body that the admin reads. */
const LARGEST_BODY = '1mb'

/** Creates the app. */
export function createApp(mock: Mock, { allowHosts, metrics, addresses, onExchange }: AppOptions): Express {
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
    const { text, contentType } = await metrics.counters()
    reply(request, response, ownReply(200, await text(), ['content-type', contentType]))
  })
  app.get('/_mock/sessions/:id/events', (request, response) => {
    const last = /^\d{1,15}$/.exec(request.get('last-event-id') ?? '')
    const { journal } = mock.sessions(Date.now()).get(request.params.id)
    streamJournal(response, journal, last === null ? undefined : Number(last[0]))
  })
  app.get('/', (request, response, next) => {
    if (!request.headers.accept?.includes('text/html')) return next()
    reply(request, response, ownReply(302, '', ['location', '/_mock/']))
  })
  // A body has to say that it is JSON: a page of another site cannot say so without asking first.
  app.use(express.text({ type: 'application/json', limit: LARGEST_BODY }))
  app.use((request, response) => {
    const body = typeof request.body === 'string' ? request.body : undefined
    const outcome =
      body === undefined && hasBody(request)
        ? problemReply(
            new PriceFeedMockError('BODY_NOT_JSON', 'The body does not say that it is JSON.', {
              facts: [['want', 'content-type: application/json']],
            }),
          )
        : mock.administer({ ...toServiceRequest(request), body }, addresses())
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

function hasBody({ method, headers }: Request): boolean {
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || method === 'TRACE'
  return !isRead && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
}

/** What the reader of bodies reports, in our words. */
function bodyError(error: unknown): PriceFeedMockError | undefined {
  const { type, status, message } = error as { type?: string; status?: number; message?: string }
  if (type === 'entity.too.large')
    return new PriceFeedMockError('BODY_TOO_LARGE', 'The body is too large.', { facts: [['want', 'at most 1 MB']] })
  // Express itself refuses paths that it cannot decode.
  if (type === undefined && status !== 400) return undefined
  return new PriceFeedMockError('REQUEST_INVALID', `The request cannot be read: ${message}.`)
}
