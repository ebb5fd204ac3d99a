// The admin part of the OpenAPI document against the definitions of the admin routes and real replies of a server.
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { listAdminRoutes } from '../src/admin/index.js'
import { KEY } from './support/ask.js'
import { AT, httpHost } from './support/hosts.js'
import { schemasOf } from './support/openapi.js'

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: unknown } } }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: object }>> }>>
}

const host = await httpHost({ clock: { at: AT, frozen: true } })
afterAll(host.stop)
const document = JSON.parse((await host.request('/_mock/openapi.json')).body) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: object }
}
// Clients must accept new fields, so the schemas of replies are open. Here an undocumented field is an error.
const schemaAt = schemasOf(closed(document) as object)
const operations = Object.entries(document.paths)
  .filter(([path]) => path === '/' || /^\/_mock(\/|$)/.test(path))
  .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
const find = (id: string) => operations.find(({ operation }) => operation.operationId === id)!

/** Sends a request, compares its reply with the document, and returns the error code or the status. */
async function call(id: string, target: string, body?: unknown, headers: Record<string, string> = {}) {
  const { path, method, operation } = find(id)
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const sent = { method: method.toUpperCase(), headers: { ...type, ...headers } }
  const reply = await host.request(target, text === undefined ? sent : { ...sent, body: text })
  const documented = operation.responses[reply.status]
  expect(documented, `${id} ${target}: ${reply.status} ${reply.body.slice(0, 300)}`).toBeDefined()
  expect(reply.headers).toHaveProperty('x-price-feed-mock')
  const mediaType = reply.headers['content-type']?.split(';', 1)[0]
  expect(Object.keys(documented!.content ?? {})).toEqual(mediaType === undefined ? [] : [mediaType])
  if (!mediaType?.endsWith('json')) return reply.status
  const validate = schemaAt('paths', path, method, 'responses', reply.status, 'content', mediaType, 'schema')
  const json = JSON.parse(reply.body)
  validate(json)
  expect(validate.errors ?? [], `${id} ${target}`).toEqual([])
  return mediaType === 'application/problem+json' ? (json.code as string) : reply.status
}

it('behavior: every admin route is in it, and nothing else', () => {
  const others = ['indexPage', 'metrics', 'events']
  expect(operations.map(({ operation }) => operation.operationId).toSorted()).toEqual(
    [...listAdminRoutes().map(({ name }) => name), ...others].toSorted(),
  )
  for (const { name, path, method } of listAdminRoutes())
    expect(find(name)).toMatchObject({ path, method: method.toLowerCase() })
  for (const { path, operation } of operations) {
    const inPath = (operation.parameters ?? []).filter(parameter => parameter.in === 'path').map(({ name }) => name)
    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]))
  }
})

it('behavior: every shared schema compiles, and every integer has a format', () => {
  const names = Object.keys(document.components.schemas)
  expect(names).toEqual(expect.arrayContaining(['Problem', 'Session', 'Snapshot', 'JournalEntry']))
  for (const name of names) schemaAt('components', 'schemas', name)
  const formats: unknown[] = []
  walk(document, schema => {
    if (schema.type === 'integer') formats.push(schema.format)
  })
  expect(formats.length).toBeGreaterThan(50)
  expect(new Set(formats)).toEqual(new Set(['int32', 'int64']))
})

it('behavior: every operation answers as documented', async () => {
  await host.request('/prices/BTCUSD/latest', { headers: KEY })
  await host.request('/prices/batch?feedIds=BTCUSD,ETHUSD')
  const id = '/_mock/sessions/test-1'
  const exampleOf = (name: string) => find(name).operation.requestBody!.content['application/json'].example
  const succeed = async (name: string, target = find(name).path, body?: unknown) =>
    expect(await call(name, target, body), name).toBeOneOf([200, 201, 204])
  for (const name of ['root', 'indexPage', 'metrics', 'health', 'info', 'feeds', 'scenarios', 'openapi'])
    await succeed(name)
  await succeed('explain', '/_mock/explain?url=/prices/BTCUSD/latest')
  await succeed('createSession', '/_mock/sessions', exampleOf('createSession'))
  await succeed('listSessions')
  await succeed('getSession', id)
  await succeed('changeSession', id, exampleOf('changeSession'))
  await succeed('snapshotSession', `${id}/snapshot`)
  await succeed('restoreSession', `${id}/restore`, (await host.request(`${id}/snapshot`, { method: 'POST' })).body)
  await succeed('resetSession', `${id}/reset`)
  await succeed('listRequests', '/_mock/sessions/default/requests?endpoint=latest&status=200')
  await succeed('listRequests', '/_mock/sessions/default/requests')
  await succeed('summarizeRequests', '/_mock/sessions/default/requests/summary')
  await succeed('summarizeRequests', `${id}/requests/summary`)
  await succeed('addVerdict', `${id}/verdicts`, exampleOf('addVerdict'))
  await succeed('addVerdict', '/_mock/sessions/default/verdicts', { case: 'zero-price', ok: true })
  await succeed('reportConsumer', '/_mock/sessions/default/report')
  await succeed('reportConsumer', `${id}/report`)
  await succeed('clearVerdicts', `${id}/verdicts`)
  await succeed('clearRequests', '/_mock/sessions/default/requests')
  await succeed('deleteSession', id)
})

