// The ways to apply a scenario: by path, by key, by admin route, by call, from the start; and the errors of unknown names.

import { describe, expect, it } from 'vitest'
import type { Problem } from '../../src/errors.js'
import { createFetch } from '../../src/hosts/fetch.js'
import { BUILT_IN } from '../../src/scenario/built-in.js'
import { changed, restored } from '../../src/service/changes.js'
import { readSnapshot, takeSnapshot } from '../../src/service/snapshot.js'
import { adminRoute, move, problemOf, type Shown } from '../support/admin.js'
import type { Host } from '../support/hosts.js'
import { failureOf } from '../support/problem-paths.js'
import { type Consumer, createConsumer, target } from './consumer.js'

const LATEST = target.latest('BTCUSD')
const DEFAULT = '/_mock/sessions/default'
const TEAPOT = { faults: [{ fault: 'reply/status', options: { status: 418 } }] }

/** A consumer as a host, for the helpers of session tests. */
function hostOf({ mock }: Consumer): Host {
  const fetch = createFetch(mock)
  return {
    async request(path, { body, ...init } = {}) {
      const response = await fetch(`http://mock${path}`, { ...init, ...(body === undefined ? {} : { body }) })
      return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
    },
  }
}
const start = (options: Parameters<typeof createConsumer>[0] = {}) => {
  const consumer = createConsumer(options)
  return { consumer, host: hostOf(consumer), mock: consumer.mock }
}
const statusOf = async (host: Host, path: string, key = 'test-api-key') =>
  (await host.request(path, { headers: { authorization: key } })).status
/** Age of the BTC price in seconds, asked with a key. */
const ageOf = async (host: Host, path: string, key = 'test-api-key') => {
  const { body, headers } = await host.request(path, { headers: { authorization: key } })
  return Number(/now=(\d+)/.exec(headers['x-price-feed-mock']!)![1]) - (JSON.parse(body) as { ts: number }).ts
}

describe('a scenario is applied', () => {
  it('default: without options the mock runs calm', async () => {
    const { host } = start()
    expect(await adminRoute(host, 'GET', DEFAULT)).toMatchObject({ scenario: 'calm' })
    expect(await ageOf(host, LATEST)).toBe(1)
  })

  it('args: createMock({ scenario }) takes a name or an object, for sessions without one of their own', async () => {
    for (const [scenario, shown] of [
      ['unauthorized', 'unauthorized'],
      [{ faults: [{ fault: 'reply/status', options: { status: 401 } }] }, 'inline'],
    ] as const) {
      const { host } = start({ scenario })
      expect(await statusOf(host, LATEST)).toBe(401)
      expect(await statusOf(host, `/session/lazy${LATEST}`)).toBe(401)
      expect(await adminRoute(host, 'POST', '/_mock/sessions', { id: 'named' })).toMatchObject({ scenario: shown })
      expect(await adminRoute(host, 'POST', '/_mock/sessions', { scenario: 'calm' })).toMatchObject({
        scenario: 'calm',
      })
    }
  })

  it('behavior: /scenario/<name>/… runs it in a session of its own, for all five endpoints', async () => {
    const { host } = start()
    expect(await ageOf(host, `/scenario/stale-btc${LATEST}`)).toBe(300)
    expect(await ageOf(host, LATEST)).toBe(1)
    const { body } = await host.request(`/scenario/charting-not-found${target.chart('BTCUSD')}`)
    expect(JSON.parse(body)).toMatchObject({ error: 'not_found' })
    expect(await statusOf(host, `/scenario/unauthorized${LATEST}`)).toBe(401)
    const { sessions } = await adminRoute<{ sessions: readonly Shown[] }>(host, 'GET', '/_mock/sessions')
    expect(sessions.map(({ id, scenario }) => [id, scenario])).toEqual([
      ['default', 'calm'],
      ['scenario.stale-btc', 'stale-btc'],
      ['scenario.charting-not-found', 'charting-not-found'],
      ['scenario.unauthorized', 'unauthorized'],
    ])
  })

  it('behavior: its time starts with the first request', async () => {
    const { consumer, host, mock } = start()
    expect(await statusOf(host, `/scenario/key-revoked${LATEST}`)).toBe(200)
    mock.sessions.get('scenario.key-revoked').run(changed({ clock: { advance: 20 } }, 0))
    expect(await statusOf(host, `/scenario/key-revoked${LATEST}`)).toBe(401)
    // Another session with the same scenario has its own start.
    consumer.advance(3600)
    mock.setScenario('key-revoked')
    expect(await statusOf(host, LATEST)).toBe(200)
    consumer.advance(20)
    expect(await statusOf(host, LATEST)).toBe(401)
  })

  it('behavior: the API key scenario.<name> does the same on the plain paths', async () => {
    const { host } = start()
    expect(await ageOf(host, LATEST, 'scenario.stale-btc')).toBe(300)
    expect(await ageOf(host, LATEST)).toBe(1)
    // A path overrides a key.
    expect(await ageOf(host, `/session/other${LATEST}`, 'scenario.stale-btc')).toBe(1)
    expect(await adminRoute(host, 'GET', '/_mock/sessions/scenario.stale-btc')).toMatchObject({ requests: 1 })
  })

  it('args: PATCH takes a name or an object', async () => {
    const { host } = start()
    expect(await adminRoute(host, 'PATCH', DEFAULT, { scenario: 'stale-btc' })).toMatchObject({ scenario: 'stale-btc' })
    expect(await ageOf(host, LATEST)).toBe(300)
    expect(await adminRoute(host, 'PATCH', DEFAULT, { scenario: TEAPOT })).toMatchObject({ scenario: 'inline' })
    expect(await statusOf(host, LATEST)).toBe(418)
    // A change without `scenario` keeps the scenario.
    expect(await adminRoute(host, 'PATCH', DEFAULT, { seed: 'x' })).toMatchObject({ scenario: 'inline' })
    expect(await adminRoute(host, 'PATCH', DEFAULT, { scenario: 'calm' })).toMatchObject({ scenario: 'calm' })
    expect(await statusOf(host, LATEST)).toBe(200)
  })

  it('args: POST /_mock/sessions takes one inline, without title and why', async () => {
    const { host } = start()
    const session = await adminRoute(host, 'POST', '/_mock/sessions', { id: 'mine', scenario: TEAPOT })
    expect(session).toMatchObject({ id: 'mine', scenario: 'inline' })
    expect(await statusOf(host, LATEST, session.apiKey)).toBe(418)
    expect(await statusOf(host, LATEST)).toBe(200)
  })

  it('behavior: applied again, its time restarts', async () => {
    const { consumer, host, mock } = start({ scenario: 'key-revoked' })
    consumer.advance(30)
    expect(await statusOf(host, LATEST)).toBe(401)
    mock.setScenario('key-revoked')
    expect(await statusOf(host, LATEST)).toBe(200)
  })

  it('behavior: later changes to an object do not change the scenario', async () => {
    const { host, mock } = start()
    const written = structuredClone(TEAPOT)
    mock.setScenario(written as never)
    written.faults[0]!.options.status = 500
    written.faults.push({ fault: 'nonsense' } as never)
    expect(await statusOf(host, LATEST)).toBe(418)
    const snapshot = takeSnapshot(mock.sessions.default, 0)
    expect(snapshot.scenario.source).toEqual(TEAPOT)
    mock.sessions.default.run(restored(readSnapshot(snapshot, mock.sessions.default), 0))
    expect(await statusOf(host, LATEST)).toBe(418)
  })
})

