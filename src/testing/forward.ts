// Sends requests of an application, which uses its own addresses and key, to the session of a test.
import { ENDPOINTS } from '../endpoints/index.js'
import { PriceFeedMockError } from '../errors.js'
import { toResponse } from '../hosts/answer.js'
import { type BaseUrls, listBases, type MatchedBase, readBaseUrls } from '../hosts/base-urls.js'
import { problemReply, type Reply } from '../outcome.js'
import type { Base, Endpoint } from '../service/endpoint.js'
import { parseTarget, type ServiceRequest } from '../service/request.js'
import { createRouter } from '../service/router.js'
import type { PriceFeed } from './price-feed.js'

/** The addresses and the key that the application uses. */
export interface AppUrls extends BaseUrls {
  /**
   * The key that the application sends. The key of the session takes its place; any other key is refused with 401.
   * @default any key is accepted; a request without one is refused
   */
  readonly apiKey?: string | undefined
}

interface AppRequest extends Pick<ServiceRequest, 'method' | 'authorization'> {
  readonly url: string
}

/** One base address of the application. */
export interface AppBase extends MatchedBase {
  /** Sends a request to the session. Rejects like `fetch` if the session sends no reply. */
  forward(request: AppRequest): Promise<Response>
}

/** The session that answers; the signal ends pending requests. */
export type ForwardTarget = Pick<PriceFeed, 'baseUrl' | 'historyUrl' | 'apiKey' | 'fetch'> & {
  readonly signal: AbortSignal
}

const route = createRouter<Endpoint>(ENDPOINTS)

/**
 * The base addresses of an application, in the order in which they are matched.
 * @param call the call that they are for, as errors name it
 * @throws PriceFeedMockError OPTIONS_INVALID if an address is invalid, or a key is unknown
 */
export function listAppBases(call: string, session: ForwardTarget, urls: AppUrls): AppBase[] {
  const { apiKey: appKey } = urls
  return listBases(readBaseUrls(call, urls, ['apiKey'])).map(matched => ({
    ...matched,
    async forward({ method, url, authorization }) {
      const { base } = matched
      const target = matched.targetOf(url)
      const found = route(parseTarget(target))?.endpoint.base
      // A session has both bases at one address, so this is checked here. A preflight passes, so that a page can read the reply.
      const isOther = base !== undefined && found !== undefined && found !== base
      if (isOther && method !== 'OPTIONS')
        return toResponse(wrongBase(method, target, base), { method, signal: session.signal })
      const key = toSessionKey(authorization, appKey, session.apiKey)
      return session.fetch((found === 'history' ? session.historyUrl : session.baseUrl) + target, {
        method,
        headers: key === undefined ? {} : { authorization: key },
        // The application itself follows one.
        redirect: 'manual',
        signal: session.signal,
      })
    },
  }))
}

/**
 * The key with which a request of the application reaches the session. Keys that only the session accepts, such as `test-api-key`, are
 * wrong ones to the application, so that a wrong key gets an end that no key has.
 */
function toSessionKey(
  authorization: string | undefined,
  appKey: string | undefined,
  sessionKey: string,
): string | undefined {
  if (authorization === undefined || authorization === '') return authorization
  return appKey === undefined || authorization === appKey ? sessionKey : `${authorization} is not the key of the app`
}

function wrongBase(method: string, target: string, base: Base): Reply {
  const other = base === 'prices' ? 'historyUrl' : 'baseUrl'
  const error = new PriceFeedMockError('UNKNOWN_ROUTE', `${method} ${target} belongs to ${other}.`)
  return problemReply(error, ['access-control-allow-origin', '*'])
}
