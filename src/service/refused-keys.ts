// Numbers the keys that got a 401, so that a journal shows whether a key was sent again without holding it.
import { hashText } from '../market/random.js'
import type { JournalEntry } from './journal-entry.js'

/** The keys that got a 401 in a session, as data. */
interface RefusedKeys {
  /** The number of the newest one. */
  readonly last: number
  /** The mark of each key, which does not hold it, and its number; oldest first. */
  readonly marks: readonly (readonly [mark: string, number: number])[]
}

/** No key has got one. */
export const NO_KEYS: RefusedKeys = { last: 0, marks: [] }

/** Number of keys that a session remembers. */
export const MAX_KEYS = 100

/** Adds the number of its key to an entry, if that key has got a 401. */
export function numberKey(
  refused: RefusedKeys,
  entry: JournalEntry,
  authorization: string | undefined,
): { readonly refused: RefusedKeys; readonly entry: JournalEntry } {
  const isRefused = entry.status === 401
  // The fast path: most sessions refuse no key.
  if (!authorization || (refused.last === 0 && !isRefused)) return { refused, entry }
  const mark = `${authorization.length} ${hashText(authorization)}`
  const known = refused.marks.find(([one]) => one === mark)?.[1]
  if (known !== undefined) return { refused, entry: { ...entry, refusedKey: known } }
  if (!isRefused) return { refused, entry }
  const number = refused.last + 1
  const marks = [...refused.marks, [mark, number] as const].slice(-MAX_KEYS)
  return { refused: { last: number, marks }, entry: { ...entry, refusedKey: number } }
}
