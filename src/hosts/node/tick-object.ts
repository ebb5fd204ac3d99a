// Keeps one object of Node's tick queue alive, because requests would otherwise cost half as much again.
import { executionAsyncResource } from 'node:async_hooks'

/** The object that is kept. */
export const kept: object[] = []

/**
 * Keeps one of the objects that `process.nextTick` creates. Node creates several per request. If a garbage collection finds none
 * alive, V8 frees their hidden class and from then on creates each of them by slow calls into its runtime.
 */
export function keepTickObject(): void {
  process.nextTick(() => {
    if (kept.length === 0) kept.push(executionAsyncResource())
  })
}
