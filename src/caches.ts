// Caches, only for results of pure functions: with a limit of their own, with one that several share, by object and by second. And
// modules that load on first use.
import { PriceFeedMockError } from './errors.js'

/**
 * Creates a cache by key of at most `capacity` units. It has two halves: when the young half is full, it replaces the old half. Eviction
 * costs nothing per entry, and entries in use survive because a hit moves them to the young half.
 */
export function createBoundedCache<K, V>(capacity: number) {
  const half = capacity / 2
  let young = new Map<K, { value: V; cost: number }>()
  let old = young
  let used = 0
  const put = (key: K, entry: { value: V; cost: number }): void => {
    if (used + entry.cost > half) {
      old = young
      young = new Map()
      used = 0
    }
    young.set(key, entry)
    used += entry.cost
  }
  return {
    get(key: K): V | undefined {
      const entry = young.get(key)
      if (entry !== undefined) return entry.value
      const older = old.get(key)
      if (older === undefined) return undefined
      put(key, older)
      return older.value
    },
    /** @param cost in units of `capacity` */
    set(key: K, value: V, cost = 1) {
      if (cost <= half) return put(key, { value, cost })
      young.delete(key)
      old.delete(key)
    },
  }
}

/** Creates a maximum that several caches share, without caches. A cache that nobody uses any more is freed with the next overflow at the latest. */
export function createCachePool(maxBytes: number) {
  let used = 0
  /** How to empty each cache that has entries. */
  const members = new Set<() => void>()
  return {
    /** Estimated bytes of all entries. */
    get bytes(): number {
      return used
    },
    /** @param bytesOf estimates what an entry holds */
    createCache<K, V>(bytesOf: (value: V) => number) {
      let entries = new Map<K, V>()
      let own = 0
      const empty = (): void => {
        entries = new Map()
        own = 0
      }
      return {
        get: (key: K): V | undefined => entries.get(key),
        set(key: K, value: V): void {
          const bytes = bytesOf(value)
          if (used + bytes > maxBytes) {
            members.delete(empty)
            for (const emptyOther of members) emptyOther()
            members.clear()
            // The rest of the request needs these entries: without them each of its look-ups would start anew.
            used = own
          }
          members.add(empty)
          entries.set(key, value)
          own += bytes
          used += bytes
        },
      }
    },
  }
}

/** The value of a key, made and kept if there is none. */
export function getOrCreate<K, V>(
  known: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  create: () => V,
): V {
  let value = known.get(key)
  if (value === undefined) known.set(key, (value = create()))
  return value
}

/** A function whose result is kept with its argument, as long as that lives. */
export function oncePerObject<K extends object, V>(create: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>()
  return key => getOrCreate(known, key, () => create(key))
}

/** The round of look-ups by second, which forget the answers of earlier ones. */
let round = 0

/**
 * Empties the caches of all look-ups by second. Called before each look-up whose work is counted: what others asked before must neither save nor
 * cost it anything.
 */
export function forgetAnswers(): void {
  round++
}

/** Caches the latest answers of a pure look-up by second: stacked layers ask the one below about the same few seconds. The hints save work, but do not change the answer. */
export function memoize<Hints extends unknown[], T>(
  maxEntries: number,
  lookUp: (second: number, ...hints: Hints) => T,
): (second: number, ...hints: Hints) => T {
  const known = new Map<number, T>()
  let filledIn = round
  return (second, ...hints) => {
    if (filledIn !== round) {
      known.clear()
      filledIn = round
    }
    const found = known.get(second)
    if (found !== undefined || known.has(second)) return found as T
    const answer = lookUp(second, ...hints)
    if (known.size === maxEntries) known.clear()
    known.set(second, answer)
    return answer
  }
}

/**
 * Wraps the import of a module. A failed load is an error of its own, and the next use tries again. Node 20 repeats the failure all the
 * same: it keeps failed modules, and a query in the URL would load only the module anew, not what it imports.
 * @param purpose the things that need the module, in the plural
 * @param load imports it
 * @returns a function that loads the module once and rejects with MODULE_UNAVAILABLE while that fails
 */
export function createLateModule<T>(purpose: string, load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load().catch(cause => {
      loaded = undefined
      const got = String(cause?.code ?? cause)
      throw new PriceFeedMockError('MODULE_UNAVAILABLE', `${purpose} cannot be loaded.`, { cause, got })
    })
    return loaded
  }
}
