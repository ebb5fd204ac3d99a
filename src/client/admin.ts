// A typed client of the admin with one method for each admin route. Its types follow from the definitions.
import type * as z from 'zod/mini'
import { type AdminRoute, type PathKeys, takesBody, takesQuery } from '../admin/admin-route.js'
import { type ADMIN_ROUTES, listAdminRoutes } from '../admin/index.js'
import { PriceFeedMockError, type Problem, shorten, tryOrThrow, tryTo } from '../errors.js'
import { readBaseUrl } from '../hosts/base-urls.js'
import type { WithScenario } from '../scenario-input.js'
import { assertNoProblems, findUnknownKeys } from '../settings/schema.js'
import { headerProblems, isNetworkError, missingProblems, send } from './client.js'

type Definition = (typeof ADMIN_ROUTES)[number]
type Input<L> =
  L extends AdminRoute<string, infer Path, infer Query, infer Body, z.core.$ZodType>
    ? { readonly [K in PathKeys<Path>]: string } & (keyof z.input<Query> extends never
        ? unknown
        : { readonly query?: z.input<Query> }) &
        (Body extends z.ZodMiniUndefined ? unknown : { readonly body: BodyOf<z.input<Body>> })
    : never

/** A body whose scenario, if it has one, is checked. */
type BodyOf<Body> = 'scenario' extends keyof Body ? WithScenario<Body> : Body

/** The client: `admin.changeSession({ id: 'default', body: { clock: { advance: '1h' } } })`, and so on for every admin route. */
export type AdminClient = {
  readonly [L in Definition as L['name']]: object extends Input<L>
    ? (input?: Input<L>) => Promise<z.output<L['reply']>>
    : (input: Input<L>) => Promise<z.output<L['reply']>>
}

/** Address and token of the mock. */
export interface AdminClientOptions {
  /** Address of the mock. */
  readonly url: string
  /**
   * The token of a server that was started with `--admin-token`.
   * @default none
   */
  readonly token?: string | undefined
  /**
   * Sends the requests.
   * @default the global fetch
   */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/**
 * Creates a client of the admin.
 * @throws PriceFeedMockError OPTIONS_INVALID if the address is invalid or a key unknown. From its methods ADMIN_REFUSED with the problem
 * that the mock reported, NO_REPLY without a reply, and OPTIONS_INVALID for an unknown or missing part of the input
 * @example
 * const admin = createAdminClient({ url: 'http://127.0.0.1:4700' })
 * const session = await admin.createSession({ body: { seed: '7' } })
 */
export function createAdminClient(options: AdminClientOptions): AdminClient {
  // JavaScript callers may omit the options.
  const { url: address, token, fetch } = options ?? ({} as AdminClientOptions)
  const unknown = findUnknownKeys(options, ['url', 'token', 'fetch'])
  assertNoProblems('OPTIONS_INVALID', 'createAdminClient(options)', [...unknown, ...headerProblems('token', token)])
  const url = readBaseUrl('url', address)
  const call = async (adminRoute: AdminRoute, input: Readonly<Record<string, unknown>>): Promise<unknown> => {
    assertNoProblems('OPTIONS_INVALID', `The input of ${adminRoute.name}()`, checkInput(adminRoute, input))
    const { method } = adminRoute
    const path = adminRoute.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])))
    /** The subject of errors. */
    const subject = `[${method}] "${path}"`
    const query = Object.entries((input.query ?? {}) as Record<string, unknown>)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    const headers = {
      ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    }
    // The global one of now: msw and tests replace it after a client was made.
    const sent = (fetch ?? globalThis.fetch)(url + path + (query.length === 0 ? '' : `?${query.join('&')}`), {
      method,
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body, refuseNumbers) }),
    }).catch(error => {
      throw (isNetworkError(error) && toOriginError(subject, url, error)) || error
    })
    const { response, body: text } = await send(sent, { method, path, base: url, fix: fixOf(url) })
    if (!response.ok) throw toError(subject, url, response.status, text)
    return tryOrThrow(
      () => (text === '' ? undefined : JSON.parse(text)),
      cause => notJson(subject, url, text, cause),
    )
  }
  const methods = listAdminRoutes().map(adminRoute => [
    adminRoute.name,
    (input: Readonly<Record<string, unknown>> = {}) => call(adminRoute, input),
  ])
  return Object.fromEntries(methods) as AdminClient
}

