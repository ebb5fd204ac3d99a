// A command line as the program reads it: the configuration that it makes, or the errors.
import { readCommandLine } from '../../src/cli/command.js'
import { PriceFeedMockError } from '../../src/errors.js'

/** The configuration that a command line makes. */
export function configOf(args: readonly string[], environment: Record<string, string> = {}) {
  const invocation = readCommandLine(args, environment)
  if (invocation.kind === 'exit') throw new Error('it asks for nothing')
  return invocation.config
}

/** The errors of a command line. */
export function errorsOf(args: readonly string[], environment: Record<string, string> = {}): PriceFeedMockError[] {
  try {
    readCommandLine(args, environment)
  } catch (error) {
    if (error instanceof PriceFeedMockError) return [error]
    if (error instanceof AggregateError) return error.errors
    throw error
  }
  throw new Error('nothing is wrong')
}
