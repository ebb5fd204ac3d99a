// Which faults of the applied scenario are at work on one request, sorted by stage, with a reason for those that are not.
import { type Stage, stageOf } from '../faults/fault.js'
import { type ActiveFault, type ActiveScenario, type Asked, type Reason, reasonAgainst } from '../scenario/active.js'

/** Faults at work on one request. Those of the market are not among them: they are functions of time, and part of the path. */
export interface SelectedFaults {
  readonly asked: Asked
  /** In the order of the scenario. */
  readonly byStage: Readonly<Record<Exclude<Stage, 'market'>, readonly ActiveFault[]>>
  /** Why the others are not, by the index of the fault. */
  readonly reasons: ReadonlyMap<number, Reason>
  /** Tells the faults at work before the reply from others: contents with the same key are the same. */
  readonly key: string
}

/** The faults at work on a request. */
export function selectFaults({ faults }: ActiveScenario, asked: Asked): SelectedFaults {
  const byStage: Record<Exclude<Stage, 'market'>, ActiveFault[]> = {
    tick: [],
    signature: [],
    series: [],
    reply: [],
    wire: [],
  }
  const reasons = new Map<number, Reason>()
  let key = ''
  for (const fault of faults) {
    const stage = stageOf(fault.fault)
    if (stage === 'market') continue
    const reason = reasonAgainst(fault, asked)
    if (reason !== undefined) {
      reasons.set(fault.index, reason)
      continue
    }
    byStage[stage].push(fault)
    if (stage !== 'reply' && stage !== 'wire') key += `${fault.index} `
  }
  return { asked, byStage, reasons, key }
}
