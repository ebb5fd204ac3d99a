// The msw host: the same request handlers for `setupServer` and `setupWorker`. It uses only what msw 2.15 and msw 3 have in common.
import { type HttpHandler, HttpResponse, http } from 'msw'
import { PriceFeedMockError } from '../errors.js'
import type { Mock } from '../mock.js'
import { MOCK_HEADER } from '../outcome.js'
import type { Base } from '../service/endpoint.js'
import { answerRequest } from './answer.js'
import { isMockPath } from './mock-path.js'

/** The addresses at which an application expects the service. */
export interface BaseUrls {
  /**
   * Base address of the signed-price endpoints. In a browser it may be relative to the page. At the page's own origin the mock
   * answers only its own paths.
   */
  readonly baseUrl: string
  /**
   * Base address of the charting endpoint. When it differs, each address answers only its own endpoints.
   * @default baseUrl
   */
  readonly historyUrl?: string | undefined
}

/** Options of handlers. */
export interface HandlersOptions extends BaseUrls {
  /**
   * Ends all delays and timeouts when it aborts. A service worker needs it: aborted requests are not reported to it.
   * @default delays and timeouts end when their requests are aborted
   */
  readonly signal?: AbortSignal | undefined
}

/**
 * Creates the handlers of a mock. They answer everything below the base addresses, including the admin, and nothing else.
 * @throws PriceFeedMockError OPTIONS_INVALID if a base address is invalid
 * @example
 * setupServer(...handlers(createMock({ seed: '42' }), { baseUrl: 'https://api.example' }))
 */
export function handlers(mock: Mock, options: HandlersOptions): HttpHandler[] {
  // JavaScript callers may omit the options.
  const { signal, ...urls } = options ?? ({} as HandlersOptions)
  const baseUrl = readBaseUrl('baseUrl', urls.baseUrl)
  const historyUrl = urls.historyUrl === undefined ? baseUrl : readBaseUrl('historyUrl', urls.historyUrl)
  const addresses = { baseUrl, historyUrl }

  const handlerOf = (url: string, base?: Base): HttpHandler => {
    const { origin, pathname: basePath } = new URL(url)
    const prefix = basePath.replace(/\/$/, '')
    const page = pageUrl()
    const isShared = url === page?.origin
    const isForeign = page !== undefined && page.origin !== origin
    // No capturing groups: msw 2 percent-decodes captured text and throws at %zz.
    return http.all(new RegExp(`^${escapeForPattern(url)}(?:/|$)`), async ({ request }) => {
      const { pathname, search } = new URL(request.url)
      const target = `${pathname}${search}`.slice(prefix.length)
      // Without an answer msw passes the request on: pages, scripts and images of the application.
      if (isShared && !isMockPath(target)) return undefined
      try {
        const response = await answerRequest(mock, request, { target, base, addresses, signal })
        return isForeign && isUnreadable(response) ? HttpResponse.error() : response
      } catch {
        // No answer, or an aborted request, whose caller no longer listens.
        return HttpResponse.error()
      }
    })
  }

  if (historyUrl === baseUrl) return [handlerOf(baseUrl)]
  const both = [handlerOf(baseUrl, 'prices'), handlerOf(historyUrl, 'history')]
  // One address may start with the other: the longer one goes first.
  return historyUrl.length > baseUrl.length ? both.reverse() : both
}

/** Whether CORS forbids other origins to read a reply of the service. Browsers do not check replies of a worker. */
function isUnreadable({ headers }: Response): boolean {
  return headers.get(MOCK_HEADER)!.startsWith('session=') && !headers.has('access-control-allow-origin')
}

/** Normalizes a base address: absolute, without a slash at the end. */
function readBaseUrl(at: string, got: unknown): string {
  const page = pageUrl()?.href
  // Checked first: relative to a page any value makes a URL, even `undefined`.
  const url = typeof got === 'string' && URL.canParse(got, page) ? new URL(got, page) : undefined
  const isBase = url !== undefined && /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname
  if (isBase) return url.href.replace(/\/+$/, '')
  throw new PriceFeedMockError('OPTIONS_INVALID', `Invalid ${at}.`, {
    problems: [{ at, got, want: 'an address such as "https://api.example", without credentials and query' }],
  })
}

/** The URL of the page, if there is one. */
function pageUrl(): URL | undefined {
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  return location === undefined ? undefined : new URL(location.href)
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
