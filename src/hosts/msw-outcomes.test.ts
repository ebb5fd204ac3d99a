// The msw host in Node: the addresses that it answers, and each outcome for `fetch` and for `http`.
import { once } from 'node:events'
import { createServer } from 'node:http'
import https from 'node:https'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { KEY } from '../../test/support/ask.js'
import { CHANGES, withOutcome } from '../../test/support/hosts/with-outcome.js'
import { AT } from '../../test/support/hosts.js'
import { listen } from '../../test/support/listen.js'
import { createMock, type MockOptions } from '../index.js'
import { openPriceFeed } from '../testing/testing.js'
import { type HandlersOptions, handlers } from './msw.js'

const LATEST = '/prices/BTCUSD/latest'
const API = 'https://api.example'

/** Requests without an answer of the mock: they go to the network. */
const unhandled: string[] = []
const intercepted = setupServer()
const network = createServer((request, response) => response.end(`network ${request.url}`))

const origin = `http://127.0.0.1:${await listen(network, afterAll)}`

beforeAll(() => intercepted.listen({ onUnhandledRequest: request => unhandled.push(request.url) }))
afterEach(() => {
  intercepted.resetHandlers()
  unhandled.length = 0
  vi.unstubAllGlobals()
  vi.useRealTimers()
})
afterAll(() => intercepted.close())

function createFrozen(options: MockOptions = {}) {
  return createMock({ clock: { at: AT, frozen: true }, ...options })
}

/** A mock for some addresses. */
function standIn(options: HandlersOptions, mock = createFrozen()) {
  intercepted.use(...handlers(mock, options))
  return mock
}

async function ask(url: string, init: RequestInit = {}) {
  const response = await fetch(url, { headers: KEY, ...init })
  const body = await response.text()
  return { status: response.status, mark: response.headers.get('x-price-feed-mock'), body }
}

describe('addresses', () => {
  it.each([
    ['HTTPS://API.Example:443', API],
    [`${API}/`, API],
    [`${API}/v1///`, `${API}/v1`],
    [`${API}/a.b(c)+`, `${API}/a.b(c)+`],
    ['http://[::1]:4700', 'http://[::1]:4700'],
  ])('args: baseUrl %s', async (baseUrl, asked) => {
    standIn({ baseUrl })
    expect((await ask(asked + LATEST)).status).toBe(200)
    const sessions = JSON.parse((await ask(`${asked}/_mock/sessions`)).body)
    expect(JSON.stringify(sessions)).toContain(asked)
  })

  it('behavior: a path with a similar prefix is not intercepted', async () => {
    standIn({ baseUrl: `${origin}/v1` })
    expect((await ask(`${origin}/v10/prices`)).body).toBe('network /v10/prices')
    expect((await ask(`${origin}/other?a=1`)).body).toBe('network /other?a=1')
    expect(unhandled).toEqual([`${origin}/v10/prices`, `${origin}/other?a=1`])
  })

  it('behavior: on the origin of the page, only known paths are intercepted', async () => {
    vi.stubGlobal('location', new URL(`${origin}/app/index.html`))
    standIn({ baseUrl: '/' })
    for (const path of ['/', '/src/main.ts', '/session/login', '/prices'])
      expect((await ask(origin + path)).body).toBe(`network ${path}`)
    expect((await ask(origin + LATEST)).status).toBe(200)
    expect((await ask(`${origin}/session/a${LATEST}`)).mark).toMatch(/^session="a"/)
    expect((await ask(`${origin}/scenario/clam${LATEST}`)).mark).toBe('own, code="SCENARIO_UNKNOWN"')
    expect((await ask(`${origin}/_mock/nowhere`)).mark).toBe('own, code="UNKNOWN_ROUTE"')
  })

  it('args: a baseUrl relative to a page', async () => {
    vi.stubGlobal('location', new URL(`${origin}/app/index.html`))
    standIn({ baseUrl: 'api' })
    expect((await ask(`${origin}/app/api${LATEST}`)).status).toBe(200)
    expect((await ask(`${origin}/app/api/nowhere`)).mark).toBe('own, code="UNKNOWN_ROUTE"')
  })
})

