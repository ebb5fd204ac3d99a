// The request listener: the five endpoints straight from their outcomes, everything else through one Express app, loaded
// on first use. No rule about prices, signatures or faults lives here.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Mock } from '../../mock.js'
import type { ServiceRequest } from '../../service/request.js'
import type { AppOptions } from './app.js'
import type { Exchange } from './exchange.js'
import { writeOutcome } from './write.js'

/** Which of the two base addresses a port answers for. */
export type Serves = 'all' | 'prices' | 'history'

export interface ListenerOptions extends AppOptions {
  readonly serves: Serves
  /** Told of every answer. */
  onExchange(exchange: Exchange): void
}

/** Creates the request listener of a mock. */
export function createListener(mock: Mock, options: ListenerOptions): RequestListener {
  const { serves, onExchange } = options
  let app: Promise<RequestListener> | undefined
  const fallThrough = (request: IncomingMessage, response: ServerResponse): void => {
    app ??= import('./app.js').then(({ createApp }) => createApp(mock, options))
    app.then(listen => listen(request, response))
  }

  return (request, response) => {
    const started = performance.now()
    const serviceRequest = toServiceRequest(request)
    const answer = isServed(serves, serviceRequest.target) ? mock.serve(serviceRequest) : undefined
    if (answer === undefined) return fallThrough(request, response)
    writeOutcome(response, serviceRequest.method, answer.outcome)
    onExchange({ by: 'service', entry: answer.entry, durationMs: performance.now() - started })
  }
}

/** A request of Node as the mock takes it. */
export function toServiceRequest({ method, url, headers }: IncomingMessage): ServiceRequest {
  return { method: method ?? 'GET', target: url ?? '/', authorization: headers.authorization, receivedAt: Date.now() }
}

const CHARTING = /^\/+(charting|trading-view)\//

function isServed(serves: Serves, target: string): boolean {
  return serves === 'all' || (serves === 'history') === CHARTING.test(target)
}
