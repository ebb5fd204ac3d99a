// Spreads the answers to requests that arrive together over turns of the event loop, so that other clients get theirs in between.

/** Saved, so that fake timers of a test cannot stop them. */
const { setImmediate: onNextTurn } = globalThis
const { nextTick: afterCallback } = process

/** The turns of a server. */
export interface Turns {
  /**
   * Calls back now, or in a later turn if this one has lasted long enough. The order of the calls is kept.
   * @param overtakes whether the first call of a turn is made at once, also before those that wait
   */
  run(answer: () => void, overtakes?: boolean): void
}

/**
 * Creates the turns of a server.
 * @param turnMs time for the answers of one turn. At least one is given
 */
export function createTurns(turnMs: number): Turns {
  const waiting: (() => void)[] = []
  /** Whether the callback since `beganAt` has not ended: all requests of one read are in one. */
  let hasBegun = false
  let beganAt = 0
  const end = (): void => {
    hasBegun = false
  }
  const begin = (): void => {
    hasBegun = true
    beganAt = performance.now()
    afterCallback(end)
  }
  const isOver = (): boolean => performance.now() - beganAt >= turnMs
  const turn = (): void => {
    begin()
    try {
      do waiting.shift()!()
      while (waiting.length > 0 && !isOver())
    } finally {
      if (waiting.length > 0) onNextTurn(turn)
    }
  }
  return {
    run(answer, overtakes = false) {
      const isFirst = !hasBegun
      if (isFirst) begin()
      if (isFirst && overtakes) return answer()
      if (waiting.length === 0 && (isFirst || !isOver())) return answer()
      if (waiting.push(answer) === 1) onNextTurn(turn)
    },
  }
}
