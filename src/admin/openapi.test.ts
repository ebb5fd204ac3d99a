// GET /_mock/openapi.json at a glance: its frame, and operations of each kind. test/openapi.test.ts compares it with replies.
import { beforeAll, expect, it } from 'vitest'
import { createCalls } from '../../test/support/calls.js'
import { ENDPOINTS } from '../endpoints/index.js'
import type { Endpoint } from '../service/endpoint.js'
import { VERSION } from '../version.js'
import { HOST_ROUTES } from './admin-route.js'
import { listAdminRoutes } from './index.js'

type Json = { readonly [name: string]: Json }

async function documentOf(batchFeedId: 'symbol' | 'integer'): Promise<Json> {
  const { admin } = createCalls({ policy: { batchFeedId } })
  return JSON.parse((await admin('GET', '/_mock/openapi.json')).body)
}
let document: Json
beforeAll(async () => void (document = await documentOf('symbol')))

/** The fields of an object, a line each. Of examples the values are left out, and of replies long schemas. */
const linesOf = (object: Json): string =>
  Object.entries(object)
    .map(([field, value]) => {
      const shorten = (name: string, inner: unknown) =>
        name === 'value' || (name === 'schema' && JSON.stringify(inner).length > 200) ? undefined : inner
      return `${field}: ${JSON.stringify(value, shorten)}`
    })
    .join('\n')
    .replaceAll(VERSION, 'VERSION')

it('default: the frame', () => {
  const { paths, components, ...frame } = document
  const endpoints = ENDPOINTS.flatMap(({ path, aliases = [] }: Endpoint<never>) => [path, ...aliases])
  const hosts = HOST_ROUTES.map(({ path }) => path)
  const admin = new Set(listAdminRoutes().map(({ path }) => path))
  expect(Object.keys(paths!)).toEqual([...endpoints, ...admin, '/_mock', ...hosts])
  const { schemas, ...shared } = components!
  const { Problem, Error: ofService } = schemas!
  expect(linesOf({ ...frame, ...shared, Error: ofService!, ...Problem! })).toMatchInlineSnapshot(`
    "openapi: "3.1.0"
    info: {"title":"Signed price feed service, simulated","version":"VERSION","description":"The replies of price-feed-mock. In the service, statuses and error bodies other than 401 and the 404 of charting are assumptions of the mock. The paths of the admin exist in the mock only.","contact":{"name":"price-feed-mock"},"license":{"name":"MIT","identifier":"MIT"}}
    servers: [{"url":"..","description":"This server; with a history port of its own, charting is there."}]
    tags: [{"name":"service","description":"The simulated service."},{"name":"admin","description":"The control of the mock: sessions, clock, faults, journal."}]
    securitySchemes: {"apiKey":{"type":"apiKey","in":"header","name":"Authorization","description":"The key itself, without a scheme."},"adminToken":{"type":"http","scheme":"bearer","description":"The token of \`--admin-token\`. A server without one needs none."}}
    headers: {"x-price-feed-mock":{"description":"A dictionary (RFC 9651): session, virtual second and number of the request; \`own\` on replies of the mock itself.","schema":{"type":"string"},"example":"session=\\"default\\", now=1753354105, n=1"}}
    Error: {"type":"object","properties":{"error":{"type":"string"},"message":{"type":"string"}},"required":["error","message"],"additionalProperties":false}
    type: "object"
    description: "An error of the mock itself (RFC 9457). The \`code\` is stable; the texts are not."
    properties: {"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer","format":"int32"},"code":{"type":"string"},"detail":{"type":"string","description":"One sentence for people."},"problems":{"type":"array","description":"Each invalid value of the input.","items":{"type":"object","properties":{"at":{"type":"string","description":"Path of the value, such as \`clock.speed\`."},"got":{"description":"The value that was sent."},"want":{"type":"string","description":"A description of valid values."},"closest":{"type":"string"}},"required":["at","want"]}},"more":{"type":"integer","format":"int32","description":"Number of problems that are left out."},"got":{"type":"string"},"want":{"type":"string"},"fix":{"type":"string"},"docs":{"type":"string"},"note":{"type":"string"}}
    required: ["type","title","status","code","detail"]"
  `)
})