/** JSON has no bigint, and would make null of a number that is not finite, and null removes. */
function refuseNumbers(at: string, got: unknown): unknown {
  if (typeof got === 'bigint' || (typeof got === 'number' && !Number.isFinite(got)))
    assertNoProblems('OPTIONS_INVALID', 'The body', [{ at, got, want: 'a finite number, no bigint' }])
  return got
}

/** Problems of the parts of an input; the mock checks their values. JavaScript callers have no types. */
function checkInput(adminRoute: AdminRoute, input: Readonly<Record<string, unknown>>): Problem[] {
  const inPath = [...adminRoute.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const known = [...inPath, ...(takesQuery(adminRoute) ? ['query'] : []), ...(takesBody(adminRoute) ? ['body'] : [])]
  return [...findUnknownKeys(input, known), ...missingProblems(input, inPath)]
}

function fixOf(url: string): string {
  const { hostname, port } = new URL(url)
  const isHere = /^(localhost|127\.|\[::1\])/.test(hostname) && port !== ''
  return `start the server${isHere ? ` with npx price-feed-mock --port ${port}` : ''}, or correct the address`
}

/** The error for a page of another origin: the browser hides from it why its request failed. Undefined outside such a page. */
function toOriginError(subject: string, url: string, cause: unknown): PriceFeedMockError | undefined {
  const origin = (globalThis as { location?: { origin?: string } }).location?.origin
  if (origin === undefined || !/^https?:/.test(origin) || url.startsWith(`${origin}/`) || url === origin)
    return undefined
  const shortMessage = `${subject}: the browser got no answer from ${url} for the page at ${origin}.`
  return new PriceFeedMockError('ADMIN_REFUSED', shortMessage, {
    cause,
    want: 'a running server that allows pages of this origin',
    fix: `npx price-feed-mock --allow-origin ${origin}, or allowOrigins: ['${origin}'] of the server in code`,
  })
}

/** The report card of a consumer. */
export type ReportCard = Awaited<ReturnType<AdminClient['reportConsumer']>>
/** A verdict on a consumer, as its author gives it. */
export type VerdictInput = Parameters<AdminClient['addVerdict']>[0]['body']

/** A request in the journal of a session. */
export type JournaledRequest = Awaited<ReturnType<AdminClient['listRequests']>>['requests'][number]

/**
 * Lists all requests of a session, page by page.
 * @example
 * const requests = await listAllRequests(admin, { id: 'default', query: { status: '401' } })
 */
export async function listAllRequests(
  admin: Pick<AdminClient, 'listRequests'>,
  { id, query, ...rest }: Parameters<AdminClient['listRequests']>[0],
): Promise<JournaledRequest[]> {
  const all: JournaledRequest[] = []
  for (let after = query?.after; ; ) {
    const { requests, next } = await admin.listRequests({ ...rest, id, query: { ...query, after } })
    for (const request of requests) all.push(request)
    if (next === undefined) return all
    after = String(next)
  }
}

/** The error for a refused request: with the problem of the mock, or with the start of another body, as of another server. */
function toError(subject: string, url: string, status: number, body: string): PriceFeedMockError {
  const shortMessage = `${subject}: ${status}`
  const problem = parseProblem(body)
  if (problem === undefined)
    return new PriceFeedMockError('ADMIN_REFUSED', shortMessage, {
      got: shorten(body, 1000),
      want: 'the JSON of price-feed-mock',
      fix: `correct the address ${url} if another server answers there`,
    })
  const { type: _, title: __, status: ___, code, detail, problems = [], ...details } = problem
  return new PriceFeedMockError('ADMIN_REFUSED', `${shortMessage} ${code}. ${detail}`, {
    problems,
    details: Object.entries(details).map(([label, value]) => [label, String(value)]),
  })
}

/** The error for a reply that is not JSON: another server, such as that of the application, answers. */
function notJson(subject: string, url: string, body: string, cause: unknown): PriceFeedMockError {
  return new PriceFeedMockError('ADMIN_REFUSED', `${subject}: the reply is not JSON.`, {
    cause,
    got: shorten(body, 300),
    want: 'the JSON of price-feed-mock',
    fix: `correct the address ${url}: another server answers there`,
  })
}

interface ReportedProblem extends Readonly<Record<string, unknown>> {
  readonly code: string
  readonly detail: string
  readonly problems?: readonly Problem[]
}

/** Parses a problem of the mock (RFC 9457). Returns undefined for other bodies. */
function parseProblem(body: string): ReportedProblem | undefined {
  const problem = tryTo(() => JSON.parse(body))
  return typeof problem?.code === 'string' && typeof problem.detail === 'string' ? problem : undefined
}
