// The tree of a walk as parts of time, for searches under layers. Log prices become prices here, and nodes between ticks are left out.
import type { IsWanted, Part } from './search.js'
import type { Walk } from './walk.js'

const ALL: IsWanted = () => true

/**
 * Creates the parts of `from … to` of a walk, both multiples of 2^tickLevel, `0 ≤ from ≤ to`.
 * @param toPrice converts a log price; it never falls
 */
export function createWalkParts(
  walk: Walk,
  tickLevel: number,
  toPrice: (log: number) => number,
): (from: number, to: number) => readonly Part[] {
  const { rootLevel, maxOvershoot } = walk
  const heartbeat = 1 << tickLevel
  const span = 1 << rootLevel
  const midpointOf = (level: number, middle: number, a: number, b: number): number =>
    (a + b) * 0.5 + walk.displacement(level, middle | 0)
  const addTick = (parts: Part[], second: number, log: number, isWanted: IsWanted): void => {
    const price = toPrice(log)
    if (isWanted(second, second, price, price)) parts.push({ from: second, to: second, low: price, high: price })
  }

  return (from, to) => {
    /** Adds the node with ends a and b, without the ticks at its ends. */
    const addNode = (parts: Part[], level: number, start: number, a: number, b: number, isWanted: IsWanted): void => {
      const first = Math.max(from, start + heartbeat)
      const last = Math.min(to, start + (1 << level) - heartbeat)
      if (first > last) return
      if (level - 1 > tickLevel) {
        // A node much longer than the part that is left of it would only be split again and again.
        const middle = start + (1 << (level - 1))
        if (first > middle || last < middle) {
          const m = midpointOf(level, middle, a, b)
          if (first > middle) addNode(parts, level - 1, middle, m, b, isWanted)
          else addNode(parts, level - 1, start, a, m, isWanted)
          return
        }
      }
      const slack = maxOvershoot[level]!
      const [low, high] = [toPrice(Math.min(a, b) - slack), toPrice(Math.max(a, b) + slack)]
      if (!isWanted(first, last, low, high)) return
      const split = (isWanted: IsWanted): Part[] => {
        const middle = start + (1 << (level - 1))
        const m = midpointOf(level, middle, a, b)
        const children: Part[] = []
        addNode(children, level - 1, start, a, m, isWanted)
        if (middle >= from && middle <= to) addTick(children, middle, m, isWanted)
        addNode(children, level - 1, middle, m, b, isWanted)
        return children
      }
      parts.push({ from: first, to: last, low, high, split })
    }
    const parts: Part[] = []
    for (let root = Math.floor(from / span) * span; root <= to; root += span) {
      const a = walk.anchor(root)
      if (root >= from) addTick(parts, root, a, ALL)
      addNode(parts, rootLevel, root, a, walk.anchor(root + span), ALL)
    }
    return parts
  }
}
