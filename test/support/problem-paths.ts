// The errors of calls that must fail.
import { isPriceFeedMockError, type PriceFeedMockError } from '../../src/errors.js'

/** Runs a call that must fail with an error of the mock, and returns the error. */
export function failureOf(call: () => unknown): PriceFeedMockError {
  try {
    call()
  } catch (error) {
    if (isPriceFeedMockError(error)) return error
    throw error
  }
  throw new Error('the call did not fail')
}

/** The code of the error of a call, and the path of each of its problems. */
export function problemPaths(call: () => unknown): string[] {
  const { code, problems } = failureOf(call)
  return [code, ...problems.map(({ at }) => at)]
}

/** The texts of the errors of some calls, each in one line. */
export const errorLines = (...calls: readonly (() => unknown)[]): string =>
  calls.map(call => String(failureOf(call)).replace(/\n +/g, ' | ')).join('\n')