describe('scenarios of a user', () => {
  const OWN = { title: 'Mine', why: 'To see.', faults: [{ fault: 'reply/status', options: { status: 402 } }] }

  it('args: scenarios adds some by name, for every entry point', async () => {
    const { host, mock } = start({ scenarios: { mine: OWN }, scenario: 'mine' as never })
    expect(await statusOf(host, LATEST)).toBe(402)
    expect(await statusOf(host, `/scenario/mine${LATEST}`)).toBe(402)
    expect(await statusOf(host, `/session/x${LATEST}`, 'scenario.mine')).toBe(402)
    mock.setScenario('calm')
    expect(await statusOf(host, LATEST)).toBe(200)
  })

  it('behavior: they override built-in ones of the same name', async () => {
    const { host } = start({ scenarios: { 'stale-btc': OWN, calm: { ...OWN, seed: 'own calm', faults: [] } } })
    expect(await statusOf(host, `/scenario/stale-btc${LATEST}`)).toBe(402)
    expect(await adminRoute(host, 'GET', DEFAULT)).toMatchObject({ scenario: 'calm', seed: 'own calm' })
  })

  it('behavior: GET /_mock/scenarios lists the built-in ones and those of the user', async () => {
    const { host } = start({ scenarios: { mine: OWN, 'stale-btc': OWN } })
    const { scenarios } = await adminRoute<{
      scenarios: readonly { name: string; title: string; why: string; faults: number; stages: string[] }[]
    }>(host, 'GET', '/_mock/scenarios')
    expect(scenarios.map(({ name }) => name)).toEqual([...Object.keys(BUILT_IN), 'mine'])
    expect(scenarios[0]).toEqual({
      name: 'calm',
      title: 'Nothing goes wrong',
      why: 'The baseline for every other scenario.',
      faults: 0,
      stages: [],
    })
    expect(scenarios.find(({ name }) => name === 'stale-btc')).toMatchObject({ title: 'Mine', faults: 1 })
    expect(scenarios.find(({ name }) => name === 'signature-matrix')).toMatchObject({ faults: 17 })
    for (const { title, why } of scenarios) expect(title.length * why.length).toBeGreaterThan(0)
  })

  it('error: an invalid one is reported with its name when the mock is created', () => {
    expect(() => start({ scenarios: { mine: { ...OWN, faults: [{ fault: 'reply/statu' }] } } })).toThrow(
      /^The scenario "mine" has 1 problem\.\n {2}at {4}faults\[0\]\.fault/,
    )
    for (const name of ['../x', 'a/b', '', '.', '-x', 'a\0b', 'a b', 'x'.repeat(52), 'ä', 'a\n'])
      expect(() => start({ scenarios: { [name]: OWN } }), JSON.stringify(name)).toThrow(
        'A scenario cannot have this name.',
      )
    expect(() => start({ scenarios: JSON.parse('{"__proto__": {"faults": []}}') })).toThrow('cannot have this name')
    expect(() => start({ scenarios: { ['x'.repeat(51)]: OWN } })).not.toThrow()
  })
})

