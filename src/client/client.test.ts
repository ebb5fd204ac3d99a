// The typed client against the fetch host: every endpoint, its types and its errors.
import { expect, expectTypeOf, it, onTestFinished, vi } from 'vitest'
import { createFetch } from '../hosts/fetch.js'
import { startServer } from '../hosts/node/server.js'
import { createMock } from '../index.js'
import { verify } from '../signing/verify.js'
import { createAdminClient, createClient, ServiceRefusedError } from './index.js'

const fetch = createFetch(createMock({ clock: { at: '2025-07-24T10:48:25Z', frozen: true } }))
const options = { baseUrl: 'https://api.example', historyUrl: 'https://history.example', apiKey: 'test-api-key', fetch }
const client = createClient(options)

it('default: a method for every endpoint', async () => {
  const latest = await client.latest({ feedId: 'btcusd' })
  expect(latest).toMatchObject({ feedId: 'BTCUSD', expo: -8, ts: 1_753_354_104 })
  expectTypeOf(latest.recoveryId).toEqualTypeOf<number>()

  const batch = await client.batch({ feedIds: ['BTCUSD', 'ETHUSD'] })
  expect(batch.prices.map(price => price.feedId)).toEqual(['BTCUSD', 'ETHUSD'])

  const evm = await client.evm({ feedIds: ['ETHUSD'] })
  expect(evm.prices[0]!.signature).toHaveLength(130)

  const history = await client.history({ feedIds: ['BTCUSD'], minutes: 5 })
  expect(history.BTCUSD!.high.price).toBeGreaterThanOrEqual(history.BTCUSD!.low.price)

  const { data } = await client.candles({ feedids: ['btcusd'], feed: 'btcusd', type: 1, interval: '1h' })
  expect(data.result).toHaveLength(300)
  expectTypeOf(data.result[0]!.avg).toEqualTypeOf<number>()
})

it('behavior: a price above 2^53 keeps every digit, as a bigint', async () => {
  const mock = createMock({ scenario: { title: 'T', why: 'W', faults: [{ fault: 'tick/unsafe-integer' }] } as never })
  const { latest, batch, history } = createClient({ ...options, fetch: createFetch(mock) })
  const price = await latest({ feedId: 'BTCUSD' })
  expectTypeOf(price.price).toEqualTypeOf<number | bigint>()
  expect(price.price).toBe(9007199254740993n)
  expect((await batch({ feedIds: ['BTCUSD'] })).prices[0]!.price).toBe(9007199254740993n)
  const { BTCUSD } = await history({ feedIds: ['BTCUSD'], minutes: 5 })
  const signers = [mock.sessions.default.runtime.signer.address]
  for (const signed of [price, BTCUSD!.high, BTCUSD!.low]) expect(verify(signed, { signers })).toHaveLength(1)
})

it('args: parameters are typed', () => {
  // @ts-expect-error minutes is missing
  const incomplete = () => client.history({ feedIds: ['BTCUSD'] })
  // @ts-expect-error feedIds is a list
  const text = () => client.batch({ feedIds: 'BTCUSD' })
  expect([incomplete, text]).toHaveLength(2)
})

it.each([
  [(): unknown => createClient(undefined as never), 'baseUrl'],
  [() => createClient('http://127.0.0.1:4700' as never), 'options'],
  [() => createAdminClient(undefined as never), 'url'],
  [() => client.latest('BTCUSD' as never), 'options'],
  [() => client.latest(undefined as never), 'feedId'],
  [() => client.latest(null as never), 'feedId'],
  [() => client.latest({ feedID: 'BTCUSD' } as never), 'feedID'],
  [() => client.batch({ feeds: ['BTCUSD'] } as never), 'feeds'],
])('error: %s of JavaScript names the problem', async (call, at) => {
  await expect((async () => call())()).rejects.toMatchObject({ code: 'OPTIONS_INVALID', problems: [{ at }] })
})

