// Numbers the keys that got a 401, so that a journal shows whether a key was sent again without holding it.
import { hashText } from '../market/random.js'
import type { JournalEntry } from './journal.js'

/** Number of keys that a session remembers. */
export const MAX_KEYS = 100

/** Stands for a key, without holding it. */
export const markOf = (authorization: string): string => `${authorization.length} ${hashText(authorization)}`

/** Numbers the refused keys of a session. */
export interface RefusedKeys {
  /** The entry with the number of its key, if that key has got a 401. */
  mark(entry: JournalEntry, authorization: string | undefined): JournalEntry
  clear(): void
}

/**
 * Creates the numbers of a session. They are in memory only: after a restart, a key that is refused again gets a new number.
 * @param listEntries the journal, whose numbers are not used twice
 */
export function createRefusedKeys(listEntries: () => readonly JournalEntry[]): RefusedKeys {
  /** Numbers by a hash of the key, oldest first. */
  const numbers = new Map<string, number>()
  let last: number | undefined
  const number = (mark: string): number => {
    last = (last ?? listEntries().reduce((most, { refusedKey = 0 }) => Math.max(most, refusedKey), 0)) + 1
    numbers.set(mark, last)
    if (numbers.size > MAX_KEYS) numbers.delete(numbers.keys().next().value!)
    return last
  }
  return {
    mark(entry, authorization) {
      const isRefused = entry.status === 401
      // The fast path: most sessions refuse no key.
      if (!authorization || (numbers.size === 0 && !isRefused)) return entry
      const mark = markOf(authorization)
      const refusedKey = numbers.get(mark) ?? (isRefused ? number(mark) : undefined)
      return refusedKey === undefined ? entry : { ...entry, refusedKey }
    },
    clear() {
      numbers.clear()
      last = undefined
    },
  }
}
