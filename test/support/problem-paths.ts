// The fields that an error of the mock complains about.
import { isPriceFeedMockError } from '../../src/errors.js'

/** Runs a call that must fail, and returns the error's code and the path of each of its problems. */
export function problemPaths(call: () => unknown): string[] {
  try {
    call()
  } catch (error) {
    if (!isPriceFeedMockError(error)) throw error
    return [error.code, ...error.problems.map(({ at }) => at)]
  }
  throw new Error('the call did not fail')
}