it('default: an endpoint with a key, and one without', () => {
  const [history, candles] = ['/prices/queryHistory', '/charting/feeds-data'].map(path => document.paths![path]!.get!)
  const { responses, parameters, ...operation } = history!
  expect(linesOf({ ...operation, ...parameters, ...responses })).toMatchInlineSnapshot(`
    "0: {"name":"feedIds","in":"query","required":true,"description":"Comma-separated list of feed ids, in any case.","schema":{"type":"string","minLength":1},"example":"BTCUSD,ETHUSD"}
    1: {"name":"minutes","in":"query","required":true,"description":"Number of minutes of history to cover.","schema":{"type":"integer","minimum":1,"maximum":525600,"format":"int32"},"example":5}
    200: {"description":"The reply.","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/json":{"examples":{"answer":{"summary":"A reply"}}}}}
    400: {"description":"A parameter is missing, empty, malformed or given twice.","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"},"examples":{"feedIds-empty":{"summary":"feedIds is empty"},"minutes-empty":{"summary":"minutes is empty"},"minutes-refused":{"summary":"minutes=1.5"}}}}}
    401: {"description":"The API key is missing or invalid.","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"},"examples":{"no-key":{"summary":"Without a key"}}}}}
    404: {"description":"The feed is unknown or has no price.","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"},"examples":{"feedIds-refused":{"summary":"feedIds=NOPEUSD"}}}}}
    405: {"description":"Only GET, HEAD and OPTIONS are answered.","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"},"examples":{"method":{"summary":"POST"}}}}}
    operationId: "history"
    tags: ["service"]
    summary: "Highest and lowest price of each feed over a trailing window of minutes"
    description: "By requested id; \`price\` in units of 10^expo, \`ts\` the second at which the price occurred."
    security: [{"apiKey":[]}]"
  `)
  expect(linesOf({ security: candles!.security!, 404: candles!.responses!['404']! })).toMatchInlineSnapshot(`
    "404: {"description":"The interval is wrong or the feed is missing.","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"},"examples":{"feedids-empty":{"summary":"feedids is empty"},"feed-empty":{"summary":"feed is empty"},"feed-refused":{"summary":"feed=nopeusd"},"type-empty":{"summary":"type is empty"},"type-refused":{"summary":"type=2"},"interval-empty":{"summary":"interval is empty"},"interval-refused":{"summary":"interval=24x"}}}}}
    security: []"
  `)
})

it('args: the ids of a batch have one type, which the policy chooses', async () => {
  const feedIdIn = ({ paths }: Json) =>
    paths!['/prices/batch']!.get!.responses!['200']!.content!['application/json']!.schema!.properties!.prices!.items!
      .properties!.feedId
  expect(feedIdIn(document)).toEqual({ type: 'string' })
  expect(feedIdIn(await documentOf('integer'))).toEqual({ type: 'integer', format: 'int64' })
})

it('default: a route of the admin', () => {
  const { responses, ...operation } = document.paths!['/_mock/sessions/{id}/verdicts']!.post!
  expect(linesOf({ ...operation, ...responses })).toMatchInlineSnapshot(`
    "201: {"description":"Success.","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Verdict"}}}}
    400: {"description":"REQUEST_INVALID","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/problem+json":{"schema":{"allOf":[{"$ref":"#/components/schemas/Problem"},{"type":"object","properties":{"code":{"enum":["REQUEST_INVALID"]}}}]}}}}
    401: {"description":"ADMIN_TOKEN_INVALID","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/problem+json":{"schema":{"allOf":[{"$ref":"#/components/schemas/Problem"},{"type":"object","properties":{"code":{"enum":["ADMIN_TOKEN_INVALID"]}}}]}}}}
    403: {"description":"HOST_NOT_ALLOWED, ORIGIN_NOT_ALLOWED","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/problem+json":{"schema":{"allOf":[{"$ref":"#/components/schemas/Problem"},{"type":"object","properties":{"code":{"enum":["HOST_NOT_ALLOWED","ORIGIN_NOT_ALLOWED"]}}}]}}}}
    404: {"description":"SESSION_UNKNOWN","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/problem+json":{"schema":{"allOf":[{"$ref":"#/components/schemas/Problem"},{"type":"object","properties":{"code":{"enum":["SESSION_UNKNOWN"]}}}]}}}}
    413: {"description":"BODY_TOO_LARGE, SESSION_TOO_LARGE","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/problem+json":{"schema":{"allOf":[{"$ref":"#/components/schemas/Problem"},{"type":"object","properties":{"code":{"enum":["BODY_TOO_LARGE","SESSION_TOO_LARGE"]}}}]}}}}
    415: {"description":"BODY_NOT_JSON","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/problem+json":{"schema":{"allOf":[{"$ref":"#/components/schemas/Problem"},{"type":"object","properties":{"code":{"enum":["BODY_NOT_JSON"]}}}]}}}}
    503: {"description":"SESSIONS_FULL","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/problem+json":{"schema":{"allOf":[{"$ref":"#/components/schemas/Problem"},{"type":"object","properties":{"code":{"enum":["SESSIONS_FULL"]}}}]}}}}
    operationId: "addVerdict"
    tags: ["admin"]
    summary: "Add a verdict on the consumer to the report, replacing one on the same case: for what HTTP cannot show"
    description: "Part of the mock, not of the service. Needs the token of \`--admin-token\`, if the server has one."
    security: [{"adminToken":[]},{}]
    parameters: [{"name":"id","in":"path","required":true,"description":"Id of the session.","schema":{"type":"string"},"example":"default"}]
    requestBody: {"required":true,"content":{"application/json":{"example":{"case":"stale-btc","ok":false,"why":"traded"}}}}"
  `)
})

