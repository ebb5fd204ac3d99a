// Records the real milliseconds of deliberate waits instead of waiting, so that tests can compare them.
import type * as Timers from '../../../src/hosts/real-time.js'

/** The waits in order. The host in process records the waits of its outcomes. */
export const waited: number[] = []

/** Timers of hosts for `vi.mock`: each wait is recorded and ends at once. */
export function hurried(timers: typeof Timers): typeof Timers {
  const { after, wait } = timers
  return {
    ...timers,
    after(ms, callback) {
      waited.push(ms)
      return after(0, callback)
    },
    wait(ms, signal, released) {
      if (ms === undefined) return wait(ms, signal, released)
      waited.push(ms)
      return wait(0, signal)
    },
  }
}
