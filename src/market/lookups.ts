// Look-ups in lists, in O(log n): the extremes of a part of a list by a tree, an item of an ordered list by halving.

const FAN_OUT = 16

/**
 * Creates the tree that finds the first index of the highest or the lowest of some prices. Each level holds the indices of the extreme
 * prices of sixteen entries of the level below.
 */
export function createPriceTree(prices: Float64Array) {
  const levelsOf = (isBetter: (a: number, b: number) => boolean): readonly Uint32Array[] => {
    const levels: Uint32Array[] = []
    for (let count = prices.length; count > FAN_OUT; ) {
      const below = levels.at(-1)
      const level = new Uint32Array(Math.ceil(count / FAN_OUT))
      for (let node = 0; node < level.length; node++) {
        const last = Math.min(count, (node + 1) * FAN_OUT)
        let best = -1
        for (let i = node * FAN_OUT; i < last; i++) {
          const index = below ? below[i]! : i
          if (best < 0 || isBetter(prices[index]!, prices[best]!)) best = index
        }
        level[node] = best
      }
      levels.push(level)
      count = level.length
    }
    return levels
  }
  const finder = (isBetter: (a: number, b: number) => boolean) => {
    // Built on first use: a server may never be asked for it.
    let levels: readonly Uint32Array[] | undefined
    return (from: number, to: number): number => {
      levels ??= levelsOf(isBetter)
      let best = from
      const offer = (index: number): void => {
        const [price, most] = [prices[index]!, prices[best]!]
        if (isBetter(price, most) || (price === most && index < best)) best = index
      }
      let [low, high] = [from, to]
      for (let depth = 0; low <= high; depth++) {
        const below = depth === 0 ? undefined : levels[depth - 1]!
        const isTop = depth === levels.length
        while (low <= high && (isTop || low % FAN_OUT !== 0)) offer(below ? below[low++]! : low++)
        while (low <= high && (high + 1) % FAN_OUT !== 0) offer(below ? below[high--]! : high--)
        low = low / FAN_OUT
        high = (high + 1) / FAN_OUT - 1
      }
      return best
    }
  }
  return { highest: finder((a, b) => a > b), lowest: finder((a, b) => a < b) }
}

/** The index of the first item with a property that all later items have as well; the length of the list if none has it. */
export function firstIndex<T>(list: ArrayLike<T>, has: (item: T) => boolean): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (has(list[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

/** The index of the first of some ascending numbers above another one. */
export const indexAfter = (numbers: Float64Array, value: number): number =>
  // A course that is over is the usual case.
  numbers.at(-1)! <= value ? numbers.length : firstIndex(numbers, number => number > value)
