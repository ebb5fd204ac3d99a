// The search by halving in an ordered list.

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
