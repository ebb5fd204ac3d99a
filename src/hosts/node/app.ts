// The Express app behind the five endpoints: guard, metrics, events, index, a user's handlers and the admin.
import type { IncomingMessage } from 'node:http'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import type { Addresses } from '../../admin/admin-route.js'
import { ICON } from '../../admin/index-page.js'
import { isPriceFeedMockError, PriceFeedMockError } from '../../errors.js'
import { createLateModule } from '../../late-module.js'
import type { Mock } from '../../mock.js'
import { mockReply, problemReply, type Reply } from '../../outcome.js'
import type { Journal } from '../../service/journal.js'
import type { RunInTurns } from '../../service/market-stage.js'
import { isMockPath } from '../mock-path.js'
import { monotonicMs } from '../real-time.js'
import { createStreams } from './events.js'
import { type MockExchange, toMockExchange, toServiceRequest } from './exchange.js'
import { type AccessRules, answerAllowedOrigin, CHALLENGE, findObjection } from './guard.js'
import type { Mount } from './guarded-handlers.js'
import type { Metrics } from './metrics.js'
import { PROMETHEUS_TYPE } from './prometheus.js'
import { writeError, writeOutcome } from './write.js'

/** Options of the app. */
export interface AppOptions extends AccessRules {
  readonly metrics: Metrics
  /** A user's own handlers: they get all paths that the mock does not know. */
  readonly userHandlers?: Mount | undefined
  /** The addresses of the mock for a request. A server knows its own only once it listens. */
  addresses(request: IncomingMessage): Addresses
  /** The journal of a session for a stream, if sessions are in a store. */
  readonly follow?: ((id: string, withReplies: boolean) => Promise<Journal>) | undefined
  /** Called for each reply of the mock's own. */
  onExchange(exchange: MockExchange): void
}

/** The console sends this header. Its reads are neither logged nor counted. */
const CONSOLE_HEADER = 'x-price-feed-mock-console'
/** The largest body that the admin reads. */
const MAX_BODY_BYTES = '1mb'
/** The largest snapshot. A session that could have a larger one is refused. */
const MAX_SNAPSHOT_BYTES = '2mb'

/**
 * Creates the app.
 * @param runInTurns makes the long look-ups of the admin in turns with those of the five endpoints
 */
