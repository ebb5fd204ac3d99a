// The msw host: request handlers for `setupServer` and `setupWorker`, one definition for both. It uses only what msw 2.15 and
// msw 3 share.
import { type HttpHandler, HttpResponse, http } from 'msw'
import { PriceFeedMockError } from '../errors.js'
import type { Mock } from '../mock.js'
import { MOCK_HEADER } from '../outcome.js'
import type { Base } from '../service/endpoint.js'
import { answerRequest } from './answer.js'
import { isMockPath } from './mock-path.js'

/** The addresses under which an application looks for the service. */
export interface BaseUrls {
  /**
   * Base address of the signed-price endpoints. In a browser it may be relative to the page; of the page's own origin the
   * mock answers only the paths that it knows.
   */
  readonly baseUrl: string
  /**
   * Base address of the charting endpoint. When it differs, each address answers only its own endpoints.
   * @default baseUrl
   */
  readonly historyUrl?: string | undefined
}

/** What handlers are made with. */
export interface HandlersOptions extends BaseUrls {
  /**
   * Ends every wait when it aborts: a service worker does not tell when a caller has given up.
   * @default waits end when their requests are aborted
   */
  readonly signal?: AbortSignal | undefined
}

/**
 * Makes the handlers of a mock: they answer everything below the base addresses, the admin included, and nothing else.
 * @throws PriceFeedMockError OPTIONS_INVALID when an address is none
 * @example
 * setupServer(...handlers(createMock({ seed: '42' }), { baseUrl: 'https://api.example' }))
 */
export function handlers(mock: Mock, options: HandlersOptions): HttpHandler[] {
  // Plain JavaScript may have left them out.
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
    // No group may capture: msw 2 percent-decodes what it captured, and throws at %zz.
    return http.all(new RegExp(`^${escapeForPattern(url)}(?:/|$)`), async ({ request }) => {
      const { pathname, search } = new URL(request.url)
      const target = `${pathname}${search}`.slice(prefix.length)
      // Without an answer msw asks the network: pages, scripts and pictures of the application.
      if (isShared && !isMockPath(target)) return undefined
      try {
        const response = await answerRequest(mock, request, { target, base, addresses, signal })
        return isForeign && isClosed(response) ? HttpResponse.error() : response
      } catch {
        // There is no answer. A caller that gave up has stopped listening.
        return HttpResponse.error()
      }
    })
  }

  if (historyUrl === baseUrl) return [handlerOf(baseUrl)]
  const both = [handlerOf(baseUrl, 'prices'), handlerOf(historyUrl, 'history')]
  // One may stand below the other: the longer one is asked first.
  return historyUrl.length > baseUrl.length ? both.reverse() : both
}

/** Whether a page of another origin may not read a reply of the service: where a worker answers, no browser looks at that. */
function isClosed({ headers }: Response): boolean {
  return headers.get(MOCK_HEADER)!.startsWith('session=') && !headers.has('access-control-allow-origin')
}

/** A base address as URLs of requests begin, without a slash at the end. */
function readBaseUrl(at: string, got: unknown): string {
  const page = pageUrl()?.href
  // Relative to a page, anything is an address, `undefined` too.
  const url = typeof got === 'string' && URL.canParse(got, page) ? new URL(got, page) : undefined
  const isBase = url !== undefined && /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname
  if (isBase) return url.href.replace(/\/+$/, '')
  throw new PriceFeedMockError('OPTIONS_INVALID', `The ${at} is not an address that requests can begin with.`, {
    problems: [{ at, got, want: 'an address such as "https://api.example", without credentials and query' }],
  })
}

/** The address of the page, where there is one. */
function pageUrl(): URL | undefined {
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  return location === undefined ? undefined : new URL(location.href)
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
