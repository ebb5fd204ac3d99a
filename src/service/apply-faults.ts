// Which faults of a scenario are active on a request, and the stages reply and wire: the faults that change a finished answer.
import { textOf } from '../faults/content.js'
import {
  type Content,
  type Quota,
  type ReplyContext,
  type ReplyFault,
  type Stage,
  stageOf,
  type WireFault,
} from '../faults/fault.js'
import type { Outcome, Reply } from '../outcome.js'
import {
  type ActiveFault,
  type ActiveScenario,
  findSkipReason,
  type SelectorInput,
  type SkipReason,
  uniformAt,
} from '../scenario/scenario.js'
import { type FaultCount, NO_COUNT } from './state.js'

/** Active faults by stage, in the order of the scenario. Market faults are part of the price path, so they are not listed. */
export type FaultsByStage = Readonly<Record<Exclude<Stage, 'market'>, readonly ActiveFault[]>>

/** The faults of a scenario that are active on one request. */
export interface SelectedFaults {
  readonly asked: SelectorInput
  readonly byStage: FaultsByStage
  /** Why the others are not active, by the index of the fault. */
  readonly reasons: ReadonlyMap<number, SkipReason>
  /** Identifies the active faults before the reply stage: equal keys give equal content. */
  readonly key: string
}

/** No active faults. */
export const NO_FAULTS: FaultsByStage = { tick: [], signature: [], series: [], reply: [], wire: [] }

/** Selects the faults that are active on a request. */
export function selectFaults({ faults }: ActiveScenario, asked: SelectorInput): SelectedFaults {
  const byStage: Record<Exclude<Stage, 'market'>, ActiveFault[]> = {
    tick: [],
    signature: [],
    series: [],
    reply: [],
    wire: [],
  }
  const reasons = new Map<number, SkipReason>()
  let key = ''
  for (const fault of faults) {
    const stage = stageOf(fault.fault)
    if (stage === 'market') continue
    const reason = findSkipReason(fault, asked)
    if (reason !== undefined) {
      reasons.set(fault.index, reason)
      continue
    }
    byStage[stage].push(fault)
    if (stage !== 'reply' && stage !== 'wire') key += `${fault.index} `
  }
  return { asked, byStage, reasons, key }
}

/** An answer before the reply stage. */
export interface Drafted {
  readonly content: Content
  /** The text of its body. */
  readonly text: string
  /** Indices of the faults applied so far. */
  readonly applied: readonly number[]
  readonly counts: readonly FaultCount[]
  /** The feeds that the request names. Called only if a fault selects feeds. */
  feeds(): ReadonlySet<string>
  toReply(content: Content, text: string, faults: readonly string[]): Reply
}

/** An answer after all stages. */
export interface FaultedAnswer {
  readonly outcome: Outcome
  /** Names of the applied faults, in the order of the scenario, without duplicates. */
  readonly faults: readonly string[]
  readonly counts: readonly FaultCount[]
}

/** Sends an answer through the stages reply and wire, and counts what each fault of the scenario did. */
export function applyFaults(scenario: ActiveScenario, selected: SelectedFaults, drafted: Drafted): FaultedAnswer {
  const isFor = feedFilter(drafted)
  const reply = applyReplyFaults(scenario, selected, drafted, isFor)
  const wire = selected.byStage.wire.find(isFor)
  const shown = wire ? [...reply.applied, wire.index] : reply.applied
  const names = namesOf(scenario, shown)
  const replyToSend = drafted.toReply(reply.content, reply.text, names)
  const outcome = wire ? applyWireFault(scenario, selected, wire, replyToSend) : replyToSend
  // No client sees the changes to an answer that never arrives.
  const applied = 'status' in outcome ? shown : shown.filter(index => !drafted.applied.includes(index))
  const hidden = drafted.applied.filter(index => !applied.includes(index))
  const reasonOf = (active: ActiveFault): SkipReason => {
    const known = selected.reasons.get(active.index)
    if (known !== undefined) return known
    if (hidden.includes(active.index)) return 'hidden by another fault'
    if (!isFor(active)) return 'another feed'
    // Market faults are part of the path and are not selected, so only their time can be checked.
    return active.windows.at(selected.asked.now) === undefined ? 'not its time' : 'nothing to change'
  }
  const counts = scenario.faults.map(active =>
    countFault(drafted.counts[active.index], reply.quotas.get(active.index), applied.includes(active.index), () =>
      reasonOf(active),
    ),
  )
  return { outcome, faults: applied === shown ? names : namesOf(scenario, applied), counts }
}

const NO_QUOTA: Quota = { window: -1, used: 0 }

/** Reply stage. */
function applyReplyFaults(
  scenario: ActiveScenario,
  selected: SelectedFaults,
  { content, text, applied: earlier, counts }: Drafted,
  isFor: (active: ActiveFault) => boolean,
) {
  const applied: number[] = []
  const quotas = new Map<number, Quota>()
  let next = content
  for (const active of selected.byStage.reply) {
    if (!isFor(active)) continue
    const fault = active.fault as ReplyFault
    const context = contextOf(scenario, selected, active, 'reply')
    const quota = fault.count?.(counts[active.index]?.quota ?? NO_QUOTA, context as never) ?? NO_QUOTA
    if (fault.count) quotas.set(active.index, quota)
    const after = fault.apply(next, { ...context, quota } as ReplyContext<never>)
    if (after !== next) applied.push(active.index)
    next = after
  }
  // A replaced or empty body hides the changes of earlier stages.
  const isHidden = next.isStatusSet || ('text' in next.body && next.body.text === '')
  return {
    content: next,
    text: next.body === content.body ? text : textOf(next),
    applied: isHidden ? applied : [...earlier, ...applied],
    quotas,
  }
}

/** Wire stage. */
function applyWireFault(
  scenario: ActiveScenario,
  selected: SelectedFaults,
  active: ActiveFault,
  reply: Reply,
): Outcome {
  return (active.fault as WireFault).apply(reply, contextOf(scenario, selected, active, 'wire'))
}

function contextOf(
  { appliedAt }: ActiveScenario,
  { asked }: SelectedFaults,
  active: ActiveFault,
  purpose: 'reply' | 'wire',
): Omit<ReplyContext<never>, 'quota'> {
  return {
    options: active.options as never,
    now: asked.now,
    appliedAt,
    uniform: () => uniformAt(active, asked, purpose),
  }
}

/** Whether a fault is for one of the feeds of a request. */
function feedFilter({ feeds }: Drafted): (active: ActiveFault) => boolean {
  let asked: ReadonlySet<string> | undefined
  return active => {
    if (active.reach === undefined) return true
    asked ??= feeds()
    for (const id of asked) if (active.reach.has(id)) return true
    return false
  }
}

/** The count of a fault after a request. */
function countFault(
  { hits, misses, lastMiss, quota: before }: FaultCount = NO_COUNT,
  quota: Quota | undefined = before,
  isApplied: boolean,
  reasonOf: () => SkipReason,
): FaultCount {
  if (isApplied) return { hits: hits + 1, misses, lastMiss, quota }
  const reason = reasonOf()
  if (reason === 'another endpoint') return { hits, misses, lastMiss, quota }
  return { hits, misses: misses + 1, lastMiss: reason, quota }
}

function namesOf({ definition }: ActiveScenario, indices: readonly number[]): string[] {
  return [...new Set([...indices].sort((a, b) => a - b).map(index => definition.faults[index]!.fault.name))]
}
