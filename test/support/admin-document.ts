// Generators of the admin's JSON Schemas and of docs/admin-api.md, from the definitions of the admin routes.
import * as z from 'zod/mini'
import { type AdminRoute, HOST_ROUTES, type HostRoute, takesBody, takesQuery } from '../../src/admin/admin-route.js'
import { listAdminRoutes } from '../../src/admin/index.js'
import { errorCodesOf, GUARD_CODES, statusOf } from '../../src/admin/openapi-admin.js'
import { type ErrorCode, type PriceFeedMockError, toProblemDetails } from '../../src/errors.js'
import { sessionPatchSchema } from '../../src/service/session-settings.js'
import { DOCUMENTATION, parseOrThrow } from '../../src/settings/schema.js'
import { documentSettings } from './settings-documentation.js'

documentSettings()

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

/** The JSON Schemas of all admin routes, and those that they share. */
function generateSchemas() {
  const components: Record<string, object> = {}
  const schemas = listAdminRoutes().map(route => {
    const parts: RouteSchemas = {
      ...(takesQuery(route) ? { query: toDocumentedSchema(route.query, components) } : {}),
      ...(takesBody(route) ? { body: toDocumentedSchema(route.body, components) } : {}),
      ...(route.status === 204 ? {} : { reply: toDocumentedSchema(route.reply, components) }),
    }
    return [route.name, parts] as const
  })
  return { components: Object.entries(components), schemas }
}

type RouteSchemas = Partial<Record<'query' | 'body' | 'reply', object>>

/** The text of src/admin/admin-schemas.ts. */
export function adminSchemasModule(): string {
  const { components, schemas } = generateSchemas()
  const lines = (entries: readonly (readonly [string, object])[]): string =>
    entries.map(([name, value]) => `  ${name}: ${JSON.stringify(value)},\n`).join('')
  return `// JSON Schemas of the admin routes. Written by \`npm run docs\` from their definitions, not by hand: making them at run time would
// load the generator of zod into every browser.

/** Schemas that several routes share, by name. */
export const ADMIN_COMPONENTS: Readonly<Record<string, object>> = {
${lines(components)}}

/** Schemas of each admin route, by its name. */
export const ADMIN_SCHEMAS: Readonly<Record<string, Readonly<Partial<Record<'query' | 'body' | 'reply', object>>>>> = {
${lines(schemas)}}
`
}

/** The text of docs/admin-api.md. */
export function adminPage(): string {
  const { components, schemas } = generateSchemas()
  const byName = Object.fromEntries(schemas)
  return `# Admin API

The admin controls the mock from any language: sessions, clock, faults, journal. It has HTTP routes under \`/_mock/\`, described here and in
the OpenAPI document at \`/_mock/openapi.json\`, from which clients for Go, Rust and others can be generated. In TypeScript use
\`createAdminClient\` of \`price-feed-mock/client\`.

- A body is JSON and is sent with \`content-type: application/json\`; it has at most 1 MB. Unknown keys are errors. Of equal keys
  in one object the last wins.
- A server answers the admin only for local host names, or for names given with \`--allow-host\`; otherwise the error is \`HOST_NOT_ALLOWED\`.
- A page reaches it from the server's own origin, or from one given with \`--allow-origin http://localhost:5173\`; otherwise the error is
  \`ORIGIN_NOT_ALLOWED\`. The scheme counts: behind a proxy that ends TLS, the proxy sends \`X-Forwarded-Proto\`, or the server has
  \`--public-url\`. A link on any site opens \`/_mock/\` itself. The five endpoints answer all pages.
- With \`--admin-token\` (better: \`PRICE_FEED_MOCK_ADMIN_TOKEN\`) it needs the header \`Authorization: Bearer TOKEN\`, or \`x-admin-token\`;
  otherwise the error is \`ADMIN_TOKEN_INVALID\`. The [console](console.md) asks for it; elsewhere a browser asks for it as a password,
  with any name. \`/_mock/health\`, \`/_mock/live\`, \`/\` and the files of the console are open. A request to \`/session/{id}\` creates the session only with \`x-admin-token\`.
  The session of \`/scenario/{name}\`, or of the key \`scenario.NAME\`, is created without a token: there is one for each scenario, shared by all.
- Virtual times are seconds since the epoch (\`int64\`), real times are milliseconds.
- Integers in replies are below 2^53.

## Sessions

A session is an isolated simulation with its own seed, clock, scenario, prices, counters and journal. The session \`default\` always exists.
Another one is reached in three ways: under \`/session/{id}\`, with its \`apiKey\`, or, for a session that runs a scenario, under
\`/scenario/{name}\`. It is created by \`POST /_mock/sessions\` or by its first request. There are at most 1,000 sessions: when all are in use,
the session that has been idle for longest is evicted, but never one that was created or changed by an admin route. At most 900 can
be such sessions; then, and when all sessions together hold 24 MB of scenarios, settings and prices in memory, the error is \`SESSIONS_FULL\`.

## Errors

An error is \`application/problem+json\` (RFC 9457) with a stable \`code\`:

\`\`\`json
${JSON.stringify(EXAMPLE_PROBLEM, null, 2)}
\`\`\`

\`problems\` lists every invalid value: its path, the value, what is valid, and the closest valid name. Values of a wrong form come
first, and those that do not fit the session once there are none. All routes can answer
${codes(GUARD_CODES)} and, for another method, ${codes(['METHOD_NOT_ALLOWED'])}.

## Routes

${listAdminRoutes()
  .map(route => routeSection(route, byName[route.name]!))
  .join('\n')}
${HOST_ROUTES.map(hostSection).join('\n')}
## Shared objects

${components.map(componentSection).join('\n')}`
}

