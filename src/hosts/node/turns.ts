// Spreads the answers to requests that arrive together over turns of the event loop, so that other clients get theirs in between.
import { monotonicMs, setImmediate } from '../real-time.js'

/** The turns of a server. */
export interface Turns {
  /** Begins a callback that answers requests. */
  begin(): void
  /** Calls back now, or in a later turn if this one has lasted long enough. The order of the calls is kept. */
  run(answer: () => void): void
}

/**
 * Creates the turns of a server.
 * @param turnMs time for the answers of one turn. At least one is given
 */
export function createTurns(turnMs: number): Turns {
  const waiting: (() => void)[] = []
  let beganAt = 0
  const begin = (): void => {
    beganAt = monotonicMs()
  }
  const isOver = (): boolean => monotonicMs() - beganAt >= turnMs
  const turn = (): void => {
    begin()
    try {
      do waiting.shift()!()
      while (waiting.length > 0 && !isOver())
    } finally {
      if (waiting.length > 0) setImmediate(turn)
    }
  }
  return {
    begin,
    run(answer) {
      if (waiting.length === 0 && !isOver()) return answer()
      if (waiting.push(answer) === 1) setImmediate(turn)
    },
  }
}
