// The folder of `hunt --save`: a scenario file for each find. Those of earlier hunts run first.
import { join } from 'node:path'
import type { HuntFind, HuntScenario, KnownFind } from '../hunt/types.js'
import { createMock } from '../index.js'
import type { Feed } from '../market/feeds.js'
import { kindAt, unwritable } from './files.js'
import { createErrors } from './run-context.js'
import { listScenarioFiles, readScenarioFiles, toScenarioName } from './scenario-files.js'
import { makeFolder, writeAtEnd } from './written-file.js'

/**
 * Opens a folder of finds, and makes it if it is not there.
 * @param folder without it, nothing is known or kept
 * @throws PriceFeedMockError FILE_UNREADABLE, FILE_UNWRITABLE or SCENARIO_INVALID, or an AggregateError of several
 */
export function openFinds(folder: string | undefined, feeds: readonly Feed[] | undefined) {
  if (folder === undefined) return { known: [], write: () => new Map<string, string>() }
  if (kindAt(folder) === undefined)
    try {
      makeFolder(folder)
    } catch (cause) {
      throw unwritable(folder, (cause as NodeJS.ErrnoException).code ?? String(cause), cause, '--save')
    }
  const { list, add, throwAll } = createErrors()
  const { scenarios, files } = readScenarioFiles(listScenarioFiles(folder, '--save'), '--save', add)
  if (list.length > 0) throwAll()
  const { get } = createMock({ feeds, scenarios, scenarioFiles: files }).scenarios
  const sourceOf = (name: string) => get(name).source as unknown as HuntScenario
  const known = Object.keys(scenarios).map((name): KnownFind => ({ name, scenario: sourceOf(name) }))
  return {
    known,
    /**
     * Writes the finds that no file has.
     * @param report receives an error on one line
     * @returns the files by the names of the finds
     */
    write(finds: readonly HuntFind[], report: (line: string) => void): ReadonlyMap<string, string> {
      const written = new Map<string, string>()
      const taken = new Map(Object.entries(files))
      for (const { name, scenario } of finds) {
        const text = JSON.stringify(scenario)
        const same = known.find(one => JSON.stringify(one.scenario) === text)
        const file = same ? files[same.name]! : join(folder, `${freeName(toScenarioName(name), taken)}.json`)
        taken.set(toScenarioName(file), file)
        const isThere =
          same !== undefined || writeAtEnd(file, `${JSON.stringify(scenario, undefined, 2)}\n`, 'the find', report)
        if (isThere) written.set(name, file)
      }
      return written
    },
  }
}

/** The name, or with a number, if another file has it. */
function freeName(name: string, taken: ReadonlyMap<string, string>): string {
  for (let i = 1; ; i++) {
    const free = i === 1 ? name : `${name.slice(0, 46)}-${i}`
    if (!taken.has(free)) return free
  }
}
