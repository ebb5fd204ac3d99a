// Which faults of a scenario are active on a request, what a session counts of them, and the stages reply and wire: the faults that
// change a finished answer.
import type * as z from 'zod/mini'
import { textOf } from '../faults/content.js'
import {
  type Content,
  type Fault,
  type Quota,
  type ReplyContext,
  type ReplyFault,
  type SignatureFault,
  STAGES,
  type Stage,
  stageOf,
  type WireFault,
} from '../faults/fault.js'
import { MEDIA_TYPE, type Outcome, type Reply } from '../outcome.js'
import {
  type ActiveFault,
  type ActiveScenario,
  findSkipReason,
  type SelectorInput,
  type SkipReason,
  uniformAt,
} from '../scenario/scenario.js'
import type { DeepReadonly } from '../settings/schema.js'
import type { CachedReply } from './drafts.js'
import type { snapshotSchema } from './snapshot.js'
import { comparedWork, MAX_REPEATED_WORK } from './work-limit.js'

/** The counters of a session. */
export type State = DeepReadonly<z.output<typeof snapshotSchema.shape.state>>
/** The counters of one fault since the scenario was applied. */
export type FaultCount = State['faults'][number]

/** The state of a new session. */
export const DEFAULT_STATE: State = { n: 0, ordinals: {}, applied: {}, faults: [] }
/** The counters of a fault before its first request. */
export const NO_COUNT: FaultCount = { hits: 0, misses: 0 }

/** The state at virtual second `now`: a request in another window of a fault enters that one. */
export function withWindows<S extends State>(state: S, { faults }: ActiveScenario, now: number): S {
  let counts: FaultCount[] | undefined
  for (const { index, windows, countsInWindow } of faults) {
    if (!countsInWindow) continue
    const from = windows.at(now)?.from
    if (from === state.faults[index]?.window?.from) continue
    counts ??= faults.map((_, i) => state.faults[i] ?? NO_COUNT)
    counts[index] = { ...counts[index]!, window: from === undefined ? undefined : { from, ordinals: state.ordinals } }
  }
  return counts === undefined ? state : { ...state, faults: counts }
}

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

const noFaults = () => ({ tick: [], signature: [], series: [], reply: [], wire: [] })
/** No active faults. */
export const NO_FAULTS: FaultsByStage = noFaults()

