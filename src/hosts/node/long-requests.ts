// Spreads the look-ups of long requests over turns of the event loop, so that other clients get their answers in between.
import type { LookUps, RunInTurns } from '../../service/market-stage.js'
import { monotonicMs, setImmediate } from '../real-time.js'

/** Time for look-ups in each turn of the event loop. */
const TURN_MS = 10

/** A request that waits for its look-ups, or for those of an earlier one of its session. */
interface Waiting {
  readonly session: object
  readonly begin: () => LookUps | undefined
  readonly finish: (made: LookUps | undefined) => void
  readonly fail: (error: unknown) => void
}

/**
 * Creates a runner of the requests of a server. It makes one request at a time, the oldest first, so that only one holds results.
 * @param turnMs time for look-ups in each turn. At least one is made
 */
export function createLongRequests(turnMs = TURN_MS): RunInTurns {
  const waiting: Waiting[] = []
  /** The look-ups of the oldest request that waits, once they have begun. */
  let begun: LookUps | undefined
  let beganAt: number | undefined
  const isOver = (): boolean => monotonicMs() - beganAt! >= turnMs
  /** Makes look-ups until the turn is over. Returns whether all are made. */
  const makeAll = (lookUps: LookUps): boolean => {
    while (lookUps.makeNext()) if (isOver()) return false
    return true
  }
  const begin = (): void => {
    beganAt = monotonicMs()
    setImmediate(turn)
  }
  const turn = (): void => {
    beganAt = undefined
    if (waiting.length === 0) return
    begin()
    do {
      const { begin, finish, fail } = waiting[0]!
      try {
        begun ??= begin()
        if (begun !== undefined && !makeAll(begun)) return
        finish(begun)
      } catch (error) {
        fail(error)
      }
      begun = undefined
      waiting.shift()
    } while (waiting.length > 0 && !isOver())
  }

  return <T>(session: object, lookUps: () => LookUps | undefined, step: (made?: LookUps) => T): T | Promise<T> => {
    let own: LookUps | undefined
    const isBehind = waiting.some(one => one.session === session)
    if (!isBehind) {
      own = lookUps()
      if (own === undefined) return step()
      // All requests of a turn share its time.
      if (beganAt === undefined) begin()
      if (waiting.length === 0 && !isOver() && makeAll(own)) return step(own)
    }
    return new Promise((resolve, reject) => {
      const begin = isBehind ? lookUps : () => own
      waiting.push({ session, begin, finish: made => resolve(step(made)), fail: reject })
    })
  }
}

/** Goes on with a result: at once if it is there, since a promise costs more than most answers. */
export function andThen<T, U>(result: T | Promise<T>, goOn: (result: T) => U | Promise<U>): U | Promise<U> {
  return result instanceof Promise ? result.then(goOn) : goOn(result)
}
