// A module that loads on first use. A failed load is an error of its own, and the next use tries again.
import { PriceFeedMockError } from './errors.js'

/**
 * Wraps the import of a module.
 * @param purpose the things that need the module, in the plural
 * @param load imports it; `attempt` counts from 1
 * @returns a function that loads the module once and rejects with MODULE_UNAVAILABLE while that fails
 */
export function createLateModule<T>(purpose: string, load: (attempt: number) => Promise<T>): () => Promise<T> {
  let attempt = 0
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load(++attempt).catch(cause => {
      loaded = undefined
      const { code, message } = (cause ?? {}) as { readonly code?: unknown; readonly message?: unknown }
      throw new PriceFeedMockError('MODULE_UNAVAILABLE', `${purpose} are unavailable: a module cannot be loaded.`, {
        cause,
        details: [
          ['got', String(code ?? message ?? cause).split('\n', 1)[0]!],
          ['fix', 'repeat the request; restart the server if the packages have been replaced'],
        ],
      })
    })
    return loaded
  }
}
