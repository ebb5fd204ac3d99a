// faults-fired: the faults of the scenario that no reply has shown. A test below such a fault proves nothing.
import { countOf } from '../../errors.js'
import type { ActiveFault } from '../../scenario/scenario.js'
import { NO_COUNT } from '../../service/state.js'
import { type Check, finding } from './check.js'

/** Number of faults in the text. */
const MAX_SHOWN = 5

/** Counts the faults of the scenario that a reply has shown since it was applied. No mistake of the consumer: its test may be short. */
export const faultsFired: Check = {
  id: 'faults-fired',
  title: 'Faults of the scenario that fired',
  find({ requests, session: { runtime, record }, now }) {
    const { faults, definition, appliedAt } = runtime.scenario
    if (faults.length === 0) return finding('not-seen', 'The scenario has no faults.')
    const silent = faults.filter(({ index }) => (record.counters.faults[index] ?? NO_COUNT).hits === 0)
    const scenario = definition.name === 'inline' ? 'the scenario' : definition.name
    const shownBy = requests.filter(request => request.faults.length > 0)
    const fired = `${faults.length - silent.length} of ${countOf(faults.length, 'fault')} of ${scenario} fired`
    if (silent.length === 0) return finding('ok', `${fired}.`, shownBy)
    const some = silent.slice(0, MAX_SHOWN).map(fault => `${fault.fault.name} (${fault.planned}; ${reasonOf(fault)})`)
    const more = silent.length > MAX_SHOWN ? `, and ${silent.length - MAX_SHOWN} more` : ''
    const text = `${fired}. Not yet: ${some.join(', ')}${more}.`
    return silent.length === faults.length ? finding('not-seen', text) : finding('info', text, shownBy)

    function reasonOf(fault: ActiveFault): string {
      if (!hasBegun(fault, appliedAt, now)) return 'not begun'
      const { misses, lastMiss } = record.counters.faults[fault.index] ?? NO_COUNT
      return misses === 0 ? 'its endpoints were not asked' : `last miss: ${lastMiss}`
    }
  },
}

/** Whether a window of a fault has begun. */
function hasBegun({ windows }: ActiveFault, appliedAt: number, now: number): boolean {
  for (const _ of windows.between(appliedAt, now)) return true
  return false
}
