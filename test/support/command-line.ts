// Parses a command line into its configuration or its errors.
import { readCommandLine } from '../../src/cli/command-line.js'
import { PriceFeedMockError } from '../../src/errors.js'

/** The configuration of a command line. */
export function configOf(args: readonly string[], environment: Record<string, string> = {}) {
  const invocation = readCommandLine(args, environment)
  if (!('config' in invocation)) throw new Error('expected a command')
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
  throw new Error('expected errors')
}
