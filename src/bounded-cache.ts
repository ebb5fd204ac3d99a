// A cache of bounded size that evicts entries not used recently. Only for results of pure functions.

/** A cache by key, with at most `capacity` units of cost in two generations. */
export interface BoundedCache<K, V> {
  get(key: K): V | undefined
  /**
   * @param cost in units of `capacity`
   * @default 1
   */
  set(key: K, value: V, cost?: number): void
  clear(): void
}

/**
 * Creates a cache of at most `capacity` units. It has two halves: when the young half is full, it replaces the old half. Eviction
 * costs nothing per entry, and entries in use survive because a hit moves them to the young half.
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
