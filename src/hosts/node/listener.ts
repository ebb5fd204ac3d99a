// The request listener: the five endpoints straight from their outcomes, everything else through one Express app, loaded
// on first use. No rule about prices, signatures or faults lives here.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Mock, Served } from '../../mock.js'
import { plannedMs } from '../../outcome.js'
import type { Base } from '../../service/endpoint.js'
import type { AppOptions } from './app.js'
import type { Exchange } from './exchange.js'
import { toServiceRequest } from './read.js'
import { writeError, writeOutcome } from './write.js'

/** What a listener needs besides the mock. */
export interface ListenerOptions extends AppOptions {
  /** The base address that the port answers for; both, without one. */
  readonly base?: Base | undefined
  /** Told of every answer. */
  onExchange(exchange: Exchange): void
}

/** Creates the request listener of a mock. */
export function createListener(mock: Mock, options: ListenerOptions): RequestListener {
  const { base, onExchange } = options
  let app: Promise<RequestListener> | undefined
  const fallThrough = (request: IncomingMessage, response: ServerResponse): void => {
    // Of a whole URL, Express gets the path, as the router of the five does: where it finds none it answers by itself.
    request.url = toOriginForm(request.url ?? '/')
    app ??= import('./app.js').then(({ createApp }) => createApp(mock, options))
    app.then(listen => listen(request, response))
  }

  return (request, response) => {
    const started = performance.now()
    const serviceRequest = toServiceRequest(request)
    let served: Served | undefined
    try {
      served = mock.serve(serviceRequest, base)
    } catch (error) {
      return writeError(response, serviceRequest, error)
    }
    if (served === undefined) return fallThrough(request, response)
    writeOutcome(response, serviceRequest.method, served.outcome)
    // In the order of arrival: who waits is told of at once, with the time that the wait will take.
    const durationMs = performance.now() - started + plannedMs(served.outcome)
    mock.record(served, durationMs)
    onExchange({ by: 'service', entry: served.entry, durationMs })
  }
}

/** A target as those are written that an origin is asked for (RFC 9112, 3.2.1): without scheme and authority. */
function toOriginForm(target: string): string {
  const rest = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  return rest.startsWith('/') ? rest : `/${rest}`
}
