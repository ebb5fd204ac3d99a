// From a path to an endpoint, and from a path that leads nowhere to the nearest one.
import { nearest } from '../errors.js'
import type { Target } from './request.js'

/** What a router needs to know of an endpoint. */
export interface Routed {
  /** A template such as `/prices/{feedId}/latest`. */
  readonly path: string
  readonly aliases?: readonly string[]
  readonly anyCase?: boolean
}

/** An endpoint that a path leads to, with the values of its path parameters. */
export interface Match<E> {
  readonly endpoint: E
  readonly pathValues: Readonly<Record<string, string>>
}

/** Finds the endpoint of a target, or undefined. */
export type Router<E> = (target: Target) => Match<E> | undefined

interface Template<E> {
  readonly endpoint: E
  readonly segments: readonly string[]
}

/** Creates the router of some endpoints. Fixed paths win over templates whatever the order. */
export function createRouter<E extends Routed>(endpoints: readonly E[]): Router<E> {
  const templates = endpoints
    .flatMap(endpoint => [endpoint.path, ...(endpoint.aliases ?? [])].map(path => toTemplate(endpoint, path)))
    .sort((a, b) => a.segments.filter(isParameter).length - b.segments.filter(isParameter).length)
  return ({ segments }) => {
    for (const template of templates) {
      const match = matchTemplate(template, segments)
      if (match) return match
    }
    return undefined
  }
}

function toTemplate<E>(endpoint: E, path: string): Template<E> {
  return { endpoint, segments: path.slice(1).split('/') }
}

const isParameter = (segment: string): boolean => segment.startsWith('{')

function matchTemplate<E extends Routed>(
  { endpoint, segments }: Template<E>,
  path: readonly string[],
): Match<E> | undefined {
  if (segments.length !== path.length) return undefined
  const pathValues: Record<string, string> = {}
  for (const [i, segment] of segments.entries()) {
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

/** The template nearest to a path that leads nowhere, and what differs: "GET /prices/{feedId}/latest (segment 1 differs)". */
export function describeNearest(endpoints: readonly Routed[], { path, segments }: Target): string | undefined {
  const given = segments.filter(segment => segment !== '')
  const squeezed = `/${given.join('/')}`
  const paths = endpoints.flatMap(endpoint => [endpoint.path, ...(endpoint.aliases ?? [])])
  const filled = new Map<string, string>()
  for (const template of paths) {
    const parts = template.slice(1).split('/')
    filled.set(`/${parts.map((part, i) => (isParameter(part) ? (given[i] ?? part) : part)).join('/')}`, template)
  }
  const found = nearest(squeezed, [...filled.keys()])
  if (found === undefined) return undefined
  return `GET ${filled.get(found)} (${whatDiffers(path, found)})`
}

function whatDiffers(path: string, wanted: string): string {
  if (path === `${wanted}/`) return 'without the slash at the end'
  if (path.replaceAll(/\/+/g, '/') === wanted) return 'with single slashes'
  if (path.toLowerCase() === wanted.toLowerCase()) return 'the case differs'
  const got = path.slice(1).split('/')
  const want = wanted.slice(1).split('/')
  if (got.length !== want.length) return `it has ${want.length} segments, not ${got.length}`
  const place = want.findIndex((segment, i) => segment !== got[i])
  return `"${want[place]}", not "${got[place]!.slice(0, 40)}"`
}
