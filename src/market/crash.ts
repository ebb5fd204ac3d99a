// The course of a crash: decline, overshoot with wicks, partial rebound. Points are computed once, so a look-up takes O(log n) and the
// bounds of any part of it as well, for n of at most 2,049 points (about 100 kB).
import type { PriceTransform } from './price-transform.js'
import { keysOf, scatter, uniformOf } from './random.js'

/** The parameters of a crash; times in seconds. */
export interface CrashOptions {
  /** The deepest fall, as a part of the price; negative for a spike upwards. */
  readonly depth: number
  readonly fall: number
  readonly bottom: number
  readonly recovery: number
  /** The part of the fall that is regained, in log prices. */
  readonly rebound: number
  readonly seed: number
}

/** The course of a crash, by seconds since its start. */
export interface Crash {
  /** The factor on prices: 1 at the start, in straight lines between points, constant after the last one. */
  factorAt(passed: number): number
  /** The lowest and the highest factor in `from … to`, both included. */
  range(from: number, to: number): readonly [low: number, high: number]
  /** The additional trade until then, in seconds of mean trade. It never falls. */
  tradedBy(passed: number): number
}

/** The number of segments of each phase, unless the phase has fewer seconds. */
const SEGMENTS = { fall: 512, bottom: 512, recovery: 1024 }
/** The part of the fall that is left when the panic is over: the rest was overshoot. */
const SETTLED = 0.78
/** No point but the lowest one is as low. */
const ALMOST = 0.985
/** The limit of noise on the other side of the start. */
const ABOVE = -0.15
/** The noise in units of the fall; its standard deviation is half of it in the middle. */
const NOISE = 0.3
/** One point in so many is a wick. */
const WICKS = 24
/** Additional trade at the height of the crash, in multiples of the mean. */
const SURGE = 4

/**
 * A point: seconds since the start, the part of the fall (1 is the lowest price), and the excitement of the market from 0 to 1.
 * The noise rises earlier and decays later than the trade: a smooth decline would look drawn with a ruler.
 */
interface Point {
  readonly at: number
  readonly part: number
  readonly panic: number
  readonly noise: number
}

/** Creates the course of a crash. */
export function createCrash(options: CrashOptions): Crash {
  const points = pointsOf(options)
  const offsets = Float64Array.from(points, ({ at }) => at)
  const factors = factorsOf(points, options)
  const trade = tradeOf(points)
  const tree = createRangeTree(factors)
  const last = offsets.length - 1
  const end = offsets[last]!

  /** The index of the first point after a second. */
  const after = (passed: number): number => {
    if (passed < 0) return 0
    if (passed >= end) return last + 1
    // Written out: a search asks hundreds of thousands of times.
    let [low, high] = [1, last]
    while (low < high) {
      const middle = (low + high) >> 1
      if (offsets[middle]! > passed) high = middle
      else low = middle + 1
    }
    return low
  }
  const between = (values: Float64Array, passed: number, next = after(passed)): number => {
    if (passed <= 0) return values[0]!
    if (passed >= end) return values[last]!
    const [a, b] = [values[next - 1]!, values[next]!]
    const value = a + ((b - a) * (passed - offsets[next - 1]!)) / (offsets[next]! - offsets[next - 1]!)
    // Rounding must not leave the bounds of the segment.
    return Math.min(Math.max(a, b), Math.max(Math.min(a, b), value))
  }

  return {
    factorAt: passed => between(factors, passed),
    range(from, to) {
      const [first, until] = [after(from), after(to)]
      const [a, b] = [between(factors, from, first), between(factors, to, until)]
      const [low, high] = tree(first, until)
      return [Math.min(a, b, low), Math.max(a, b, high)]
    },
    tradedBy: passed => between(trade, passed),
  }
}

/**
 * In each window the prices times the factor of a crash.
 * @param courseOf gives the same course each time. It is not held, because it is large
 */
export function alongCrash(courseOf: () => Crash): PriceTransform {
  /** The range up to a second. Searches ask about the same second again and again. */
  let whole: { readonly latest: number; readonly range: readonly [number, number] } | undefined
  return {
    in: ({ from: start }) => ({
      at: (price, second) => price * courseOf().factorAt(second - start),
      bounds(low, high, from, to) {
        const [least, most] = courseOf().range(from - start, to - start)
        return [low * least, high * most]
      },
    }),
    bounds(low, high, latest) {
      if (whole?.latest !== latest) whole = { latest, range: courseOf().range(0, latest) }
      const [least, most] = whole.range
      return [low * least, high * most]
    },
  }
}

