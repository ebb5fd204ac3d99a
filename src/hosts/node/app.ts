// The Express app behind the five endpoints: guard, metrics, index and the admin.
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import { ownReply, problemReply } from '../../admin/own-reply.js'
import { PriceFeedMockError } from '../../errors.js'
import type { Mock } from '../../mock.js'
import type { Outcome } from '../../outcome.js'
import { parseTarget } from '../../service/request.js'
import { type OwnExchange, toOwnExchange } from './exchange.js'
import type { Metrics } from './metrics.js'
import { toServiceRequest } from './read.js'
import { writeError, writeOutcome } from './write.js'

/** What the app needs besides the mock. */
export interface AppOptions {
  /** Names besides loopback under which the admin may be reached. */
  readonly allowHosts: readonly string[]
  readonly metrics: Metrics
  /** Told of every answer of the mock's own. */
  onExchange(exchange: OwnExchange): void
}

/** Creates the app. */
export function createApp(mock: Mock, { allowHosts, metrics, onExchange }: AppOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')

  const reply = (request: Request, response: Response, outcome: Outcome): void => {
    const started = performance.now()
    writeOutcome(response, request.method, outcome)
    onExchange(toOwnExchange(toServiceRequest(request), outcome, performance.now() - started))
  }

  app.use((request, response, next) => {
    // The same decoding as the router's: another spelling of /_mock is guarded too.
    const [first] = parseTarget(request.url).segments
    const guarded = first === '' || first!.toLowerCase() === '_mock'
    if (!guarded || isAllowedHost(request.headers.host, allowHosts)) return next()
    reply(request, response, problemReply(hostNotAllowed(request.headers.host)))
  })
  app.get('/_mock/metrics', async (request, response) => {
    const { text, contentType } = await metrics.counters()
    reply(request, response, ownReply(200, await text(), ['content-type', contentType]))
  })
  app.get('/', (request, response, next) => {
    if (!request.headers.accept?.includes('text/html')) return next()
    reply(request, response, ownReply(302, '', ['location', '/_mock/']))
  })
  app.use((request, response) => reply(request, response, mock.administer(toServiceRequest(request))))
  // Express knows a handler of errors by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    writeError(response, toServiceRequest(request), error)
  })
  return app
}

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i

/** Whether a Host header names this machine: a page of another site that was rebound to it does not. */
function isAllowedHost(host: string | undefined, allowHosts: readonly string[]): boolean {
  const name = hostName(host)
  return LOOPBACK.test(name) || allowHosts.some(allowed => allowed.toLowerCase() === name)
}

function hostName(host = ''): string {
  return host.replace(/:\d*$/, '').toLowerCase()
}

function hostNotAllowed(host: string | undefined): PriceFeedMockError {
  const name = hostName(host).slice(0, 100)
  return new PriceFeedMockError('HOST_NOT_ALLOWED', `The admin does not answer to the host name "${name}".`, {
    facts: [
      ['want', 'localhost, a loopback address, or a name given with --allow-host'],
      ['fix', `price-feed-mock --allow-host ${/^[\w.-]+$/.test(name) ? name : 'NAME'}`],
      ['note', 'the five endpoints answer to any host name'],
    ],
  })
}