/** Selects the faults that are active on a request. */
export function selectFaults({ faults }: ActiveScenario, asked: SelectorInput): SelectedFaults {
  const byStage: Record<keyof FaultsByStage, ActiveFault[]> = noFaults()
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
interface Drafted {
  readonly draft: CachedReply
  readonly counts: readonly FaultCount[]
  /** Whether a single fault of market or tick in `draft.applied` is certain to have changed the draft. */
  readonly isExact: boolean
  /** The draft with only some of the faults. Undefined where that is too costly. */
  draftWith(only: ReadonlySet<number>): CachedReply | undefined
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
  /** The name of the first applied fault that made a signature unfit. */
  readonly forger?: string | undefined
}

/** An answer after all stages, without the names of its faults. */
interface Composed {
  /** Indices of the faults that did something, visible in the end or not. */
  readonly applied: readonly number[]
  /** Whether the body of the draft arrives as it is. */
  readonly isBodyKept: boolean
  /** Whether nothing of the draft arrives. */
  readonly isBodyHidden: boolean
  toOutcome(names: readonly string[]): Outcome
}

const NO_QUOTA: Quota = { window: -1, used: 0 }

/** Sends an answer through the stages reply and wire, and counts what each fault of the scenario did. */
export function applyFaults(scenario: ActiveScenario, selected: SelectedFaults, drafted: Drafted): FaultedAnswer {
  const isFor = feedFilter(drafted)
  const contextOf = contextsOf(scenario, selected)
  const quotas = countQuotas(selected, drafted, isFor, contextOf)
  const compose = (draft: CachedReply, only?: ReadonlySet<number>): Composed => {
    const isActive = (active: ActiveFault): boolean => (only?.has(active.index) ?? true) && isFor(active)
    const first = toContent(draft)
    const applied = [...draft.applied]
    const content = selected.byStage.reply.filter(isActive).reduce((before, active) => {
      const context = { ...contextOf(active, 'reply'), quota: quotas.get(active.index) ?? NO_QUOTA }
      const after = (active.fault as ReplyFault).apply(before, context as ReplyContext<never>)
      if (after !== before) applied.push(active.index)
      return after
    }, first)
    const wire = selected.byStage.wire.find(isActive)
    if (wire) applied.push(wire.index)
    const text = content.body === first.body ? draft.text : textOf(content)
    return {
      applied,
      isBodyKept: content.body === first.body && (wire === undefined || wire.fault.name === 'wire/dribble'),
      isBodyHidden: content.isBodyReplaced || (text === '' && draft.status === 200),
      toOutcome(names) {
        const reply = drafted.toReply(content, text, names)
        return wire ? (wire.fault as WireFault).apply(reply, contextOf(wire, 'wire')) : reply
      },
    }
  }

  const whole = compose(drafted.draft)
  // A market fault can also act through another one, which takes its level from the prices of that time.
  const hasBegun = ({ windows }: ActiveFault): boolean =>
    windows.first(scenario.appliedAt, selected.asked.now) !== undefined
  const isCandidate = (active: ActiveFault): boolean =>
    stageOf(active.fault) === 'market' && !whole.applied.includes(active.index) && isFor(active) && hasBegun(active)
  const changesMarket = drafted.draft.applied.some(index => stageOf(scenario.faults[index]!.fault) === 'market')
  const others = changesMarket ? scenario.faults.filter(isCandidate).map(({ index }) => index) : []
  /** Whether some faults are all that did something to the draft. */
  const isWhole = (only: ReadonlySet<number>): boolean =>
    others.length === 0 &&
    drafted.draft.applied.every(index => only.has(index)) &&
    [...only].every(index => isLateFault(scenario.faults[index]!.fault) || drafted.draft.applied.includes(index))
  const shown = new Map<string, string | undefined>()
  let compared = 0
  /** All that a caller notices of the answer with only some of the faults. Undefined where it is unknown. */
  const shownWith = (only: readonly number[]): string | undefined => {
    const key = only.join()
    if (!shown.has(key)) {
      compared += comparedWork(drafted.draft.text.length)
      if (compared > MAX_REPEATED_WORK) return undefined
      const set = new Set(only)
      const draft = isWhole(set) ? drafted.draft : drafted.draftWith(set)
      shown.set(key, draft && toShown(compose(draft, set).toOutcome([])))
    }
    return shown.get(key)
  }
  const named = findNamed(scenario, drafted, whole, others, shownWith)
  const names = [...new Set([...named].sort((a, b) => a - b).map(index => scenario.faults[index]!.fault.name))]

  const reasonOf = (active: ActiveFault): SkipReason => {
    const known = selected.reasons.get(active.index)
    if (known !== undefined) return known
    if (!isFor(active)) return 'another feed'
    // Market faults are part of the path and are not selected, so only their time can be checked.
    if (active.windows.at(selected.asked.now) === undefined) return 'not its time'
    return findHider(scenario, active, whole.applied, named, shownWith)
  }
  const counts = scenario.faults.map(active =>
    countFault(drafted.counts[active.index], quotas.get(active.index), named.includes(active.index), () =>
      reasonOf(active),
    ),
  )
  const forger = selected.byStage.signature.find(
    ({ fault, index, options }) => named.includes(index) && !(fault as SignatureFault).isGenuine?.(options),
  )?.fault.name
  return { outcome: whole.toOutcome(names), faults: names, counts, forger }
}

/**
 * The faults that changed an answer: alone they give the same one, and without any one of them it is another. Of several faults that
 * do the same, the last one is named.
 */
function findNamed(
  { faults }: ActiveScenario,
  { draft, isExact }: Drafted,
  { applied, isBodyKept, isBodyHidden, toOutcome }: Composed,
  others: readonly number[],
  shownWith: (only: readonly number[]) => string | undefined,
): readonly number[] {
  if (applied.length === 0) return applied
  const outcome = toOutcome([])
  // Made when it is first compared: a single fault that is certain needs none.
  let whole: string | undefined
  const isWhole = (only: readonly number[]): boolean => shownWith(only) === (whole ??= toShown(outcome))
  const isHidden = isBodyHidden || !('status' in outcome)
  let named = isHidden ? applied.filter(index => !draft.applied.includes(index)) : applied
  // Mostly none of the others matters, which is seen at once.
  const areOthersNeeded = !isHidden && others.length > 0 && !isWhole(named)
  if (areOthersNeeded) named = [...named, ...others].sort((a, b) => a - b)
  const [first] = draft.applied
  const isEarly = ['market', 'tick'].includes(stageOf(faults[first ?? 0]!.fault))
  const isCertain = draft.applied.length === 1 && isExact && isBodyKept && isEarly && !areOthersNeeded
  for (let before: readonly number[] = []; before !== named; ) {
    before = named
    for (const index of before) {
      if (isCertain && index === first) continue
      const rest = named.filter(other => other !== index)
      if (isWhole(rest)) named = rest
    }
  }
  return named
}

/** Whether a fault changes finished answers. */
export const isLateFault = (fault: Fault): boolean => ['reply', 'wire'].includes(stageOf(fault))

/** Why an active fault did not change an answer. */
function findHider(
  { faults }: ActiveScenario,
  active: ActiveFault,
  applied: readonly number[],
  named: readonly number[],
  shownWith: (only: readonly number[]) => string | undefined,
): SkipReason {
  const isApplied = applied.includes(active.index)
  const levelOf = ({ fault }: ActiveFault): number => STAGES.indexOf(stageOf(fault))
  const hiders = named.filter(index => {
    const other = faults[index]!
    if (isApplied) return levelOf(other) >= levelOf(active)
    // Only a fault of its own stage keeps a fault from doing anything; in the market only one that takes ticks away.
    return levelOf(other) === levelOf(active) && (other.fault as { isFollowed?: true }).isFollowed !== true
  })
  if (isApplied && named.length === 1 && hiders.length === 1) return hiddenBy(faults[hiders[0]!]!)
  for (const index of hiders) {
    const others = applied.filter(one => one !== index && one !== active.index)
    const both = [...others, active.index].sort((a, b) => a - b)
    const [without, restored] = [shownWith(others), shownWith(both)]
    if (without !== undefined && restored !== undefined && without !== restored) return hiddenBy(faults[index]!)
  }
  return isApplied ? 'hidden by another fault' : 'nothing to change'
}

const hiddenBy = ({ fault }: ActiveFault): SkipReason => `hidden by ${fault.name}`

/** All that a caller notices of an outcome, its mark aside. */
function toShown(outcome: Outcome): string {
  if (!('body' in outcome)) return JSON.stringify(outcome)
  const { body, ...head } = outcome
  // As it is: to quote the body of a chart takes longer than all the rest.
  return JSON.stringify(head) + (outcome.kind === 'truncate' ? body.slice(0, outcome.sentLength) : body)
}

/** An answer in the form that reply faults change. */
const toContent = ({ status, value }: CachedReply): Content => ({
  status,
  body: { value },
  mediaType: MEDIA_TYPE.json,
  cors: true,
  headers: [],
  delayMs: 0,
  isStatusSet: false,
  isBodyReplaced: false,
})

/** The quotas after the request, by the index of the fault. */
function countQuotas(
  { byStage }: SelectedFaults,
  { counts }: Drafted,
  isFor: (active: ActiveFault) => boolean,
  contextOf: ReturnType<typeof contextsOf>,
): ReadonlyMap<number, Quota> {
  const quotas = new Map<number, Quota>()
  for (const active of byStage.reply) {
    const { count } = active.fault as ReplyFault
    if (count === undefined || !isFor(active)) continue
    const before = counts[active.index]?.quota ?? NO_QUOTA
    quotas.set(active.index, count(before, contextOf(active, 'reply') as never))
  }
  return quotas
}

const contextsOf =
  ({ appliedAt }: ActiveScenario, { asked }: SelectedFaults) =>
  (active: ActiveFault, purpose: 'reply' | 'wire'): Omit<ReplyContext<never>, 'quota'> => ({
    options: active.options as never,
    now: asked.now,
    appliedAt,
    target: asked.target,
    uniform: () => uniformAt(active, asked, purpose),
  })

function feedFilter({ feeds }: Drafted): (active: ActiveFault) => boolean {
  let asked: ReadonlySet<string> | undefined
  return active => {
    if (active.reach === undefined) return true
    asked ??= feeds()
    for (const id of asked) if (active.reach.has(id)) return true
    return false
  }
}

function countFault(
  { hits, misses, lastMiss, quota: before, window }: FaultCount = NO_COUNT,
  quota: Quota | undefined = before,
  isApplied: boolean,
  reasonOf: () => SkipReason,
): FaultCount {
  if (isApplied) return { hits: hits + 1, misses, lastMiss, quota, window }
  const reason = reasonOf()
  if (reason === 'another endpoint') return { hits, misses, lastMiss, quota, window }
  return { hits, misses: misses + 1, lastMiss: reason, quota, window }
}