it('behavior: the event stream has its media type, and its data is a journal entry', async () => {
  const abort = new AbortController()
  const response = await fetch(`${host.server.url}/_mock/sessions/default/events`, { signal: abort.signal })
  const documented = Object.keys(find('events').operation.responses['200']!.content!)
  expect(documented).toEqual([response.headers.get('content-type')!.split(';', 1)[0]])
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  await reader.read()
  await host.request('/prices/BTCUSD/latest', { headers: KEY })
  const { value } = await reader.read()
  abort.abort()
  const validate = schemaAt('components', 'schemas', 'JournalEntry')
  validate(JSON.parse(/data: (.*)\n/.exec(value!)![1]!))
  expect(validate.errors ?? []).toEqual([])
})

it('error: every operation answers the error codes of the document, and no others', async () => {
  const locked = await httpHost({ adminToken: 'correct-horse' })
  onTestFinished(locked.stop)
  const seen = new Map<string, Set<string>>(operations.map(({ operation }) => [operation.operationId, new Set()]))
  const fail = async (id: string, ...request: [target: string, body?: unknown, headers?: Record<string, string>]) =>
    void seen.get(id)!.add(String(await call(id, ...request)))
  for (const { path, method, operation } of operations) {
    const { operationId: id, requestBody } = operation
    const known = path.replace('{id}', 'default')
    await fail(id, known, undefined, { host: 'evil.example' })
    await fail(id, known, undefined, { origin: 'http://evil.example' })
    const { code } = JSON.parse((await locked.request(known, { method: method.toUpperCase() })).body)
    if (code !== undefined) seen.get(id)!.add(code)
    if (path.includes('{id}')) {
      const example = requestBody?.content['application/json'].example
      const body = requestBody && (id === 'restoreSession' ? { snapshot: {} } : id === 'addVerdict' ? example : {})
      await fail(id, path.replace('{id}', 'nobody'), body)
    }
    if (path.includes('{n}')) await fail(id, known)
    const isProbe = !codesOf(operation).includes('ADMIN_TOKEN_INVALID')
    const isOfHost = ['indexPage', 'metrics', 'events'].includes(id)
    if (!isProbe && !isOfHost) await fail(id, `${known}?nope=1`)
    if (requestBody === undefined) continue
    await fail(id, known, { nope: 1 })
    await fail(id, known, '{}', { 'content-type': 'text/plain' })
    await fail(id, known, { seed: 'x'.repeat(2_100_000) })
  }
  await fail('showCandles', '/_mock/sessions/nobody/candles?feed=BTCUSD')
  for (const [id, path] of [
    ['createSession', '/_mock/sessions'],
    ['changeSession', '/_mock/sessions/default'],
  ] as const) {
    await fail(id, path, { prices: { NOPEUSD: 1 } })
    await fail(id, path, { scenario: {} })
    await fail(id, path, { scenario: 'nope' })
  }
  // 95,000 values, few enough for a body, but not for a session.
  const named = { fault: 'market/gap', feeds: Array.from({ length: 1000 }, () => 'BTCUSD') }
  const scenario = { faults: Array.from({ length: 95 }, () => named) }
  await fail('createSession', '/_mock/sessions', { scenario })
  await fail('changeSession', '/_mock/sessions/default', { scenario })
  await fail('changeSession', '/_mock/sessions/default', { clock: { advance: 4e9 } })
  await fail('createSession', '/_mock/sessions', { id: 'default' })
  await fail('createSession', '/_mock/sessions', { series: [{ as: 'BTCUSD', rows: 'ts,price\n2,1\n1,1\n' }] })
  await fail('deleteSession', '/_mock/sessions/default')
  await fail('restoreSession', '/_mock/sessions/default/restore', { snapshot: {} })
  const taken = JSON.parse((await host.request('/_mock/sessions/default/snapshot', { method: 'POST' })).body)
  taken.snapshot.scenario.source = {}
  await fail('restoreSession', '/_mock/sessions/default/restore', taken)
  taken.snapshot.scenario.source = scenario
  await fail('restoreSession', '/_mock/sessions/default/restore', taken)
  for (let i = 0; i < 20; i++)
    await fail('addVerdict', '/_mock/sessions/default/verdicts', { case: `${i}`, ok: true, why: 'é'.repeat(1000) })
  seen.get('addVerdict')!.delete('201')
  await fail('explain', '/_mock/explain?url=/session/-/prices/BTCUSD/latest')
  await fail('explain', '/_mock/explain?url=/scenario/nope/prices/BTCUSD/latest')
  const streams = new AbortController()
  const events = '/_mock/sessions/default/events'
  const open = () => fetch(host.server.url + events, { signal: streams.signal })
  await Promise.all(Array.from({ length: 100 }, open))
  await fail('events', events)
  streams.abort()
  // A full mock needs a thousand sessions: test/sessions/capacity.test.ts covers its error.
  for (const id of [
    'createSession',
    'changeSession',
    'resetSession',
    'restoreSession',
    'clearRequests',
    'addVerdict',
    'clearVerdicts',
  ])
    seen.get(id)!.add('SESSIONS_FULL')
  // Servers on a store have them: src/hosts/node/store/replica.full.test.ts.
  for (const code of ['STORE_EMPTIED', 'STORE_UNAVAILABLE']) seen.get('health')!.add(code)
  for (const { operation } of operations)
    expect([...seen.get(operation.operationId)!].toSorted(), operation.operationId).toEqual(codesOf(operation))
})

