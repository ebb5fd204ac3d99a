// A fault as scenario files have it.
import { SECONDS_BY_UNIT } from '../../../src/settings/time.js'

/** A fault as a scenario file has it. */
export interface FaultEntry {
  readonly fault: string
  readonly feeds?: readonly string[]
  readonly endpoints?: readonly string[]
  readonly from?: string
  readonly for?: string
  readonly repeat?: string
  readonly requests?: unknown
  readonly chance?: number
  readonly options?: Readonly<Record<string, unknown>>
}

/** A duration as a scenario file has it, in seconds. */
export const toSeconds = (text: string): number =>
  Number(text.slice(0, -1)) * SECONDS_BY_UNIT[text.slice(-1) as keyof typeof SECONDS_BY_UNIT]
