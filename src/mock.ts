// The mock as a whole: settings and feeds in, outcomes out. Pure but for what it remembers; real time comes with each request.
import { LEVERS } from './admin/index.js'
import { indexPage } from './admin/index-page.js'
import type { AdminContext } from './admin/lever.js'
import { ENDPOINTS } from './endpoints/index.js'
import { PriceFeedMockError, toProblemDetails } from './errors.js'
import type { Feed } from './market/feeds.js'
import { catalogueFeeds, type FeedsFile, readFeeds } from './market/feeds-file.js'
import { type HeaderList, MEDIA_TYPE, MOCK_HEADER, type Outcome, toAsciiJson, toDictionary } from './outcome.js'
import type { Endpoint } from './service/endpoint.js'
import { parseTarget, type ServiceRequest, type Target } from './service/request.js'
import { type Answer, createRespond } from './service/respond.js'
import { createRouter, describeNearest } from './service/router.js'
import { createSession, type Session } from './service/session.js'
import { assertNoProblems, read } from './settings/schema.js'
import { DEFAULT_SETTINGS, mergeSettings, type SettingsInput, settingsSchema } from './settings/settings.js'
import { VERSION } from './version.js'

/** What a mock can be created with; every part may be left out. */
export interface MockOptions extends SettingsInput {
  /**
   * Feeds of your own, added to the catalogue or instead of it.
   * @default the catalogue
   */
  readonly feeds?: FeedsFile | undefined
  /**
   * Real time at which the clock starts, in milliseconds since the epoch.
   * @default the arrival of the first request
   */
  readonly startedAt?: number | undefined
}

export interface Mock {
  /** Answers a request to one of the five endpoints, or returns undefined when none has its path. */
  serve(request: ServiceRequest): Answer | undefined
  /** Answers everything else: the admin's levers, the index, and a problem for what leads nowhere. */
  administer(request: ServiceRequest): Outcome
  /** The session `default`. Its clock starts at `realMs` if it has not started. */
  session(realMs: number): Session
}

/**
 * Creates a mock.
 * @throws PriceFeedMockError CONFIG_INVALID or FEEDS_INVALID with every problem of the options
 * @example
 * const mock = createMock({ seed: '42', clock: { at: '2025-07-24T10:48:25Z', frozen: true } })
 */
export function createMock({ feeds, startedAt, ...input }: MockOptions = {}): Mock {
  const patch = read(settingsSchema, input)
  const settings = mergeSettings(DEFAULT_SETTINGS, patch.value ?? {})
  const { svm, evm, layouts } = settings.signing
  assertNoProblems('CONFIG_INVALID', 'The configuration', [
    ...(patch.problems ?? []),
    ...Object.entries({ svm, evm })
      .filter(([, name]) => !Object.hasOwn(layouts, name))
      .map(([form, name]) => ({
        at: `signing.${form}`,
        got: name,
        want: `the name of a layout: ${Object.keys(layouts).join(', ')}`,
      })),
  ])
  return assembleMock(settings, feeds ? readFeeds(feeds, 'feeds') : catalogueFeeds(), startedAt)
}

/** Puts a mock together from parts that are checked. */
export function assembleMock(settings: typeof DEFAULT_SETTINGS, feeds: readonly Feed[], startedAt?: number): Mock {
  const respond = createRespond(ENDPOINTS)
  const routeLever = createRouter(LEVERS)
  let session: Session | undefined
  const sessionAt = (realMs: number): Session =>
    (session ??= createSession({ id: 'default', settings, feeds, respond, startedAt: startedAt ?? realMs }))

  const administer = (request: ServiceRequest): Outcome => {
    const target = parseTarget(request.target)
    const match = routeLever(target)
    const page = INDEX_PAGES[target.path]
    if (match === undefined && page === undefined) return problem(unknownRoute(request.method, target))
    if (request.method === 'OPTIONS') return own(204, '', ['allow', ALLOW])
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return problem(methodNotAllowed(request.method, target), ['allow', ALLOW])
    if (page !== undefined) return page()
    const context: AdminContext = { session: sessionAt(request.receivedAt), receivedAt: request.receivedAt }
    const body = toAsciiJson((match!.endpoint as Endpoint<AdminContext>).answer(context, {}))
    return own(200, body, ['content-type', MEDIA_TYPE.json])
  }
  return {
    serve: request => sessionAt(request.receivedAt).handle(request),
    administer,
    session: sessionAt,
  }
}

const ALLOW = 'GET, HEAD, OPTIONS'

const htmlIndex = (): Outcome => own(200, indexPage(ENDPOINTS, LEVERS), ['content-type', MEDIA_TYPE.html])
const jsonIndex = (): Outcome => {
  const list = (endpoints: readonly Endpoint<never>[]) =>
    endpoints.map(({ path, summary }) => ({ method: 'GET', path, summary }))
  const index = { name: 'price-feed-mock', version: VERSION, service: list(ENDPOINTS), mock: list(LEVERS) }
  return own(200, toAsciiJson(index), ['content-type', MEDIA_TYPE.json])
}
/** Where to go from here: for programs at the root, for people at `/_mock/`. */
const INDEX_PAGES: Readonly<Record<string, () => Outcome>> = {
  '/': jsonIndex,
  '/_mock': htmlIndex,
  '/_mock/': htmlIndex,
}

/** A reply of the mock's own: it carries no session and imitates nothing. */
function own(status: number, body: string, headers: HeaderList, code?: string): Outcome {
  return {
    kind: 'reply',
    status,
    headers: [
      ...headers,
      'cache-control',
      'no-store',
      MOCK_HEADER,
      toDictionary({ own: true, ...(code === undefined ? {} : { code }) }),
      ...(status === 204 ? [] : ['content-length', String(body.length)]),
    ],
    body,
    delayMs: 0,
  }
}

/** An error of the mock's own as an answer, `application/problem+json`. */
export function problem(error: PriceFeedMockError, headers: HeaderList = []): Outcome {
  const details = toProblemDetails(error)
  return own(details.status, toAsciiJson(details), ['content-type', MEDIA_TYPE.problem, ...headers], error.code)
}

function unknownRoute(method: string, target: Target): PriceFeedMockError {
  const all: readonly Endpoint<never>[] = [...ENDPOINTS, ...LEVERS]
  const near = describeNearest(all, target)
  const path = target.path.length > 200 ? `${target.path.slice(0, 200)}…` : target.path
  return new PriceFeedMockError('UNKNOWN_ROUTE', `Nothing answers ${method} ${path}.`, {
    facts: [
      ['want', near ?? `one of ${ENDPOINTS.map(endpoint => endpoint.path).join(', ')}`],
      ['docs', '/_mock/'],
    ],
  })
}

function methodNotAllowed(method: string, { path }: Target): PriceFeedMockError {
  return new PriceFeedMockError('METHOD_NOT_ALLOWED', `${method} ${path}: the path exists, the method does not.`, {
    facts: [['want', ALLOW]],
  })
}
