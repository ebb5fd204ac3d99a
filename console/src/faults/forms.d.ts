// The module that the build makes of scenarios/schema.json.
declare module 'virtual:fault-forms' {
  /** A JSON Schema of one value, as far as the forms need it. */
  export interface Schema {
    readonly type?: string
    readonly description?: string
    readonly default?: unknown
    readonly minimum?: number
    readonly maximum?: number
    readonly pattern?: string
    readonly maxLength?: number
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
  export const FORMS: readonly FaultForm[]
  export const SELECTORS: Readonly<Record<string, Schema>>
}
