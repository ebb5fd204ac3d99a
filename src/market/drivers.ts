// Drivers: named sources of randomness, each with a feed's share in it. Feeds that share a driver move together by it.
import { keysOf, uniformOf } from './random.js'

/** The sum of a feed's drivers as a function of time. */
export interface Noise {
  /** The sum over the drivers of volatility × a uniform number in [−1, 1), for a scattered second. */
  at(scattered: number): number
  /** The bound of `at`: no value exceeds it, nor falls below its negative. */
  readonly bound: number
  /** The volatility of each driver. */
  readonly volatilities: Float64Array
  /** Two keys of each driver, as `uniformOf` takes them. */
  readonly keys: Int32Array
}

/**
 * Creates the noise of some drivers.
 * @param drivers annualised volatility by name, at least one; negative moves against the driver
 */
export function createNoise(seed: string, drivers: Readonly<Record<string, number>>): Noise {
  const names = Object.keys(drivers)
  const count = names.length
  // Typed arrays keep the numbers unboxed: this is the innermost loop of the market.
  const keys = Int32Array.from(
    names.flatMap(name => {
      const { k1, k2 } = keysOf(seed, name)
      return [k1, k2]
    }),
  )
  const volatilities = Float64Array.from(names, name => drivers[name]!)
  const bound = volatilities.reduce((sum, share) => sum + Math.abs(share), 0)
  const at = (scattered: number): number => {
    let sum = 0
    for (let i = 0; i < count; i++) sum += volatilities[i]! * uniformOf(keys[2 * i]!, keys[2 * i + 1]!, scattered)
    return sum
  }
  return { at, bound, volatilities, keys }
}
