// All that a server answers besides the five endpoints: guard, metrics, events, console, a user's handlers and the admin.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Addresses } from '../../admin/admin-route.js'
import { ICON } from '../../admin/index-page.js'
import { type Access, accessOf, matchRow } from '../../admin/routes.js'
import { createLateModule } from '../../caches.js'
import { isPriceFeedMockError, PriceFeedMockError } from '../../errors.js'
import type { Mock } from '../../mock.js'
import { bodyNotJson, isJsonType, mockReply, problemReply, type Reply } from '../../outcome.js'
import type { RunInTurns } from '../../service/market-stage.js'
import { parseTarget, type Target, withoutOrigin } from '../../service/request.js'
import { isMockPath } from '../base-urls.js'
import { monotonicMs } from '../real-time.js'
import { createStreams } from './events.js'
import { type AccessRules, answerAllowedOrigin, CHALLENGE, findObjection, isBrowser } from './guard.js'
import type { Mount } from './guarded-handlers.js'
import { type Metrics, PROMETHEUS_TYPE } from './metrics.js'
import type { Replica } from './store/replica.js'
import { type MockExchange, toMockExchange, toServiceRequest, writeError, writeOutcome } from './write.js'

/** Options of the app. */
export interface AppOptions extends AccessRules {
  readonly metrics: Metrics
  /** A user's own handlers: they get all paths that the mock does not know. */
  readonly userHandlers?: Mount | undefined
  /** The addresses of the mock for a request. A server knows its own only once it listens. */
  addresses(request: IncomingMessage): Addresses
  /** Answers from sessions of a store; without it, sessions are in memory. */
  readonly replica?: Replica | undefined
  /** Called for each reply of the mock's own. */
  onExchange(exchange: MockExchange): void
}

/** The console sends this header. Its reads are neither logged nor counted. */
const CONSOLE_HEADER = 'x-price-feed-mock-console'

/** A request; a surrounding app may have mounted the mock at a path, and read the body. */
type Received = IncomingMessage & { readonly baseUrl?: string; readonly body?: unknown }

/**
 * Creates the app.
 * @param runInTurns makes the long look-ups of the admin in turns with those of the five endpoints
 */
