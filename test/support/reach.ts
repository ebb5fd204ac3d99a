// The bounds of src/market/reach.ts, computed: from above by majorants, and from below by displacements that are really possible.
import { aheadOf, CHOICES, distanceOf, LEAF, SEASON_LEVEL, usualAt } from '../../src/market/cascade.js'
import { ACTIVITY, type FeedGroup } from '../../src/market/groups.js'
import type { Pricing } from '../../src/market/pricing.js'

/** Shares of a left half: an interval, or one number twice. */
export type Shares = readonly [low: number, high: number]

const WEEK = 604_800
/** Nodes with a season start at multiples of 2^13 seconds, so at multiples of this many within a week. */
const ALIGNMENT = 128
/** Intervals into which the shares of a level with a season are divided. */
const INTERVALS = 96

/** The least and the largest usual share of the left half, wherever in the week a node of the level starts. */
function usualShares(group: FeedGroup, level: number): Shares {
  const [half, size] = [2 ** (level - 1), 2 ** level]
  const ahead = aheadOf(group)
  let [low, high] = [1, 0]
  for (let start = 0; start < WEEK; start += ALIGNMENT) {
    const before = usualAt(ahead, start)
    const q = (usualAt(ahead, start + half) - before) / (usualAt(ahead, start + size) - before)
    low = Math.min(low, q)
    high = Math.max(high, q)
  }
  return [low, high]
}

/** The level above all others of a clock. */
const HIGHEST = 32
/** Intervals into which the shares of a level of a clock are divided. */
const CLOCK_INTERVALS = 256
const logit = (p: number): number => Math.log(p / (1 - p))
/** Intervals between two shares, evenly in ln(p / (1 − p)). */
function intervalsOf(least: number, most: number, count: number): Shares[] {
  const at = (i: number): number => 1 / (1 + Math.exp(-(least + ((most - least) * i) / count)))
  return Array.from({ length: count }, (_, i) => [at(i), at(i + 1)] as const)
}

/**
 * Shares of a node above 2^16 s, wherever it lies in the clock. The density of the clock at any place is a product of shares, so its
 * largest value divided by its least one bounds how far the ratio of two halves is from the usual one. The margin covers rounding.
 */
function clockShares(group: FeedGroup, level: number): Shares[] {
  const [low, high] = usualShares(group, level)
  let most = Math.max(-logit(low), logit(high)) + 1e-4
  for (let above = LEAF + 1; above <= HIGHEST; above++)
    most += logit(0.5 + ACTIVITY[group].unevenness(above) * distanceOf(CHOICES - 1))
  return intervalsOf(-most, most, CLOCK_INTERVALS)
}

/** All shares of the left half of a node of a level: each choice, or intervals that cover every hour of the week. */
export function sharesAt(group: FeedGroup, level: number): readonly Shares[] {
  if (level > LEAF) return clockShares(group, level)
  const uneven = ACTIVITY[group].unevenness(level)
  const distances = Array.from({ length: CHOICES }, (_, choice) => uneven * distanceOf(choice))
  if (level < SEASON_LEVEL) return [...new Set(distances)].map(x => [0.5 + x, 0.5 + x] as const)
  const most = Math.max(...distances)
  // q ± 4 q (1 − q) x rises with q as long as |x| is at most ¼; beyond that the ends are taken over a grid.
  const [low, high] = usualShares(group, level)
  let [least, largest] = [1, 0]
  for (let i = 0; i <= 4096; i++) {
    const q = low + ((high - low) * i) / 4096
    const change = 4 * q * (1 - q) * most
    least = Math.min(least, q - change)
    largest = Math.max(largest, q + change)
  }
  return intervalsOf(logit(least) - 1e-6, logit(largest) + 1e-6, INTERVALS)
}

/** A point of a polygon on [0, 1]. Both u and v = 1 − u are kept, for the points near 1. */
type Point = { readonly u: number; readonly v: number; readonly s: number }

/** Points are collected in cells of ln(u / v), from −FAR to FAR: no second has a smaller share of a root. */
const FAR = 60
const CELLS = 1 << 15
const WIDTH = (2 * FAR) / CELLS
/** One supporting line is kept in so many cells. */
const STRIDE = 16

/** u at a cell's left edge, and v. */
const EDGES = Array.from({ length: CELLS + 1 }, (_, i) => {
  const x = i * WIDTH - FAR
  return { u: 1 / (1 + Math.exp(-x)), v: 1 / (1 + Math.exp(x)) }
})
const distance = (a: { u: number; v: number }, b: { u: number; v: number }): number =>
  a.u < 0.5 ? b.u - a.u : a.v - b.v

