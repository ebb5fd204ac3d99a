// A small cache for look-ups by second: stacked layers ask the one below about the same few seconds.

let round = 0

/**
 * Empties all of these caches. Called before each look-up whose work is counted: what others asked before must neither save nor
 * cost it anything.
 */
export function forgetAnswers(): void {
  round++
}

/** Caches the latest answers of a pure look-up by second. The hints save work, but do not change the answer. */
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
