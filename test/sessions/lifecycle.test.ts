// The life of a session: created on first use or by request, reached by path or key, changed, reset and deleted.
import { afterAll, beforeEach, expect, it } from 'vitest'
import {
  ALL_TARGETS,
  adminRoute,
  askWith,
  KEY,
  move,
  PROTECTED_TARGETS,
  problemOf,
  type Shown,
  sessionOf,
  TARGETS,
} from '../support/admin.js'
import { AT, describeService, httpHost, NOW } from '../support/hosts.js'

describeService('a session', start => {
  // A new one for each test, so that their order does not matter.
  let host: ReturnType<typeof start>
  beforeEach(() => (host = start({ seed: '11', signer: 2, policy: { candles: 7 } })))
  const create = (body?: unknown) => adminRoute(host, 'POST', '/_mock/sessions', body)
  const ids = async () =>
    (await adminRoute<{ sessions: Shown[] }>(host, 'GET', '/_mock/sessions')).sessions.map(({ id }) => id)

  it('default: requests without a session belong to the default session', async () => {
    const { sessions } = await adminRoute<{ sessions: Shown[] }>(host, 'GET', '/_mock/sessions')
    expect(sessions).toMatchObject([{ id: 'default', created: true, apiKey: KEY, requests: 0, seed: '11' }])
    for (const target of ALL_TARGETS) expect(sessionOf(await askWith(host, KEY, target))).toBe('default')
    expect(sessionOf(await askWith(host, KEY, `/session/default${TARGETS.latest}`))).toBe('default')
  })

  it('behavior: the first request to its path creates it with the settings of the start', async () => {
    for (const target of ALL_TARGETS) {
      const reply = await askWith(host, KEY, `/session/lazy-1${target}`)
      expect(reply.status, reply.body).toBe(200)
      expect(sessionOf(reply)).toBe('lazy-1')
    }
    expect(await adminRoute(host, 'GET', '/_mock/sessions/lazy-1')).toMatchObject({
      id: 'lazy-1',
      created: false,
      apiKey: 'session.lazy-1',
      seed: '11',
      signer: { testKey: 2 },
      clock: { at: AT, now: NOW, speed: 1, frozen: true },
      policy: { candles: 7 },
      requests: 5,
    })
  })

  it('behavior: a lazy session does not copy changes of the default session', async () => {
    const own = start()
    await adminRoute(own, 'PATCH', '/_mock/sessions/default', { seed: 'changed', clock: { advance: '1d' } })
    await askWith(own, KEY, `/session/later${TARGETS.latest}`)
    expect(await adminRoute(own, 'GET', '/_mock/sessions/later')).toMatchObject({ seed: '42', clock: { now: NOW } })
  })

  it('behavior: POST without a body generates a new id', async () => {
    const [first, second] = [await create(), await create({})]
    expect(first.id).toMatch(/^s\d+$/)
    expect(second.id).not.toBe(first.id)
    expect(second).toMatchObject({ created: true, apiKey: `session.${second.id}`, seed: '11', requests: 0 })
    const next = `s${Number(second.id.slice(1)) + 1}`
    await create({ id: next })
    expect((await create()).id).not.toBe(next)
  })

  it('behavior: POST with all settings', async () => {
    const body = {
      id: 'checkout-7',
      seed: 7,
      clock: { at: '2030-01-01T00:00:00Z', frozen: true },
      scenario: 'calm',
      policy: { candles: 3 },
      signer: 5,
      apiKeys: ['its-own'],
      prices: { btcusd: 50_000 },
    }
    const reply = await move(host, 'POST', '/_mock/sessions', body)
    expect(reply.status).toBe(201)
    const shown = JSON.parse(reply.body) as Shown
    expect(shown).toMatchObject({ id: 'checkout-7', created: true, seed: '7', scenario: 'calm', requests: 0 })
    expect(shown).toMatchObject({ signer: { testKey: 5 }, clock: { at: body.clock.at, frozen: true } })
    expect(shown.baseUrl.endsWith('/session/checkout-7')).toBe(true)
    expect(shown.historyUrl.endsWith('/session/checkout-7')).toBe(true)
    expect(await adminRoute(host, 'GET', '/_mock/sessions/checkout-7')).toEqual(shown)
    expect(JSON.parse((await askWith(host, 'its-own', `/session/checkout-7${TARGETS.latest}`)).body).price).toBe(5e12)
    expect((await askWith(host, KEY, `/session/checkout-7${TARGETS.latest}`)).status).toBe(401)
  })

  it('behavior: its base URL and its key lead to it', async () => {
    const { id, baseUrl, apiKey } = await create({ seed: '5' })
    const byPath = await askWith(host, apiKey, `${baseUrl.slice(baseUrl.indexOf('/session/'))}${TARGETS.latest}`)
    const byKey = await askWith(host, apiKey, TARGETS.latest)
    expect(sessionOf(byPath)).toBe(id)
    expect(byKey.body).toBe(byPath.body)
  })

  it.each(PROTECTED_TARGETS)('behavior: its key alone leads to it: %s', async target => {
    const { id, apiKey } = await create()
    const reply = await askWith(host, apiKey, target)
    expect(reply.status).toBe(200)
    expect(sessionOf(reply)).toBe(id)
  })

  it('behavior: the path decides about the session, with any known key', async () => {
    const [one, other] = [await create(), await create()]
    await askWith(host, KEY, `/session/lazy-1${TARGETS.latest}`)
    for (const key of [KEY, one.apiKey, other.apiKey, 'scenario.calm', 'session.lazy-1', 'session.default']) {
      const reply = await askWith(host, key, `/session/${one.id}${TARGETS.latest}`)
      expect([reply.status, sessionOf(reply)], key).toEqual([200, one.id])
    }
    expect((await adminRoute(host, 'GET', `/_mock/sessions/${other.id}`)).requests).toBe(0)
  })

  it('error: 401 for the key of an unknown session, which is not created', async () => {
    const before = await ids()
    for (const key of ['session.x', 'session.', 'session.__proto__', 'SESSION.default', 'SCENARIO.calm']) {
      expect((await askWith(host, key, TARGETS.latest)).status, key).toBe(401)
      expect((await askWith(host, key, `/session/default${TARGETS.latest}`)).status, key).toBe(401)
    }
    expect(await ids()).toEqual(before)
  })

  it('behavior: listed in the order of creation', async () => {
    const own = start()
    for (const id of ['b', 'a', 'c']) await adminRoute(own, 'POST', '/_mock/sessions', { id })
    const { sessions } = await adminRoute<{ sessions: Shown[] }>(own, 'GET', '/_mock/sessions')
    expect(sessions.map(({ id }) => id)).toEqual(['default', 'b', 'a', 'c'])
  })

  it('behavior: after DELETE its key gets 401 and its path creates another', async () => {
    await create({ id: 'gone', seed: 'of its own' })
    expect((await askWith(host, 'session.gone', TARGETS.latest)).status).toBe(200)
    expect((await move(host, 'DELETE', '/_mock/sessions/gone')).status).toBe(204)
    problemOf(await move(host, 'GET', '/_mock/sessions/gone'), 404, 'SESSION_UNKNOWN')
    problemOf(await move(host, 'DELETE', '/_mock/sessions/gone'), 404, 'SESSION_UNKNOWN')
    expect((await askWith(host, 'session.gone', TARGETS.latest)).status).toBe(401)
    await askWith(host, KEY, `/session/gone${TARGETS.latest}`)
    expect(await adminRoute(host, 'GET', '/_mock/sessions/gone')).toMatchObject({
      created: false,
      seed: '11',
      requests: 1,
    })
  })

  it('behavior: reset restores settings, prices, clock, counters and journal', async () => {
    const body = { id: 'again', seed: '3', clock: { at: AT, frozen: true }, prices: { BTCUSD: 1000 } }
    const created = await create(body)
    const first = await askWith(host, created.apiKey, TARGETS.latest)
    await adminRoute(host, 'PATCH', '/_mock/sessions/again', {
      seed: '4',
      clock: { advance: '1h', frozen: false, speed: 3 },
      policy: { candles: 2 },
      signer: 9,
      apiKeys: ['another'],
      prices: { BTCUSD: 2000, ETHUSD: 1 },
    })
    expect((await askWith(host, 'another', `/session/again${TARGETS.latest}`)).body).not.toBe(first.body)
    expect(await adminRoute(host, 'POST', '/_mock/sessions/again/reset')).toEqual(created)
    expect(await adminRoute(host, 'GET', '/_mock/sessions/again/requests')).toEqual({ requests: [] })
    expect(await askWith(host, created.apiKey, TARGETS.latest)).toEqual(first)
    const { requests } = await adminRoute<{ requests: object[] }>(host, 'GET', '/_mock/sessions/again/requests')
    expect(requests).toMatchObject([{ n: 1, ordinal: 1 }])
  })

  it('behavior: reset of the default session and of a lazy one', async () => {
    const own = start({ seed: '8' })
    const before = await adminRoute(own, 'GET', '/_mock/sessions/default')
    await adminRoute(own, 'PATCH', '/_mock/sessions/default', { seed: '9', clock: { at: 5 } })
    expect(await adminRoute(own, 'POST', '/_mock/sessions/default/reset')).toEqual(before)
    await askWith(own, KEY, `/session/lazy${TARGETS.latest}`)
    await adminRoute(own, 'PATCH', '/_mock/sessions/lazy', { seed: '9' })
    expect(await adminRoute(own, 'POST', '/_mock/sessions/lazy/reset')).toMatchObject({ seed: '8', requests: 0 })
  })

  it('error: 404 for an unknown path below a session names the nearest route', async () => {
    const details = problemOf(await host.request('/session/lazy-1/price/batch'), 404, 'UNKNOWN_ROUTE')
    expect(details.want).toContain('/prices/batch')
  })
})

it('behavior: with two ports, a session has an address on each', async () => {
  const host = await httpHost({ historyPort: 0 })
  afterAll(host.stop)
  const { baseUrl, historyUrl, apiKey } = await adminRoute(host, 'POST', '/_mock/sessions', { id: 'two' })
  const { url, historyUrl: other } = host.server
  expect([baseUrl, historyUrl]).toEqual([`${url}/session/two`, `${other}/session/two`])
  expect((await fetch(historyUrl + TARGETS.candles)).headers.get('x-price-feed-mock')).toContain('session="two"')
  expect((await fetch(baseUrl + TARGETS.latest, { headers: { authorization: apiKey } })).status).toBe(200)
})
