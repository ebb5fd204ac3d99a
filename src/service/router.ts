// Finds the endpoint of a path.
import { createBoundedCache } from '../caches.js'
import { toShownTarget } from '../settings/settings.js'
import { parseTarget, splitTarget, type Target } from './request.js'

/** The routing part of an endpoint. */
export interface Routed {
  /** A template such as `/prices/{feedId}/latest`. */
  readonly path: string
  /** Other templates for the same endpoint. */
  readonly aliases?: readonly string[]
  /** Whether the fixed parts of the path match in any case. */
  readonly anyCase?: boolean
}

/** The endpoint of a path with the values of its path parameters. */
export interface Match<E> {
  readonly endpoint: E
  readonly pathValues: Readonly<Record<string, string>>
}

/** Creates a router. Fixed paths win over templates in any order. */
export function createRouter<E extends Routed>(endpoints: readonly E[]) {
  const templates = endpoints
    .flatMap(endpoint => pathsOf(endpoint).map(path => ({ endpoint, template: segmentsOf(path) })))
    .sort((a, b) => byParameters(a.template, b.template))
  return ({ segments }: Target): Match<E> | undefined => {
    for (const { endpoint, template } of templates) {
      const pathValues = matchTemplate(template, segments, endpoint.anyCase)
      if (pathValues) return { endpoint, pathValues }
    }
    return undefined
  }
}

/** All templates of an endpoint. */
export const pathsOf = ({ path, aliases = [] }: Routed): readonly string[] => [path, ...aliases]
/** The segments of a template. */
export const segmentsOf = (path: string): string[] => path.slice(1).split('/')
/** Whether a segment of a template stands for any. */
export const isParameter = (segment: string): boolean => segment.startsWith('{')
/** Orders templates by the number of their parameters. */
export const byParameters = (a: readonly string[], b: readonly string[]): number =>
  a.filter(isParameter).length - b.filter(isParameter).length

/** The values of the path parameters; undefined for another path. */
function matchTemplate(template: readonly string[], path: readonly string[], anyCase = false) {
  if (template.length !== path.length) return undefined
  const pathValues: Record<string, string> = {}
  for (let i = 0; i < template.length; i++) {
    const segment = template[i]!
    const value = path[i]!
    if (isParameter(segment)) {
      if (value === '') return undefined
      pathValues[segment.slice(1, -1)] = value
    } else if (segment !== value && !(anyCase && segment.toLowerCase() === value.toLowerCase())) {
      return undefined
    }
  }
  return pathValues
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
