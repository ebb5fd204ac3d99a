// The real milliseconds that hosts wait on purpose: each host tells them here, so that they can be compared without being waited for.
import type * as Timers from '../../../src/hosts/timers.js'

/** The waits that were begun, in order. The host in process tells those that an outcome asks for. */
export const waited: number[] = []

/** The timers of hosts, for `vi.mock`: whatever is waited for is told and then over at once. */
export function hurried({ after, wait }: typeof Timers): typeof Timers {
  return {
    after(ms, callback) {
      waited.push(ms)
      return after(0, callback)
    },
    wait(ms, signal) {
      waited.push(ms)
      return wait(0, signal)
    },
  }
}
