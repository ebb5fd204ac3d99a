// A scenario in its two forms: parsed, with times relative to its start, and active, with windows in virtual time.
import { canActOn, type Fault, stageOf } from '../faults/fault.js'
import { hashText, scatter, uniformOf } from '../market/random.js'
import { EVER, endedWindows, MAX_REPEATS, repeatedWindows, type Window, type Windows } from '../market/windows.js'
import type { SettingsPatch } from '../settings/settings.js'

/** Selects requests of an endpoint by ordinal: from 1, counted since the start of the window of the fault. */
export type Requests =
  | { readonly first: number }
  | { readonly every: number }
  | {
      readonly ranges: readonly (readonly [from: number, to: number])[]
      /** The ordinals begin again after so many requests. */
      readonly of?: number | undefined
    }

/** The times of a fault in seconds, relative to the start of the scenario. */
export interface Pattern {
  /** Time from the start of the scenario to the first period. */
  readonly shift: number
  /** Windows within each period. */
  readonly windows: readonly Window[]
  /** Length of a period; infinite for a single one. */
  readonly period: number
}

/** A fault of a scenario, parsed. */
export interface PlannedFault {
  /** Index in the list of faults, from 0. */
  readonly index: number
  readonly fault: Fault
  /** Options, parsed by the schema of the fault. */
  readonly options: never
  /** Feed ids in the spelling of the catalogue; undefined for all feeds. */
  readonly feeds: ReadonlySet<string> | undefined
  /** The same, with the derived feeds that follow. */
  readonly reach: ReadonlySet<string> | undefined
  /** Names of endpoints; undefined for all endpoints. */
  readonly endpoints: ReadonlySet<string> | undefined
  readonly pattern: Pattern
  /** Undefined for all requests. */
  readonly requests: Requests | undefined
  /** Probability from 0 to 1. */
  readonly chance: number
  /** All selectors in a few words: `BTCUSD, from 10s for 5m`. */
  readonly planned: string
}

/** A scenario, parsed. */
export interface Scenario {
  /** `inline` for a scenario that was given as an object. */
  readonly name: string
  readonly title: string
  /** The consumer's mistake that it reveals. */
  readonly why: string
  /** Its own settings. They override flags, and a session's own settings override them. */
  readonly settings: Pick<SettingsPatch, 'seed' | 'clock' | 'policy'>
  readonly faults: readonly PlannedFault[]
  /** A copy of its JSON, without `$schema`. */
  readonly source: Readonly<Record<string, unknown>>
}

/** A planned fault with its windows in virtual time. */
export interface ActiveFault extends PlannedFault {
  readonly windows: Windows
  /** Whether its `requests` count from the start of each window, and not only from that of the scenario. */
  readonly countsInWindow: boolean
  /** Whether its scenario was ended, at whatever time. Market faults stay in the past that they have published. */
  readonly hasEnded?: boolean | undefined
}

/** A scenario that a session runs. */
export interface ActiveScenario {
  readonly definition: Scenario
  /** Start of the scenario, in virtual seconds since the epoch. */
  readonly appliedAt: number
  /** Its end, in virtual seconds since the epoch; undefined while it runs. */
  readonly endedAt?: number | undefined
  readonly faults: readonly ActiveFault[]
}

/**
 * Applies a scenario at virtual second `appliedAt`.
 * @param endedAt the second at which it ended. Ticks that were published by then keep its market faults.
 */
export function applyScenario(definition: Scenario, appliedAt: number, endedAt?: number): ActiveScenario {
  const faults = definition.faults.map(planned => {
    const { shift, windows, period } = planned.pattern
    const limit = maxRepeats(planned, definition)
    const countsInWindow = planned.requests !== undefined && (shift > 0 || period < EVER)
    const whole = repeatedWindows(appliedAt + shift, windows, period, limit)
    if (endedAt === undefined) return { ...planned, windows: whole, countsInWindow }
    const isOfMarket = stageOf(planned.fault) === 'market'
    const ended = endedWindows(whole, appliedAt, endedAt + Number(isOfMarket))
    return { ...planned, windows: ended, countsInWindow, ...(isOfMarket ? {} : { hasEnded: true }) }
  })
  return { definition, appliedAt, endedAt, faults }
}

/**
 * The number of repeats of a fault. Only market faults need a limit, because a search visits their windows one by one. Where n
 * faults overlap, there are n times as many windows and each is n times as slow.
 */
function maxRepeats(planned: PlannedFault, { faults }: Scenario): number {
  const isRepeatedPath = ({ fault, pattern }: PlannedFault): boolean =>
    stageOf(fault) === 'market' && pattern.period < EVER
  if (!isRepeatedPath(planned)) return EVER
  const { length } = faults.filter(other => isRepeatedPath(other) && shareFeed(planned, other))
  return Math.floor(MAX_REPEATS / (length * length))
}

const shareFeed = ({ reach: some }: PlannedFault, { reach: others }: PlannedFault): boolean =>
  some === undefined || others === undefined || [...some].some(id => others.has(id))

/** The properties of a request that selectors test. */
export interface SelectorInput {
  readonly endpoint: string
  /** Number of the request among those of its endpoint since the scenario was applied, from 1. */
  readonly ordinal: number
  /**
   * The same in the present window of a fault that counts there, by the index of the fault.
   * @default ordinal
   */
  ordinalIn?(index: number): number
  /** Virtual seconds since the epoch. */
  readonly now: number
  readonly seed: string
  /** Path and query of the request, below the base address of its session. */
  target(): string
}

/** Why a fault is not applied to a request. */
export type SkipReason =
  | 'another endpoint'
  | 'another feed'
  | 'not its time'
  | 'not one of its requests'
  | 'not by chance'
  | `hidden by ${string}`
  | 'nothing to change'

/** Why a fault does not select a request, its feeds aside; undefined if it does. */
export function findSkipReason(fault: ActiveFault, input: SelectorInput): SkipReason | undefined {
  const { endpoint } = input
  if (!(fault.endpoints?.has(endpoint) ?? true) || !canActOn(fault.fault, endpoint)) return 'another endpoint'
  if (fault.hasEnded || fault.windows.at(input.now) === undefined) return 'not its time'
  const ordinal = (fault.countsInWindow && input.ordinalIn?.(fault.index)) || input.ordinal
  if (fault.requests !== undefined && !includes(fault.requests, ordinal)) return 'not one of its requests'
  if (fault.chance < 1 && uniformAt(fault, input, 'chance') >= fault.chance) return 'not by chance'
  return undefined
}

/** A number in [0, 1) that depends only on the seed, the fault, the endpoint, the request and the purpose. */
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
  const { ranges, of = EVER } = requests
  const place = ((ordinal - 1) % of) + 1
  return ranges.some(([from, to]) => place >= from && place <= to)
}