export function createApp(mock: Mock, options: AppOptions, runInTurns: RunInTurns): Express {
  const { metrics, userHandlers, addresses, onExchange } = options
  const app = express()
  const streams = createStreams()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')

  // The token of the admin takes the place of an API key in the same header.
  const credentials = options.adminToken === undefined ? {} : { authorization: undefined }

  const reply = (request: Request, response: Response, outcome: Reply): void => {
    const started = monotonicMs()
    writeOutcome(response, request.method, outcome)
    // The console reads several times a second: in the log that would hide the requests of the consumer.
    if (request.method === 'GET' && request.headers[CONSOLE_HEADER] !== undefined) return
    onExchange(toMockExchange(toServiceRequest(request, mock.realTime()), outcome, monotonicMs() - started))
  }

  app.use((request, response, next) => {
    const isPreflight = answerAllowedOrigin(request, response, options)
    const objection = findObjection(request, options)
    if (objection !== undefined) {
      const challenge = objection.code === 'ADMIN_TOKEN_INVALID' ? ['www-authenticate', CHALLENGE] : []
      reply(request, response, problemReply(objection, challenge))
    } else if (isPreflight) reply(request, response, mockReply(204, '', []))
    else next()
  })
  app.get('/_mock/metrics', async (request, response) => {
    reply(request, response, mockReply(200, await metrics.scrape(), ['content-type', PROMETHEUS_TYPE]))
  })
  app.get('/_mock/sessions/:id/events', (request, response) => {
    const last = /^\d{1,15}$/.exec(request.get('last-event-id') ?? '')
    const withReplies = request.query.replies === '1'
    const open = (journal: Journal): void =>
      streams.open(response, journal, last === null ? undefined : Number(last[0]), withReplies)
    const { id } = request.params
    if (options.follow !== undefined) return options.follow(id, withReplies).then(open)
    open(mock.sessions.get(id).journal)
  })
  app.get('/', (request, response, next) => {
    if (!isBrowser(request)) return next()
    reply(request, response, mockReply(302, '', ['location', `${request.baseUrl}/_mock/`]))
  })
  // Read on the first visit of a browser. Programs get the index page below, and browsers too where the console is not built.
  const loadConsole = createLateModule('The console', async () => (await import('./console.js')).readConsole())
  const serveConsole = async (request: Request, response: Response, next: NextFunction, name: string) => {
    const started = monotonicMs()
    const { baseUrl, historyUrl } = addresses(request)
    const files = await loadConsole()
    const status = files?.serve(request, response, name, historyUrl === baseUrl ? [] : [baseUrl, historyUrl])
    if (status === undefined) next()
    else onExchange(toMockExchange(toServiceRequest(request, mock.realTime()), { status }, monotonicMs() - started))
  }
  app.get(/^\/_mock(\/?)$/, (request, response, next) => {
    if (!isBrowser(request)) return next()
    // The page refers to its files by relative paths.
    if (request.path.endsWith('/')) return serveConsole(request, response, next, 'index.html')
    reply(request, response, mockReply(302, '', ['location', `${request.baseUrl}/_mock/`]))
  })
  app.get('/_mock/console/:file', (request, response, next) =>
    serveConsole(request, response, next, `console/${request.params.file}`),
  )
  if (userHandlers !== undefined) {
    // Reads bodies of any type, before the admin reads JSON only.
    const readBody = express.raw({ type: () => true, limit: MAX_BODY_BYTES })
    app.use((request, response, next) => {
      if (request.path === '/' || isMockPath(request.url)) return next()
      readBody(request, response, error => {
        if (error !== undefined) return next(error)
        userHandlers(request, response, { next, onExchange })
      })
    })
  }
  // Browsers request it beside any page. It is neither logged nor counted: nobody asked for it.
  app.get('/favicon.ico', (request, response) => {
    writeOutcome(response, request.method, mockReply(200, ICON, ['content-type', 'image/svg+xml']))
  })
  // The content type is required: a page of another origin cannot send it without a preflight.
  app.use('/_mock/sessions/:id/restore', express.text({ type: 'application/json', limit: MAX_SNAPSHOT_BYTES }))
  app.use(express.text({ type: 'application/json', limit: MAX_BODY_BYTES }))
  app.use(async (request, response) => {
    const body = jsonOf(request)
    const outcome =
      body === undefined && hasBody(request)
        ? problemReply(
            new PriceFeedMockError('BODY_NOT_JSON', 'The content type of the body is not JSON.', {
              details: [['want', 'content-type: application/json']],
            }),
          )
        : await mock.administer(
            { ...toServiceRequest(request, mock.realTime()), ...credentials, body },
            addresses(request),
            runInTurns,
          )
    reply(request, response, outcome)
  })
  // Express recognizes an error handler by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    // The client has left, or the socket has sent the answer to a body that did not arrive.
    if ((error as { type?: string })?.type === 'request.aborted') return
    const known = isPriceFeedMockError(error) ? error : toBodyError(error)
    if (known === undefined) writeError(response, toServiceRequest(request, mock.realTime()), error)
    else reply(request, response, problemReply(known))
  })
  return app
}

/** Whether a browser wants a page, and not a program the data. */
const isBrowser = ({ headers }: Request): boolean => headers.accept?.includes('text/html') ?? false

/** The text of a JSON body. The surrounding app, or a user's handlers, may have parsed it already. */
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

/** An error of the body parser, or of Express for a path that it cannot decode. */
function toBodyError(error: unknown): PriceFeedMockError | undefined {
  const { type, status, message, limit } = error as { type?: string; status?: number; message?: string; limit?: number }
  if (type === 'entity.too.large') {
    const want = `at most ${(limit ?? 0) >> 20} MB`
    return new PriceFeedMockError('BODY_TOO_LARGE', 'The body is too large.', { details: [['want', want]] })
  }
  if (type === undefined && status !== 400) return undefined
  return new PriceFeedMockError('REQUEST_INVALID', `The request cannot be read: ${message}.`)
}