/** The bounds of a level, by the slope of the chord: the rise above its higher end is at most s − slope · v. */
export interface LevelReach {
  readonly rise: readonly number[]
  /** The largest s² / (4 v): divided by the slope, it is a bound for all slopes. */
  readonly tail: number
}

/** The slopes for which the bounds are kept. */
export const KEPT_SLOPES = [0, 1.5, 3]

/**
 * Bounds from above, by level from 1. In a node of deviation 1 let s(u) be the largest rise above the chord where a share u of its
 * trading time has passed. With a split w and the largest noise, 1, the left half has u / w · d + √w · s'(u / w) with d = √(3 w (1 − w))
 * and s' of the level below; the right half likewise. If s' is a polygon, so is that, and the smallest concave function above all
 * of them is a bound of s. An interval of splits takes the largest value of each point, and both ends of its way.
 */
export function reachFromAbove(group: FeedGroup, levels: number): LevelReach[] {
  let polygon: readonly Point[] = [
    { u: 0, v: 1, s: 0 },
    { u: 1, v: 0, s: 0 },
  ]
  const found: LevelReach[] = [{ rise: KEPT_SLOPES.map(() => 0), tail: 0 }]
  for (let level = 1; level <= levels; level++) {
    const most = new Float64Array(CELLS)
    const put = (u: number, v: number, s: number): void => {
      const cell = Math.min(CELLS - 1, Math.max(0, Math.floor((Math.log(u / v) + FAR) / WIDTH)))
      if (s > most[cell]!) most[cell] = s
    }
    for (const [low, high] of sharesAt(group, level)) {
      const top = low <= 0.5 && high >= 0.5 ? 0.5 : low > 0.5 ? low : high
      const spread = Math.sqrt(3 * top * (1 - top))
      const [left, right] = [Math.sqrt(high), Math.sqrt(1 - low)]
      for (const { u, v, s } of polygon) {
        const [inLeft, inRight] = [u * spread + left * s, v * spread + right * s]
        for (const w of low === high ? [low] : [low, high]) {
          if (u > 0) put(u * w, 1 - u * w, inLeft)
          if (v > 0) put(1 - v * (1 - w), v * (1 - w), inRight)
        }
      }
    }
    polygon = supportingPolygon(most)
    const inside = polygon.filter(({ s }) => s > 0)
    found.push({
      rise: KEPT_SLOPES.map(slope => Math.max(...inside.map(({ u, v, s }) => s - slope * Math.min(u, v)))),
      tail: Math.max(...inside.map(({ u, v, s }) => (s * s) / (4 * Math.min(u, v)))),
    })
  }
  return found
}

/** A concave polygon above the largest value of each cell: through its hull, and then along some of the lines of the hull. */
function supportingPolygon(most: Float64Array): Point[] {
  const at = (i: number): number => Math.max(most[i - 1] ?? 0, most[i] ?? 0)
  const hull: number[] = []
  const slope = (i: number, j: number): number => (at(j) - at(i)) / distance(EDGES[i]!, EDGES[j]!)
  for (let i = 0; i <= CELLS; i++) {
    while (hull.length > 1 && slope(hull.at(-2)!, hull.at(-1)!) <= slope(hull.at(-1)!, i)) hull.pop()
    hull.push(i)
  }
  // Lines of the hull, at most one in STRIDE cells, and where each meets the next.
  const lines: { edge: number; slope: number }[] = []
  for (let k = 0; k + 1 < hull.length; k++)
    if (lines.length === 0 || hull[k + 1]! >= lines.at(-1)!.edge + STRIDE || k + 2 === hull.length)
      lines.push({ edge: hull[k]!, slope: slope(hull[k]!, hull[k + 1]!) })
  const first = EDGES[0]!
  const last = EDGES[CELLS]!
  const points: Point[] = [{ ...first, s: at(0) }]
  for (let k = 0; k + 1 < lines.length; k++) {
    const [a, b] = [lines[k]!, lines[k + 1]!]
    const [from, to] = [EDGES[a.edge]!, EDGES[b.edge]!]
    const length = distance(from, to)
    const x = a.slope - b.slope === 0 ? 0 : (at(b.edge) - at(a.edge) - b.slope * length) / (a.slope - b.slope)
    points.push({ u: from.u + x, v: from.u < 0.5 ? 1 - from.u - x : from.v - x, s: at(a.edge) + a.slope * x })
  }
  points.push({ ...last, s: at(CELLS) })
  return points
}

