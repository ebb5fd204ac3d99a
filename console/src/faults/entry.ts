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