it('default: a probe, a query, the index page, and a route of a server only', () => {
  const shown = [
    ['/_mock/health', 'get'],
    ['/_mock/sessions/{id}/snapshot', 'post'],
    ['/_mock', 'get'],
    ['/_mock/sessions/{id}/events', 'get'],
  ].map(([path, method]) => {
    const { responses, tags: _, ...operation } = document.paths![path!]![method!]!
    const ofErrors = Object.entries(responses!).filter(([status]) => Number(status) >= 400)
    const errors = Object.fromEntries(ofErrors.map(([status, { description }]) => [status, description!]))
    const { 200: ok, 201: created, 302: redirect } = responses as Record<string, Json>
    return linesOf({ ...operation, replies: { ...ok, ...created, ...redirect }, errors })
  })
  expect(shown.join('\n')).toMatchInlineSnapshot(`
    "operationId: "health"
    summary: "Check that the mock is ready"
    description: "Part of the mock, not of the service."
    security: []
    replies: {"description":"Success.","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/json":{"schema":{"type":"object","properties":{"status":{"type":"string","const":"ok"},"version":{"type":"string"}},"required":["status","version"]}}}}
    errors: {"403":"HOST_NOT_ALLOWED, ORIGIN_NOT_ALLOWED","503":"STORE_UNAVAILABLE, STORE_EMPTIED"}
    operationId: "snapshotSession"
    summary: "Take a snapshot, of now or of the moment before a request: portable JSON that gives the same replies on any server"
    description: "Part of the mock, not of the service. Needs the token of \`--admin-token\`, if the server has one."
    security: [{"adminToken":[]},{}]
    parameters: [{"name":"id","in":"path","required":true,"description":"Id of the session.","schema":{"type":"string"},"example":"default"},{"name":"before","in":"query","required":false,"description":"Number of a request in the journal: the snapshot is that of the moment before it. Default: now.","schema":{"type":"string","pattern":"^[1-9]\\\\d{0,15}$"}}]
    replies: {"description":"Success.","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"application/json":{"schema":{"type":"object","properties":{"snapshot":{"$ref":"#/components/schemas/Snapshot"}},"required":["snapshot"]}}}}
    errors: {"400":"REQUEST_INVALID","401":"ADMIN_TOKEN_INVALID","403":"HOST_NOT_ALLOWED, ORIGIN_NOT_ALLOWED","404":"SESSION_UNKNOWN"}
    operationId: "indexPage"
    summary: "The console for a browser, the list of routes for a program"
    description: "Part of the mock, not of the service. Needs the token of \`--admin-token\`, if the server has one."
    security: [{"adminToken":[]},{}]
    replies: {"description":"A browser is sent to the console, at \`/_mock/\`.","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"text/html":{"schema":{"type":"string"}}}}
    errors: {"401":"ADMIN_TOKEN_INVALID","403":"HOST_NOT_ALLOWED, ORIGIN_NOT_ALLOWED"}
    operationId: "events"
    summary: "The journal of a session as Server-Sent Events; Last-Event-ID resumes (server only)"
    description: "Part of the mock, not of the service. Needs the token of \`--admin-token\`, if the server has one."
    security: [{"adminToken":[]},{}]
    parameters: [{"name":"id","in":"path","required":true,"description":"Id of the session.","schema":{"type":"string"},"example":"default"},{"name":"Last-Event-ID","in":"header","required":false,"description":"Number of the last event received: the stream begins with the next one.","schema":{"type":"integer","format":"int64"}}]
    replies: {"description":"One event \`request\` for each request; its \`data\` is a journal entry as JSON (JournalEntry). With \`?replies=1\` the data of a new request has \`reply\` as well: \`kind\`, \`delayMs\`, \`headers\` and \`body\`, and \`bodyLength\` if the body was truncated. After an event \`cleared\` the entries before it are gone, by a reset for instance, and those that stay follow; a stream resumes with it where the last event is gone. A reader that is too slow gets a last event \`dropped\` and is disconnected.","headers":{"x-price-feed-mock":{"$ref":"#/components/headers/x-price-feed-mock"}},"content":{"text/event-stream":{"schema":{"type":"string"}}}}
    errors: {"401":"ADMIN_TOKEN_INVALID","403":"HOST_NOT_ALLOWED, ORIGIN_NOT_ALLOWED","404":"SESSION_UNKNOWN","503":"STREAMS_FULL"}"
  `)
})
