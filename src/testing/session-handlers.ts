// Request handlers of msw that are bound to the session of a test.
// biome-ignore-all lint/suspicious/noTsIgnore: there is an error only in projects without msw, where the type is `any`.
import { PriceFeedMockError } from '../errors.js'
import { isMockPath, isUnreadable, pageUrl } from '../hosts/base-urls.js'
import { type AppUrls, type ForwardTarget, listAppBases } from './forward.js'

/**
 * A request handler of msw.
 * @ts-ignore */
export type SessionHandler = import('msw').HttpHandler

/**
 * Creates handlers that send requests below the application's addresses to a session. Other requests pass.
 * @param here the URL of this package, beside which msw may be installed
 * @throws PriceFeedMockError OPTIONS_INVALID if an address is invalid, HANDLERS_UNAVAILABLE if msw is not installed
 */
export function createSessionHandlers(
  session: ForwardTarget,
  urls: AppUrls,
  here: string | undefined,
): SessionHandler[] {
  const { http, HttpResponse } = loadMsw(here)
  const bases = listAppBases('priceFeed.handlers(urls)', session, urls ?? ({} as AppUrls))
  return bases.map(({ url, pattern, targetOf, forward }) =>
    http.all(pattern, async ({ request }) => {
      const page = pageUrl()
      // At the page's own origin, other paths belong to the application.
      if (url === page?.origin && !isMockPath(targetOf(request.url))) return undefined
      const authorization = request.headers.get('authorization') ?? undefined
      try {
        const response = await forward({ method: request.method, url: request.url, authorization })
        const isForeign = page !== undefined && page.origin !== new URL(url).origin
        return isForeign && isUnreadable(response) ? HttpResponse.error() : response
      } catch {
        return HttpResponse.error()
      }
    }),
  )
}

/** The URL of this package. Undefined in code that Jest has compiled to CommonJS. */
export const findHere = (): Promise<string | undefined> =>
  import('./here.js').then(
    ({ HERE }) => HERE,
    () => undefined,
  )

/** Loads msw when handlers are first needed: importing it takes longer than most tests. */
function loadMsw(here: string | undefined): Pick<typeof import('msw'), 'http' | 'HttpResponse'> {
  const { process } = globalThis as { readonly process?: Partial<NodeJS.Process> }
  const node = process?.getBuiltinModule?.('node:module')
  if (node !== undefined) {
    let cause: unknown
    // The working directory is that of the project, whose own msw this is.
    for (const from of [`${process!.cwd!()}/package.json`, here].filter(one => one !== undefined))
      try {
        return node.createRequire(from)('msw')
      } catch (error) {
        cause = error
      }
    throw unavailable('msw is not installed', 'npm install --save-dev msw', cause)
  }
  throw unavailable('this is not Node', "use handlers(mock, { baseUrl }) of 'price-feed-mock/msw' in a page")
}

function unavailable(reason: string, fix: string, cause?: unknown): PriceFeedMockError {
  return new PriceFeedMockError('HANDLERS_UNAVAILABLE', `handlers() needs msw in Node, but ${reason}.`, { fix, cause })
}
