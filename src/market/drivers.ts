// Drivers: named sources of randomness, each with a feed's share in it. Feeds that share a driver move together by it.
import { keysOf, uniformOf } from './random.js'

/** The sum of a feed's drivers as a function of time. */
export interface Noise {
  /** The sum over the drivers of volatility × a uniform number in [−1, 1), for a scattered second. */
  at(scattered: number): number
  /** The bound of `at`: no value exceeds it, nor falls below its negative. */
  readonly bound: number
}

/**
 * Creates the noise of some drivers.
 * @param drivers annualised volatility by name, at least one; negative moves against the driver
 */
export function createNoise(seed: string, drivers: Readonly<Record<string, number>>): Noise {
  const names = Object.keys(drivers)
  const count = names.length
  const keys = names.map(name => keysOf(seed, name))
  // Typed arrays keep the numbers unboxed: this is the innermost loop of the market.
  const k1 = Int32Array.from(keys, key => key.k1)
  const k2 = Int32Array.from(keys, key => key.k2)
  const vol = Float64Array.from(names, name => drivers[name]!)
  const bound = vol.reduce((sum, share) => sum + Math.abs(share), 0)
  const at = (scattered: number): number => {
    let sum = 0
    for (let i = 0; i < count; i++) sum += vol[i]! * uniformOf(k1[i]!, k2[i]!, scattered)
    return sum
  }
  return { at, bound }
}
