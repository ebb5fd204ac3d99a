// The admin part of the OpenAPI document, generated from the definitions of the admin routes.
import { getOrCreate } from '../caches.js'
import { type ErrorCode, PriceFeedMockError, toProblemDetails } from '../errors.js'
import { MEDIA_TYPE, MOCK_HEADER } from '../outcome.js'
import { type AdminRoute, HOST_ROUTES, type HostRoute, takesBody } from './admin-route.js'
import { ADMIN_COMPONENTS, ADMIN_SCHEMAS } from './admin-schemas.js'

type Json = Record<string, unknown>

/** The headers of every reply. */
export const HEADERS = { [MOCK_HEADER]: { $ref: `#/components/headers/${MOCK_HEADER}` } }
/** The schema of a text. */
export const text = { type: 'string' }

/** The components of the admin operations. */
export const ADMIN_COMPONENT_SCHEMAS: Json = {
  ...ADMIN_COMPONENTS,
  Problem: {
    type: 'object',
    description: 'An error of the mock itself (RFC 9457). The `code` is stable; the texts are not.',
    properties: {
      type: text,
      title: text,
      status: { type: 'integer', format: 'int32' },
      code: text,
      detail: { type: 'string', description: 'One sentence for people.' },
      problems: {
        type: 'array',
        description: 'Each invalid value of the input.',
        items: {
          type: 'object',
          properties: {
            at: { type: 'string', description: 'Path of the value, such as `clock.speed`.' },
            got: { description: 'The value that was sent.' },
            want: { type: 'string', description: 'A description of valid values.' },
            closest: text,
          },
          required: ['at', 'want'],
        },
      },
      more: { type: 'integer', format: 'int32', description: 'Number of problems that are left out.' },
      got: text,
      want: text,
      fix: text,
      docs: text,
      note: text,
    },
    required: ['type', 'title', 'status', 'code', 'detail'],
  },
}

/** The paths of the admin routes, with an operation for each method. */
export function adminPaths(routes: readonly AdminRoute[]): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = adminOperation(route)
  paths['/_mock'] = {
    get: operation('indexPage', 'The console for a browser, the list of routes for a program', true, {
      responses: {
        200: success('The list of routes.', MEDIA_TYPE.html, text),
        302: { description: 'A browser is sent to the console, at `/_mock/`.', headers: HEADERS },
        ...errorResponses(GUARD_CODES),
      },
    }),
  }
  for (const route of HOST_ROUTES) paths[route.path] = { get: hostOperation(route) }
  return paths
}

/** Error codes of every route of the admin that needs the token. */
export const GUARD_CODES: readonly ErrorCode[] = ['HOST_NOT_ALLOWED', 'ORIGIN_NOT_ALLOWED', 'ADMIN_TOKEN_INVALID']
/** A server without `--admin-token` needs none. */
const WITH_TOKEN: readonly Json[] = [{ adminToken: [] }, {}]

const needsToken = ({ access }: Pick<AdminRoute, 'access'>): boolean => access === 'admin'

const OF_MOCK = 'Part of the mock, not of the service.'
const OF_MOCK_WITH_TOKEN = `${OF_MOCK} Needs the token of \`--admin-token\`, if the server has one.`

/** The error codes of an admin route: those that follow from its definition, and its own. */
export function errorCodesOf(route: AdminRoute): ErrorCode[] {
  const { path, errors } = route
  return [
    ...GUARD_CODES.filter(code => code !== 'ADMIN_TOKEN_INVALID' || needsToken(route)),
    ...(path.includes('{id}') ? (['SESSION_UNKNOWN'] as const) : []),
    ...(needsToken(route) || takesBody(route) ? (['REQUEST_INVALID'] as const) : []),
    ...(takesBody(route) ? (['BODY_NOT_JSON', 'BODY_TOO_LARGE'] as const) : []),
    ...errors,
  ]
}

/** The status that an error is answered with. */
export const statusOf = (code: ErrorCode): number => toProblemDetails(new PriceFeedMockError(code, '')).status

const operation = (operationId: string, summary: string, hasToken: boolean, rest: Json): Json => ({
  operationId,
  tags: ['admin'],
  summary,
  description: hasToken ? OF_MOCK_WITH_TOKEN : OF_MOCK,
  security: hasToken ? WITH_TOKEN : [],
  ...rest,
})

function adminOperation(route: AdminRoute): Json {
  const { name, summary, path, status, exampleBody } = route
  const { query, body, reply } = ADMIN_SCHEMAS[name] ?? {}
  return operation(name, summary, needsToken(route), {
    ...parametersOf(path, query),
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: body, example: exampleBody } } },
    }),
    responses: {
      [status]:
        status === 204 ? { description: 'Done.', headers: HEADERS } : success('Success.', MEDIA_TYPE.json, reply),
      ...errorResponses(errorCodesOf(route)),
    },
  })
}

function hostOperation({ name, summary, path, mediaType, description, headers, errors }: HostRoute): Json {
  const parameters = Object.entries(headers).map(([header, meaning]) => ({
    name: header,
    in: 'header',
    required: false,
    description: meaning,
    schema: { type: 'integer', format: 'int64' },
  }))
  return operation(name, `${summary} (server only)`, true, {
    ...parametersOf(path, undefined, parameters),
    responses: { 200: success(description, mediaType, text), ...errorResponses([...GUARD_CODES, ...errors]) },
  })
}

function parametersOf(path: string, query: object | undefined, others: readonly Json[] = []): Json {
  const { properties = {}, required = [] } = (query ?? {}) as {
    properties?: Record<string, { description?: string }>
    required?: readonly string[]
  }
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      description: 'Id of the session.',
      schema: text,
      example: 'default',
    })),
    ...Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      description,
      schema,
    })),
    ...others,
  ]
  return parameters.length === 0 ? {} : { parameters }
}

const success = (description: string, mediaType: string, schema: object | undefined): Json => ({
  description,
  headers: HEADERS,
  content: { [mediaType.split(';', 1)[0]!]: { schema } },
})

function errorResponses(codes: readonly ErrorCode[]): Record<string, Json> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) getOrCreate(byStatus, statusOf(code), () => []).push(code)
  const responses = [...byStatus].map(([status, group]) => [
    status,
    {
      description: group.join(', '),
      headers: HEADERS,
      content: {
        'application/problem+json': {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Problem' },
              { type: 'object', properties: { code: { enum: group } } },
            ],
          },
        },
      },
    },
  ])
  return Object.fromEntries(responses)
}
