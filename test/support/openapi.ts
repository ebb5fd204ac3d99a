// Validators from the schemas of an OpenAPI document.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Compiles the schema at a JSON pointer, given as its names. */
export type CompileAt = (...names: readonly (string | number)[]) => ValidateFunction

/** Compiles the schemas of a document. */
export function schemasOf(document: object): CompileAt {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema({ ...document, $id: 'document' })
  return (...names) => {
    const pointer = names.map(name => String(name).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
    return ajv.compile({ $ref: `document#/${encodeURI(pointer)}` })
  }
}
