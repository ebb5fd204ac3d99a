// The schemas of scenario files, as far as the form of a fault needs them.

/** A JSON Schema of one value. */
export interface Schema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly pattern?: string
  readonly maxLength?: number
  readonly maxItems?: number
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** The form of one fault. */
export interface FaultForm {
  readonly fault: string
  readonly description: string
  /** Names of the selectors that it takes. */
  readonly selectors: readonly string[]
  readonly options: Schema
}
