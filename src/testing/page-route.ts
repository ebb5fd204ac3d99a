// Routes of a Playwright page that are bound to the session of a test. A route answers instead of the network, so this file does
// the browser's part of CORS, and notes the faults that a route cannot show.
import { wrongValue } from '../errors.js'
import { isMockPath } from '../hosts/base-urls.js'
import { realTime } from '../hosts/real-time.js'
import { MOCK_HEADER } from '../outcome.js'
import { type AppBase, type AppUrls, type ForwardTarget, listAppBases } from './forward.js'

/** The part of a Playwright page, or of a browser context, that is used here. */
export interface RoutablePage {
  route(url: RegExp, handler: (route: PageRoute, request: PageRequest) => Promise<void>): Promise<unknown>
}

/** A routed request. */
export interface PageRoute {
  fulfill(reply: { status: number; headers: Record<string, string>; body: string }): Promise<void>
  abort(errorCode?: string): Promise<void>
  /** Passes the request on to the next route, or to the network. */
  fallback(): Promise<void>
}

/** A request of a page. */
export interface PageRequest {
  url(): string
  method(): string
  headers(): Record<string, string>
  resourceType(): string
  frame(): PageFrame
}

interface PageFrame {
  url(): string
  parentFrame?(): PageFrame | null
}

/** The faults that a route cannot show, with the reason. */
const HIDDEN: Readonly<Record<string, string>> = {
  'wire/truncate': 'page.route sends a whole body or none',
  'wire/dribble': 'page.route sends a body at once',
}
const SAME_ORIGIN = 'a page may read every reply of its own origin'

/** Headers that Playwright writes itself. */
const HOP_HEADERS: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length'])

/**
 * Routes requests below the application's addresses to a session. Other requests go to the network, as do those for pages, and those
 * of a page to its own origin, with a path that the mock does not know.
 * @param hide notes that a fault was applied, but could not be shown
 * @throws PriceFeedMockError OPTIONS_INVALID if an address is invalid, or without a page
 */
export async function routeToSession(
  page: RoutablePage,
  session: ForwardTarget,
  urls: AppUrls,
  hide: (fault: string, reason: string) => void,
): Promise<void> {
  const isPermitted = createPreflights()
  const answer = async (base: AppBase, route: PageRoute, request: PageRequest): Promise<void> => {
    // At the page's own origin, other paths belong to the application, and so does the page itself.
    const origin = originOf(request)
    const isOwn = request.resourceType() === 'document' || origin === base.url
    if (isOwn && !isMockPath(base.targetOf(request.url()))) return route.fallback()
    const isForeign = /^(fetch|xhr)$/.test(request.resourceType()) && origin !== new URL(request.url()).origin
    // Playwright answers preflights of routed requests itself, so the session would not see them.
    if (isForeign && needsPreflight(request) && !(await isPermitted(base, request))) return route.abort('accessdenied')
    const { authorization } = request.headers()
    const response = await base.forward({ method: request.method(), url: request.url(), authorization })
    const faults = response.headers.get(MOCK_HEADER) ?? ''
    for (const [fault, reason] of Object.entries(HIDDEN)) if (faults.includes(`"${fault}"`)) hide(fault, reason)
    if (!isForeign && faults.includes('"reply/no-cors"')) hide('reply/no-cors', SAME_ORIGIN)
    const body = await response.text()
    // Playwright adds missing CORS headers, which would make a blocked reply readable.
    if (isForeign && !response.headers.has('access-control-allow-origin')) return route.abort('accessdenied')
    const headers = Object.fromEntries([...response.headers].filter(([name]) => !HOP_HEADERS.has(name)))
    return route.fulfill({ status: response.status, headers, body })
  }

  const bases = listAppBases('priceFeed.route(page, urls)', session, urls ?? ({} as AppUrls))
  if (typeof page?.route !== 'function') {
    const want = 'a page or a context of Playwright'
    throw wrongValue('OPTIONS_INVALID', 'priceFeed.route(page, urls) has no page.', { at: 'page', got: page, want })
  }
  // Playwright asks the newest route first, so the first base is added last.
  for (const base of bases.toReversed())
    await page.route(base.pattern, (route, request) =>
      answer(base, route, request)
        .catch(() => route.abort('connectionreset'))
        // The page may be closed by now.
        .catch(() => {}),
    )
}

/** Creates a function that tells whether a preflight permits a request. A permission is kept as long as its answer says. */
function createPreflights(): (base: AppBase, request: PageRequest) => Promise<boolean> {
  /** The real milliseconds until which a method at a URL is permitted. */
  const permittedUntil = new Map<string, number>()
  return async (base, request) => {
    const [method, url] = [request.method(), request.url()]
    const key = `${method} ${url}`
    if ((permittedUntil.get(key) ?? 0) > realTime()) return true
    const { ok, headers, body } = await base.forward({ method: 'OPTIONS', url, authorization: undefined })
    await body?.cancel()
    const methods = headers.get('access-control-allow-methods')?.split(/, */) ?? []
    const isMethod = SAFE_METHOD.test(method) || methods.includes(method)
    if (!ok || !isMethod || !headers.has('access-control-allow-origin')) return false
    permittedUntil.set(key, realTime() + Number(headers.get('access-control-max-age')) * 1000)
    return true
  }
}

/** The origin of the page. Requests of a service worker have no frame. */
function originOf(request: PageRequest): string | undefined {
  try {
    let frame: PageFrame | null | undefined = request.frame()
    // A frame without an address has the origin of its page.
    while (frame?.url().startsWith('about:')) frame = frame.parentFrame?.()
    return new URL(frame!.url()).origin
  } catch {
    return request.headers().origin
  }
}

/** Methods that need no permission of a preflight. */
const SAFE_METHOD = /^(GET|HEAD|POST)$/
const SIMPLE_TYPES = /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/

/** Whether a browser sends a preflight for a request to another origin (Fetch standard, "CORS-preflight fetch"). */
function needsPreflight(request: PageRequest): boolean {
  const headers = request.headers()
  const type = headers['content-type']
  return (
    !SAFE_METHOD.test(request.method()) ||
    headers.authorization !== undefined ||
    Object.keys(headers).some(name => name.startsWith('x-')) ||
    (type !== undefined && !SIMPLE_TYPES.test(type))
  )
}
