// The service part of the OpenAPI document against the specification, the endpoint definitions and real replies.
import { Validator } from '@seriousme/openapi-schema-validator'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../src/endpoints/index.js'
import type { MockOptions } from '../src/index.js'
import type { Endpoint } from '../src/service/endpoint.js'
import { KEY } from './support/ask.js'
import { startInProcess } from './support/hosts/in-process.js'
import { AT, type Host, type HostReply } from './support/hosts.js'
import { type CompileAt, schemasOf } from './support/openapi.js'

interface DocumentedParameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description: string
  readonly example: string | number
}
interface DocumentedResponse {
  readonly headers: object
  readonly content: {
    readonly 'application/json': { readonly examples: Record<string, { summary: string; value: unknown }> }
  }
}
interface BatchContent {
  readonly schema: { properties: { prices: { items: { properties: { feedId: { type: string } } } } } }
}
interface Operation {
  readonly operationId: string
  readonly parameters: readonly DocumentedParameter[]
  readonly security: readonly object[]
  readonly responses: Readonly<Record<string, DocumentedResponse>>
}
interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>
  readonly components: { readonly headers: Readonly<Record<string, { readonly example: string }>> }
}

/** The endpoints with each path that reaches them. */
const PATHS = ENDPOINTS.flatMap((endpoint: Endpoint<never>) =>
  [endpoint.path, ...(endpoint.aliases ?? [])].map(path => ({ path, endpoint })),
)

/** A request as a page of documentation would send it: the examples of the parameters, with some changed. */
function send(
  host: Host,
  path: string,
  { parameters }: Operation,
  changes: Record<string, string> = {},
  method = 'GET',
  headers: Record<string, string> = KEY,
) {
  const values = { ...Object.fromEntries(parameters.map(({ name, example }) => [name, String(example)])), ...changes }
  const query = parameters.filter(parameter => parameter.in === 'query').map(({ name }) => `${name}=${values[name]}`)
  return host.request(`${path.replace(/\{(\w+)\}/g, (_, name) => values[name]!)}?${query.join('&')}`, {
    method,
    headers,
  })
}

/** Asks what an example is the answer to: its name and its summary say so. */
function sendExample(
  host: Host,
  path: string,
  operation: Operation,
  name: string,
  summary: string,
): Promise<HostReply> {
  if (name === 'answer') return send(host, path, operation)
  if (name === 'no-key') return send(host, path, operation, {}, 'GET', {})
  if (name === 'method') return send(host, path, operation, {}, summary)
  if (name.endsWith('-empty')) return send(host, path, operation, { [name.slice(0, -'-empty'.length)]: '' })
  const [, parameter, value] = /^(\w+)=(.+)$/.exec(summary)!
  expect(name).toBe(`${parameter}-refused`)
  return send(host, path, operation, { [parameter!]: value! })
}

