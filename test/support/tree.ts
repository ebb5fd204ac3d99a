// The tree of a walk, gone down node by node: slow and plain, to compare with.
import { LEFT_ROOT, RIGHT_ROOT, SECONDS_PER_YEAR, SPLITS, SPREAD } from '../../src/market/cascade.js'
import { scatter } from '../../src/market/random.js'
import type { Walk } from '../../src/market/walk.js'
import { MIDDLE, NODE } from '../../src/market/years.js'

/** A node of the tree. */
export interface TreeNode {
  readonly start: number
  readonly level: number
  /** The log prices at its ends, and its deviation. */
  readonly a: number
  readonly b: number
  readonly s: number
}

type Nodes = Pick<Walk, 'rootLevel' | 'years' | 'noise' | 'split'>

/** The midpoint of a node, and its halves. */
export function divide({ noise, split }: Pick<Nodes, 'noise' | 'split'>, { start, level, a, b, s }: TreeNode) {
  const middle = start + 2 ** (level - 1)
  const scattered = scatter(middle | 0)
  const index = split(level, middle | 0, scattered)
  const m = a + (b - a) * SPLITS[index]! + s * SPLITS[index + SPREAD]! * noise(scattered)
  const left: TreeNode = { start, level: level - 1, a, b: m, s: s * SPLITS[index + LEFT_ROOT]! }
  const right: TreeNode = { start: middle, level: level - 1, a: m, b, s: s * SPLITS[index + RIGHT_ROOT]! }
  return { middle, m, left, right }
}

/** The node of a level that contains a second, up to the largest ones that are kept. */
export function nodeAt(walk: Nodes, second: number, level: number): TreeNode {
  const { years, rootLevel } = walk
  let size = 2 ** years.level
  let start = Math.floor(second / size) * size
  years.load(start)
  let [a, from, b, until] = NODE as unknown as [number, number, number, number]
  let upper = years.level
  while (upper > Math.max(level, rootLevel)) {
    size /= 2
    years.split(upper, start + size, a, from, b, until)
    const [m, time] = MIDDLE as unknown as [number, number]
    if (second < start + size) [b, until] = [m, time]
    else [start, a, from] = [start + size, m, time]
    upper--
  }
  let node: TreeNode = { start, level: upper, a, b, s: Math.sqrt((until - from) / SECONDS_PER_YEAR) }
  while (node.level > level) {
    const { middle, left, right } = divide(walk, node)
    node = second < middle ? left : right
  }
  return node
}
