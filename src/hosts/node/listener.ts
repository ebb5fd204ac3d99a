// The request listener: it answers the five endpoints directly and everything else by the app, which is loaded on first use, or in
// advance.
import { createLateModule } from '../../caches.js'
import { isPriceFeedMockError, type PriceFeedMockError, tryTo } from '../../errors.js'
import type { Mock, Served } from '../../mock.js'
import { type HeaderList, mockReply, plannedMs, problemReply, type Reply } from '../../outcome.js'
import type { Base } from '../../service/endpoint.js'
import type { RunInTurns } from '../../service/market-stage.js'
import { CORS, PREFLIGHT } from '../../service/reply-headers.js'
import { monotonicMs } from '../real-time.js'
import type { AppOptions } from './app.js'
import { findSessionObjection } from './guard.js'
import type { Listener } from './sockets.js'
import type { StoredAnswer } from './store/queues.js'
import { andThen, createLongRequests } from './turns.js'
import { type Exchange, toMockExchange, toServiceRequest, writeError, writeOutcome } from './write.js'

interface ListenerOptions extends AppOptions {
  /** The base address that the port serves; both if undefined. */
  readonly base?: Base | undefined
  onExchange(exchange: Exchange): void
  /** Replaced in tests. */
  readonly runInTurns?: RunInTurns | undefined
}

/** Creates the request listener of a mock. */
export function createListener(mock: Mock, options: ListenerOptions): Listener {
  const { base, replica, onExchange, adminToken, runInTurns = createLongRequests() } = options
  const loadApp = createLateModule('The admin and the index page', async () => {
    const { createApp } = await import('./app.js')
    return createApp(mock, options, runInTurns)
  })
  // In a store only a lazy server lets a path create a session.
  const isGuarded = adminToken !== undefined && replica?.isLazy !== false
  const isKnown = replica?.has ?? (id => tryTo(() => mock.sessions.get(id)) !== undefined)

  return (request, response) => {
    const started = monotonicMs()
    const received = toServiceRequest(request, mock.realTime())
    const reply = (outcome: Reply): void => {
      writeOutcome(response, received.method, outcome)
      onExchange(toMockExchange(received, outcome, monotonicMs() - started))
    }
    const fail = (error: unknown, headers: HeaderList = CORS): void => {
      if (!isPriceFeedMockError(error)) return void writeError(response, received, error)
      reply(problemReply(error, headers))
    }
    const finish = (served: Served | StoredAnswer | undefined): void => {
      if (served === undefined) {
        loadApp()
          .then(
            answer => answer(request, response),
            error => fail(error, []),
          )
          .catch(fail)
        return
      }
      writeOutcome(response, received.method, served.outcome)
      // A delayed reply is recorded at once with its planned duration, so that the journal keeps the order of arrival.
      const durationMs = monotonicMs() - started + plannedMs(served.outcome)
      if (replica === undefined) mock.record(served as Served, durationMs)
      onExchange({ by: 'service', session: served.session.id, entry: served.entry, durationMs })
    }
    const serve = (objection?: PriceFeedMockError): void | Promise<void> => {
      // A preflight carries no token. It creates no session, and lets the page read the objection.
      if (objection !== undefined)
        return received.method === 'OPTIONS' ? reply(mockReply(204, '', PREFLIGHT)) : fail(objection)
      const served = replica === undefined ? mock.serve(received, base, runInTurns) : replica.serve(received, base)
      return andThen(served, finish)
    }
    try {
      const answered = isGuarded ? andThen(findSessionObjection(request, isKnown, options), serve) : serve()
      return answered instanceof Promise ? answered.catch(fail) : undefined
    } catch (error) {
      fail(error)
    }
  }
}

/**
 * Loads the modules of later requests in advance, while there are free file handles and complete packages. A failure is not an error
 * here: the request that needs the module tries again, and reports it.
 */
export async function preloadModules(): Promise<void> {
  await Promise.allSettled([
    import('./app.js'),
    import('./bodies.js'),
    import('./console.js'),
    import('../../admin/administer.js'),
  ])
}
