// faults-fired: the faults of the scenario that no reply has shown. A test below such a fault proves nothing.
import { countOf } from '../../errors.js'
import type { ActiveFault } from '../../scenario/scenario.js'
import { NO_COUNT } from '../../service/state.js'
import { type Check, notSeen } from './check.js'

/** Number of faults in the text. */
const MAX_SHOWN = 5

/** Faults are counted from the start of the scenario, by replies that showed them. */
export const faultsFired: Check = {
  id: 'faults-fired',
  title: 'Every fault of the scenario fired',
  find({ requests, session: { runtime, record }, now }) {
    const { faults, definition, appliedAt } = runtime.scenario
    if (faults.length === 0) return notSeen('The scenario has no faults.')
    const silent = faults.filter(({ index }) => (record.counters.faults[index] ?? NO_COUNT).hits === 0)
    const scenario = definition.name === 'inline' ? 'the scenario' : definition.name
    const shownBy = requests.filter(request => request.faults.length > 0).map(({ n }) => n)
    const all = faults.length === 1 ? 'The fault' : `All ${faults.length} faults`
    if (silent.length === 0) return { status: 'ok', text: `${all} of ${scenario} fired.`, shownBy }
    const due = silent.filter(fault => hasBegun(fault, appliedAt, now))
    const some = (due.length > 0 ? due : silent).slice(0, MAX_SHOWN).map(({ index, fault, planned }) => {
      const { misses, lastMiss } = record.counters.faults[index] ?? NO_COUNT
      return `${fault.name} (${planned}; ${misses === 0 ? 'its endpoints were not asked' : `last miss: ${lastMiss}`})`
    })
    const list = `${some.join(', ')}${(due.length || silent.length) > MAX_SHOWN ? ' …' : ''}`
    if (due.length === 0)
      return notSeen(`${countOf(silent.length, 'fault')} of ${scenario} had not begun yet: ${list}.`)
    return {
      status: 'failed',
      text: `${due.length} of ${countOf(faults.length, 'fault')} of ${scenario} never fired: ${list}.`,
      shownBy: [],
    }
  },
}

/** Whether a window of a fault has begun. */
function hasBegun({ windows }: ActiveFault, appliedAt: number, now: number): boolean {
  for (const _ of windows.between(appliedAt, now)) return true
  return false
}
