// Options of hosts as plain JavaScript may hand them over: what is wrong with them is told before anything runs.
import { nearest, type Problem, UNKNOWN_KEY } from '../errors.js'
import { assertNoProblems } from '../settings/schema.js'

/** What an option has to be: a noun phrase, and its test. */
export type Wanted = readonly [want: string, isRight: (value: unknown) => boolean]

/** A flag. */
export const FLAG: Wanted = ['true or false', value => typeof value === 'boolean']

/** Names of hosts. */
export const NAMES: Wanted = [
  'a list of names without ports, such as ["app.internal"]',
  value => Array.isArray(value) && value.every(name => typeof name === 'string' && NAME.test(name)),
]

const NAME = /^([^\s/:]+|\[[\da-f:.]+\])$/i

/**
 * Looks at the options of a call; what is undefined is left out.
 * @throws PriceFeedMockError OPTIONS_INVALID with every problem
 */
export function assertOptions(call: string, options: object, wanted: Readonly<Record<string, Wanted>>): void {
  if (typeof options !== 'object' || options === null)
    assertNoProblems('OPTIONS_INVALID', call, [{ at: 'options', got: options, want: 'an object' }])
  const known = Object.keys(wanted)
  const problems = Object.entries(options).flatMap(([at, got]): Problem[] => {
    if (!known.includes(at)) {
      const closest = nearest(at, known)
      return [{ at, got: UNKNOWN_KEY, want: closest ?? `one of the keys ${known.join(', ')}`, closest }]
    }
    const [want, isRight] = wanted[at]!
    return got === undefined || isRight(got) ? [] : [{ at, got, want }]
  })
  assertNoProblems('OPTIONS_INVALID', call, problems)
}
