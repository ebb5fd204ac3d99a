// Stages reply and wire: what the faults at work make of an answer, and what is counted of each.

import { textOf } from '../faults/body-text.js'
import type { Content, Quota, ReplyContext, ReplyFault, WireFault } from '../faults/fault.js'
import type { Outcome, Reply } from '../outcome.js'
import { type ActiveFault, type ActiveScenario, type Reason, uniformAt } from '../scenario/active.js'
import type { SelectedFaults } from './select-faults.js'
import { type FaultCount, NO_COUNT } from './state.js'

/** An answer on its way out. */
export interface Disturbed {
  readonly outcome: Outcome
  /** Names of the faults that have touched it, in the order of the scenario, each once. */
  readonly faults: readonly string[]
  readonly counts: readonly FaultCount[]
}

/** What is known of an answer before the reply stage. */
export interface Undisturbed {
  readonly content: Content
  /** The text of its body. */
  readonly text: string
  /** Indices of the faults that have touched it so far. */
  readonly touched: readonly number[]
  readonly counts: readonly FaultCount[]
  /** The feeds that the request names; asked only where a fault is for some of them. */
  feeds(): ReadonlySet<string>
  toReply(content: Content, text: string, faults: readonly string[]): Reply
}

const NO_QUOTA: Quota = { window: -1, used: 0 }

/** Sends an answer through the faults of the reply and of the wire. */
export function disturb(
  { scenario, origin, faults }: ActiveScenario,
  due: SelectedFaults,
  { content, text, touched: early, counts, feeds, toReply }: Undisturbed,
): Disturbed {
  const touched = new Set(early)
  const hidden = new Set<number>()
  const quotas = new Map<number, Quota>()
  let asked: ReadonlySet<string> | undefined
  const isFor = (active: ActiveFault): boolean => {
    if (active.feeds === undefined) return true
    asked ??= feeds()
    for (const id of asked) if (active.feeds.has(id)) return true
    return false
  }
  const reasonOf = (active: ActiveFault): Reason => {
    if (hidden.has(active.index)) return 'hidden by another fault'
    if (!isFor(active)) return 'another feed'
    // A fault of the market has no reasons of its own: it is a part of the path.
    return active.windows.at(due.asked.now) === undefined ? 'not its time' : 'nothing to change'
  }
  const contextOf = (active: ActiveFault, purpose: string) => ({
    options: active.options,
    now: due.asked.now,
    origin,
    uniform: () => uniformAt(active, due.asked, purpose),
  })

  let next = content
  for (const active of due.byStage.reply) {
    if (!isFor(active)) continue
    const fault = active.fault as ReplyFault
    const context = contextOf(active, 'reply')
    const quota = fault.count?.(counts[active.index]?.quota ?? NO_QUOTA, context as never) ?? NO_QUOTA
    if (fault.count) quotas.set(active.index, quota)
    const after = fault.apply(next, { ...context, quota } as ReplyContext<never>)
    if (after !== next) touched.add(active.index)
    next = after
  }
  /** What stands in the place of an answer hides what was done to it before. */
  const hideEarly = (): void => {
    for (const index of early) if (touched.delete(index)) hidden.add(index)
  }
  if (next.isStatusSet || ('text' in next.body && next.body.text === '')) hideEarly()
  const wire = due.byStage.wire.find(isFor)
  if (wire) touched.add(wire.index)

  const namesOf = (indices: Iterable<number>): string[] => [
    ...new Set([...indices].sort((a, b) => a - b).map(index => scenario.faults[index]!.fault.name)),
  ]
  const reply = toReply(next, next.body === content.body ? text : textOf(next), namesOf(touched))
  const outcome = wire ? (wire.fault as WireFault).apply(reply, contextOf(wire, 'wire')) : reply
  // Nobody sees what was done to an answer that never comes.
  if (!('status' in outcome)) hideEarly()
  const names = namesOf(touched)
  const nextCounts = faults.map(active => {
    const count = counts[active.index] ?? NO_COUNT
    const quota = quotas.get(active.index) ?? count.quota
    if (touched.has(active.index)) return { ...count, hits: count.hits + 1, quota }
    const reason = due.reasons.get(active.index) ?? reasonOf(active)
    const isElsewhere = reason === 'another endpoint'
    return { ...count, quota, ...(isElsewhere ? {} : { misses: count.misses + 1, lastMiss: reason }) }
  })
  return { outcome, faults: names, counts: nextCounts }
}
