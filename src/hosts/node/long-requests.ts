// Spreads the work of a long request over turns of the event loop, so that other clients get their answers in between.
import { PAUSED, type Pauses } from '../../service/pauses.js'
import { monotonicMs, setImmediate } from '../real-time.js'

/** Time for the answers of one callback. */
const TURN_MS = 80
/** The requests whose look-ups are kept while they wait. Further ones begin again when it is their turn. */
const MAX_KEPT = 8

/** The long requests of a server. */
export interface LongRequests {
  /**
   * Begins a callback that makes answers.
   * @param now real milliseconds since any fixed time
   */
  begin(now: number): void
  /** Makes an answer, now or, if that takes long, in later turns. One goes on at a time, the oldest. */
  run<T>(attempt: (pauses: Pauses) => T): T | Promise<T>
}

interface Unfinished {
  readonly pauses: Pauses
  /** Tries again. Throws PAUSED if it takes another turn. */
  goOn(): void
  fail(error: unknown): void
}

/**
 * Creates the long requests of a server.
 * @param turnMs time for the answers of one callback. At least one look-up is made
 */
export function createLongRequests(turnMs = TURN_MS): LongRequests {
  const waiting: Unfinished[] = []
  let beganAt = 0
  const begin = (now: number): void => {
    beganAt = now
  }
  const isDue = (): boolean => monotonicMs() - beganAt >= turnMs
  const turn = (): void => {
    begin(monotonicMs())
    const { pauses, goOn, fail } = waiting[0]!
    try {
      goOn()
      end(pauses)
    } catch (error) {
      if (error !== PAUSED) {
        end(pauses)
        fail(error)
      }
    }
    if (pauses.hasEnded) waiting.shift()
    if (waiting.length > 0) setImmediate(turn)
  }

  return {
    begin,
    run<T>(attempt: (pauses: Pauses) => T): T | Promise<T> {
      const pauses: Pauses = { arrivedAt: beganAt, isDue, hasEnded: false }
      try {
        const result = attempt(pauses)
        end(pauses)
        return result
      } catch (error) {
        if (error !== PAUSED) {
          end(pauses)
          throw error
        }
      }
      if (waiting.length >= MAX_KEPT) pauses.progress?.lookUps?.clear()
      return new Promise((resolve, reject) => {
        const goOn = (): void => resolve(attempt(pauses))
        if (waiting.push({ pauses, goOn, fail: reject }) === 1) setImmediate(turn)
      })
    },
  }
}

/** Ends a request. Its session keeps the object until the next one. */
function end(pauses: Pauses): void {
  pauses.hasEnded = true
  pauses.progress = undefined
}

/** Goes on with a result: at once if it is there, since a promise costs more than most answers. */
export function andThen<T, U>(result: T | Promise<T>, goOn: (result: T) => U | Promise<U>): U | Promise<U> {
  return result instanceof Promise ? result.then(goOn) : goOn(result)
}
