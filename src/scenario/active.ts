// A scenario that has been applied: at a moment its windows begin, and from then on each request is told which faults are at work.
import { canActOn, stageOf } from '../faults/fault.js'
import { hashText, scatter, uniformOf } from '../market/random.js'
import { MOST_WINDOWS, repeatedWindows, type Windows } from '../market/windows.js'
import type { PlannedFault, Requests, Scenario } from './scenario.js'

/** A planned fault with its windows in virtual time. */
export interface ActiveFault extends PlannedFault {
  readonly windows: Windows
}

/** A scenario since the moment it was applied. */
export interface ActiveScenario {
  readonly definition: Scenario
  /** When it was applied, in virtual seconds since the epoch. */
  readonly appliedAt: number
  readonly faults: readonly ActiveFault[]
}

/** Applies a scenario at virtual second `appliedAt`. */
export function applyScenario(scenario: Scenario, appliedAt: number): ActiveScenario {
  const faults = scenario.faults.map(planned => {
    const { shift, windows, period } = planned.pattern
    return { ...planned, windows: repeatedWindows(appliedAt + shift, windows, period, mostWindows(planned, scenario)) }
  })
  return { definition: scenario, appliedAt, faults }
}

/** Only a path is searched window by window; n faults in the way of each other have n times as many, n times as slow. */
function mostWindows(planned: PlannedFault, { faults }: Scenario): number {
  const repeats = ({ fault, pattern }: PlannedFault): boolean =>
    stageOf(fault) === 'market' && pattern.period < Number.POSITIVE_INFINITY
  if (!repeats(planned)) return Number.POSITIVE_INFINITY
  const { length } = faults.filter(other => repeats(other) && shareFeed(planned, other))
  return Math.floor(MOST_WINDOWS / (length * length))
}

function shareFeed({ feeds: some }: PlannedFault, { feeds: others }: PlannedFault): boolean {
  if (some === undefined || others === undefined) return true
  for (const id of some) if (others.has(id)) return true
  return false
}

/** One request, as selectors see it. */
export interface SelectorInput {
  readonly endpoint: string
  /** Counts the requests of the endpoint since the scenario was applied, from 1. */
  readonly ordinal: number
  /** Virtual seconds since the epoch. */
  readonly now: number
  readonly seed: string
}

/** Why a fault leaves a request alone. */
export type SkipReason =
  | 'another endpoint'
  | 'another feed'
  | 'not its time'
  | 'not one of its requests'
  | 'not by chance'
  | 'hidden by another fault'
  | 'nothing to change'

/** Why a fault leaves a request alone whatever its feeds, or undefined when it is at work. */
export function findSkipReason(fault: ActiveFault, asked: SelectorInput): SkipReason | undefined {
  const { endpoint } = asked
  if (!(fault.endpoints?.has(endpoint) ?? true) || !canActOn(fault.fault, endpoint)) return 'another endpoint'
  if (fault.windows.at(asked.now) === undefined) return 'not its time'
  if (fault.requests !== undefined && !includes(fault.requests, asked.ordinal)) return 'not one of its requests'
  if (fault.chance < 1 && uniformAt(fault, asked, 'chance') >= fault.chance) return 'not by chance'
  return undefined
}

/** A number in [0, 1) that depends on the seed, the fault, the endpoint and the request alone. */
export function uniformAt(
  { index }: PlannedFault,
  { seed, endpoint, ordinal }: SelectorInput,
  purpose: string,
): number {
  const name = `${seed}:${index}:${endpoint}:${purpose}`
  return (uniformOf(hashText(name), hashText(`${name}:`), scatter(ordinal)) + 1) / 2
}

function includes(requests: Requests, ordinal: number): boolean {
  if ('first' in requests) return ordinal <= requests.first
  if ('every' in requests) return ordinal % requests.every === 0
  return requests.ranges.some(([from, to]) => ordinal >= from && ordinal <= to)
}
