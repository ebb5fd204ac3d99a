// `check FILE…` and `scenarios`: what is wrong with scenario files, and which scenarios there are.
import { countOf, isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
import { createMock } from '../index.js'
import type { FeedsFile } from '../market/feeds-file.js'
import type { Scenarios } from '../scenario/scenarios.js'
import { colours } from './colours.js'
import { readJsonFile } from './json-file.js'
import { kindAt } from './paths.js'
import { toPrintable } from './printable.js'
import { findNamesakes, listScenarioFiles, toScenarioName } from './scenario-files.js'

/** What was found in some files: a line for each that is sound, an error for each that is not. */
export interface Findings {
  readonly lines: readonly string[]
  readonly errors: readonly PriceFeedMockError[]
}

/**
 * Checks scenario files, and all those in folders, against the faults and the feeds there are.
 * @throws PriceFeedMockError FEEDS_INVALID
 */
export function checkScenarios(paths: readonly string[], feeds: FeedsFile | undefined): Findings {
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
    lines.push(toPrintable(`${path}: fine. ${title}: ${countOf(faults.length, 'fault')}.`))
  }
  const files: string[] = []
  for (const path of paths) attempt(() => files.push(...filesAt(path)))
  errors.push(...findNamesakes(files))
  for (const file of files) attempt(() => check(file))
  return { lines, errors }
}

/** A file, or those of a folder. */
function filesAt(path: string): readonly string[] {
  if (kindAt(path) !== 'folder') return [path]
  const files = listScenarioFiles(path, 'check')
  if (files.length === 0) throw new PriceFeedMockError('FILE_UNREADABLE', `There are no scenarios in ${path}.`)
  return files
}

/** The scenarios there are, each with its title and the mistake that it brings to light. */
export function describeScenarios(scenarios: Pick<Scenarios, 'list'>): string {
  const all = scenarios.list()
  const width = Math.max(...all.map(({ name }) => name.length))
  const indent = ' '.repeat(width + 2)
  return all
    .flatMap(({ name, title, why }) => [
      `${name.padEnd(width)}  ${toPrintable(title)}`,
      `${indent}${colours.dim(toPrintable(why))}`,
    ])
    .join('\n')
}
