// The course of a crash: decline, overshoot with wicks, partial rebound. Points are computed once, so a look-up takes O(log n) and the
// bounds of any part of it as well, for n of at most 2,049 points (about 100 kB).
import { createPriceTree, indexAfter } from './lookups.js'
import { type PricePath, untracked } from './path.js'
import type { PriceTransform } from './price-transform.js'
import { keysOf, scatter, uniformOf } from './random.js'
import type { Window } from './windows.js'

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
  /**
   * The fall of a feed for that of the market, in log prices.
   * @default 1
   */
  readonly beta?: number
  /** The name of a feed that has a fifth of its noise for itself. */
  readonly own?: string
}

/** The course of a crash, by seconds since its start. */
export interface Crash {
  readonly options: CrashOptions
  /** No factor of any seed is lower, none is higher. */
  readonly limits: readonly [low: number, high: number]
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
/** The part of the variance of the noise that a feed with noise of its own has for itself. */
const OWN = 0.2
/** At the lowest price, moves of the feed itself are larger by so many times. Aftershocks decay from there, as a power of time. */
const EXCITED = 5
/** Aftershocks end after so many times the length of the crash. */
const AFTERSHOCKS = 30
/** No aftershock leaves less of a price. */
const LEAST = 0.25
const SECONDS_PER_DAY = 86_400
/** The knots of a part that are looked at for its bounds. */
const MAX_KNOTS = 8
/** Additional trade at the height of the crash, in multiples of the mean. */
const SURGE = 4

/**
 * A point: seconds since the start, the part of the fall (1 is the lowest price), and the excitement of the market from 0 to 1.
 * The noise rises earlier and decays later than the trade: a smooth decline would look drawn with a ruler.
 */
type Point = Readonly<Record<'at' | 'part' | 'panic' | 'noise', number>>

/** Creates the course of a crash. */
export function createCrash(options: CrashOptions): Crash {
  const points = pointsOf(options)
  const offsets = Float64Array.from(points, ({ at }) => at)
  const [one, other] = factorsOf([{ part: ABOVE }, { part: 1 }], options)
  const factors = factorsOf(points, options)
  const trade = tradeOf(points)
  const shocksTradedBy = shockTradeOf(options)
  const tree = createPriceTree(factors)
  const last = offsets.length - 1
  const end = offsets[last]!
  const settled = [factors[last]!, factors[last]!] as const

  const after = (passed: number): number => indexAfter(offsets, passed)
  const between = (values: Float64Array, passed: number, index?: number): number => {
    if (passed <= 0) return values[0]!
    if (passed >= end) return values[last]!
    const next = index ?? after(passed)
    const [a, b] = [values[next - 1]!, values[next]!]
    const value = a + ((b - a) * (passed - offsets[next - 1]!)) / (offsets[next]! - offsets[next - 1]!)
    // Rounding must not leave the bounds of the segment.
    return Math.min(Math.max(a, b), Math.max(Math.min(a, b), value))
  }

  return {
    options,
    limits: [Math.min(one!, other!), Math.max(one!, other!)],
    factorAt: passed => between(factors, passed),
    range(from, to) {
      if (from >= end) return settled
      const [first, until] = [after(from), after(to)]
      const [a, b] = [between(factors, from, first), between(factors, to, until)]
      if (first === until) return [Math.min(a, b), Math.max(a, b)]
      const [low, high] = [factors[tree.lowest(first, until - 1)]!, factors[tree.highest(first, until - 1)]!]
      return [Math.min(a, b, low), Math.max(a, b, high)]
    },
    tradedBy: passed => between(trade, passed) + shocksTradedBy(passed),
  }
}

/** How much larger the moves of the feed itself are: it rises until the lowest price, and falls from there. */
export function excitementAt({ fall, bottom, recovery }: CrashOptions, passed: number): number {
  if (passed <= 0) return 0
  if (passed < fall) return EXCITED * (passed / fall) * (passed / fall)
  const left = 1 - (passed - fall) / (AFTERSHOCKS * (fall + bottom + recovery))
  return left <= 0 ? 0 : (EXCITED / Math.sqrt(1 + (4 * (passed - fall)) / recovery)) * left
}

/** The knots around a second of a crash: its phases, in parts of a day at most, and then parts of its length. */
function knotsAround({ fall, bottom, recovery }: CrashOptions, passed: number): readonly [number, number] {
  const end = fall + bottom + recovery
  const [start, length] =
    passed < fall ? [0, fall] : passed < end ? [fall, end - fall] : [end, Number.POSITIVE_INFINITY]
  const width = length < SECONDS_PER_DAY ? length : Math.min(SECONDS_PER_DAY, end)
  const from = start + Math.floor((passed - start) / width) * width
  return [from, Math.min(start + length, from + width)]
}

/**
 * In each window the prices times the factor of a crash, and times that of its aftershocks: those enlarge the distance of the price
 * from straight lines between its knots.
 * @param courseOf by window; it gives the same course each time. That is not held, because it is large
 * @param market the path without other changes, which may be `path` itself: aftershocks are those of its prices. Without it there are none
 */
export function alongCrash(
  courseOf: (window?: Window) => () => Crash,
  path: PricePath,
  market?: PricePath,
): PriceTransform {
  const base = untracked(market ?? path)
  const isBase = untracked(path) === base
  const excitementIn = (options: CrashOptions, passed: number): number =>
    market === undefined ? 0 : excitementAt(options, passed)
  const priceAt = (second: number): number => base.at(base.lastTick(second) ?? base.nextTick(second)!)
  const shock = (excitement: number, slow: number, price: number): number =>
    Math.max(LEAST, 1 + excitement * (1 - slow / price))
  return {
    in(window) {
      const start = window.from
      const course = courseOf(window)
      const { options } = course()
      let [first, last, a, b] = [0, 0, 0, 0]
      /** The price on the straight line between two knots. */
      const slowAt = (passed: number): number => {
        if (!(passed >= first && passed < last)) {
          ;[first, last] = knotsAround(options, passed)
          ;[a, b] = [priceAt(start + first), priceAt(start + last)]
        }
        const slow = a + ((b - a) * (passed - first)) / (last - first)
        return Math.min(Math.max(a, b), Math.max(Math.min(a, b), slow))
      }
      return {
        at(price, second) {
          const passed = second - start
          const changed = price * course().factorAt(passed)
          const excitement = excitementIn(options, passed)
          return excitement === 0
            ? changed
            : changed * shock(excitement, slowAt(passed), isBase ? price : priceAt(second))
        },
        bounds(low, high, from, to) {
          const [since, until] = [from - start, to - start]
          const [least, most] = course().range(since, until)
          const [one, other] = [excitementIn(options, since), excitementIn(options, until)]
          const isPeak = market !== undefined && since < options.fall && until > options.fall
          const [calmest, wildest] = [Math.min(one, other), isPeak ? EXCITED : Math.max(one, other)]
          if (wildest === 0) return [low * least, high * most]
          let lowest = slowAt(since)
          let highest = lowest
          const include = (price: number): void => {
            lowest = Math.min(lowest, price)
            highest = Math.max(highest, price)
          }
          for (let i = 0; i < MAX_KNOTS && last <= until; i++) include(slowAt(last))
          const rest = last <= until ? rangeIn(base, start + last, to + SECONDS_PER_DAY) : [slowAt(until)]
          for (const price of rest) include(price)
          const [bottom, top] = isBase ? [low, high] : rangeIn(base, from, to)
          return [
            low * least * Math.min(shock(calmest, highest, bottom), shock(wildest, highest, bottom)),
            high * most * Math.max(shock(calmest, lowest, top), shock(wildest, lowest, top)),
          ]
        },
      }
    },
    bounds(low, high, _latest, { from, to }) {
      const [least, most] = courseOf()().limits
      if (market === undefined) return [low * least, high * most]
      const prices = rangeIn(base, from, to + SECONDS_PER_DAY)
      const [lowest, highest] = [Math.min(...prices), Math.max(...prices)]
      return [low * least * shock(EXCITED, highest, lowest), high * most * shock(EXCITED, lowest, highest)]
    },
  }
}

/** The lowest and the highest price that a path has in `from … to`, or shortly before. */
function rangeIn(path: PricePath, from: number, to: number): readonly [number, number] {
  const tick = path.lastTick(from) ?? path.nextTick(from)!
  const range = path.extremes(tick, to, true)!
  return [range.low.price, range.high.price]
}

function pointsOf({ fall, bottom, recovery, rebound, seed, own }: CrashOptions): Point[] {
  const bridges = [createBridge(seed, 'noise'), ...(own === undefined ? [] : [createBridge(seed, `noise of ${own}`)])]
  const { k1, k2 } = keysOf(String(seed), 'crash wicks')
  const uniform = (k: number): number => uniformOf(k1, k2, scatter(k))
  const [falls, bottoms, recoveries] = [fall, bottom, recovery].map((length, i) =>
    Math.min(length, Object.values(SEGMENTS)[i]!),
  ) as [number, number, number]
  const count = falls + bottoms + recoveries
  const bridge = (steps: number, key: number): Float64Array => {
    const [shared, alone] = bridges.map(create => create(steps, key)) as [Float64Array, Float64Array | undefined]
    if (alone === undefined) return shared
    return shared.map((value, k) => Math.sqrt(1 - OWN) * value + Math.sqrt(OWN) * alone[k]!)
  }
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
function factorsOf(points: readonly Pick<Point, 'part'>[], { depth, beta = 1 }: CrashOptions): Float64Array {
  let root = 1 - depth
  for (let i = 0; i < ROOTS; i++) root = Math.sqrt(root)
  return Float64Array.from(points, ({ part }) => {
    if (part === 1 && beta === 1) return 1 - depth
    let factor = 1 + part * beta * (root - 1)
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

/** Segments of the trade of aftershocks: long ones where they are small. */
const SHOCK_SEGMENTS = 64

/** The additional trade of aftershocks by seconds since the start: by how much moves are larger. */
function shockTradeOf(options: CrashOptions): (passed: number) => number {
  const { fall, bottom, recovery } = options
  const length = AFTERSHOCKS * (fall + bottom + recovery)
  const atOf = (i: number): number => (length * i * i) / (SHOCK_SEGMENTS * SHOCK_SEGMENTS)
  const trade = new Float64Array(SHOCK_SEGMENTS + 1)
  // Until the lowest price the excitement is that times the square of the way.
  trade[0] = (EXCITED * fall) / 3
  for (let i = 0; i < SHOCK_SEGMENTS; i++) {
    trade[i + 1] = trade[i]! + excitementAt(options, fall + atOf(i + 1)) * (atOf(i + 1) - atOf(i))
  }
  return passed => {
    if (passed <= fall) return passed <= 0 ? 0 : (passed / fall) * (passed / fall) * (passed / fall) * trade[0]!
    if (passed >= fall + length) return trade[SHOCK_SEGMENTS]!
    const i = Math.min(SHOCK_SEGMENTS - 1, Math.floor(SHOCK_SEGMENTS * Math.sqrt((passed - fall) / length)))
    const share = Math.min(1, Math.max(0, (passed - fall - atOf(i)) / (atOf(i + 1) - atOf(i))))
    return trade[i]! + (trade[i + 1]! - trade[i]!) * share
  }
}
