// A request as data, and the only parser of request targets, so that all hosts agree on `a=1&a=2`, `+` and `%zz`.
import { tryTo } from '../errors.js'
import type { ServiceEndpoint } from './endpoint.js'
import type { Route } from './router.js'

/** A request, as hosts pass it on. */
export interface ServiceRequest {
  readonly method: string
  /** The target of the request line: path and query, or a whole URL. */
  readonly target: string
  /** The value of the `Authorization` header, or undefined without one. */
  readonly authorization: string | undefined
  /** The text of the body, if the host has read one. Only admin routes use it. */
  readonly body?: string | undefined
  /** Its target, if it is parsed already. */
  readonly route?: Route<ServiceEndpoint> | undefined
  /** Real time of arrival, in milliseconds since the epoch. */
  readonly receivedAt: number
}

/** A parsed and decoded target. */
export interface Target {
  readonly path: string
  /** The decoded segments of the path: `/a//b` has three. */
  readonly segments: readonly string[]
  readonly query: readonly (readonly [name: string, value: string])[]
}

/** A target without the origin of a whole URL, as clients of a proxy send it. */
export const withoutOrigin = (target: string): string =>
  target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')

/** Parses a target. Never fails: malformed escapes stay as they are. */
export function parseTarget(target: string): Target {
  const rest = withoutOrigin(target).split('#', 1)[0]!
  const mark = rest.indexOf('?')
  const rawPath = mark < 0 ? rest : rest.slice(0, mark)
  const path = rawPath.startsWith('/') ? rawPath : `/${rawPath}`
  return {
    path,
    segments: path.slice(1).split('/').map(decodeText),
    query: mark < 0 ? [] : parseQuery(rest.slice(mark + 1)),
  }
}

function parseQuery(query: string): [string, string][] {
  const pairs: [string, string][] = []
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
    pairs.push([decodeQuery(name), decodeQuery(value)])
  }
  return pairs
}

const decodeQuery = (text: string): string => decodeText(text.includes('+') ? text.replaceAll('+', ' ') : text)

/** Percent-decodes UTF-8. Text with a malformed escape is taken literally, as a whole. */
export const decodeText = (text: string): string => tryTo(() => decodeURIComponent(text)) ?? text

/** `/session/<id>` or `/scenario/<name>`, and the rest of the target. */
const PREFIX = /^\/(session|scenario)\/([^/?#]+)(.*)$/s

/** Prefix of the ids of sessions that run a built-in scenario or one from a file. */
export const SCENARIO = 'scenario.'

/** Whether an id is that of a session that runs a scenario by its name. */
export const isScenarioId = (id: string): boolean => id.startsWith(SCENARIO)

const SESSION_KEY = 'session.'

/** The id of the session that an API key names, if it has the form of such a key. */
export const sessionOfKey = (key: string | undefined): string | undefined =>
  key?.startsWith(SESSION_KEY) ? key.slice(SESSION_KEY.length) : undefined

/** The id of the session that a target selects by its path, if any, and path and query without that prefix. */
export function splitTarget(whole: string): { readonly id?: string; readonly target: string } {
  const target = withoutOrigin(whole)
  // A fast path: the five endpoints start otherwise.
  const prefix = target.startsWith('/s') ? PREFIX.exec(target) : null
  if (prefix === null) return { target }
  const name = decodeText(prefix[2]!)
  return { id: prefix[1] === 'scenario' ? SCENARIO + name : name, target: prefix[3] === '' ? '/' : prefix[3]! }
}