it('behavior: charting uses its own base address and gets no key', async () => {
  const seen: [string, unknown][] = []
  const spy = createClient({
    ...options,
    fetch: (url, init) => {
      seen.push([url, init.headers.authorization])
      return fetch(url, init)
    },
  })
  await spy.latest({ feedId: 'BTCUSD' })
  await spy.candles({ feedids: ['btcusd', 'ethusd'], feed: 'ethusd', type: 1, interval: '1d' })
  expect(seen).toEqual([
    ['https://api.example/prices/BTCUSD/latest', 'test-api-key'],
    ['https://history.example/charting/feeds-data?feedids=btcusd,ethusd&feed=ethusd&type=1&interval=1d', undefined],
  ])
})

it('error: another status than 200 throws with status, body and parameters', async () => {
  const fresh = createFetch(createMock({ clock: { at: '2025-07-24T10:48:25Z', frozen: true } }))
  const refused = await createClient({ ...options, fetch: fresh })
    .candles({ feedids: ['btcusd'], feed: 'btcusd', type: 1, interval: '24x' })
    .catch((error: unknown) => error as ServiceRefusedError)
  expect(refused).toBeInstanceOf(ServiceRefusedError)
  expect((refused as ServiceRefusedError).status).toBe(404)
  expect((refused as ServiceRefusedError).message).toMatchInlineSnapshot(`
    "[GET] "/charting/feeds-data": 404 (feedids "btcusd", feed "btcusd", type "1", interval "24x")
      got   {"error":"not_found","message":"\\"interval\\" expected <number><unit> from 1s to 52w, such as 24h, got \\"24x\\"."}
      mock  session="default", now=1753354105, n=1
      code  SERVICE_REFUSED"
  `)
  await expect(createClient({ ...options, apiKey: undefined }).latest({ feedId: 'BTCUSD' })).rejects.toMatchObject({
    status: 401,
    code: 'SERVICE_REFUSED',
  })
})

it.each([
  [{ code: 'ECONNREFUSED', message: '' }, 'fetch failed: ECONNREFUSED'],
  [{ message: 'other side closed' }, 'fetch failed: other side closed'],
  [undefined, 'fetch failed'],
])('error: without a reply, the reason of %j', async (cause, got) => {
  const fetch = async () => Promise.reject(new TypeError('fetch failed', { cause }))
  const asked = createClient({ ...options, fetch }).latest({ feedId: 'BTCUSD' })
  await expect(asked).rejects.toMatchObject({ code: 'NO_REPLY', details: expect.arrayContaining([['got', got]]) })
})

it.each([204, 304])('error: status %i, which is no answer either', async status => {
  const fetch = async (): Promise<Response> => new Response(null, { status })
  const refused = createClient({ baseUrl: 'https://api.example', fetch }).latest({ feedId: 'BTCUSD' })
  await expect(refused).rejects.toMatchObject({ code: 'SERVICE_REFUSED', status })
})

it('args: a fetch with responses of a type of its own, such as that of undici', async () => {
  const ownFetch = async (url: string, init: { headers: Record<string, string> }) => {
    const reply = await fetch(url, init)
    const headers = { get: (name: string) => reply.headers.get(name) }
    return { status: reply.status, statusText: '', headers, text: () => reply.text() }
  }
  const own = createClient({ ...options, fetch: ownFetch })
  expect(await own.latest({ feedId: 'BTCUSD' })).toEqual(await client.latest({ feedId: 'BTCUSD' }))
})

it('args: addresses with a slash at the end', async () => {
  const slashed = createClient({
    ...options,
    baseUrl: 'https://api.example/',
    historyUrl: 'https://history.example/v1/',
  })
  expect(await slashed.latest({ feedId: 'BTCUSD' })).toEqual(await client.latest({ feedId: 'BTCUSD' }))
  const seen: string[] = []
  const asked = (url: string): Promise<Response> => Promise.resolve(Response.json(seen.push(url)))
  const spy = createClient({ baseUrl: 'https://api.example/v1//', fetch: asked })
  await spy.evm({ feedIds: ['BTCUSD'] })
  await spy.candles({ feedids: ['btcusd'], feed: 'btcusd', type: 1, interval: '1h' })
  expect(seen).toEqual([
    'https://api.example/v1/prices/evm/crypto?feedIds=BTCUSD',
    'https://api.example/v1/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h',
  ])
})