describe('options of plain JavaScript', () => {
  afterEach(() => vi.unstubAllGlobals())

  it.each([
    ['none', undefined],
    ['null', null],
    ['no address', {}],
    ['null as address', { baseUrl: null }],
    ['a number', { baseUrl: 5 }],
    ['an object', { baseUrl: new URL(API) }],
    ['null as the other', { baseUrl: API, historyUrl: null }],
  ])('error: %s, in a page too', (_title, options) => {
    const make = () => handlers(createFrozen(), options as never)
    expect(make).toThrow(expect.objectContaining({ code: 'OPTIONS_INVALID' }))
    vi.stubGlobal('location', new URL('https://app.example/'))
    expect(make).toThrow(expect.objectContaining({ code: 'OPTIONS_INVALID' }))
  })
})

describe('outcomes', () => {
  const standInWith = (kind: keyof typeof CHANGES) =>
    standIn({ baseUrl: API }, withOutcome(createFrozen(), CHANGES[kind]))

  it.each(['reset', 'hangUp'] as const)('behavior: %s is a network error', async kind => {
    standInWith(kind)
    await expect(fetch(API + LATEST, { headers: KEY })).rejects.toThrow(TypeError)
    const [error] = await once(https.get(API + LATEST), 'error')
    expect(error).toBeInstanceOf(Error)
    // Another error would come from the network, which must not be asked.
    expect(error.code).not.toBe('ENOTFOUND')
  })

  it('behavior: truncate ends a request of node:http with an error, not the process', async () => {
    standInWith('truncate')
    const [response] = await once(https.get(API + LATEST, { headers: KEY }), 'response')
    expect(response.statusCode).toBe(200)
    response.resume()
    const [error] = await once(response, 'error')
    expect(error).toBeInstanceOf(Error)
  })

  it('args: signal ends a wait', async () => {
    const waits = new AbortController()
    const mock = withOutcome(createFrozen(), () => {
      setImmediate(() => waits.abort())
      return CHANGES.timeout()
    })
    standIn({ baseUrl: API, signal: waits.signal }, mock)
    for (let i = 0; i < 2; i++) await expect(fetch(API + LATEST, { headers: KEY })).rejects.toThrow(TypeError)
  })

  it.each(['delay', 'dribble', 'hangUp'] as const)('behavior: fake timers do not freeze %s', async kind => {
    standInWith(kind)
    vi.useFakeTimers()
    await ask(API + LATEST).catch(() => {})
  })

  it('behavior: a reply without CORS headers is a network error for a page of another origin, as in a browser', async () => {
    const scenario = { faults: [{ fault: 'reply/no-cors' }] }
    vi.stubGlobal('location', new URL('https://app.example/'))
    standIn({ baseUrl: API }, createFrozen({ scenario: scenario as never }))
    await expect(fetch(API + LATEST, { headers: KEY })).rejects.toThrow(TypeError)
    // Admin routes never have these headers, but the console of the page may need them.
    expect((await ask(`${API}/_mock/health`)).status).toBe(200)
    standIn({ baseUrl: '/api' }, createFrozen({ scenario: scenario as never }))
    expect((await ask(`https://app.example/api${LATEST}`)).status).toBe(200)
  })

  it.each(['handlers of a mock', 'handlers of a session'])('behavior: %s: fetch follows a redirect out', async of => {
    const to = `${origin}/other`
    const scenario = { faults: [{ fault: 'reply/redirect', options: { to } }] } as const
    if (of === 'handlers of a mock') standIn({ baseUrl: API }, createFrozen({ scenario }))
    else {
      const priceFeed = await openPriceFeed({ scenario })
      onTestFinished(() => priceFeed[Symbol.asyncDispose]())
      intercepted.use(...(priceFeed.handlers({ baseUrl: API }) as ReturnType<typeof handlers>))
    }
    const response = await fetch(API + LATEST, { headers: KEY })
    expect(await response.text()).toBe(`network /other${LATEST}`)
  })

  it('error: a mock that fails says so', async () => {
    const mock = createFrozen()
    const serve = () => {
      throw new Error('a bug')
    }
    standIn({ baseUrl: API }, { ...mock, serve })
    expect(await ask(API + LATEST)).toMatchObject({ status: 500, mark: 'own, code="INTERNAL"' })
  })
})
