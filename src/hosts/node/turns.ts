// Spreads steps over turns of the event loop, so that other clients get their answers in between.
import { monotonicMs, setImmediate } from '../real-time.js'

/**
 * Creates the turns of a server. All callbacks between two turns of the event loop share one.
 * @param turnMs time for the steps of one turn. At least one is made
 */
export function createTurns(turnMs: number) {
  const waiting: (() => unknown)[] = []
  let beganAt: number | undefined
  let isScheduled = false
  const isOver = (): boolean => monotonicMs() - beganAt! >= turnMs
  const schedule = (): void => {
    if (!isScheduled) setImmediate(turn)
    isScheduled = true
  }
  const turn = (): void => {
    isScheduled = false
    beganAt = monotonicMs()
    try {
      do {
        const step = waiting.shift()
        if (step?.() === false) return void waiting.unshift(step)
      } while (waiting.length > 0 && !isOver())
    } finally {
      beganAt = undefined
      if (waiting.length > 0) schedule()
    }
  }
  return {
    /** Whether this turn has lasted long enough. */
    isOver,
    /** Whether no step waits and this turn has time: a step can then be made at once. */
    hasTime(): boolean {
      if (beganAt === undefined) schedule()
      beganAt ??= monotonicMs()
      return waiting.length === 0 && !isOver()
    },
    /** Makes a step in a later turn, behind those that wait. One that returns false is first in the next turn as well. */
    queue(step: () => unknown): void {
      waiting.push(step)
      schedule()
    },
  }
}
