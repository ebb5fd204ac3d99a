// Every path of the mock, in one table: what answers it, and which callers reach it. And the nearest one for a path that is not in it.
import { ENDPOINTS } from '../endpoints/index.js'
import { nearest } from '../errors.js'
import type { Target } from '../service/request.js'
import {
  byParameters,
  createRouter,
  isParameter,
  type Match,
  pathsOf,
  type Routed,
  segmentsOf,
} from '../service/router.js'
import { sessionPatchSchema } from '../service/session-settings.js'
import { type AdminRoute, HOST_ROUTES } from './admin-route.js'
import { listAdminRoutes } from './index.js'

/**
 * The callers that reach a path. All but `open` require an allowed host and the mock's own pages or allowed ones.
 * `open`: all. `admin`: those with the token. `probe`: also at an address that is not allowed, without a token. `page`: links of any
 * site, and browsers without a token. `root`: the same, and programs without a token. `file`: those without a token.
 */
export type Access = 'open' | 'admin' | 'probe' | 'page' | 'root' | 'file'

/** A path of the mock. */
export interface Row extends Routed {
  readonly access: Access
  /** `metrics`, `events` and `console` are answered by a server only. */
  readonly answeredBy: 'endpoint' | 'index' | 'metrics' | 'events' | 'console' | readonly AdminRoute[]
}

const endpoints: readonly Routed[] = ENDPOINTS
const adminRoutes = listAdminRoutes()

/** The row of a path. */
export const matchRow = createRouter<Row>([
  ...endpoints.map((routed): Row => ({ ...routed, access: 'open', answeredBy: 'endpoint' })),
  ...[...new Set(adminRoutes.map(({ path }) => path))].map((path): Row => {
    const ofPath = adminRoutes.filter(route => route.path === path)
    return { path, access: ofPath[0]!.access, answeredBy: ofPath }
  }),
  ...HOST_ROUTES.map(({ path, name }): Row => ({ path, access: 'admin', answeredBy: name })),
  { path: '/_mock', aliases: ['/_mock/'], access: 'page', answeredBy: 'index' },
  { path: '/_mock/console/{file}', access: 'file', answeredBy: 'console' },
])

/** The callers that reach a path, of which there may be no row. Anything below `/_mock` in any spelling is guarded. */
export function accessOf({ segments }: Target, match: Match<Row> | undefined): Access {
  if (match !== undefined) return match.endpoint.access
  const isGuarded = segments[0]!.toLowerCase() === '_mock' || segments.every(segment => segment === '')
  return isGuarded ? 'admin' : 'open'
}

type WithMethod = Routed & { readonly method?: string }

/** The nearest template for an unknown path, with the difference: `GET /prices/batch ("prices", not "price")`. */
export function describeNearest(
  endpoints: readonly WithMethod[],
  { segments }: Target,
  method = 'GET',
): string | undefined {
  // A decoded slash would look like a separator.
  const asked = segments.map(segment => segment.replaceAll('/', '%2F'))
  const ofSession = ofSessionOf(endpoints, asked, method)
  if (ofSession !== undefined) return ofSession
  const templates = endpoints.flatMap(pathsOf).filter(template => template !== '/')
  const withMethod = (template: string): string => `${methodOf(endpoints, template, method)} ${template}`
  for (const template of templates) {
    const parts = segmentsOf(template)
    const empty = parts.findIndex((part, i) => isParameter(part) && asked[i] === '')
    if (empty >= 0 && same(asked, parts.with(empty, ''))) return `${withMethod(template)} (${parts[empty]} is empty)`
  }
  const longer = longerOf(templates, asked)
  if (longer !== undefined) return longer
  // The rest may be right behind a prefix such as /api/v1.
  let whole: string | undefined
  for (const skipped of [0, 1, 2]) {
    const prefix = asked.slice(0, skipped).join('/').slice(0, 40)
    const rest = asked.slice(skipped)
    const found = skipped > 0 && prefix === '' ? undefined : nearestOf(templates, rest)
    if (found === undefined) continue
    const difference = whatDiffers(rest, found.parts)
    if (difference === undefined)
      return `${withMethod(found.template)} (without ${prefix === '' ? 'prefix' : `/${prefix}`})`
    if (prefix === '') whole = `${withMethod(found.template)} (${difference})`
  }
  return whole
}

