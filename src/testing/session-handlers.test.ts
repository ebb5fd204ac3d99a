// Handlers of msw for the real addresses of an application: they answer from the session of the test and leave other requests alone.
import { getResponse, HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSessionHandlers } from './session-handlers.js'
import { openPriceFeed } from './testing.js'

const API = 'https://api.example/v1'
const HISTORY = 'https://history.example'
const CHART = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h'
const NOW = 1_753_354_105
const CLOCK = { at: NOW, frozen: true } as const
const server = setupServer()

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

/** Code under test with an address and a key of its own. */
const latest = (key: string | undefined = 'live-key', feedId = 'BTCUSD'): Promise<Response> =>
  fetch(`${API}/prices/${feedId}/latest`, { headers: key === '' ? {} : { authorization: key } })

it('behavior: msw may be of another realm, as in the pools vmThreads and vmForks of Vitest', async () => {
  await using priceFeed = await openPriceFeed({ clock: CLOCK })
  Object.defineProperty(RegExp, Symbol.hasInstance, { value: () => false, configurable: true })
  try {
    server.use(...priceFeed.handlers({ baseUrl: API }))
  } finally {
    Reflect.deleteProperty(RegExp, Symbol.hasInstance)
  }
  expect((await latest()).status).toBe(200)
})

describe.each([
  ['in process', {}],
  ['on a server', { server: true }],
] as const)('%s', (_, where) => {
  it('default: an application with its own address and key gets the session', async () => {
    await using priceFeed = await openPriceFeed({ clock: CLOCK, prices: { BTCUSD: 50_000 }, ...where })
    server.use(...priceFeed.handlers({ baseUrl: API, historyUrl: HISTORY }))
    const reply = await latest()
    expect(reply.headers.get('x-price-feed-mock')).toContain(`session="${priceFeed.id}"`)
    expect(await reply.json()).toMatchObject({ price: 50_000e8 })
    expect((await fetch(HISTORY + CHART)).status).toBe(200)
    expect((await priceFeed.requests()).map(({ endpoint, status }) => [endpoint, status])).toEqual([
      ['latest', 200],
      ['candles', 200],
    ])
  })

  it('error: a request without a key, or with another one than the application has', async () => {
    await using priceFeed = await openPriceFeed(where)
    server.use(...priceFeed.handlers({ baseUrl: API, apiKey: 'live-key' }))
    const statuses = [(await latest('')).status, (await latest('other')).status, (await latest()).status]
    expect(statuses).toEqual([401, 401, 200])
    // A key of the session, which the application has forgotten to replace.
    expect((await latest(priceFeed.apiKey)).status).toBe(401)
    const misspelt = { baseUrl: API, apikey: 'live-key' }
    expect(() => priceFeed.handlers(misspelt)).toThrow('apiKey')
  })

  it('behavior: each of two addresses answers its own endpoints, other addresses are left alone', async () => {
    await using priceFeed = await openPriceFeed(where)
    server.use(http.get('https://api.example/users', () => HttpResponse.json(['me'])))
    server.use(...priceFeed.handlers({ baseUrl: API, historyUrl: HISTORY }))
    const wrong = [API + CHART, `${HISTORY}/prices/BTCUSD/latest`].map(async url => {
      const reply = await fetch(url)
      return [reply.status, ((await reply.json()) as { detail: string }).detail]
    })
    expect(await Promise.all(wrong)).toEqual([
      [404, expect.stringMatching(/ belongs to historyUrl\.$/)],
      [404, expect.stringMatching(/ belongs to baseUrl\.$/)],
    ])
    expect(await (await fetch('https://api.example/users')).json()).toEqual(['me'])
    const all = priceFeed.handlers({ baseUrl: API })
    expect(await getResponse(all, new Request('https://api.example/v10/prices/BTCUSD/latest'))).toBeUndefined()
  })

  it('behavior: faults on the wire reach the application', async () => {
    await using priceFeed = await openPriceFeed({ scenario: { faults: [{ fault: 'wire/reset' }] }, ...where })
    server.use(...priceFeed.handlers({ baseUrl: API }))
    await expect(latest()).rejects.toThrow(TypeError)
    await priceFeed.expectFaultsFired()
    await priceFeed.setScenario({ faults: [{ fault: 'wire/truncate' }] })
    await expect(latest().then(reply => reply.text())).rejects.toThrow()
    await priceFeed.expectFaultsFired()
  })

  it('behavior: a redirect is for the application to follow', async () => {
    await using priceFeed = await openPriceFeed({ scenario: { faults: [{ fault: 'reply/redirect' }] }, ...where })
    server.use(...priceFeed.handlers({ baseUrl: API }))
    expect((await fetch(`${API}/prices/BTCUSD/latest`, { redirect: 'manual' })).status).toBe(302)
  })

  it('behavior: a preflight is answered by the session', async () => {
    await using priceFeed = await openPriceFeed(where)
    server.use(...priceFeed.handlers({ baseUrl: API }))
    const preflight = await fetch(`${API}/prices/BTCUSD/latest`, { method: 'OPTIONS' })
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'authorization, *'])
    expect(await priceFeed.requests({ method: 'OPTIONS' })).toHaveLength(1)
  })
})

