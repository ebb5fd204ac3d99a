// The typed client of the admin against the fetch host.
import { expect, expectTypeOf, it } from 'vitest'
import { createFetch } from '../hosts/fetch.js'
import { startServer } from '../hosts/node/server.js'
import { createMock } from '../index.js'
import { createAdminClient, listAllRequests } from './index.js'

const start = () => {
  const fetch = createFetch(createMock({ clock: { at: '2025-07-24T10:48:25Z', frozen: true } }))
  return { fetch, admin: createAdminClient({ url: 'http://mock', fetch }) }
}

it('default: a session from creation to deletion', async () => {
  const { admin, fetch } = start()
  const session = await admin.createSession({
    body: { id: 'checkout-7', seed: '7', clock: { at: '2026-01-01T00:00:00Z', frozen: true } },
  })
  expect(session).toMatchObject({ id: 'checkout-7', seed: '7', apiKey: 'session.checkout-7', created: true })
  expectTypeOf(session.clock.now).toEqualTypeOf<number>()

  const changed = await admin.changeSession({
    id: 'checkout-7',
    body: { clock: { advance: '1h' }, prices: { BTCUSD: 50_000 } },
  })
  expect(changed.clock).toEqual({ at: '2026-01-01T01:00:00Z', now: 1_767_229_200, speed: 1, frozen: true })

  const response = await fetch(`${session.baseUrl}/prices/BTCUSD/latest`, {
    headers: { authorization: session.apiKey },
  })
  expect(await response.json()).toMatchObject({ price: 5_000_000_000_000 })
  const { requests } = await admin.listRequests({ id: 'checkout-7', query: { endpoint: 'latest', status: '200' } })
  expect(requests).toMatchObject([{ n: 1, ordinal: 1, endpoint: 'latest', status: 200, apiKey: 'session.checkout-7' }])

  const { snapshot } = await admin.snapshotSession({ id: 'checkout-7' })
  expect((await admin.restoreSession({ id: 'default', body: { snapshot } })).seed).toBe('7')
  expect(await admin.deleteSession({ id: 'checkout-7' })).toBeUndefined()
  expect((await admin.listSessions()).sessions.map(({ id }) => id)).toEqual(['default'])
})

it('args: a filter that is undefined is not sent', async () => {
  const { admin, fetch } = start()
  await fetch('http://mock/prices/BTCUSD/latest')
  const { requests } = await admin.listRequests({ id: 'default', query: { endpoint: undefined, status: '401' } })
  expect(requests).toHaveLength(1)
})

it('args: values in the path are encoded', async () => {
  const asked: string[] = []
  const fetch = async (url: string): Promise<Response> => {
    asked.push(url)
    return new Response(null, { status: 204 })
  }
  await createAdminClient({ url: 'http://mock', fetch }).deleteSession({ id: 'a/b?' })
  expect(asked).toEqual(['http://mock/_mock/sessions/a%2Fb%3F'])
})

it('args: bodies are typed', () => {
  const { admin } = start()
  // @ts-expect-error the id is missing
  const without = () => admin.getSession({})
  // @ts-expect-error there is no such setting
  const wrong = () => admin.changeSession({ id: 'default', body: { sed: '7' } })
  expect([without, wrong]).toHaveLength(2)
})

it('error: a refused request throws with the problem of the mock', async () => {
  const { admin } = start()
  await expect(admin.getSession({ id: 'nobody' })).rejects.toMatchObject({
    code: 'ADMIN_REFUSED',
    shortMessage: expect.stringMatching(/^\[GET\] "\/_mock\/sessions\/nobody": 404 SESSION_UNKNOWN\. /),
  })
  // @ts-expect-error there is no such fault
  const misspelt = admin.changeSession({ id: 'default', body: { scenario: { faults: [{ fault: 'market/stael' }] } } })
  await expect(misspelt).rejects.toThrowErrorMatchingInlineSnapshot(`
    [AdminRefusedError: [PATCH] "/_mock/sessions/default": 400 SCENARIO_INVALID. The scenario has 1 problem.
      at    faults[0].fault
      got   "market/stael" (string)
      want  market/stale (closest), one of market/stale, market/gap, market/flatline, market/shock, market/drift, market/depeg, market/crash, market/bad-tick, market/price, market/path, market/closed
      docs  price-feed-mock/docs/scenarios.md
      code  ADMIN_REFUSED]
  `)
})

