// Invalid changes of sessions: one error reports every problem, and nothing changes.
import { afterAll, describe, expect, it } from 'vitest'
import { adminRoute, move, problemOf, type Shown, TARGETS } from '../support/admin.js'
import { describeService, httpHost } from '../support/hosts.js'

/** The nearest name of each problem, by its position. */
const closestByPosition = (details: ReturnType<typeof problemOf>) =>
  Object.fromEntries((details.problems ?? []).map(({ at, closest }) => [at, closest]))

describeService('an invalid change', start => {
  const host = start()
  const post = (body: unknown) => move(host, 'POST', '/_mock/sessions', body)
  const patch = (body: unknown) => move(host, 'PATCH', '/_mock/sessions/default', body)
  const sessions = () => adminRoute<{ sessions: Shown[] }>(host, 'GET', '/_mock/sessions')

  it('error: 409 for an id in use, created or lazy', async () => {
    const own = start()
    await own.request(`/session/used${TARGETS.candles}`)
    await adminRoute(own, 'POST', '/_mock/sessions', { id: 'named' })
    for (const id of ['default', 'used', 'named']) {
      const details = problemOf(await move(own, 'POST', '/_mock/sessions', { id }), 409, 'SESSION_EXISTS')
      expect(details.detail).toContain(`"${id}"`)
      expect(details.fix).toContain(`/_mock/sessions/${id}`)
    }
  })

  it.each(['GET', 'PATCH', 'DELETE'])('error: 404 for %s of an unknown session lists the sessions', async method => {
    const details = problemOf(
      await move(host, method, '/_mock/sessions/nobody', method === 'PATCH' ? {} : undefined),
      404,
      'SESSION_UNKNOWN',
    )
    expect(details.want).toContain('default')
  })

  it.each(['reset', 'snapshot', 'restore', 'requests', 'requests/summary'])(
    'error: 404 for %s of no session',
    async action => {
      const method = action.startsWith('requests') ? 'GET' : 'POST'
      const body = action === 'restore' ? { snapshot: {} } : undefined
      problemOf(await move(host, method, `/_mock/sessions/nobody/${action}`, body), 404, 'SESSION_UNKNOWN')
    },
  )

  it.each([
    '',
    '-a',
    '.a',
    '_a',
    'a b',
    'a/b',
    'a"b',
    'ä',
    'a%20b',
    'a\r\nb',
    '__proto__',
    'x'.repeat(65),
    5,
    null,
    [],
  ])('error: the id %j', async id => {
    expect(closestByPosition(problemOf(await post({ id }), 400, 'REQUEST_INVALID'))).toEqual({ id: undefined })
  })

  it.each(['-a', 'a%20b', 'a%2Fb', '%00', 'x'.repeat(65), '__proto__', '%E4', 'a%0d%0ab'])(
    'error: the id %j in a path',
    async id => {
      const before = await sessions()
      const details = problemOf(await host.request(`/session/${id}${TARGETS.latest}`), 400, 'SESSION_INVALID')
      expect(details.problems).toMatchObject([{ at: 'session id', want: expect.any(String) }])
      expect(await sessions()).toEqual(before)
    },
  )

  it.each(['A', '0', 'a.b_c-D', 'x'.repeat(64), 'constructor', 'toString'])('args: the id %s', async id => {
    expect((await adminRoute(host, 'POST', '/_mock/sessions', { id })).id).toBe(id)
    expect((await move(host, 'DELETE', `/_mock/sessions/${id}`)).status).toBe(204)
  })

  it('error: every problem at once, with the nearest key', async () => {
    const details = problemOf(
      await post({
        id: '?',
        sed: '7',
        clock: { att: 5, speed: 0, frozen: 'yes' },
        policy: { candels: 5, maxMinutes: 0, unknownFeed: 'rejekt' },
        signer: 10,
        apiKeys: [],
        prices: { BTCUSD: '50000', ETHUSD: -1, EURUSD: 0 },
        scenario: 5,
      }),
      400,
      'REQUEST_INVALID',
    )
    expect(closestByPosition(details)).toEqual({
      id: undefined,
      sed: 'seed',
      'clock.att': 'at',
      'clock.speed': undefined,
      'clock.frozen': undefined,
      'policy.candels': 'candles',
      'policy.maxMinutes': undefined,
      'policy.unknownFeed': 'reject',
      signer: undefined,
      apiKeys: undefined,
      'prices.BTCUSD': undefined,
      'prices.ETHUSD': undefined,
      'prices.EURUSD': undefined,
      scenario: undefined,
    })
    for (const { want } of details.problems!) expect(want).toEqual(expect.stringMatching(/\S/))
  })

  it.each([
    ['__proto__', '{"__proto__":{"seed":"7"}}'],
    ['clock.__proto__', '{"clock":{"__proto__":{"at":5}}}'],
    ['policy.__proto__', '{"policy":{"__proto__":{"candles":5}}}'],
    ['constructor', '{"constructor":{"prototype":{"seed":"7"}}}'],
    ['prices.__proto__', '{"prices":{"__proto__":5}}'],
    ['signing.layouts.__proto__', '{"signing":{"layouts":{"__proto__":{}}}}'],
  ])('error: %s is an unknown key', async (at, body) => {
    const details = JSON.parse((await patch(body)).body)
    expect(details).toMatchObject({ status: 400, problems: [{ at }] })
    expect(({} as Record<string, unknown>).seed).toBeUndefined()
  })

  it.each(['[]', '[{"seed":"7"}]', '"seed"', '5', 'null', 'true'])('error: the body %s is no object', async body => {
    const details = problemOf(await patch(body), 400, 'REQUEST_INVALID')
    expect(details.problems).toMatchObject([{ at: '(the whole)', want: 'an object' }])
  })

  it.each(['{', '{"seed":7,}', "{'seed':7}", 'seed=7', '\u0000', '{"seed":NaN}', '{}{}'])(
    'error: the body %j is not JSON',
    async body => void problemOf(await patch(body), 400, 'REQUEST_INVALID'),
  )

  it('error: 400 for JSON that is nested too deeply for a recursive reader', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    problemOf(await patch(`{"seed":${deep}}`), 400, 'REQUEST_INVALID')
    problemOf(await patch(deep), 400, 'REQUEST_INVALID')
  })

  it('error: 400 for a body with 80,000 problems', async () => {
    const many = Object.fromEntries(Array.from({ length: 80_000 }, (_, i) => [`k${i.toString(36)}`, 1]))
    problemOf(await patch(many), 400, 'REQUEST_INVALID')
    problemOf(await patch({ prices: many }), 400, 'REQUEST_INVALID')
    const some = Object.fromEntries(Object.entries(many).slice(0, 9000))
    expect(problemOf(await patch({ prices: some }), 400, 'SESSION_INVALID').problems).toHaveLength(100)
  })

  it('error: 404 for an unknown scenario names the nearest', async () => {
    for (const reply of [await post({ scenario: 'clam' }), await patch({ scenario: 'clam' })])
      expect(problemOf(reply, 404, 'SCENARIO_UNKNOWN').problems).toMatchObject([{ at: 'scenario', closest: 'calm' }])
  })

  it('error: a change with one problem changes nothing', async () => {
    const before = await adminRoute(host, 'GET', '/_mock/sessions/default')
    const rest = { seed: 'other', signer: 4, policy: { candles: 1 }, apiKeys: ['x'], clock: { advance: '1h' } }
    for (const bad of [
      { prices: { NOPEUSD: 1 } },
      { prices: { BTCUSD: 5, ETHUSD: 1e300 } },
      { clock: { at: 4e9, advance: 4e9 } },
      { scenario: 'nope' },
      { signing: { svm: 'nope' } },
      { signer: -1 },
    ])
      expect((await patch({ ...rest, ...bad })).status).toBeOneOf([400, 404])
    expect(await adminRoute(host, 'GET', '/_mock/sessions/default')).toEqual(before)
  })
})

describe('the body of a change over HTTP', async () => {
  const host = await httpHost()
  afterAll(host.stop)
  const send = (body: string, type: string | undefined) =>
    host.request('/_mock/sessions/default', { method: 'PATCH', body, headers: type ? { 'content-type': type } : {} })

  it.each([
    'text/plain',
    'text/plain;application/json',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'multipart/form-data; boundary=x',
    undefined,
  ])('error: 415 for %s', async type => {
    problemOf(await send('{"seed":"7"}', type), 415, 'BODY_NOT_JSON')
    expect((await adminRoute(host, 'GET', '/_mock/sessions/default')).seed).toBe('42')
  })

  it.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'])('args: %s', async type => {
    expect((await send('{}', type)).status).toBe(200)
  })
})
