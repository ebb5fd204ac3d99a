// Keys that an object of a JSON text has twice: JSON.parse keeps the last one, and reports nothing.
import type { Problem } from '../errors.js'

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** An open object or list. */
interface Open {
  /** The keys of an object so far. Undefined for a list. */
  readonly keys: Set<string> | undefined
  /** The key or index of the present value. */
  at: string | number
}

/** A problem for each key that occurs again. The text must be valid JSON. */
export function findDuplicateKeys(json: string): Problem[] {
  const problems: Problem[] = []
  const open: Open[] = []
  let before = ''
  for (const [token] of json.matchAll(TOKENS)) {
    const inside = open.at(-1)
    if (token === '{' || token === '[') open.push({ keys: token === '{' ? new Set() : undefined, at: 0 })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',' && inside?.keys === undefined) inside!.at = (inside!.at as number) + 1
    else if (token.startsWith('"') && inside?.keys !== undefined && before !== ':') {
      const key = JSON.parse(token) as string
      inside.at = key
      if (inside.keys.has(key)) problems.push({ at: toPath(open), got: key, want: 'each key once: the last would win' })
      inside.keys.add(key)
    }
    before = token
  }
  return problems
}

/** `faults[0].options.status` */
const toPath = (open: readonly Open[]): string =>
  open
    .map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${at}`))
    .join('')
    .replace(/^\./, '')