/**
 * The route of a session for its part at another path: `/_mock/reset` stands for that of a session, and `PUT /_mock/clock` or
 * `POST /_mock/sessions/default/scenario` for a change of the setting.
 */
function ofSessionOf(
  routes: readonly WithMethod[],
  [mock, name, id, ...rest]: readonly string[],
  method: string,
): string | undefined {
  const isOfOne = name === 'sessions' && rest.length === 1
  const word = isOfOne ? rest[0]! : name
  if (mock !== '_mock' || !word || !(isOfOne || id === undefined)) return undefined
  const session = `/_mock/sessions/${isOfOne ? id!.slice(0, 40) : '{id}'}`
  if (Object.hasOwn(sessionPatchSchema.shape, word)) {
    if (method !== 'GET') return `PATCH ${session} with {"${word}": …}`
    if (isOfOne) return `GET ${session}`
  }
  const path = `/_mock/sessions/{id}/${word}`
  const own = methodOf(routes, path, method)
  return own && `${own} ${path}`
}

/** The method of a path: the one that was asked for, if it has that. Undefined for an unknown path. */
function methodOf(routes: readonly WithMethod[], path: string, asked: string): string | undefined {
  const methods = routes.filter(one => pathsOf(one).includes(path)).map(({ method = 'GET' }) => method)
  return methods.includes(asked) ? asked : methods[0]
}

/** The path that continues a given one by one segment: `/prices/BTCUSD/latest` for `/prices/BTCUSD`. */
function longerOf(templates: readonly string[], asked: readonly string[]): string | undefined {
  const given = asked.at(-1) === '' ? asked.slice(0, -1) : asked
  const last = given.at(-1)
  if (given.length < 2 || !last) return undefined
  const all = templates.map(segmentsOf).sort(byParameters)
  // A known word with a mistake, or a part of one, is no parameter.
  const words = all
    .flatMap(parts => (parts.length === given.length ? parts.slice(-1) : []))
    .filter(word => !isParameter(word))
  const isMistake = nearest(last, words) !== undefined || words.some(word => lower(word).endsWith(lower(last)))
  const found = all.find(
    parts =>
      parts.length === given.length + 1 &&
      !isParameter(parts.at(-1)!) &&
      given.every((segment, i) => segment === parts[i] || (isParameter(parts[i]!) && !isMistake)),
  )
  if (found === undefined) return undefined
  const word = found.at(-1)!
  return lower(word) === lower(last)
    ? `GET /${found.join('/')} ("${found.at(-2)}" is missing)`
    : `GET /${given.map(segment => segment.slice(0, 40)).join('/')}/${word} ("${word}" is missing)`
}

/** The nearest template, its parameters filled with the given segments. */
function nearestOf(templates: readonly string[], asked: readonly string[]) {
  const given = asked.filter(segment => segment !== '')
  // The beginning that admin routes have in common would make any of them near.
  const keyOf = (parts: readonly string[]): string => `/${parts.join('/')}`.replace('/_mock', '')
  const filled = new Map(
    templates.map(template => {
      const parts = segmentsOf(template).map((part, i) => (isParameter(part) ? (given[i] ?? part) : part))
      return [keyOf(parts), { template, parts }]
    }),
  )
  // A list has no paths of its items. That of sessions does, which are never unknown.
  const list = given.length === 3 && filled.get(keyOf(given.slice(0, 2)))
  return list || filled.get(nearest(keyOf(given), [...filled.keys()]) ?? '')
}

function whatDiffers(asked: readonly string[], want: readonly string[]): string | undefined {
  const given = asked.filter(segment => segment !== '')
  if (same(asked, want)) return undefined
  if (same(asked, [...want, ''])) return 'without the slash at the end'
  if (same(given, want)) return 'with single slashes'
  if (same(given.map(lower), want.map(lower))) return 'the case differs'
  if (given.length !== want.length) return `it has ${want.length} segments, not ${given.length}`
  const place = want.findIndex((segment, i) => segment !== given[i])
  return `"${want[place]}", not "${given[place]!.slice(0, 40)}"`
}

const lower = (text: string): string => text.toLowerCase()

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((segment, i) => segment === b[i])
}
