// `check FILE…` validates scenario files.
import { countOf, isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
import { createMock } from '../index.js'
import type { Feed } from '../market/feeds.js'
import { readJsonFile } from './json-file.js'
import { kindAt } from './paths.js'
import { toPrintable } from './printable.js'
import { findDuplicateNames, listScenarioFiles, toScenarioName } from './scenario-files.js'

/** The result of a check: a line for each valid file, an error for each invalid one. */
export interface CheckResult {
  readonly lines: readonly string[]
  readonly errors: readonly PriceFeedMockError[]
}

/**
 * Validates scenario files, and all files in folders, against the known faults and feeds.
 * @throws PriceFeedMockError FEEDS_INVALID
 */
export function checkScenarios(paths: readonly string[], feeds: readonly Feed[] | undefined): CheckResult {
  const { scenarios } = createMock({ feeds })
  const lines: string[] = []
  const errors: PriceFeedMockError[] = []
  const attempt = (step: () => void): void => {
    try {
      step()
    } catch (error) {
      if (!isPriceFeedMockError(error)) throw error
      errors.push(error)
    }
  }
  const check = (path: string): void => {
    const { faults, title } = scenarios.set(toScenarioName(path), readJsonFile(path, 'check'), path)
    lines.push(toPrintable(`${path}: valid. ${title}: ${countOf(faults.length, 'fault')}.`))
  }
  const files: string[] = []
  for (const path of paths) attempt(() => files.push(...filesAt(path)))
  errors.push(...findDuplicateNames(files))
  for (const file of files) attempt(() => check(file))
  return { lines, errors }
}

/** The file itself, or the files of a folder. */
function filesAt(path: string): readonly string[] {
  if (kindAt(path) !== 'folder') return [path]
  const files = listScenarioFiles(path, 'check')
  if (files.length === 0) throw new PriceFeedMockError('FILE_UNREADABLE', `There are no scenarios in ${path}.`)
  return files
}
