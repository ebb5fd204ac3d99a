// The seed of all property tests, so that failures can be repeated.
import fc from 'fast-check'

/** Set `PROPERTY_SEED` to search elsewhere. */
export const PROPERTY_SEED = Number(process.env.PROPERTY_SEED ?? 42)

/** Runs a property with the common seed; fast-check prints seed and path of a failure. */
export function check<T>(property: fc.IProperty<T>, numRuns = 100): void {
  fc.assert(property, { seed: PROPERTY_SEED, numRuns })
}

/** `check` for an asynchronous property. */
export async function checkAsync<T>(property: fc.IAsyncProperty<T>, numRuns = 100): Promise<void> {
  await fc.assert(property, { seed: PROPERTY_SEED, numRuns })
}
