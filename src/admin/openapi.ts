// GET /_mock/openapi.json: service and admin as OpenAPI 3.1, generated from the definitions of endpoints and admin routes.
// Every example of the service is a real reply of the mock.
import * as z from 'zod/mini'
import { ENDPOINTS } from '../endpoints/index.js'
import { REPLY_SCHEMAS } from '../endpoints/reply-schemas.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import { MOCK_HEADER } from '../outcome.js'
import { NO_VOCABULARY } from '../scenario/parse.js'
import { createScenarios } from '../scenario/scenarios.js'
import { type Endpoint, type Parameter, toTarget } from '../service/endpoint.js'
import type { ServiceRequest } from '../service/request.js'
import { createRespond } from '../service/respond.js'
import { pathsOf } from '../service/router.js'
import { createSessions } from '../service/sessions.js'
import type { Policy } from '../settings/policy.js'
import { DEFAULT_SETTINGS } from '../settings/settings.js'
import { VERSION } from '../version.js'
import { type AdminRoute, defineAdminRoute } from './admin-route.js'
import { ADMIN_COMPONENT_SCHEMAS, adminPaths, HEADERS, text } from './openapi-admin.js'

/**
 * GET /_mock/openapi.json, see https://spec.openapis.org/oas/v3.1.0
 * @param adminRoutes every admin route, this one included
 */
export function openapiRoute(adminRoutes: () => readonly AdminRoute[]) {
  // Depends on the version and this policy alone, and takes a while: created once for each.
  const documents: Partial<Record<BatchFeedId, Record<string, unknown>>> = {}
  return defineAdminRoute({
    name: 'openapi',
    summary: 'Service and admin as an OpenAPI 3.1 document',
    path: '/_mock/openapi.json',
    reply: z.record(z.string(), z.unknown()),
    async answer({ sessions }) {
      const { batchFeedId } = (await sessions.get('default')).runtime.settings.policy
      return (documents[batchFeedId] ??= createDocument(adminRoutes(), batchFeedId))
    },
  })
}

type BatchFeedId = Policy['batchFeedId']

const KEY = DEFAULT_SETTINGS.apiKeys[0]!
const AT = 1_753_354_105_000

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'The reply.',
  400: 'A parameter is missing, empty, malformed or given twice.',
  401: 'The API key is missing or invalid.',
  404: 'The feed is unknown or has no price.',
  405: 'Only GET, HEAD and OPTIONS are answered.',
}
const CHARTING_404 = 'The interval is wrong or the feed is missing.'

const ERROR_SCHEMA = {
  type: 'object',
  properties: { error: text, message: text },
  required: ['error', 'message'],
  additionalProperties: false,
}

function createDocument(adminRoutes: readonly AdminRoute[], batchFeedId: BatchFeedId): Record<string, unknown> {
  const paths = ENDPOINTS.flatMap((endpoint: Endpoint<never>) =>
    pathsOf(endpoint).map((path, i) => [path, { get: operation(endpoint, i, batchFeedId) }]),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Signed price feed service, simulated',
      version: VERSION,
      description:
        'The replies of price-feed-mock. In the service, statuses and error bodies other than 401 and the 404 of charting are assumptions of the mock. The paths of the admin exist in the mock only.',
      contact: { name: 'price-feed-mock' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Relative to the document: a proxy or an app can have mounted the mock at a path.
    servers: [{ url: '..', description: 'This server; with a history port of its own, charting is there.' }],
    tags: [
      { name: 'service', description: 'The simulated service.' },
      { name: 'admin', description: 'The control of the mock: sessions, clock, faults, journal.' },
    ],
    paths: { ...Object.fromEntries(paths), ...adminPaths(adminRoutes) },
    components: {
      schemas: { Error: ERROR_SCHEMA, ...ADMIN_COMPONENT_SCHEMAS },
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The key itself, without a scheme.',
        },
        adminToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of `--admin-token`. A server without one needs none.',
        },
      },
      headers: {
        [MOCK_HEADER]: {
          description:
            'A dictionary (RFC 9651): session, virtual second and number of the request; `own` on replies of the mock itself.',
          schema: text,
          example: 'session="default", now=1753354105, n=1',
        },
      },
    },
  }
}

