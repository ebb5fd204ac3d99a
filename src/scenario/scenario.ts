// What a scenario is: faults with when and where they act, read and resolved. It knows no present: a start makes windows of it.
import type { Fault } from '../faults/fault.js'
import type { Window } from '../market/windows.js'
import type { SettingsPatch } from '../settings/settings.js'

/** Which requests of an endpoint, counted from 1 since the scenario was applied. */
export type Requests =
  | { readonly first: number }
  | { readonly every: number }
  | { readonly ranges: readonly (readonly [from: number, to: number])[] }

/** When a fault is at work, relative to the start of the scenario. Seconds. */
export interface Pattern {
  /** From the start of the scenario to the first period. */
  readonly shift: number
  /** Windows of each period. */
  readonly windows: readonly Window[]
  /** Infinity for one period that never ends. */
  readonly period: number
}

/** A fault of a scenario, resolved. */
export interface PlannedFault {
  /** Its place in the file, from 0. */
  readonly index: number
  readonly fault: Fault
  /** As the schema of the fault has read them. */
  readonly options: never
  /** Ids as the catalogue spells them; all feeds without. */
  readonly feeds: ReadonlySet<string> | undefined
  /** Names; all endpoints without. */
  readonly endpoints: ReadonlySet<string> | undefined
  readonly pattern: Pattern
  /** All requests without. */
  readonly requests: Requests | undefined
  /** From 0 to 1. */
  readonly chance: number
  /** When and where, in a few words: `BTCUSD, from 10s for 5m`. */
  readonly planned: string
}

/** A scenario, read and resolved. */
export interface Scenario {
  /** What it is called by; that of an object given inline is `inline`. */
  readonly name: string
  readonly title: string
  /** The consumer's mistake that it brings to light. */
  readonly why: string
  /** What it sets besides, over flags and under what a session sets for itself. */
  readonly settings: Pick<SettingsPatch, 'seed' | 'clock' | 'policy'>
  readonly faults: readonly PlannedFault[]
  /** As it was written, without `$schema`. */
  readonly source: Readonly<Record<string, unknown>>
}
