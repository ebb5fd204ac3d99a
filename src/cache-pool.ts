// Caches that share a maximum of bytes: when they hold too much together, all but the one in use are emptied. Only for results of
// pure functions.

/** A maximum that several caches share. */
export interface CachePool {
  /** Estimated bytes of all entries. */
  readonly bytes: number
  createCache<K, V>(): PooledCache<K, V>
}

/** A cache of a pool. */
export interface PooledCache<K, V> {
  get(key: K): V | undefined
  /** @param bytes an estimate of what the entry holds */
  set(key: K, value: V, bytes: number): void
}

/** Creates a pool without caches. A cache that nobody uses any more is freed with the next overflow at the latest. */
export function createCachePool(maxBytes: number): CachePool {
  let used = 0
  /** How to empty each cache that has entries. */
  const members = new Set<() => void>()
  return {
    get bytes() {
      return used
    },
    createCache<K, V>(): PooledCache<K, V> {
      let entries = new Map<K, V>()
      let own = 0
      const empty = (): void => {
        entries = new Map()
        own = 0
      }
      return {
        get: key => entries.get(key),
        set(key, value, bytes) {
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