function operation(endpoint: Endpoint<never>, alias: number, batchFeedId: BatchFeedId): Record<string, unknown> {
  const { name, summary, description = `${summary}.`, parameters } = endpoint
  const responses = Object.entries(examplesOf(endpoint, batchFeedId)).map(([status, examples]) => [
    status,
    {
      description: status === '404' && !endpoint.protected ? CHARTING_404 : DESCRIPTIONS[status],
      headers: HEADERS,
      content: {
        'application/json': {
          schema: status === '200' ? replySchema(name, batchFeedId) : { $ref: '#/components/schemas/Error' },
          examples,
        },
      },
    },
  ])
  return {
    operationId: alias === 0 ? name : `${name}Alias${alias}`,
    tags: ['service'],
    summary,
    description,
    parameters: Object.entries(parameters).map(([parameter, definition]) => toParameter(parameter, definition)),
    security: endpoint.protected ? [{ apiKey: [] }] : [],
    responses: Object.fromEntries(responses),
  }
}

/** The schema of a reply. A batch has ids of one type, which the policy chooses. */
function replySchema(name: string, batchFeedId: BatchFeedId): unknown {
  return JSON.parse(JSON.stringify(REPLY_SCHEMAS[name] ?? {}), (key, value) =>
    key === 'feedId' && value.anyOf ? value.anyOf[batchFeedId === 'integer' ? 1 : 0] : value,
  )
}

function toParameter(name: string, { in: place, description, schema, example }: Parameter): Record<string, unknown> {
  const isInteger = schema.type === 'integer'
  return {
    name,
    in: place,
    required: true,
    description,
    schema: isInteger ? { ...schema, format: 'int32' } : schema,
    example: isInteger ? Number(example) : example,
  }
}

type Examples = Record<string, Record<string, { summary: string; value: unknown }>>

/** Named examples by status: the replies of a mock to every example and counter-example of the definition. */
function examplesOf(endpoint: Endpoint<never>, batchFeedId: BatchFeedId): Examples {
  const session = createSessions({
    scenarios: createScenarios(NO_VOCABULARY),
    settings: {
      ...DEFAULT_SETTINGS,
      clock: { at: AT, speed: 1, frozen: true },
      policy: { ...DEFAULT_SETTINGS.policy, candles: 2, batchFeedId },
    },
    feeds: catalogueFeeds(),
    respond: createRespond(ENDPOINTS),
    startedAt: AT,
  }).default
  const found: Examples = {}
  const ask = (name: string, summary: string, changes: Record<string, string>, other: Partial<ServiceRequest> = {}) => {
    const target = toTarget(endpoint, name => changes[name] ?? endpoint.parameters[name]!.example)
    const request = { method: 'GET', target, authorization: KEY, receivedAt: AT }
    const { outcome } = session.handle({ ...request, ...other })!
    // Without faults the outcome is always a reply.
    if (outcome.kind === 'reply') (found[outcome.status] ??= {})[name] = { summary, value: JSON.parse(outcome.body) }
  }
  ask('answer', 'A reply', {})
  if (endpoint.protected) ask('no-key', 'Without a key', {}, { authorization: '' })
  for (const [name, { in: place, counterExample }] of Object.entries(endpoint.parameters)) {
    if (place === 'query') ask(`${name}-empty`, `${name} is empty`, { [name]: '' })
    if (counterExample !== undefined) ask(`${name}-refused`, `${name}=${counterExample}`, { [name]: counterExample })
  }
  ask('method', 'POST', {}, { method: 'POST' })
  return found
}