export function createApp(
  mock: Mock,
  options: AppOptions,
  runInTurns: RunInTurns,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { metrics, userHandlers, addresses, onExchange } = options
  const openStream = createStreams()
  // Read on the first visit of a browser. Programs get the index page, and browsers too where the console is not built.
  const loadConsole = createLateModule('The console', async () => (await import('./console.js')).readConsole())
  const loadBodies = createLateModule('Bodies of requests', () => import('./bodies.js'))
  const loadHandlers = createLateModule('Your handlers', async () =>
    (await import('./bodies.js')).mountHandlers(userHandlers!, onExchange),
  )

  const reply = (request: IncomingMessage, response: ServerResponse, outcome: Reply): void => {
    const started = monotonicMs()
    writeOutcome(response, request.method, outcome)
    // The console reads several times a second: in the log that would hide the requests of the consumer.
    if (request.method === 'GET' && request.headers[CONSOLE_HEADER] !== undefined) return
    onExchange(toMockExchange(toServiceRequest(request, mock.realTime()), outcome, monotonicMs() - started))
  }
  /** Sends a file of the console. Returns false if there is none. */
  const sendFile = async (request: IncomingMessage, response: ServerResponse, name: string): Promise<boolean> => {
    const started = monotonicMs()
    const { baseUrl, historyUrl } = addresses(request)
    const files = await loadConsole()
    const status = files?.(request, response, name, historyUrl === baseUrl ? [] : [baseUrl, historyUrl])
    if (status === undefined) return false
    onExchange(toMockExchange(toServiceRequest(request, mock.realTime()), { status }, monotonicMs() - started))
    return true
  }
  const follow = async (request: IncomingMessage, response: ServerResponse, id: string, query: Target['query']) => {
    const last = /^\d{1,15}$/.exec(String(request.headers['last-event-id'] ?? ''))
    const withReplies = query.some(([name, value]) => name === 'replies' && value === '1')
    const journal = await (options.replica?.follow(id) ?? mock.sessions.get(id).journal)
    openStream(response, journal, last === null ? undefined : Number(last[0]), { withReplies })
  }
  const administer = async (request: Received, response: ServerResponse, access: Access, isSnapshot: boolean) => {
    // Also where `request.body` is set: parsers of Express 4 set it to {} beside a body of another type. A body that was read stays.
    if (isJson(request)) await (await loadBodies()).readJson(request, response, isSnapshot)
    const body = jsonOf(request)
    if (body === undefined && hasBody(request))
      return reply(request, response, isJson(request) ? bodyTaken() : bodyNotJson())
    // The token of the admin takes the place of an API key in the same header.
    const credentials = options.adminToken === undefined || access === 'open' ? {} : { authorization: undefined }
    const received = { ...toServiceRequest(request, mock.realTime()), ...credentials, body }
    reply(request, response, await mock.administer(received, addresses(request), runInTurns))
  }

  /** Answers a GET to what only a server has: metrics, events and the console. Returns whether it has done so. */
  const answerRead = async (
    request: Received,
    response: ServerResponse,
    { path, query }: Target,
    match: ReturnType<typeof matchRow>,
    access: Access,
  ): Promise<boolean> => {
    const answeredBy = match?.endpoint.answeredBy
    if (answeredBy === 'metrics')
      reply(request, response, mockReply(200, await metrics.scrape(), ['content-type', PROMETHEUS_TYPE]))
    else if (answeredBy === 'events') await follow(request, response, match!.pathValues.id!, query)
    else if (answeredBy === 'console') return sendFile(request, response, `console/${match!.pathValues.file}`)
    else if ((access !== 'page' && access !== 'root') || !isBrowser(request)) return false
    // The page refers to its files by relative paths. The redirect is relative too, as a proxy may have removed a path. An app that has
    // mounted the mock also serves its path without a slash, where a relative one would be wrong.
    else if (access === 'page' && path.endsWith('/')) return sendFile(request, response, 'index.html')
    else reply(request, response, mockReply(302, '', ['location', `${request.baseUrl ?? '.'}/_mock/`]))
    return true
  }

  const answer = async (request: Received, response: ServerResponse): Promise<void> => {
    // Of an absolute URL the log, and a user's handlers, get the path.
    const url = (request.url = toOriginForm(request.url ?? '/'))
    const { method } = request
    const target = parseTarget(url)
    const match = matchRow(target)
    const access = accessOf(target, match)
    const isPreflight = access !== 'open' && answerAllowedOrigin(request, response, options)
    const objection = findObjection(request, access, options)
    if (objection !== undefined) {
      const challenge = objection.code === 'ADMIN_TOKEN_INVALID' ? ['www-authenticate', CHALLENGE] : []
      return reply(request, response, problemReply(objection, challenge))
    }
    if (isPreflight) return reply(request, response, mockReply(204, '', []))
    if ((method === 'GET' || method === 'HEAD') && (await answerRead(request, response, target, match, access))) return
    if (userHandlers !== undefined && access !== 'root' && !isMockPath(url))
      await (await loadHandlers())(request, response)
    // Browsers request it beside any page. It is neither logged nor counted: nobody asked for it.
    if (target.path === '/favicon.ico' && method === 'GET')
      return writeOutcome(response, method, mockReply(200, ICON, ['content-type', 'image/svg+xml']))
    return administer(request, response, access, match?.endpoint.path.endsWith('/restore') === true)
  }

  return (request, response) =>
    answer(request, response).catch((error: unknown) => {
      // The client has left, or the socket has sent the answer to a body that did not arrive.
      if ((error as { type?: string })?.type === 'request.aborted') return
      const known = isPriceFeedMockError(error) ? error : toBodyError(error)
      if (known === undefined) writeError(response, toServiceRequest(request, mock.realTime()), error)
      else reply(request, response, problemReply(known))
    })
}

const isJson = ({ headers }: IncomingMessage): boolean =>
  isJsonType(headers['content-type']) &&
  (headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined)

/** The text of a JSON body. The surrounding app, or a user's handlers, may have parsed it already. */
function jsonOf(request: Received): string | undefined {
  const { body } = request
  if (!isJson(request)) return undefined
  if (Buffer.isBuffer(body)) return body.toString()
  return typeof body === 'object' ? JSON.stringify(body) : (body as string | undefined)
}

/** The reply where a middleware of the surrounding app has read the body and kept it elsewhere. */
const bodyTaken = (): Reply =>
  problemReply(
    new PriceFeedMockError('BODY_NOT_JSON', 'The body was read before the mock got the request.', {
      want: 'the mock before what reads bodies, or their text or value in request.body',
    }),
  )

function hasBody({ method, headers }: IncomingMessage): boolean {
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || method === 'TRACE'
  return !isRead && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
}

/** An error of the body parser, or of Express for a path that it cannot decode. */
function toBodyError(error: unknown): PriceFeedMockError | undefined {
  const { type, status, message, limit } = error as { type?: string; status?: number; message?: string; limit?: number }
  if (type === 'entity.too.large') {
    const want = `at most ${(limit ?? 0) >> 20} MB`
    return new PriceFeedMockError('BODY_TOO_LARGE', 'The body is too large.', { want })
  }
  if (type === undefined && status !== 400) return undefined
  const want = type && 'JSON in UTF-8, plain or compressed by gzip, deflate or br, as content-encoding says'
  return new PriceFeedMockError('REQUEST_INVALID', `The request cannot be read: ${message}.`, { want })
}

/**
 * A target in origin form (RFC 9112, 3.2.1): without scheme, authority and fragment. Express parses a target with a fragment in another
 * way, in which `//a@b#c` has no path.
 */
function toOriginForm(target: string): string {
  const rest = withoutOrigin(target).replace(/#.*$/s, '')
  return rest.startsWith('/') ? rest : `/${rest}`
}