/** The error of a session body with two mistakes. */
const EXAMPLE_PROBLEM = toProblemDetails(exampleError())
function exampleError(): PriceFeedMockError {
  try {
    parseOrThrow(sessionPatchSchema, { sed: '7', clock: { speed: 0 } }, 'REQUEST_INVALID', 'The body')
  } catch (error) {
    return error as PriceFeedMockError
  }
  throw new Error('The example has no mistakes.')
}

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly required?: readonly string[]
}

function routeSection(route: AdminRoute, { query, body, reply }: RouteSchemas): string {
  const { name, summary, method, path, status, example = '', exampleBody, errors } = route
  const sent =
    exampleBody === undefined ? '' : ` \\\n  -H "content-type: application/json" -d '${JSON.stringify(exampleBody)}'`
  const url = `http://127.0.0.1:4700${path.replace('{id}', errors.includes('SESSION_DEFAULT') ? 'test-1' : 'default').replace('{n}', '1')}${example}`
  const quoted = /[?&]/.test(url) ? `'${url}'` : url
  const shown = status === 204 ? '-i ' : ''
  const curl = `curl ${shown}${method === 'GET' ? '' : `-X ${method} `}${quoted}${sent}`
  return [
    `### ${method} ${path}`,
    `${summary}.`,
    `\`\`\`sh\n${name === 'restoreSession' ? RESTORE : curl}\n\`\`\``,
    ...(query === undefined ? [] : [`Query:\n\n${table(query)}`]),
    ...(body === undefined ? [] : [`Body:\n\n${table(body)}`]),
    status === 204 ? 'Reply: 204 without a body.' : `Reply: ${status}${replyText(reply!)}`,
    ...errorsOf(errorCodesOf(route)),
  ]
    .join('\n\n')
    .concat('\n')
}

const RESTORE = `curl -X POST http://127.0.0.1:4700/_mock/sessions/default/snapshot |
  curl -X POST http://127.0.0.1:4700/_mock/sessions/default/restore -H "content-type: application/json" -d @-`

function hostSection({ path, summary, mediaType, description, errors, headers }: HostRoute): string {
  return [
    `### GET ${path}`,
    `${summary}. Only a server has this route.`,
    `\`\`\`sh\n${mediaType === 'text/event-stream' ? '# Runs until it is interrupted.\ncurl -N ' : 'curl '}http://127.0.0.1:4700${path.replace('{id}', 'default')}\n\`\`\``,
    ...Object.entries(headers).map(([name, meaning]) => `Header \`${name}\`: ${meaning}`),
    `Reply: 200, \`${mediaType}\`. ${description}`,
    ...errorsOf(errors),
  ]
    .join('\n\n')
    .concat('\n')
}

/** The codes of a route, besides those of all routes. */
function errorsOf(all: readonly ErrorCode[]): string[] {
  const own = all.filter(code => !GUARD_CODES.includes(code))
  return own.length === 0 ? [] : [`Errors: ${codes(own)}`]
}

const componentSection = ([name, schema]: [string, object]): string => {
  const fields = name === 'Snapshot' ? 'Pass it back as it is: its fields may change with a version.' : table(schema)
  return `### ${name}\n\n${(schema as Schema).description}\n\n${fields}\n`
}

function replyText(reply: Schema): string {
  if (reply.$ref !== undefined) return `, ${typeOf(reply)}.`
  return reply.properties === undefined ? ', a JSON object.' : `\n\n${table(reply)}`
}

const codes = (list: readonly ErrorCode[]): string => list.map(code => `\`${code}\` (${statusOf(code)})`).join(', ')

function table(schema: object): string {
  const rows = fieldsOf(schema as Schema).map(([name, type, meaning]) => `| \`${name}\` | ${type} | ${meaning} |`)
  return ['| field | type | meaning |', '|---|---|---|', ...rows].join('\n')
}

/** Fields with their paths, such as \`clock.now\` and \`ticks[].before\`. */
function fieldsOf({ properties = {}, required = [] }: Schema, prefix = ''): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const optional = required.includes(name) ? '' : ', optional'
    const row = [`${prefix}${name}`, typeOf(field) + optional, (field.description ?? '').replaceAll('|', '\\|')]
    if (field.items?.properties) return [row, ...fieldsOf(field.items, `${prefix}${name}[].`)]
    return field.properties ? [row, ...fieldsOf(field, `${prefix}${name}.`)] : [row]
  })
}

function typeOf({
  $ref,
  type,
  format,
  enum: values,
  const: constant,
  items,
  anyOf,
  additionalProperties,
}: Schema): string {
  if ($ref !== undefined) return `[${$ref.split('/').at(-1)}](#${$ref.split('/').at(-1)!.toLowerCase()})`
  if (constant !== undefined) return `\`${JSON.stringify(constant)}\``
  if (values !== undefined) return values.map(value => `\`${JSON.stringify(value)}\``).join(' or ')
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ')
  if (items !== undefined) return `list of ${typeOf(items)}`
  if (type === 'integer') return format ?? type
  if (Array.isArray(type)) return type.join(' or ')
  const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'any'
  if (type === 'object' && additionalProperties !== undefined && additionalProperties !== false)
    return value === 'any' ? 'object' : `map of ${value}`
  return (type as string | undefined) ?? 'any'
}