/** A way down the tree: by level, from `level` to 1, the split and the side on which the way goes on. */
export interface Way {
  /** How far its last midpoint lies above the higher end, if all displacements are the largest. */
  readonly rise: number
  readonly steps: readonly { readonly level: number; readonly share: number; readonly isLeft: boolean }[]
}

/** Places at which the best splits are remembered, by ln(u / v) from −14 to 14. */
const PLACES = 281
const PLACE_WIDTH = 28 / (PLACES - 1)
const placeOf = (u: number, v: number): number =>
  Math.min(PLACES - 1, Math.max(0, Math.round((Math.log(u / v) + 14) / PLACE_WIDTH)))

/** By level, the best split for a way to each place, and the rise above the chord that it has there, about. */
function bestSplits(group: FeedGroup, levels: number): { share: Float64Array; rise: Float64Array }[] {
  const found = [{ share: new Float64Array(PLACES).fill(0.5), rise: new Float64Array(PLACES) }]
  for (let level = 1; level <= levels; level++) {
    const shares = sharesAt(group, level).map(([low, high]) => (low + high) / 2)
    const below = found[level - 1]!.rise
    const riseAt = (u: number, v: number): number => {
      const x = Math.min(PLACES - 1.001, Math.max(0, (Math.log(u / v) + 14) / PLACE_WIDTH))
      const i = Math.floor(x)
      return u <= 0 || v <= 0 ? 0 : below[i]! + (below[i + 1]! - below[i]!) * (x - i)
    }
    const share = new Float64Array(PLACES)
    const rise = new Float64Array(PLACES)
    for (let i = 0; i < PLACES; i++) {
      const x = i * PLACE_WIDTH - 14
      const [u, v] = [1 / (1 + Math.exp(-x)), 1 / (1 + Math.exp(x))]
      for (const w of shares) {
        const spread = Math.sqrt(3 * w * (1 - w))
        const t = u <= w ? u / w : v / (1 - w)
        const s = t * spread + Math.sqrt(u <= w ? w : 1 - w) * (u <= w ? riseAt(t, 1 - t) : riseAt(1 - t, t))
        if (s > rise[i]!) [rise[i], share[i]] = [s, w]
      }
    }
    found.push({ share, rise })
  }
  return found
}

const splitsOf = new Map<FeedGroup, ReturnType<typeof bestSplits>>()

/** A way that rises about as far as any above the ends 0 and `slope` of a node of deviation 1. */
export function highestWay(group: FeedGroup, level: number, slope = 0): Way {
  let splits = splitsOf.get(group)
  if (splits === undefined) splitsOf.set(group, (splits = bestSplits(group, LEAF)))
  const places = Array.from({ length: PLACES }, (_, i) => {
    const x = i * PLACE_WIDTH - 14
    return { u: 1 / (1 + Math.exp(-x)), v: 1 / (1 + Math.exp(x)) }
  })
  return places
    .map((place, i) => ({ place, rise: splits[level]!.rise[i]! - slope * place.v }))
    .sort((a, b) => b.rise - a.rise)
    .slice(0, 20)
    .map(({ place }) => wayTo(splits, level, place, slope))
    .reduce((best, way) => (way.rise > best.rise ? way : best))
}

function wayTo(
  splits: ReturnType<typeof bestSplits>,
  level: number,
  place: { u: number; v: number },
  slope: number,
): Way {
  let { u, v } = place
  let [a, b, s] = [0, slope, 1]
  let rise = Number.NEGATIVE_INFINITY
  let steps: { level: number; share: number; isLeft: boolean }[] = []
  const way: typeof steps = []
  for (let at = level; at >= 1; at--) {
    const w = splits[at]!.share[placeOf(u, v)]!
    const m = a + (b - a) * w + s * Math.sqrt(3 * w * (1 - w))
    const isLeft = u <= w
    way.push({ level: at, share: w, isLeft })
    if (m - slope > rise) {
      rise = m - slope
      steps = [...way]
    }
    if (isLeft) {
      ;[b, s, u] = [m, s * Math.sqrt(w), u / w]
      v = 1 - u
    } else {
      ;[a, s, v] = [m, s * Math.sqrt(1 - w), v / (1 - w)]
      u = 1 - v
    }
  }
  return { rise, steps }
}

/** The log prices themselves, without growth and rounding. */
export const LOG_PRICES: Pricing = {
  toPrice: log => log,
  widthOf: () => 0,
  away: (log, sign, distance) => log - sign * distance,
  growth: 0,
}
