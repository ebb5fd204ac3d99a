// Finds the endpoint of a path, and the nearest one for an unknown path.
import { createBoundedCache } from '../caches.js'
import { nearest } from '../errors.js'
import { toShownTarget } from '../settings/settings.js'
import { parseTarget, splitTarget, type Target } from './request.js'

/** The routing part of an endpoint. */
export interface Routed {
  /** A template such as `/prices/{feedId}/latest`. */
  readonly path: string
  readonly aliases?: readonly string[]
  readonly anyCase?: boolean
}

/** The endpoint of a path with the values of its path parameters. */
export interface Match<E> {
  readonly endpoint: E
  readonly pathValues: Readonly<Record<string, string>>
}

interface Template<E> {
  readonly endpoint: E
  readonly segments: readonly string[]
}

/** Creates a router. Fixed paths win over templates in any order. */
export function createRouter<E extends Routed>(endpoints: readonly E[]): (target: Target) => Match<E> | undefined {
  const templates = endpoints
    .flatMap(endpoint => pathsOf(endpoint).map((path): Template<E> => ({ endpoint, segments: segmentsOf(path) })))
    .sort((a, b) => byParameters(a.segments, b.segments))
  return ({ segments }) => {
    for (const template of templates) {
      const match = matchTemplate(template, segments)
      if (match) return match
    }
    return undefined
  }
}

const pathsOf = ({ path, aliases = [] }: Routed): readonly string[] => [path, ...aliases]
const segmentsOf = (path: string): string[] => path.slice(1).split('/')
const isParameter = (segment: string): boolean => segment.startsWith('{')
const byParameters = (a: readonly string[], b: readonly string[]): number =>
  a.filter(isParameter).length - b.filter(isParameter).length

function matchTemplate<E extends Routed>(
  { endpoint, segments }: Template<E>,
  path: readonly string[],
): Match<E> | undefined {
  if (segments.length !== path.length) return undefined
  const pathValues: Record<string, string> = {}
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i]!
    const value = path[i]!
    if (isParameter(segment)) {
      if (value === '') return undefined
      pathValues[segment.slice(1, -1)] = value
    } else if (segment !== value && !(endpoint.anyCase && segment.toLowerCase() === value.toLowerCase())) {
      return undefined
    }
  }
  return { endpoint, pathValues }
}

/** A target, parsed and matched once: the session that its path selects, if any, the rest of it, and what the journal shows. */
export interface Route<E> {
  readonly sessionId: string | undefined
  readonly target: Target
  readonly match: Match<E> | undefined
  readonly shown: string
  /** Whether the target was requested before. Other replies are not cached: most of them are never used again. */
  readonly isRepeated: boolean
}

/** The route of a target whose path an endpoint has. */
export type MatchedRoute<E> = Route<E> & { readonly match: Match<E> }

/** Characters of the targets whose routes are cached, at several bytes each. A route counts like so many more characters. */
const MAX_ROUTE_CHARACTERS = 400_000
const ROUTE_CHARACTERS = 300
const MAX_CACHED_TARGET_LENGTH = 4096

/** Creates a function that parses and matches raw targets. It caches those that are requested again. */
export function createRoutes<E extends Routed>(endpoints: readonly E[]): (raw: string) => Route<E> {
  const route = createRouter(endpoints)
  /** Null stands for a target that was requested once: routes of one-off targets would only occupy the garbage collector. */
  const routes = createBoundedCache<string, Route<E> | null>(MAX_ROUTE_CHARACTERS)
  return raw => {
    const known = routes.get(raw)
    if (known) return known
    const isRepeated = known === null
    const { id: sessionId, target: rest } = splitTarget(raw)
    const target = parseTarget(rest)
    const routed = { sessionId, target, match: route(target), shown: toShownTarget(rest), isRepeated }
    if (raw.length <= MAX_CACHED_TARGET_LENGTH)
      routes.set(raw, isRepeated ? routed : null, raw.length + (isRepeated ? ROUTE_CHARACTERS : 0))
    return routed
  }
}

/** The nearest template for an unknown path, with the difference: `GET /prices/batch ("prices", not "price")`. */
export function describeNearest(endpoints: readonly Routed[], { segments }: Target): string | undefined {
  // A decoded slash would look like a separator.
  const asked = segments.map(segment => segment.replaceAll('/', '%2F'))
  const templates = endpoints.flatMap(pathsOf).filter(template => template !== '/')
  for (const template of templates) {
    const parts = segmentsOf(template)
    const empty = parts.find((part, i) => isParameter(part) && asked[i] === '')
    const withEmpty = parts.map(part => (part === empty ? '' : part))
    if (empty !== undefined && same(asked, withEmpty)) return `GET ${template} (${empty} is empty)`
  }
  const longer = longerOf(templates, asked)
  if (longer !== undefined) return longer
  // The rest may be right behind a prefix such as /api/v1.
  for (let skipped = 0; skipped < Math.min(3, asked.length); skipped++) {
    const found = nearestOf(templates, asked.slice(skipped))
    if (found === undefined) continue
    const difference = whatDiffers(asked.slice(skipped), found.parts)
    const prefix = asked.slice(0, skipped).join('/')
    if (skipped === 0) return `GET ${found.template} (${difference ?? 'it has other segments'})`
    if (difference === undefined) return `GET ${found.template} (without /${prefix.slice(0, 40)})`
  }
  return undefined
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
  if (found !== undefined && lower(found.at(-1)!) === lower(last))
    return `GET /${found.join('/')} ("${found.at(-2)}" is missing)`
  return (
    found &&
    `GET /${[...given.map(segment => segment.slice(0, 40)), found.at(-1)].join('/')} ("${found.at(-1)}" is missing)`
  )
}

/** The nearest template, its parameters filled with the given segments. */
function nearestOf(templates: readonly string[], asked: readonly string[]) {
  const given = asked.filter(segment => segment !== '')
  const filled = new Map<string, { template: string; parts: readonly string[] }>()
  for (const template of templates) {
    const parts = segmentsOf(template).map((part, i) => (isParameter(part) ? (given[i] ?? part) : part))
    filled.set(`/${parts.join('/')}`, { template, parts })
  }
  return filled.get(nearest(`/${given.join('/')}`, [...filled.keys()]) ?? '')
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