describe('OpenAPI of the service', async () => {
  const start = (options: MockOptions) => startInProcess({ clock: { at: AT, frozen: true }, ...options })
  // Two candles, as in the examples of the document.
  const host = await start({ policy: { candles: 2 } })
  let document: Document
  let schemaAt: CompileAt
  beforeAll(async () => {
    document = JSON.parse((await host.request('/_mock/openapi.json')).body)
    schemaAt = schemasOf(document)
  })

  const replySchema = (path: string, status: number | string): ValidateFunction =>
    schemaAt('paths', path, 'get', 'responses', status, 'content', 'application/json', 'schema')
  function expectValid(validate: ValidateFunction, value: unknown): void {
    validate(value)
    expect(validate.errors ?? []).toEqual([])
  }

  it('default: it is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toMatch(/^3\.1\./)
    const validator = new Validator()
    expect(await validator.validate({ ...structuredClone(document) })).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  it('behavior: every endpoint and every parameter is in it, and nothing else', () => {
    const servicePaths = Object.keys(document.paths).filter(path => path !== '/' && !/^\/_mock(\/|$)/.test(path))
    expect(servicePaths).toEqual(PATHS.map(({ path }) => path))
    const ids = PATHS.map(({ path }) => document.paths[path]!.get.operationId)
    expect(new Set(ids).size).toBe(PATHS.length)
    for (const { path, endpoint } of PATHS) {
      const { parameters, security } = document.paths[path]!.get
      expect(parameters.map(({ name, in: place, required }) => [name, place, required])).toEqual(
        Object.entries(endpoint.parameters).map(([name, parameter]) => [name, parameter.in, true]),
      )
      for (const { description } of parameters) expect(description).toMatch(/^[A-Z`].{8,}[.`]$/s)
      expect(security).toEqual(endpoint.protected ? [{ apiKey: [] }] : [])
    }
  })

  describe.each(PATHS)('$path', ({ path, endpoint }) => {
    const operation = (): Operation => document.paths[path]!.get

    it('behavior: every status that it answers is in it, and no other', async () => {
      const names = Object.keys(endpoint.parameters)
      const headers = endpoint.protected ? [{}, { authorization: 'wrong' }] : []
      const asked = [
        send(host, path, operation()),
        ...headers.map(header => send(host, path, operation(), {}, 'GET', header)),
        ...['POST', 'PUT', 'DELETE'].map(method => send(host, path, operation(), {}, method)),
        // An empty part of a path leads to another route.
        ...names
          .filter(name => endpoint.parameters[name]!.in === 'query')
          .map(name => send(host, path, operation(), { [name]: '' })),
        ...['NOPEUSD', '0', '-1', '1e3', '%00', '__proto__'].flatMap(value =>
          names.map(name => send(host, path, operation(), { [name]: value })),
        ),
      ]
      const statuses = new Set<string>()
      for (const { status, headers, body } of await Promise.all(asked)) {
        statuses.add(String(status))
        expect(headers['content-type']).toMatch(/^application\/json/)
        expectValid(replySchema(path, status), JSON.parse(body))
      }
      expect([...statuses].sort()).toEqual(Object.keys(operation().responses).sort())
    })

    it('behavior: every example is valid, and what the mock answers', async () => {
      for (const [status, { content }] of Object.entries(operation().responses)) {
        const { examples } = content['application/json']
        expect(Object.keys(examples).length).toBeGreaterThan(0)
        for (const [name, { summary, value }] of Object.entries(examples)) {
          expectValid(replySchema(path, status), value)
          const reply = await sendExample(host, path, operation(), name, summary)
          expect(JSON.parse(reply.body), `${name}: ${summary}`).toEqual(value)
          expect(reply.status).toBe(Number(status))
        }
      }
    })

    it('behavior: the examples of its parameters are valid', () => {
      for (const [i, { example }] of operation().parameters.entries())
        expectValid(schemaAt('paths', path, 'get', 'parameters', i, 'schema'), example)
    })

    it('behavior: its schema refuses what lacks a field, or has one of another type', () => {
      const { value } = operation().responses['200']!.content['application/json'].examples.answer!
      const validate = replySchema(path, 200)
      const wrong = damaged(value)
      expect(wrong.length).toBeGreaterThan(5)
      for (const reply of wrong) expect(validate(reply), JSON.stringify(reply).slice(0, 300)).toBe(false)
      expect(replySchema(path, Object.keys(operation().responses).at(-1)!)({ error: 'without a message' })).toBe(false)
    })

    it('behavior: every reply has the mark', () => {
      for (const { headers } of Object.values(operation().responses))
        expect(headers).toEqual({ 'x-price-feed-mock': { $ref: '#/components/headers/x-price-feed-mock' } })
    })
  })

  it('behavior: the example of the mark looks like a mark', async () => {
    const mark = document.components.headers['x-price-feed-mock']!.example
    const { headers } = await host.request('/prices/BTCUSD/latest')
    expect(mark.replace(/n=\d+$/, 'n=1')).toBe(headers['x-price-feed-mock']!.replace(/n=\d+$/, 'n=1'))
  })

  it.each([{}, { candles: 5 }, { unknownFeed: 'omit' }] as const)(
    'behavior: replies are as the document says under policy %j',
    policy => expectDocumented(policy, document, schemaAt),
  )

  it('behavior: the ids of a batch are symbols, or with policy batchFeedId integers', async () => {
    const policy = { batchFeedId: 'integer' } as const
    const ofIntegers = JSON.parse((await (await start({ policy })).request('/_mock/openapi.json')).body) as Document
    await expectDocumented(policy, ofIntegers, schemasOf(ofIntegers))
    const typeOf = (one: Document): unknown =>
      (one.paths['/prices/batch']!.get.responses['200']!.content['application/json'] as unknown as BatchContent).schema
        .properties.prices.items.properties.feedId.type
    expect([document, ofIntegers].map(typeOf)).toEqual(['string', 'integer'])
  })

  /** Expects the replies of a mock with a policy to be as a document says. */
  async function expectDocumented(
    policy: NonNullable<MockOptions['policy']>,
    document: Document,
    schemaAt: CompileAt,
  ): Promise<void> {
    const other = await start({ seed: '7', policy })
    const all = JSON.parse((await other.request('/_mock/feeds')).body).feeds.map(({ id }: { id: string }) => id)
    for (const { path } of PATHS)
      for (const id of ['USDCUSD', 'EURUSD', 'btcusd', all.slice(0, 50).join(',')]) {
        const changes = { feedIds: id, feedId: id.split(',')[0]!, feed: id.split(',')[0]!, feedids: id, interval: '1w' }
        const { status, body } = await send(other, path, document.paths[path]!.get, changes)
        expect(status, body).toBe(200)
        expectValid(
          schemaAt('paths', path, 'get', 'responses', 200, 'content', 'application/json', 'schema'),
          JSON.parse(body),
        )
      }
  }
})

/** Every way to take one field away from a reply, or to make it another type. Maps by feed id may lose a feed. */
function damaged(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [{}]
  if (Array.isArray(value))
    return value
      .slice(0, 1)
      .flatMap(damaged)
      .map(item => [item])
  return Object.entries(value).flatMap(([name, field]) => {
    const { [name]: _, ...without } = value as Record<string, unknown>
    const isFeed = /^[A-Z]+$/.test(name)
    return [...(isFeed ? [] : [without]), ...damaged(field).map(changed => ({ ...value, [name]: changed }))]
  })
}
