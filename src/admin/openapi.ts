// GET /_mock/openapi.json: the service as OpenAPI 3.1, generated from the endpoint definitions. Every example is an answer
// that the mock gave when it was asked.
import * as z from 'zod/mini'
import { ENDPOINTS } from '../endpoints/index.js'
import { REPLY_SCHEMAS } from '../endpoints/reply-schemas.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import { MOCK_HEADER } from '../outcome.js'
import { NO_VOCABULARY } from '../scenario/parse.js'
import { createScenarios } from '../scenario/scenarios.js'
import type { Endpoint, Parameter } from '../service/endpoint.js'
import { createRespond } from '../service/respond.js'
import { createSessions } from '../service/sessions.js'
import { DEFAULT_SETTINGS } from '../settings/settings.js'
import { VERSION } from '../version.js'
import { defineAdminRoute } from './admin-route.js'

/** The admin route `/_mock/openapi.json`: https://spec.openapis.org/oas/v3.1.0 */
export const openapi = defineAdminRoute({
  name: 'openapi',
  summary: 'The service as an OpenAPI 3.1 document',
  path: '/_mock/openapi.json',
  reply: z.record(z.string(), z.unknown()),
  answer: () => (document ??= createDocument()),
})

/** The same for every run of a version, and costly enough to be made once. */
let document: Record<string, unknown> | undefined

const KEY = DEFAULT_SETTINGS.apiKeys[0]!
const AT = 1_753_354_105_000

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'The answer.',
  400: 'A parameter is missing, empty, malformed or given twice.',
  401: 'The API key is missing or invalid.',
  404: 'The feed is unknown or has no price.',
  405: 'Only GET, HEAD and OPTIONS are answered.',
}
const CHARTING_404 = 'The interval is wrong or the feed is missing.'

const text = { type: 'string' }
const ERROR_SCHEMA = {
  type: 'object',
  properties: { error: text, message: text },
  required: ['error', 'message'],
  additionalProperties: false,
}

function createDocument(): Record<string, unknown> {
  const paths = ENDPOINTS.flatMap((endpoint: Endpoint<never>) =>
    [endpoint.path, ...(endpoint.aliases ?? [])].map((path, i) => [path, { get: operation(endpoint, i) }]),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Signed price feed service, simulated',
      version: VERSION,
      description:
        'What price-feed-mock answers. Statuses and error bodies beyond 401 and the 404 of charting are assumptions of the mock.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server; with a history port of its own, charting is there.' }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: { Error: ERROR_SCHEMA },
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The key itself, without a scheme.',
        },
      },
      headers: {
        [MOCK_HEADER]: {
          description: 'Session, virtual second and number of the request: a dictionary of RFC 9651.',
          schema: { type: 'string' },
          example: 'session="default", now=1753354105, n=1',
        },
      },
    },
  }
}

function operation(endpoint: Endpoint<never>, alias: number): Record<string, unknown> {
  const { name, summary, parameters } = endpoint
  const responses = Object.entries(examplesOf(endpoint)).map(([status, examples]) => [
    status,
    {
      description: status === '404' && !endpoint.protected ? CHARTING_404 : DESCRIPTIONS[status],
      headers: { [MOCK_HEADER]: { $ref: `#/components/headers/${MOCK_HEADER}` } },
      content: {
        'application/json': {
          schema: status === '200' ? REPLY_SCHEMAS[name] : { $ref: '#/components/schemas/Error' },
          examples,
        },
      },
    },
  ])
  return {
    operationId: alias === 0 ? name : `${name}Alias${alias}`,
    summary,
    parameters: Object.entries(parameters).map(([parameter, definition]) => toParameter(parameter, definition)),
    security: endpoint.protected ? [{ apiKey: [] }] : [],
    responses: Object.fromEntries(responses),
  }
}

function toParameter(name: string, { in: place, description, schema, example }: Parameter): Record<string, unknown> {
  const typed = schema.type === 'integer' ? Number(example) : example
  return { name, in: place, required: true, description, schema, example: typed }
}

/** Named examples by status: the mock is asked with every example and every counter-example of the definition. */
function examplesOf(endpoint: Endpoint<never>): Record<string, Record<string, { summary: string; value: unknown }>> {
  const session = createSessions({
    scenarios: createScenarios(NO_VOCABULARY),
    settings: {
      ...DEFAULT_SETTINGS,
      clock: { at: AT, speed: 1, frozen: true },
      policy: { ...DEFAULT_SETTINGS.policy, candles: 2 },
    },
    feeds: catalogueFeeds(),
    respond: createRespond(ENDPOINTS),
    startedAt: AT,
  }).default
  const found: Record<string, Record<string, { summary: string; value: unknown }>> = {}
  const ask = (
    name: string,
    summary: string,
    changes: Record<string, string>,
    method = 'GET',
    key: string | undefined = KEY,
  ) => {
    const target = targetOf(endpoint, changes)
    const { outcome } = session.handle({ method, target, authorization: key, receivedAt: AT })!
    // A calm session always replies.
    if (outcome.kind === 'reply') (found[outcome.status] ??= {})[name] = { summary, value: JSON.parse(outcome.body) }
  }
  ask('answer', 'An answer', {})
  if (endpoint.protected) ask('no-key', 'Without a key', {}, 'GET', '')
  for (const [name, { in: place, counterExample }] of Object.entries(endpoint.parameters)) {
    if (place === 'query') ask(`${name}-empty`, `${name} is empty`, { [name]: '' })
    if (counterExample !== undefined) ask(`${name}-refused`, `${name}=${counterExample}`, { [name]: counterExample })
  }
  ask('method', 'POST', {}, 'POST')
  return found
}

function targetOf({ path, parameters }: Endpoint<never>, changes: Readonly<Record<string, string>>): string {
  const fill = (name: string) => changes[name] ?? parameters[name]!.example
  const query = Object.keys(parameters)
    .filter(name => parameters[name]!.in === 'query')
    .map(name => `${name}=${fill(name)}`)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => fill(name))
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}
