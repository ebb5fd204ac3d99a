// Spreads steps over turns of the event loop, so that other clients get their answers in between.
import type { LookUps, RunInTurns } from '../../service/market-stage.js'
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

/** Time for look-ups in each turn of the event loop. */
const TURN_MS = 10

/**
 * Creates a runner of the requests of a server. It makes one request at a time, the oldest first, so that only one holds results.
 * @param turnMs time for look-ups in each turn. At least one is made
 */
export function createLongRequests(turnMs = TURN_MS): RunInTurns {
  const turns = createTurns(turnMs)
  /** The sessions of the requests that wait. */
  const waiting: object[] = []
  const makeAll = (lookUps: Pick<LookUps, 'makeNext'> | undefined): boolean => {
    while (lookUps?.makeNext()) if (turns.isOver()) return false
    return true
  }
  return (session, lookUps, step) => {
    let begun: { readonly own: ReturnType<NonNullable<typeof lookUps>> } | undefined
    // Behind a request of its session its look-ups may be other ones by then.
    if (!waiting.includes(session)) {
      begun = { own: lookUps?.() }
      if (begun.own === undefined) return step()
      if (turns.hasTime() && makeAll(begun.own)) return step(begun.own)
    }
    waiting.push(session)
    return new Promise((resolve, reject) => {
      turns.queue(() => {
        try {
          begun ??= { own: lookUps?.() }
          if (!makeAll(begun.own)) return false
          resolve(step(begun.own))
        } catch (error) {
          reject(error)
        }
        waiting.shift()
        return true
      })
    })
  }
}

/** Goes on with a result: at once if it is there, since a promise costs more than most answers. */
export function andThen<T, U>(result: T | Promise<T>, goOn: (result: T) => U | Promise<U>): U | Promise<U> {
  return result instanceof Promise ? result.then(goOn) : goOn(result)
}