it('error: a body that is not from the mock is shown as it is', async () => {
  const admin = createAdminClient({
    url: 'http://mock',
    fetch: async () => new Response('<h1>Sorry</h1>', { status: 502 }),
  })
  await expect(admin.info()).rejects.toMatchObject({
    shortMessage: '[GET] "/_mock/info": 502',
    details: [
      ['got', '<h1>Sorry</h1>'],
      ['want', 'the JSON of price-feed-mock'],
      ['fix', 'correct the address http://mock if another server answers there'],
    ],
  })
})

it('args: an address with a slash at the end, and one that is none', async () => {
  const { fetch } = start()
  expect(await createAdminClient({ url: 'http://mock//', fetch }).info()).toMatchObject({ baseUrl: 'http://mock' })
  expect(() => createAdminClient({ url: 'foo', fetch })).toThrow(/^Invalid url\.\n/)
})

it('error: a server that is away', async () => {
  const gone = await startServer({ port: 0 })
  await gone.stop()
  await expect(createAdminClient({ url: gone.url }).info()).rejects.toMatchObject({
    code: 'NO_REPLY',
    shortMessage: `[GET] "/_mock/info": no reply from ${gone.url}.`,
    details: expect.arrayContaining([
      ['fix', `start the server with npx price-feed-mock --port ${new URL(gone.url).port}, or correct the address`],
    ]),
    cause: expect.any(TypeError),
  })
})

it.each([
  ['http://localhost', 'start the server, or correct the address'],
  ['http://[::1]:4700', 'start the server with npx price-feed-mock --port 4700, or correct the address'],
  ['https://mock.example:4700', 'start the server, or correct the address'],
])('error: %s is away', async (url, fix) => {
  const fetch = async () => Promise.reject(new TypeError('fetch failed'))
  await expect(createAdminClient({ url, fetch }).info()).rejects.toMatchObject({
    details: expect.arrayContaining([['fix', fix]]),
  })
})

it('error: a page of the application instead of JSON', async () => {
  const fetch = async (): Promise<Response> => new Response('<!doctype html>')
  await expect(createAdminClient({ url: 'http://localhost:5173/', fetch }).info()).rejects.toMatchObject({
    code: 'ADMIN_REFUSED',
    details: [
      ['got', '<!doctype html>'],
      ['want', 'the JSON of price-feed-mock'],
      ['fix', 'correct the address http://localhost:5173: another server answers there'],
    ],
    cause: expect.any(SyntaxError),
  })
})

it.each([Number.NaN, Number.POSITIVE_INFINITY, 1n])('error: a body with %s, which JSON has not', async price => {
  const { admin } = start()
  await expect(
    admin.changeSession({ id: 'default', body: { prices: { BTCUSD: price as number } } }),
  ).rejects.toMatchObject({
    code: 'OPTIONS_INVALID',
    problems: [{ at: 'BTCUSD', got: price, want: 'a finite number, no bigint' }],
  })
})

it('args: rows of a series that are readonly', async () => {
  const { admin } = start()
  const rows = [[1_753_354_080, '111383.75']] as const
  const created = admin.createSession({ body: { series: [{ as: 'BTCUSD', rows }] } })
  await expect(created).resolves.toMatchObject({ created: true })
})

it('error: a misspelt option', () => {
  const misspelt = { url: 'http://127.0.0.1:4700', tokn: 'secret' }
  expect(() => createAdminClient(misspelt)).toThrow(expect.objectContaining({ code: 'OPTIONS_INVALID' }))
})

it('error: an unknown or missing part of the input, which JavaScript does not notice', async () => {
  const { admin } = start()
  // @ts-expect-error there is no such filter
  await expect(admin.listRequests({ id: 'default', qurey: { status: '404' } })).rejects.toMatchObject({
    code: 'OPTIONS_INVALID',
    problems: [{ at: 'qurey', want: 'query', closest: 'query' }],
  })
  // @ts-expect-error it has no body
  await expect(admin.resetSession({ id: 'default', body: {} })).rejects.toThrow('the key id')
  // @ts-expect-error the id is missing
  await expect(admin.getSession({})).rejects.toMatchObject({ problems: [{ at: 'id', want: 'a text' }] })
  for (const id of ['.', '..'])
    await expect(admin.getSession({ id })).rejects.toMatchObject({
      problems: [{ at: 'id', got: id, want: 'a text other than "." and ".."' }],
    })
  // @ts-expect-error a filter is in `query`
  await expect(listAllRequests(admin, { id: 'default', status: '404' })).rejects.toThrow('OPTIONS_INVALID')
})
