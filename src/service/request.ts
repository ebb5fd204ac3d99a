// A request as data, and the one parser of request targets: every host agrees on `a=1&a=2`, `+` and `%zz`.

/** What a host hands over. */
export interface ServiceRequest {
  readonly method: string
  /** The target as it stood on the request line: path and query, or a whole URL. */
  readonly target: string
  /** The value of the `Authorization` header, or undefined without one. */
  readonly authorization: string | undefined
  /** The text of the body, where the host has read one: only the admin takes any. */
  readonly body?: string | undefined
  /** Real time of arrival, in milliseconds since the epoch. */
  readonly receivedAt: number
}

/** A target, taken apart and decoded. */
export interface Target {
  readonly path: string
  /** What stands between the slashes of the path, decoded: `/a//b` has three. */
  readonly segments: readonly string[]
  readonly query: readonly (readonly [name: string, value: string])[]
}

/** Takes a target apart. It never fails: what cannot be decoded stays as it is. */
export function parseTarget(target: string): Target {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target)
  const rest = (origin ? target.slice(origin[0].length) : target).split('#', 1)[0]!
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
  return query
    .split('&')
    .filter(pair => pair !== '')
    .map(pair => {
      const equals = pair.indexOf('=')
      const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
      return [decodeText(name.replaceAll('+', ' ')), decodeText(value.replaceAll('+', ' '))]
    })
}

/** Percent-decodes UTF-8. Text with a malformed escape is taken literally, as a whole. */
export function decodeText(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
