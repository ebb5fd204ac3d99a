// The seed of all property tests, so that failures can be repeated.
import fc from 'fast-check'

/** Set `PROPERTY_SEED` to search elsewhere. */
export const PROPERTY_SEED = Number(process.env.PROPERTY_SEED ?? 42)

/** Whether this is the full run, which has time for more. */
export const IS_FULL_RUN = Boolean(process.env.FULL_RUN)

/** Runs a property with the common seed; fast-check prints seed and path of a failure. */
export function check<T>(property: fc.IProperty<T>, numRuns = 100, numRunsInFull = numRuns): void {
  fc.assert(property, { seed: PROPERTY_SEED, numRuns: IS_FULL_RUN ? numRunsInFull : numRuns })
}

/** `check` for an asynchronous property. */
export async function checkAsync<T>(property: fc.IAsyncProperty<T>, numRuns = 100): Promise<void> {
  await fc.assert(property, { seed: PROPERTY_SEED, numRuns })
}
