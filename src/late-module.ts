// A module that loads on first use. A failed load is an error of its own, and the next use tries again. Node 20 repeats the failure
// all the same: it keeps failed modules, and a query in the URL would load only the module anew, not what it imports.
import { PriceFeedMockError } from './errors.js'

/**
 * Wraps the import of a module.
 * @param purpose the things that need the module, in the plural
 * @param load imports it
 * @returns a function that loads the module once and rejects with MODULE_UNAVAILABLE while that fails
 */
export function createLateModule<T>(purpose: string, load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load().catch(cause => {
      loaded = undefined
      const got = String(cause?.code ?? cause)
      throw new PriceFeedMockError('MODULE_UNAVAILABLE', `${purpose} cannot be loaded.`, { cause, got })
    })
    return loaded
  }
}
