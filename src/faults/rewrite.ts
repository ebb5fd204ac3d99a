// Walks through the value of an answer and changes it, level by level.
import type { Content } from './fault.js'

/** A change of an entry of an object: its new entries, none to remove it. */
type ChangeEntry = (key: string, value: unknown) => readonly (readonly [string, unknown])[]

/** A value with the entries of every object in it changed, from the inside out; the value itself where nothing changes. */
export function rewriteEntries(value: unknown, change: ChangeEntry): unknown {
  if (Array.isArray(value)) {
    const next = value.map(one => rewriteEntries(one, change))
    return next.every((one, i) => one === value[i]) ? value : next
  }
  if (value === null || typeof value !== 'object') return value
  let isSame = true
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    const changed = change(key, rewriteEntries(inner, change))
    isSame &&= changed.length === 1 && changed[0]![0] === key && changed[0]![1] === inner
    return changed
  })
  return isSame ? value : Object.fromEntries(entries)
}

/** An answer with its value changed; text that stands for no value stays as it is. */
export function rewriteValue(content: Content, change: (value: unknown) => unknown): Content {
  if ('text' in content.body) return content
  const value = change(content.body.value)
  return value === content.body.value ? content : { ...content, body: { value } }
}
