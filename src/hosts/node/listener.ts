// The request listener: it answers the five endpoints directly and everything else by an Express app, loaded on first use.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isPriceFeedMockError, type PriceFeedMockError } from '../../errors.js'
import { createLateModule } from '../../late-module.js'
import type { Mock, Served } from '../../mock.js'
import { type HeaderList, plannedMs, problemReply } from '../../outcome.js'
import type { Base } from '../../service/endpoint.js'
import type { RunInTurns } from '../../service/market-stage.js'
import { CORS } from '../../service/reply-headers.js'
import { monotonicMs } from '../real-time.js'
import type { AppOptions } from './app.js'
import { type Exchange, toMockExchange, toServiceRequest } from './exchange.js'
import { findSessionObjection, findStoredSessionObjection } from './guard.js'
import { createLongRequests } from './long-requests.js'
import type { Listener } from './sockets.js'
import type { Replica } from './store/replica.js'
import { writeError, writeOutcome } from './write.js'

/** Options of a listener. */
export interface ListenerOptions extends AppOptions {
  /** The base address that the port serves; both if undefined. */
  readonly base?: Base | undefined
  /** Answers from sessions of a store; without it, sessions are in memory. */
  readonly replica?: Replica | undefined
  /** Called for each reply. */
  onExchange(exchange: Exchange): void
  /** Imports the app. Replaced in tests. */
  readonly importApp?: (() => Promise<typeof import('./app.js')>) | undefined
  /** Replaced in tests. */
  readonly runInTurns?: RunInTurns | undefined
}

/** Creates the request listener of a mock. */
export function createListener(mock: Mock, options: ListenerOptions): Listener {
  const { base, onExchange, importApp = () => import('./app.js'), runInTurns = createLongRequests() } = options
  const loadApp = createLateModule('The admin and the index page', async () => {
    const { createApp } = await importApp()
    return createApp(mock, options, runInTurns)
  })
  const fallThrough = (request: IncomingMessage, response: ServerResponse): void => {
    const started = monotonicMs()
    // Express gets the path of an absolute URL, as our router does: otherwise it would answer by itself.
    request.url = toOriginForm(request.url ?? '/')
    loadApp()
      .then(
        listen => listen(request, response),
        (error: PriceFeedMockError) => {
          const outcome = problemReply(error)
          writeOutcome(response, request.method, outcome)
          onExchange(toMockExchange(toServiceRequest(request, mock.realTime()), outcome, monotonicMs() - started))
        },
      )
      .catch(error => writeError(response, toServiceRequest(request, mock.realTime()), error))
  }

  const { replica } = options
  if (replica !== undefined) return createStoredListener(replica, options, fallThrough)
  return (request, response) => {
    const started = monotonicMs()
    const serviceRequest = toServiceRequest(request, mock.realTime())
    const objection = findSessionObjection(request, mock, options)
    if (objection !== undefined) {
      const outcome = problemReply(objection, CORS)
      writeOutcome(response, request.method, outcome)
      return onExchange(toMockExchange(serviceRequest, outcome, monotonicMs() - started))
    }
    const finish = (served: Served | undefined): void => {
      if (served === undefined) {
        fallThrough(request, response)
        return
      }
      writeOutcome(response, serviceRequest.method, served.outcome)
      // A delayed reply is recorded at once with its planned duration, so that the journal keeps the order of arrival.
      const durationMs = monotonicMs() - started + plannedMs(served.outcome)
      mock.record(served, durationMs)
      onExchange({ by: 'service', session: served.session.id, entry: served.entry, durationMs })
    }
    try {
      const served = mock.serve(serviceRequest, base, runInTurns)
      if (served instanceof Promise) return served.then(finish, error => writeError(response, serviceRequest, error))
      finish(served)
    } catch (error) {
      writeError(response, serviceRequest, error)
    }
  }
}

/** Creates the listener of a server whose sessions are in a store: it answers when the store has counted the request. */
function createStoredListener(
  replica: Replica,
  options: ListenerOptions,
  fallThrough: (request: IncomingMessage, response: ServerResponse) => void,
): Listener {
  const { base, onExchange, adminToken } = options
  // Only there can a path create a session.
  const guards = adminToken !== undefined && replica.isLazy
  return (request, response) => {
    const started = monotonicMs()
    const serviceRequest = toServiceRequest(request, replica.mock.realTime())
    const refuse = (error: PriceFeedMockError, headers: HeaderList): void => {
      const outcome = problemReply(error, headers)
      writeOutcome(response, request.method, outcome)
      onExchange(toMockExchange(serviceRequest, outcome, monotonicMs() - started))
    }
    const serve = (): Promise<void> =>
      replica.serve(serviceRequest, base).then(served => {
        if (served === undefined) return fallThrough(request, response)
        writeOutcome(response, serviceRequest.method, served.outcome)
        const durationMs = monotonicMs() - started + plannedMs(served.outcome)
        onExchange({ by: 'service', session: served.session.id, entry: served.entry, durationMs })
      })
    const guarded = async (): Promise<void> => {
      const objection = await findStoredSessionObjection(request, replica.has, options)
      return objection === undefined ? serve() : refuse(objection, CORS)
    }
    const answered = guards ? guarded() : serve()
    answered.catch(error => {
      if (isPriceFeedMockError(error)) refuse(error, [...CORS, 'retry-after', '1'])
      else writeError(response, serviceRequest, error)
    })
  }
}

/**
 * A target in origin form (RFC 9112, 3.2.1): without scheme, authority and fragment. Express parses a target with a fragment in another
 * way, in which `//a@b#c` has no path.
 */
function toOriginForm(target: string): string {
  const rest = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/#.*$/s, '')
  return rest.startsWith('/') ? rest : `/${rest}`
}
