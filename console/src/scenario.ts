// Changes of the scenario that a session runs: whole scenarios, and single faults that are added and removed.
import type { Inspection } from './api'
import type { FaultEntry } from './faults/entry'
import { change, inspection } from './state'

/** The faults of the running scenario. */
export const faultsOf = (found: Inspection | undefined): readonly FaultEntry[] =>
  (found?.scenario.source.faults as FaultEntry[] | undefined) ?? []

/** The name of a scenario for people: faults that were added by hand have none. */
export const nameOf = (scenario: string): string => (scenario === 'inline' ? 'your own faults' : scenario)

const isSame = (a: FaultEntry, b: FaultEntry): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Whether the running scenario contains a fault. */
export const isRunning = (found: Inspection | undefined, fault: FaultEntry): boolean =>
  faultsOf(found).some(other => isSame(other, fault))

/** Starts a scenario by name. */
export const startScenario = (name: string): Promise<boolean> => change(`Started ${name}.`, { scenario: name })

/** Ends all faults. */
export const stopScenario = (): Promise<boolean> => change('Stopped. The service works normally.', { scenario: 'calm' })

/** Adds a fault to the running scenario, which restarts. */
export const addFault = (fault: FaultEntry): Promise<boolean> =>
  runFaults(`Added ${fault.fault}.`, [...faultsOf(inspection.get()), fault])

/** Removes a fault from the running scenario, which restarts. */
export const removeFault = (fault: FaultEntry): Promise<boolean> =>
  runFaults(
    `Removed ${fault.fault}.`,
    faultsOf(inspection.get()).filter(other => !isSame(other, fault)),
  )

function runFaults(done: string, faults: readonly FaultEntry[]): Promise<boolean> {
  if (faults.length === 0) return stopScenario()
  // Without its clock, which would set the time once more, and its texts, which describe other faults.
  const { clock: _, title: __, why: ___, ...rest } = inspection.get()?.scenario.source ?? {}
  return change(done, { scenario: { ...rest, faults } })
}
