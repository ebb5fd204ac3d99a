// Makes the look-ups of long requests in turns of the event loop, before their answers.
import type { LookUps, RunInTurns } from '../../service/market-stage.js'
import { createTurns } from './turns.js'

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
  /** Makes look-ups until the turn is over. Returns whether all are made. */
  const makeAll = (lookUps: LookUps | undefined): boolean => {
    while (lookUps?.makeNext()) if (turns.isOver()) return false
    return true
  }
  return (session, lookUps, step) => {
    let begun: { readonly own: LookUps | undefined } | undefined
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
