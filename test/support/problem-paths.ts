// The errors of calls that must fail.
import { expect, it } from 'vitest'
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

/** Values that are refused, by the option of a fault. */
export type Refused = Readonly<Record<string, readonly unknown[]>>

/** Expects a scenario to be refused for each of the values. `make` gets the fault with this value and the options that are left. */
export function describeRefused(fault: string, refused: Refused, make: (fault: object) => unknown, rest: object): void {
  const cases = Object.entries(refused).flatMap(([option, values]) => values.map(value => [option, value] as const))
  it.for(cases)(`error: ${fault}: %s %j`, ([option, value]) => {
    const refusal = problemPaths(() => make({ fault, options: { ...rest, [option]: value } }))
    expect(refusal).toEqual(['SCENARIO_INVALID', `faults[0].options.${option}`])
  })
}

/** The texts of the errors of some calls, each in one line. */
export const errorLines = (...calls: readonly (() => unknown)[]): string =>
  calls.map(call => String(failureOf(call)).replace(/\n +/g, ' | ')).join('\n')
