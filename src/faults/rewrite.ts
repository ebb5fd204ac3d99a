// Walks through the value of an answer and changes it, level by level.
import type { Content } from './fault.js'

/** A change of an entry of an object: its new entries, none to remove it. */
type ChangeEntry = (key: string, value: unknown) => readonly (readonly [string, unknown])[]

/** A value with the entries of every object in it changed, from the inside out. */
export function rewriteEntries(value: unknown, change: ChangeEntry): unknown {
  if (Array.isArray(value)) return value.map(one => rewriteEntries(one, change))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => change(key, rewriteEntries(inner, change))))
}

/** An answer with its value changed; text that stands for no value stays as it is. */
export function rewriteValue(content: Content, change: (value: unknown) => unknown): Content {
  return 'text' in content.body ? content : { ...content, body: { value: change(content.body.value) } }
}
