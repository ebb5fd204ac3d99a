// Changes of the scenario that a session runs: whole scenarios, and single faults that are added and removed.
import type { Inspection } from './api'
import { change } from './changes'
import { type FaultEntry, toSeconds } from './faults/entry'
import { inspection } from './state'

/** The faults of the running scenario. */
export const faultsOf = (found: Inspection | undefined): readonly FaultEntry[] =>
  (found?.scenario.source.faults as FaultEntry[] | undefined) ?? []

/** The name of a scenario for people: faults that were added by hand have none. */
export const nameOf = (scenario: string): string => (scenario === 'inline' ? 'your own faults' : scenario)

/** Two faults that do the same, whenever they begin. */
const isSame = ({ from: _, ...a }: FaultEntry, { from: __, ...b }: FaultEntry): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/** Whether the running scenario contains a fault. */
export const isRunning = (found: Inspection | undefined, fault: FaultEntry): boolean =>
  found?.scenario.endedAt === undefined && faultsOf(found).some(other => isSame(other, fault))

/** Starts a scenario by name. */
export const startScenario = (name: string): Promise<boolean> => change(() => [`Started ${name}.`, { scenario: name }])

const STOP = ['Stopped. The service works normally.', { scenario: 'calm' }] as const

/** Ends all faults, and what they did. */
export const stopScenario = (): Promise<boolean> => change(() => STOP)

/** Ends the scenario now; prices keep their past. */
export const endScenario = (): Promise<boolean> =>
  change(() => ['Ended. What it did until now stays.', { scenario: null }])

/** Starts the running scenario anew, so many times as fast. */
export const setPace = (pace: number): Promise<boolean> =>
  change(() => {
    const { clock: _, pace: __, ...rest }: Readonly<Record<string, unknown>> = inspection.get()?.scenario.source ?? {}
    return [`Started anew at pace ${pace}.`, { scenario: { ...rest, ...(pace === 1 ? {} : { pace }) } }]
  })

/** Adds a fault to the running scenario, from now on. The windows of the others stay where they are. */
export const addFault = (fault: FaultEntry): Promise<boolean> =>
  change(() => {
    const found = inspection.get()
    const { appliedAt = 0, source = {} }: Partial<Inspection['scenario']> = found?.scenario ?? {}
    const passed = isKept(found) ? Math.round(Math.max(0, found!.now - appliedAt) * Number(source.pace ?? 1)) : 0
    const from = passed === 0 ? fault.from : `${passed + toSeconds(fault.from ?? '0s')}s`
    const entry = from === undefined ? fault : { ...fault, from }
    return withFaults(`Added ${fault.fault}.`, isEnded(found) ? [fault] : [...faultsOf(found), entry])
  })

/** Removes a fault from the running scenario. */
export const removeFault = (fault: FaultEntry): Promise<boolean> =>
  change(() => {
    const faults = faultsOf(inspection.get())
    const at = faults.includes(fault) ? faults.indexOf(fault) : faults.findIndex(other => isSame(other, fault))
    return withFaults(
      `Removed ${fault.fault}.`,
      faults.filter((_, index) => index !== at),
    )
  })

/**
 * Replaces a fault of the running scenario. All else stays as it is: its start, its texts, and the windows of the others.
 * @param next is asked for the fault when all changes before are made, one that is taken back among them
 */
export const replaceFault = (index: number, next: (fault: FaultEntry) => FaultEntry, done: string): Promise<boolean> =>
  change(() => {
    const { source, appliedAt } = inspection.get()!.scenario
    // Its clock would set the time once more.
    const { clock: _, ...rest } = source
    const faults = source.faults as FaultEntry[]
    return [done, { scenario: { ...rest, faults: faults.with(index, next(faults[index]!)) }, scenarioAt: appliedAt }]
  })

const isEnded = (found: Inspection | undefined): boolean => found?.scenario.endedAt !== undefined

/** Whether an edit keeps the start of the scenario. One that loops starts anew: a fault from now on would end with the loop. */
const isKept = (found: Inspection | undefined): boolean =>
  found !== undefined && found.faults.length > 0 && !isEnded(found) && found.scenario.source.loop === undefined

function withFaults(done: string, faults: readonly FaultEntry[]): ReturnType<Parameters<typeof change>[0]> {
  if (faults.length === 0) return STOP
  const found = inspection.get()
  // Without its clock, which would set the time once more, and its texts, which describe other faults.
  const { clock: _, title: __, why: ___, ...rest } = found?.scenario.source ?? {}
  const isSameStart = isKept(found)
  return [
    isSameStart ? done : `${done} The scenario starts now.`,
    { scenario: { ...rest, faults }, ...(isSameStart ? { scenarioAt: found!.scenario.appliedAt } : {}) },
  ]
}

const GROUPS: Readonly<Record<string, string>> = {
  market: 'market',
  tick: 'market',
  signature: 'signature',
  series: 'candles',
  wire: 'network',
  reply: 'network',
}

/** The subject of a scenario, in a word. */
export function groupOf(stages: readonly string[]): string {
  const groups = [...new Set(stages.map(stage => GROUPS[stage] ?? stage))]
  return groups.length === 1 ? groups[0]! : groups.length === 0 ? 'none' : 'several'
}