/** The points of all phases. */
function pointsOf({ fall, bottom, recovery, rebound, seed }: CrashOptions): Point[] {
  const bridge = createBridge(seed, 'noise')
  const { k1, k2 } = keysOf(String(seed), 'crash wicks')
  const uniform = (k: number): number => uniformOf(k1, k2, scatter(k))
  const [falls, bottoms, recoveries] = [fall, bottom, recovery].map((length, i) =>
    Math.min(length, Object.values(SEGMENTS)[i]!),
  ) as [number, number, number]
  const count = falls + bottoms + recoveries
  const [down, up] = [bridge(falls, 0), bridge(bottoms + recoveries, falls)]

  const partAt = (k: number): Point => {
    if (k <= falls) {
      const x = k / falls
      return { at: Math.floor((fall * k) / falls), part: 0.3 * x + 0.7 * x * x * x, panic: x * x, noise: x }
    }
    if (k <= falls + bottoms) {
      const x = (k - falls) / bottoms
      const left = (1 - x) * (1 - x) * (1 - x)
      const at = fall + Math.floor((bottom * (k - falls)) / bottoms)
      return { at, part: SETTLED + (1 - SETTLED) * left, panic: 1, noise: 1 }
    }
    const step = k - falls - bottoms
    const x = step / recoveries
    const left = (1 - x) * (1 - x)
    const part = 1 - rebound + (SETTLED - (1 - rebound)) * left
    return { at: fall + bottom + Math.floor((recovery * step) / recoveries), part, panic: left, noise: 1 - x }
  }
  const points: Point[] = []
  for (let k = 0; k <= count; k++) {
    const point = partAt(k)
    const { part, panic } = point
    // The start, the lowest point and the end are exact.
    if (k === 0 || k === falls || k === count) {
      points.push(point)
      continue
    }
    const noisy = part + NOISE * point.noise * (k < falls ? down[k]! : up[k - falls]!)
    // Reflected: prices that were cut off would stand still at the limit.
    const moved = noisy > ALMOST ? 2 * ALMOST - noisy : noisy
    const isWick = (uniform(2 * k) + 1) * WICKS < 2
    const size = uniform(2 * k + 1)
    // Three wicks in four go on in the direction of the crash.
    const wick = isWick ? panic * (size > -0.5 ? 0.1 + 0.2 * size * size : -0.15) : 0
    points.push({ ...point, part: Math.min(ALMOST, Math.max(ABOVE, moved + wick)) })
  }
  return points
}

/** Creates bridges from 0 to 0 over so many steps, by midpoint displacement; the variance of all steps is 1. */
function createBridge(seed: number, name: string): (steps: number, key: number) => Float64Array {
  const { k1, k2 } = keysOf(String(seed), `crash ${name}`)
  return (steps, key) => {
    const values = new Float64Array(steps + 1)
    const fill = (from: number, to: number): void => {
      if (to - from < 2) return
      const middle = (from + to) >> 1
      const share = (middle - from) / (to - from)
      const variance = (share * (to - middle)) / steps
      const displaced = Math.sqrt(3 * variance) * uniformOf(k1, k2, scatter(key + middle))
      values[middle] = values[from]! + (values[to]! - values[from]!) * share + displaced
      fill(from, middle)
      fill(middle, to)
    }
    fill(0, steps)
    return values
  }
}

/** The number of square roots, and of squarings, in a power. */
const ROOTS = 20

/** The factors of points: (1 − depth)^part up to a small error, by square roots and squarings, which are the same in every engine. */
function factorsOf(points: readonly Point[], { depth }: CrashOptions): Float64Array {
  let root = 1 - depth
  for (let i = 0; i < ROOTS; i++) root = Math.sqrt(root)
  return Float64Array.from(points, ({ part }) => {
    if (part === 1) return 1 - depth
    let factor = 1 + part * (root - 1)
    for (let i = 0; i < ROOTS; i++) factor *= factor
    return factor
  })
}

/** The additional trade until each point: more where prices move more. */
function tradeOf(points: readonly Point[]): Float64Array {
  const speeds = points.slice(1).map(({ at, part }, i) => Math.abs(part - points[i]!.part) / (at - points[i]!.at))
  const weighed = speeds.reduce((sum, speed, i) => sum + speed * points[i]!.panic, 0)
  const usual = weighed / points.reduce((sum, { panic }) => sum + panic, 0)
  const trade = new Float64Array(points.length)
  for (let i = 0; i < speeds.length; i++) {
    const { at, panic } = points[i + 1]!
    const excess = SURGE * panic * (0.5 + 0.5 * Math.min(6, speeds[i]! / usual))
    trade[i + 1] = trade[i]! + excess * (at - points[i]!.at)
  }
  return trade
}

/** Creates a look-up of the lowest and the highest of the values from one index to another, the latter excluded. */
function createRangeTree(values: Float64Array): (from: number, until: number) => readonly [low: number, high: number] {
  const size = values.length
  const lows = new Float64Array(2 * size)
  const highs = new Float64Array(2 * size)
  lows.set(values, size)
  highs.set(values, size)
  for (let i = size - 1; i > 0; i--) {
    lows[i] = Math.min(lows[2 * i]!, lows[2 * i + 1]!)
    highs[i] = Math.max(highs[2 * i]!, highs[2 * i + 1]!)
  }
  return (from, until) => {
    let low = Number.POSITIVE_INFINITY
    let high = Number.NEGATIVE_INFINITY
    for (let a = from + size, b = until + size; a < b; a >>= 1, b >>= 1) {
      if (a & 1) {
        low = Math.min(low, lows[a]!)
        high = Math.max(high, highs[a++]!)
      }
      if (b & 1) {
        low = Math.min(low, lows[--b]!)
        high = Math.max(high, highs[b]!)
      }
    }
    return [low, high]
  }
}
