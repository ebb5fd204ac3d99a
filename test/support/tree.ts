// The tree of a walk, gone down node by node: slow and plain, to compare with.
import { LEFT_ROOT, RIGHT_ROOT, SECONDS_PER_YEAR, SPLITS, SPREAD } from '../../src/market/cascade.js'
import { scatter } from '../../src/market/random.js'
import type { Walk } from '../../src/market/walk.js'
import { NODE } from '../../src/market/years.js'

/** A node of the tree. */
export interface TreeNode {
  readonly start: number
  readonly level: number
  /** The log prices at its ends, and its deviation. */
  readonly a: number
  readonly b: number
  readonly s: number
}

type Nodes = Pick<Walk, 'rootLevel' | 'load' | 'noise' | 'split'>

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

/** The node of a level that contains a second, up to a root. */
export function nodeAt(walk: Nodes, second: number, level: number): TreeNode {
  const size = 2 ** walk.rootLevel
  const start = Math.floor(second / size) * size
  walk.load(start)
  const [a, from, b, until] = NODE as unknown as [number, number, number, number]
  let node: TreeNode = { start, level: walk.rootLevel, a, b, s: Math.sqrt((until - from) / SECONDS_PER_YEAR) }
  while (node.level > level) {
    const { middle, left, right } = divide(walk, node)
    node = second < middle ? left : right
  }
  return node
}