it('error: an address that is none', () => {
  expect(() => createClient({ ...options, baseUrl: 'foo' })).toThrow(/^Invalid baseUrl\.\n {2}at {4}baseUrl/)
  expect(() => createClient({ ...options, historyUrl: 'ftp://x' })).toThrow('Invalid historyUrl.')
})

it('error: a misspelt option', () => {
  const misspelt = { ...options, apikey: 'test-api-key' }
  expect(() => createClient(misspelt)).toThrow(/^createClient\(options\) has 1 problem\.[\s\S]* apiKey/)
})

it('error: a reply that breaks off', async () => {
  const server = await startServer({ port: 0, scenario: { faults: [{ fault: 'wire/truncate' }] } })
  await expect(
    createClient({ baseUrl: server.url }).candles({ feedids: ['BTCUSD'], feed: 'BTCUSD', type: 1, interval: '1h' }),
  ).rejects.toMatchObject({
    code: 'NO_REPLY',
    shortMessage: `[GET] "/charting/feeds-data": the reply from ${server.url} broke off.`,
    cause: expect.any(TypeError),
  })
  await server.stop()
})

it('error: a server that is away', async () => {
  const gone = await startServer({ port: 0 })
  await gone.stop()
  const error = await createClient({ baseUrl: `${gone.url}/` })
    .latest({ feedId: 'BTCUSD' })
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: 'NO_REPLY',
    shortMessage: `[GET] "/prices/BTCUSD/latest": no reply from ${gone.url}.`,
    details: [
      ['got', expect.stringMatching(/^fetch failed: .*ECONNREFUSED/)],
      ['want', expect.anything()],
      ['fix', expect.anything()],
    ],
    cause: expect.any(TypeError),
  })
})

it('error: the signal of the caller ends it with its own reason', async () => {
  const reasons = [
    new DOMException('', 'AbortError'),
    AbortSignal.timeout(0).reason ?? new DOMException('', 'TimeoutError'),
    'enough',
    null,
  ]
  for (const reason of reasons) {
    const failing = createClient({ ...options, fetch: () => Promise.reject(reason) }).latest({ feedId: 'BTCUSD' })
    expect(await failing.catch((thrown: unknown) => thrown)).toBe(reason)
  }
})

it('error: a page instead of JSON', async () => {
  const page = async (): Promise<Response> => new Response('<!doctype html>')
  await expect(createClient({ ...options, fetch: page }).latest({ feedId: 'BTCUSD' })).rejects.toMatchObject({
    code: 'RESPONSE_UNRECOGNISED',
    shortMessage: '[GET] "/prices/BTCUSD/latest": the reply is not JSON.',
    details: expect.arrayContaining([
      ['got', '<!doctype html>'],
      ['fix', 'correct the address https://api.example: another server answers there'],
    ]),
    cause: expect.any(SyntaxError),
  })
  const mock = createMock({ scenario: { title: 'T', why: 'W', faults: [{ fault: 'reply/malformed-json' }] } })
  const broken = createClient({ ...options, fetch: createFetch(mock) }).latest({ feedId: 'BTCUSD' })
  await expect(broken).rejects.toThrow(/mock {2}session="default".*malformed-json/)
})

it('behavior: the global fetch is that of the time of a request, as msw needs it', async () => {
  const client = createClient({ baseUrl: 'https://api.example' })
  onTestFinished(() => void vi.unstubAllGlobals())
  vi.stubGlobal('fetch', async () => Response.json({ feedId: 'BTCUSD' }))
  expect(await client.latest({ feedId: 'BTCUSD' })).toEqual({ feedId: 'BTCUSD' })
})

it('behavior: a fetch of a package needs no global Headers', () => {
  onTestFinished(() => void vi.unstubAllGlobals())
  vi.stubGlobal('Headers', undefined)
  createClient(options)
})

it('error: a key that no header can hold is told and not shown', () => {
  const create = (): unknown => createClient({ baseUrl: 'http://mock', apiKey: 'SECRET\nKEY' })
  expect(create).toThrow(/^createClient\(options\) has 1 problem\.\n {2}at +apiKey\n {2}got +\(not shown\)/)
})
