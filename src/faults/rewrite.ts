// Walks through the value of an answer and changes it, object by object.
import type { Content } from './fault.js'

/** An object of an answer. */
type Entries = Readonly<Record<string, unknown>>

/** An answer with every object in it changed, from the inside out; text that stands for no value stays as it is. */
export function rewriteObjects(content: Content, change: (object: Entries) => Entries): Content {
  if ('text' in content.body) return content
  const value = rewrite(content.body.value, change)
  return value === content.body.value ? content : { ...content, body: { value } }
}

/** An object with its values changed; the object itself where none changes. */
export function mapValues(object: Entries, change: (value: unknown) => unknown): Entries {
  const entries = Object.entries(object).map(([key, value]) => [key, change(value)] as const)
  return entries.every(([key, value]) => value === object[key]) ? object : Object.fromEntries(entries)
}

/** A value with every object in it changed; the value itself where nothing changes. */
function rewrite(value: unknown, change: (object: Entries) => Entries): unknown {
  if (value === null || typeof value !== 'object') return value
  if (!Array.isArray(value)) return change(mapValues(value as Entries, one => rewrite(one, change)))
  const next = value.map(one => rewrite(one, change))
  return next.every((one, i) => one === value[i]) ? value : next
}
