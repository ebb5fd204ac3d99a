// Generators of the admin's JSON Schemas and of docs/admin-api.md, from the definitions of the admin routes.
import * as z from 'zod/mini'
import { takesBody, takesQuery } from '../../src/admin/admin-route.js'
import { listAdminRoutes } from '../../src/admin/index.js'
import { DOCUMENTATION } from '../../src/settings/schema.js'

/**
 * A JSON Schema as the OpenAPI document holds it: integers have a format instead of the bounds of JavaScript.
 * @param components where schemas with an id are added
 */
export function toDocumentedSchema(schema: z.core.$ZodType, components: Record<string, object> = {}): object {
  const generated = z.toJSONSchema(schema, {
    metadata: DOCUMENTATION,
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => addFormat(jsonSchema),
  })
  const {
    $schema: _,
    $defs,
    ...rest
  } = JSON.parse(JSON.stringify(generated).replaceAll('#/$defs/', '#/components/schemas/')) as {
    $schema: string
    $defs?: Record<string, object>
  }
  Object.assign(components, $defs)
  return rest
}

function addFormat(schema: { type?: unknown; format?: string; minimum?: number; maximum?: number }): void {
  if (schema.type !== 'integer') return
  const { minimum = -Infinity, maximum = Infinity } = schema
  schema.format = minimum >= -(2 ** 31) && maximum < 2 ** 31 ? 'int32' : 'int64'
  if (minimum <= Number.MIN_SAFE_INTEGER || minimum === -(2 ** 31)) delete schema.minimum
  if (maximum >= Number.MAX_SAFE_INTEGER || maximum === 2 ** 31 - 1) delete schema.maximum
}

/** The text of src/admin/admin-schemas.ts. */
export function adminSchemasModule(): string {
  const components: Record<string, object> = {}
  const schemas = listAdminRoutes().map(route => {
    const parts = {
      ...(takesQuery(route) ? { query: toDocumentedSchema(route.query, components) } : {}),
      ...(takesBody(route) ? { body: toDocumentedSchema(route.body, components) } : {}),
      ...(route.status === 204 ? {} : { reply: toDocumentedSchema(route.reply, components) }),
    }
    return [route.name, parts] as const
  })
  const lines = (entries: readonly (readonly [string, object])[]): string =>
    entries.map(([name, value]) => `  ${name}: ${JSON.stringify(value)},\n`).join('')
  return `// JSON Schemas of the admin routes. Written by \`npm run docs\` from their definitions, not by hand: making them at run time would
// load the generator of zod into every browser.

/** Schemas that several routes share, by name. */
export const ADMIN_COMPONENTS: Readonly<Record<string, object>> = {
${lines(Object.entries(components))}}

/** Schemas of each admin route, by its name. */
export const ADMIN_SCHEMAS: Readonly<Record<string, Readonly<Partial<Record<'query' | 'body' | 'reply', object>>>>> = {
${lines(schemas)}}
`
}
