// Parses a command line into its configuration or its errors, and writes the config files that it names.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommandLine } from '../../src/cli/command-line.js'
import { PriceFeedMockError } from '../../src/errors.js'
import { createFolder } from './folder.js'

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

/** A folder for the config files of a test file, and a function that writes one and returns its path. */
export function createConfigFolder() {
  const folder = createFolder()
  const file = (config: unknown, name = 'config.json'): string => {
    const path = join(folder, name)
    writeFileSync(path, typeof config === 'string' ? config : JSON.stringify(config))
    return path
  }
  return { folder, file }
}
