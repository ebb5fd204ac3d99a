// The addresses at which an application expects the service: how they are read, and which requests there are for the mock.
import { ENDPOINTS } from '../endpoints/index.js'
import { tryTo, wrongValue } from '../errors.js'
import { MOCK_HEADER } from '../outcome.js'
import type { Base } from '../service/endpoint.js'
import { parseTarget } from '../service/request.js'
import { createRouter, type Routed } from '../service/router.js'
import { assertNoProblems, findUnknownKeys, hideSecret } from '../settings/schema.js'

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

/**
 * Normalizes the base addresses among the options of a call.
 * @param others the other keys of these options
 * @throws PriceFeedMockError OPTIONS_INVALID if an address is invalid, or a key is unknown
 */
export function readBaseUrls(
  call: string,
  urls: BaseUrls,
  others: readonly string[],
): { readonly baseUrl: string; readonly historyUrl: string } {
  assertNoProblems('OPTIONS_INVALID', call, findUnknownKeys(urls, ['baseUrl', 'historyUrl', ...others]))
  const baseUrl = readBaseUrl('baseUrl', urls.baseUrl)
  return { baseUrl, historyUrl: urls.historyUrl === undefined ? baseUrl : readBaseUrl('historyUrl', urls.historyUrl) }
}

/** A base address. */
export type MatchedBase = ReturnType<typeof matched>

/** Each address. The first that matches a request wins. */
export function listBases({ baseUrl, historyUrl }: ReturnType<typeof readBaseUrls>): MatchedBase[] {
  if (historyUrl === baseUrl) return [matched(baseUrl)]
  const both = [matched(baseUrl, 'prices'), matched(historyUrl, 'history')]
  // One address may start with the other: the longer one goes first.
  return historyUrl.length > baseUrl.length ? both.reverse() : both
}

function matched(url: string, base?: Base) {
  const prefix = new URL(url).pathname.replace(/\/$/, '')
  return {
    url,
    /** The endpoints that it answers; all if undefined. */
    base,
    /** Matches the URLs below it. */
    pattern: new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:[/?#]|$)`),
    /** Path and query of a URL, below this address. */
    targetOf(whole: string): string {
      const { pathname, search } = new URL(whole)
      return `${pathname}${search}`.slice(prefix.length)
    },
  }
}

const route = createRouter<Routed>(ENDPOINTS)

/** Whether a target belongs to the mock. `/` and unknown paths belong to the application. */
export function isMockPath(raw: string): boolean {
  const target = parseTarget(raw)
  const [first, , ...rest] = target.segments
  if (first!.toLowerCase() === '_mock') return true
  const isPrefixed = first === 'session' || first === 'scenario'
  return route(isPrefixed ? { ...target, segments: rest } : target) !== undefined
}

/** The part of msw that handlers need. */
interface Msw<Handler> {
  readonly http: {
    all(
      predicate: (info: { readonly request: Request }) => boolean,
      answer: (info: { readonly request: Request }) => Promise<Response | undefined>,
    ): Handler
  }
  readonly HttpResponse: { error(): Response }
}

/** Creates a handler of msw for each base address. Requests that are not for the mock pass. */
export function createHandlers<B extends MatchedBase, Handler>(
  { http, HttpResponse }: Msw<Handler>,
  bases: readonly B[],
  answer: (base: B, request: Request) => Promise<Response>,
): Handler[] {
  return bases.map(base =>
    // A predicate, because msw may be of another realm, which does not know our regular expressions: vmThreads of Vitest.
    http.all(
      ({ request }) => base.pattern.test(request.url),
      async ({ request }) => {
        const page = pageUrl()
        // At the page's own origin, other paths belong to the application. Without an answer msw passes the request on.
        if (base.url === page?.origin && !isMockPath(base.targetOf(request.url))) return undefined
        try {
          const response = await answer(base, request)
          const isForeign = page !== undefined && page.origin !== new URL(base.url).origin
          return (isForeign && isUnreadable(response)) || (page && isLost(response)) ? HttpResponse.error() : response
        } catch {
          // No answer, or an aborted request, whose caller no longer listens.
          return HttpResponse.error()
        }
      },
    ),
  )
}

/** Whether CORS forbids other origins to read a reply of the service. Browsers do not check replies of a worker. */
export function isUnreadable({ headers }: Response): boolean {
  return headers.get(MOCK_HEADER)!.startsWith('session=') && !headers.has('access-control-allow-origin')
}

/**
 * Whether a reply would never come. Where a stream cannot go to a worker, as in Safari, msw reads the whole body, and says nothing if
 * that fails.
 */
function isLost({ body, headers }: Response): boolean {
  if (body === null || !headers.get(MOCK_HEADER)!.includes('wire/truncate')) return false
  const stream = new ReadableStream()
  return tryTo(() => structuredClone(stream, { transfer: [stream] })) === undefined
}

/**
 * Normalizes a base address: absolute, without a slash at the end.
 * @param at the option that holds it
 * @throws PriceFeedMockError OPTIONS_INVALID if it is invalid
 */
export function readBaseUrl(at: string, got: unknown): string {
  const page = pageUrl()?.href
  // Checked first: relative to a page any value makes a URL, even `undefined`.
  const url = typeof got === 'string' && URL.canParse(got, page) ? new URL(got, page) : undefined
  const isBase = url !== undefined && /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname
  if (isBase) return url.href.replace(/\/+$/, '')
  const want = 'an address such as "https://api.example", without credentials and query'
  throw wrongValue('OPTIONS_INVALID', `Invalid ${at}.`, hideSecret({ at, got, want }))
}

/** The URL of the page, if there is one. */
export function pageUrl(): URL | undefined {
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  return location === undefined ? undefined : new URL(location.href)
}
