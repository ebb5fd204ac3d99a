// A memory with a bound: what was not asked for lately is forgotten. It holds results of pure functions, nothing that counts.

/** Remembers values by key, at most `capacity` units of cost in two generations. */
export interface BoundedCache<K, V> {
  get(key: K): V | undefined
  /** @param cost in units of `capacity`; 1 when left out */
  set(key: K, value: V, cost?: number): void
  clear(): void
}

/**
 * Creates a cache that holds at most `capacity` units. It keeps two halves: when the young half is full it becomes the old
 * one and the old one goes, so that eviction costs nothing per entry and what is in use survives.
 */
export function createBoundedCache<K, V>(capacity: number): BoundedCache<K, V> {
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
    get(key) {
      const entry = young.get(key)
      if (entry !== undefined) return entry.value
      const older = old.get(key)
      if (older === undefined) return undefined
      put(key, older)
      return older.value
    },
    set(key, value, cost = 1) {
      if (cost <= half) return put(key, { value, cost })
      young.delete(key)
      old.delete(key)
    },
    clear() {
      young = new Map()
      old = young
      used = 0
    },
  }
}
