// Routes of a page: CORS as a browser does it, and the faults that a route cannot show. test/kits runs them in a browser.
import { describe, expect, it } from 'vitest'
import type { PageRequest, PageRoute, RoutablePage } from './page-route.js'
import { type OpenOptions, openPriceFeed } from './testing.js'

const API = 'https://api.example'
const LATEST = `${API}/prices/BTCUSD/latest`
const NOW = 1_753_354_105

/** A page at an origin. `ask` sends a request through its newest matching route. */
function createPage(origin = 'https://app.example', frameUrl?: string) {
  const routes: Parameters<RoutablePage['route']>[] = []
  const top = { url: () => `${origin}/page` }
  const page: RoutablePage = { route: async (...added) => void routes.unshift(added) }
  const ask = async (url: string, headers: Record<string, string> = { authorization: 'live-key' }, method = 'GET') => {
    const found = routes.find(([pattern]) => pattern.test(url))
    if (found === undefined) return 'not routed'
    let outcome: unknown
    const request: PageRequest = {
      url: () => url,
      method: () => method,
      headers: () => headers,
      resourceType: () => 'fetch',
      frame: () => (frameUrl === undefined ? top : { url: () => frameUrl, parentFrame: () => top }),
    }
    const route: PageRoute = {
      fulfill: async reply => void (outcome = reply),
      abort: async code => void (outcome = code),
      fallback: async () => void (outcome = 'passed on'),
    }
    await found[1](route, request)
    return outcome
  }
  return { page, ask }
}

async function open(options: OpenOptions = {}, origin?: string, frameUrl?: string) {
  const priceFeed = await openPriceFeed({ clock: { at: NOW, frozen: true }, ...options })
  const { page, ask } = createPage(origin, frameUrl)
  await priceFeed.route(page, { baseUrl: API, historyUrl: `${API}/charts` })
  return { priceFeed, ask }
}

it('default: requests of the application are answered by the session, others are not routed', async () => {
  const { priceFeed, ask } = await open({ prices: { BTCUSD: 50_000 } })
  expect(await ask(LATEST)).toMatchObject({ status: 200, body: expect.stringContaining('5000000000000') })
  const chart = `${API}/charts/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h`
  expect(await ask(chart, {})).toMatchObject({ status: 200 })
  expect(await ask('https://app.example/prices/BTCUSD/latest')).toBe('not routed')
  expect(await priceFeed.requests()).toHaveLength(2)
})

it.each([undefined, null, {}, { route: API }])('error: %o is no page', async got => {
  await using priceFeed = await openPriceFeed()
  await expect(priceFeed.route(got as never, { baseUrl: API })).rejects.toMatchObject({
    code: 'OPTIONS_INVALID',
    problems: [{ at: 'page', got, want: 'a page or a context of Playwright' }],
  })
})

it('behavior: paths that the mock does not know belong to the application, at its own origin', async () => {
  const { ask } = await open({}, API)
  expect(await ask(`${API}/app.js`, {})).toBe('passed on')
  expect(await ask(LATEST)).toMatchObject({ status: 200 })
  const other = await open()
  expect(await other.ask(`${API}/app.js`)).toMatchObject({ status: 404 })
})

it('error: an endpoint of the other base is a 404 that the page can read', async () => {
  const { ask } = await open()
  const other = `${API}/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h`
  for (const url of [other, `${API}/charts/prices/BTCUSD/latest`])
    expect(await ask(url)).toMatchObject({ status: 404, body: expect.stringContaining('UNKNOWN_ROUTE') })
})

it('behavior: a preflight reaches the session first, and is remembered', async () => {
  const { priceFeed, ask } = await open()
  await ask(LATEST)
  await ask(LATEST)
  await ask(LATEST, {})
  expect(await priceFeed.requests({ method: 'OPTIONS' })).toHaveLength(1)
})

it.each([
  [{}, 'GET', 0],
  [{}, 'HEAD', 0],
  [{ 'content-type': 'text/plain;charset=utf-8' }, 'POST', 0],
  [{ 'content-type': 'application/json' }, 'POST', 1],
  [{ 'x-own': '1' }, 'GET', 1],
  [{ authorization: 'live-key' }, 'GET', 1],
  [{}, 'PUT', 1],
])('behavior: with the headers %j, a %s has %i preflights', async (headers, method, count) => {
  const { priceFeed, ask } = await open()
  await ask(LATEST, headers, method)
  expect(await priceFeed.requests({ method: 'OPTIONS' })).toHaveLength(count)
})

it('behavior: a method that no preflight allows does not reach the session', async () => {
  const { priceFeed, ask } = await open()
  expect(await ask(LATEST, {}, 'PUT')).toBe('accessdenied')
  expect(await ask(LATEST, {}, 'POST')).toMatchObject({ status: 405 })
  expect((await priceFeed.requests()).map(({ method }) => method)).toEqual(['POST'])
})

it('behavior: a frame without an address has the origin of its page', async () => {
  const { priceFeed, ask } = await open(
    { scenario: { faults: [{ fault: 'reply/no-cors' }] } },
    new URL(API).origin,
    'about:srcdoc',
  )
  expect(await ask(LATEST)).toMatchObject({ status: 200 })
  expect(await priceFeed.requests({ method: 'OPTIONS' })).toEqual([])
})

describe('reply/no-cors', () => {
  const scenario = { faults: [{ fault: 'reply/no-cors' }] } as const

  it('behavior: a page of another origin cannot read the reply', async () => {
    const { priceFeed, ask } = await open({ scenario })
    expect(await ask(LATEST)).toBe('accessdenied')
    await priceFeed.expectFaultsFired()
  })

  it('error: a page of the same origin reads it, so the fault is not shown', async () => {
    const { priceFeed, ask } = await open({ scenario }, API)
    expect(await ask(LATEST)).toMatchObject({ status: 200 })
    await expect(priceFeed.expectFaultsFired()).rejects.toThrow(
      'not shown: a page may read every reply of its own origin',
    )
  })
})

describe('faults on the wire', () => {
  it.each([
    [{ fault: 'wire/truncate' }, 'a whole body or none'],
    [{ fault: 'wire/dribble', options: { everyMs: 1 } }, 'a body at once'],
  ] as const)('error: %o cannot be shown', async (fault, sends) => {
    const { priceFeed, ask } = await open({ scenario: { faults: [fault] } })
    await ask(LATEST)
    await expect(priceFeed.expectFaultsFired()).rejects.toMatchObject({
      shortMessage: '1 of 1 planned fault never fired.',
      details: [['fault', `${fault.fault}  always: 1 hit   not shown: page.route sends ${sends}`]],
    })
    const ofScenario = [() => {}, () => priceFeed.setScenario({ faults: [fault] })]
    for (const begin of ofScenario) {
      await begin()
      // Beside the route, it is shown.
      await priceFeed.client.latest({ feedId: 'BTCUSD' }).catch(() => {})
      await priceFeed.expectFaultsFired()
    }
  })

  it('behavior: a reset ends the request, a timeout lasts until the session ends', async () => {
    const { priceFeed, ask } = await open({ scenario: { faults: [{ fault: 'wire/reset' }] } })
    expect(await ask(LATEST)).toBe('connectionreset')
    await priceFeed.expectFaultsFired()
    await priceFeed.setScenario({ faults: [{ fault: 'wire/timeout' }] })
    const pending = ask(LATEST)
    await priceFeed.waitForRequests(2)
    await priceFeed.close()
    expect(await pending).toBe('connectionreset')
  })
})