it('behavior: the schema of a change accepts and refuses the same bodies as the server', async () => {
  const bodies: [body: object, isValid: boolean][] = [
    [{}, true],
    [{ clock: { at: '2025-07-24T10:48:25Z', frozen: true, advance: '90s' } }, true],
    [{ clock: { at: 1_753_354_105, speed: 2 } }, true],
    [{ seed: 7, signer: 3, apiKeys: ['a'], policy: { candles: 5, evmClasses: ['fx'] } }, true],
    [{ prices: { BTCUSD: 5, ETHUSD: null }, scenario: 'calm' }, true],
    [{ scenario: { faults: [] } }, true],
    [{ nope: 1 }, false],
    [{ clock: { speed: 0 } }, false],
    [{ policy: { candles: 0 } }, false],
    [{ signer: 10 }, false],
    [{ apiKeys: [] }, false],
    [{ prices: { BTCUSD: '5' } }, false],
  ]
  const { path, method } = find('changeSession')
  const validate = schemaAt('paths', path, method, 'requestBody', 'content', 'application/json', 'schema')
  for (const [body, isValid] of bodies) {
    expect(validate(body), JSON.stringify(body)).toBe(isValid)
    const code = await call('changeSession', '/_mock/sessions/default', body)
    expect(code, JSON.stringify(body)).toBe(isValid ? 200 : 'REQUEST_INVALID')
  }
})

/** The error codes of an operation in the document. */
function codesOf({ responses }: Operation): string[] {
  return Object.values(responses)
    .flatMap(({ content }) => {
      const schema = content?.['application/problem+json']?.schema as
        | { allOf: [unknown, { properties: { code: { enum: string[] } } }] }
        | undefined
      return schema?.allOf[1].properties.code.enum ?? []
    })
    .toSorted()
}

/** Visits every object in JSON. */
function walk(value: unknown, visit: (object: Record<string, unknown>) => void): void {
  if (typeof value !== 'object' || value === null) return
  visit(value as Record<string, unknown>)
  for (const inner of Object.values(value)) walk(inner, visit)
}

/** A document whose object schemas allow no other fields, except in parts of `allOf` and in Problem, which they extend. */
function closed(value: unknown, isPart = false): unknown {
  if (Array.isArray(value)) return value.map(item => closed(item, isPart))
  if (typeof value !== 'object' || value === null) return value
  const { type, properties, additionalProperties } = value as Record<string, unknown>
  const isObject = type === 'object' && properties !== undefined && additionalProperties === undefined && !isPart
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    closed(inner, key === 'allOf' || key === 'Problem'),
  ])
  return { ...Object.fromEntries(entries), ...(isObject ? { additionalProperties: false } : {}) }
}
