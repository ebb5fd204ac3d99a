// The body of an answer: its text, and changes of every object in it.
import { toAsciiJson } from '../outcome.js'
import type { Content } from './fault.js'

/** An object of an answer. */
type Entries = Readonly<Record<string, unknown>>

/** The body as the ASCII text that is sent. */
export const textOf = ({ body }: Content): string => ('text' in body ? body.text : toAsciiJson(body.value))

/** Changes every object in an answer, innermost first. A body that is not the JSON of a value stays as it is. */
export function rewriteObjects(content: Content, change: (object: Entries) => Entries): Content {
  if ('text' in content.body) return content
  const value = rewrite(content.body.value, change)
  return value === content.body.value ? content : { ...content, body: { value } }
}

/** Changes the values of an object. Returns the object itself when none changes. */
export function mapValues(object: Entries, change: (value: unknown) => unknown): Entries {
  const entries = Object.entries(object).map(([key, value]) => [key, change(value)] as const)
  return entries.every(([key, value]) => value === object[key]) ? object : Object.fromEntries(entries)
}

/** Changes every object in a value. Returns the value itself when nothing changes. */
function rewrite(value: unknown, change: (object: Entries) => Entries): unknown {
  if (value === null || typeof value !== 'object') return value
  if (!Array.isArray(value)) return change(mapValues(value as Entries, one => rewrite(one, change)))
  const next = value.map(one => rewrite(one, change))
  return next.every((one, i) => one === value[i]) ? value : next
}
