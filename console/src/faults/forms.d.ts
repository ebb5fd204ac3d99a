// The module that the build makes of scenarios/schema.json.
declare module 'virtual:fault-forms' {
  export const FORMS: readonly import('./schema').FaultForm[]
  export const SELECTORS: Readonly<Record<string, import('./schema').Schema>>
}