describe('in a page', () => {
  afterEach(() => Reflect.deleteProperty(globalThis, 'location'))
  const standIn = (href: string): void => void Object.assign(globalThis, { location: { href } })

  it('behavior: reply/no-cors fails a call to another origin, and not one to its own', async () => {
    await using priceFeed = await openPriceFeed({ scenario: { faults: [{ fault: 'reply/no-cors' }] } })
    standIn('https://app.example/')
    server.use(...priceFeed.handlers({ baseUrl: API }))
    await expect(latest()).rejects.toThrow(TypeError)
    standIn('https://api.example/')
    server.use(...priceFeed.handlers({ baseUrl: API }))
    expect((await latest()).status).toBe(200)
  })

  it('behavior: at the origin of the page, paths of the application are left alone', async () => {
    await using priceFeed = await openPriceFeed()
    standIn('https://app.example/')
    const all = priceFeed.handlers({ baseUrl: '/' })
    expect(await getResponse(all, new Request('https://app.example/users'))).toBeUndefined()
    const headers = { authorization: 'live-key' }
    const asked = new Request('https://app.example/prices/BTCUSD/latest', { headers })
    expect((await getResponse(all, asked))?.status).toBe(200)
  })
})

it.each([
  ['msw is not installed', 'npm install --save-dev msw', { ...process, cwd: () => '/nowhere' }],
  ['this is not Node', "use handlers(mock, { baseUrl }) of 'price-feed-mock/msw' in a page", undefined],
])('error: %s', (reason, fix, process) => {
  vi.stubGlobal('process', process)
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(() =>
    createSessionHandlers({} as never, { baseUrl: API }, { here: 'file:///nowhere/here.js', loaded: undefined }),
  ).toThrow(
    expect.objectContaining({
      code: 'HANDLERS_UNAVAILABLE',
      shortMessage: `handlers() needs msw in Node, but ${reason}.`,
      details: [['fix', fix]],
    }),
  )
})

it('error: a version of msw that takes no predicate', () => {
  const http = {
    all(path: string) {
      path.endsWith('*')
    },
  }
  expect(() => createSessionHandlers({} as never, { baseUrl: API }, { here: undefined, loaded: { http } })).toThrow(
    'handlers() needs msw in Node, but msw is older than 2.15.\n  fix   npm install --save-dev msw@2\n',
  )
})

it('error: an address that is none', async () => {
  await using priceFeed = await openPriceFeed()
  // @ts-expect-error the address is missing
  expect(() => priceFeed.handlers({})).toThrow(expect.objectContaining({ code: 'OPTIONS_INVALID' }))
  expect(() => priceFeed.handlers({ baseUrl: 'api.example' })).toThrow(
    expect.objectContaining({ code: 'OPTIONS_INVALID' }),
  )
})

it.each([
  ['MODULE_NOT_FOUND', 'msw is not installed'],
  ['ERR_REQUIRE_ESM', 'msw cannot be loaded'],
])('error: msw fails with %s', async (code, reason) => {
  await using priceFeed = await openPriceFeed()
  const fail = (): never => {
    throw Object.assign(new Error(code), { code })
  }
  using _ = vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ createRequire: () => fail } as never)
  expect(() => priceFeed.handlers({ baseUrl: API })).toThrow(
    expect.objectContaining({ code: 'HANDLERS_UNAVAILABLE', message: expect.stringContaining(reason) }),
  )
})