describe('an unknown name', () => {
  const expectUnknown = (problems: readonly Problem[] | undefined, got: string, closest: string | undefined) => {
    expect(problems).toHaveLength(1)
    expect(problems![0]).toMatchObject({ at: 'scenario', got })
    expect(problems![0]!.want).toContain('one of calm, all-feeds-gone, bad-tick, ')
    expect(problems![0]!.closest).toBe(closest)
  }

  it.each([
    ['stale-bct', 'stale-btc'],
    ['Stale-BTC', 'stale-btc'],
    ['flashcrash', 'flash-crash'],
    ['weekend', 'weekend-close'],
    ['weekends-off', undefined],
    ['__proto__', undefined],
    ['constructor', undefined],
  ])('error: %s is answered with the closest name at every entry point', async (name, closest) => {
    const { host, mock } = start()
    const replies = [
      await host.request(`/scenario/${name}${LATEST}`, { headers: { authorization: 'test-api-key' } }),
      await host.request(`/session/scenario.${name}${LATEST}`),
      await host.request(LATEST, { headers: { authorization: `scenario.${name}` } }),
      await move(host, 'PATCH', DEFAULT, { scenario: name }),
      await move(host, 'POST', '/_mock/sessions', { id: 'new', scenario: name }),
      await move(host, 'POST', '/_mock/sessions', { id: `scenario.${name}` }),
    ]
    for (const reply of replies) {
      const { detail, problems } = problemOf(reply, 404, 'SCENARIO_UNKNOWN')
      expect(detail).toContain(name)
      expectUnknown(problems, name, closest)
    }
    for (const attempt of [() => mock.setScenario(name as never), () => start({ scenario: name as never })])
      expect(attempt).toThrow(expect.objectContaining({ code: 'SCENARIO_UNKNOWN' }))
    // No session was created.
    const { sessions } = await adminRoute<{ sessions: readonly Shown[] }>(host, 'GET', '/_mock/sessions')
    expect(sessions.map(({ id, scenario }) => [id, scenario])).toEqual([['default', 'calm']])
  })

  it('behavior: as an API key it blocks neither the admin routes nor a session in the path', async () => {
    const { host } = start()
    const headers = { authorization: 'scenario.nope' }
    expect((await host.request('/_mock/health', { headers })).status).toBe(200)
    expect((await host.request(`/session/mine${LATEST}`, { headers })).status).toBe(401)
    for (const key of ['scenario.', 'scenario.../x', 'scenario.calm.'])
      problemOf(await host.request(LATEST, { headers: { authorization: key } }), 404, 'SCENARIO_UNKNOWN')
  })

  it('behavior: a name may be percent-encoded in a path', async () => {
    const { host } = start()
    for (const path of ['/scenario/stale%2Dbtc', '/session/scenario%2estale-btc', '/scenario/st%61le-btc'])
      expect((await host.request(path + LATEST)).headers['x-price-feed-mock']).toContain('session="scenario.stale-btc"')
    problemOf(await host.request(`/scenario/..%2Fcalm${LATEST}`), 404, 'SCENARIO_UNKNOWN')
    problemOf(await host.request(`/session/a%2Fb${LATEST}`), 400, 'SESSION_INVALID')
  })

  it('error: full message', () => {
    const { mock } = start({ scenarios: {} })
    const error = failureOf(() => mock.setScenario('stale-btc\u001b[2J' as never))
    const text = String(error).replace(/one of calm, .*wrong-signer/, 'one of …')
    // Text from outside is escaped before it reaches a terminal.
    expect(text).toMatchInlineSnapshot(`
      "ScenarioUnknownError: There is no scenario "stale-btc\\u001b[2J".
        at    scenario
        got   "stale-btc\\u001b[2J" (string)
        want  stale-btc (closest), one of …, year-2038
        code  SCENARIO_UNKNOWN"
    `)
  })
})
