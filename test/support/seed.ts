// The seed of all property tests, so that failures can be repeated.
import fc from 'fast-check'

/** Set `PROPERTY_SEED` to search elsewhere. */
export const PROPERTY_SEED = Number(process.env.PROPERTY_SEED ?? 42)

/** Whether this is the full run, which has time for more. */
export const IS_FULL_RUN = Boolean(process.env.FULL_RUN)

type Arbitraries<Ts extends readonly unknown[]> = readonly [...{ readonly [K in keyof Ts]: fc.Arbitrary<Ts[K]> }]
/** How often a property is tried; of two numbers, the second is that of the full run. */
type Runs = number | readonly [number, number]

/** Expects something of arbitrary values, 100 times or as often as given; fast-check prints seed and path of a failure. */
export function check<Ts extends readonly unknown[]>(of: Arbitraries<Ts>, holds: (...values: Ts) => void): void
export function check<Ts extends readonly unknown[]>(
  of: Arbitraries<Ts>,
  runs: Runs,
  holds: (...values: Ts) => void,
): void
export function check(of: readonly fc.Arbitrary<unknown>[], ...rest: readonly unknown[]): void {
  const [short, full = short] = [rest.length > 1 ? (rest[0] as Runs) : 100].flat() as [number, number?]
  const property = fc.property(...([...of, rest.at(-1)] as Parameters<typeof fc.property<[unknown]>>))
  fc.assert(property, { seed: PROPERTY_SEED, numRuns: IS_FULL_RUN ? full : short })
}

/** Runs an asynchronous property with the common seed. */
export async function checkAsync<T>(property: fc.IAsyncProperty<T>, numRuns = 100): Promise<void> {
  await fc.assert(property, { seed: PROPERTY_SEED, numRuns })
}
