// A fault as scenario files have it.

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

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }
/** A duration as a scenario file has it, in seconds. */
export const toSeconds = (text: string): number => Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? 1)
