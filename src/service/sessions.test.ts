// Sessions: found by path and key, named, evicted, changed and restored. In process, over the whole mock.
import { describe, expect, it } from 'vitest'
import { createCalls, LATEST } from '../../test/support/calls.js'
import { errorLines } from '../../test/support/problem-paths.js'
import { LAYOUTS } from '../settings/layouts.js'
import { changed } from './changes.js'

const BTC = 50_000

it('behavior: the paths and the faults of all sessions share a maximum', () => {
  const { mock, ask } = createCalls()
  const { memory, feeds } = mock.sessions.default.runtime.market
  const batch = `/prices/batch?feedIds=${feeds.map(({ id }) => id).join(',')}`
  const faults = Array.from({ length: 20 }, (_, i) => ({ fault: 'market/gap', from: `${i + 1}m`, for: '30s' }))
  const held = Array.from({ length: 8 }, (_, i) => {
    mock.sessions.create({ id: `a${i}`, seed: `a${i}`, scenario: { faults } }, 0)
    expect(ask(`/session/a${i}${batch}`).status).toBe(200)
    return memory.paths.bytes
  })
  // The second session needs as much as the first, and does not share with it.
  expect(held[1]! / held[0]!).toBeGreaterThan(1.5)
  expect(Math.max(...held)).toBeLessThan(12_000_000)
})

describe('keys and paths', () => {
  it('behavior: a key of the service that names a scenario', () => {
    const { ask, mock } = createCalls({ apiKeys: ['scenario.none', 'scenario.unauthorized'] })
    expect([ask(LATEST, { key: 'scenario.none' }).status, mock.sessions.size]).toEqual([200, 1])
    expect([ask(LATEST, { key: 'scenario.unauthorized' }).status, mock.sessions.size]).toEqual([401, 2])
  })

  it('behavior: a session that was changed since stays, although it was used first', () => {
    const { mock, serve } = createCalls()
    for (let i = 0; i < 900; i++) mock.sessions.create({ id: `kept-${i}` }, 0)
    serve(`/session/changed${LATEST}`)
    mock.sessions.delete('kept-0')
    mock.sessions.get('changed').run(changed({ seed: '7' }, 0))
    for (let i = 0; i < 101; i++) serve(`/session/other-${i}${LATEST}`)
    const ids = mock.sessions.list().map(({ id }) => id)
    expect(['changed', 'other-0', 'other-100'].map(id => ids.includes(id))).toEqual([true, false, true])
  })
})

it('behavior: every change is counted, so that a saved state is known to be old', () => {
  const { mock, ask } = createCalls()
  const { sessions } = mock
  const counts = [
    () => ask(LATEST),
    () => sessions.get('default').run(changed({ seed: '7' }, 0)),
    () => sessions.create({ id: 'a' }, 0),
    () => sessions.delete('a'),
  ].map(act => {
    act()
    return sessions.changes
  })
  expect(counts).toEqual([...new Set(counts)].sort((a, b) => a - b))
})

it('behavior: a session that is deleted ends the streams of its journal', () => {
  const { sessions } = createCalls().mock
  const heard: string[] = []
  const onClose = (): void => void heard.push('closed')
  sessions.create({ id: 'a' }, 0).journal.subscribe({ onEntry: () => {}, onCut: () => {}, onClose })
  sessions.delete('a')
  expect(heard).toEqual(['closed'])
})

it('error: sessions that are unknown, that exist, and that stay', () => {
  const { sessions } = createCalls().mock
  sessions.create({ id: 'a' }, 0)
  const messages = errorLines(
    () => sessions.get('x'.repeat(70)),
    () => sessions.create({ id: 'a' }, 0),
    () => sessions.create({ id: 'default' }, 0),
    () => sessions.delete('default'),
    () => sessions.route({ method: 'GET', target: '/session/-/x', authorization: undefined, receivedAt: 0 }),
  )
  expect(messages).toMatchInlineSnapshot(`
    "SessionUnknownError: There is no session "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx". | want  one of default, a | code  SESSION_UNKNOWN
    SessionExistsError: A session "a" already exists. | fix   PATCH or DELETE /_mock/sessions/a | code  SESSION_EXISTS
    SessionExistsError: A session "default" already exists. | fix   PATCH /_mock/sessions/default | code  SESSION_EXISTS
    SessionDefaultError: The session "default" cannot be deleted. | fix   POST /_mock/sessions/default/reset | code  SESSION_DEFAULT
    SessionInvalidError: The path has 1 problem. | at    session id | got   "-" (string) | want  a session id of letters, digits, . _ and -, at most 64, beginning with a letter or a digit | code  SESSION_INVALID"
  `)
})

describe('price overrides', () => {
  it('behavior: another seed is another market, without overrides', () => {
    const { ask, mock } = createCalls()
    mock.change({ prices: { BTCUSD: BTC } })
    mock.change({ seed: '7' })
    mock.change({ seed: '42' })
    expect(ask(LATEST).body).toEqual(createCalls().ask(LATEST).body)
  })

  it('error: one feed in two spellings', () => {
    const { mock } = createCalls()
    expect(() => mock.change({ prices: { BTCUSD: BTC, btcusd: 1 } })).toThrow('prices.BTCUSD is the same one')
  })

  it('error: a price that the layout cannot sign', () => {
    const fields = LAYOUTS.svm.fields.map(field => field.replace('u64', 'u48'))
    const { mock } = createCalls({
      feeds: { wander: false, feeds: [] },
      signing: { svm: 'small', layouts: { small: { ...LAYOUTS.svm, fields } } },
    })
    mock.change({ prices: { BTCUSD: BTC } })
    expect(() => mock.change({ prices: { BTCUSD: 10_000_000 } })).toThrow(
      expect.objectContaining({ code: 'SESSION_INVALID' }),
    )
  })
})

it('behavior: a scenario that begins counts its requests anew', () => {
  const { ask, mock } = createCalls()
  ask(LATEST)
  mock.setScenario({ faults: [{ fault: 'reply/status', requests: { first: 1 }, options: { status: 503 } }] })
  expect([ask(LATEST).status, ask(LATEST).status]).toEqual([503, 200])
})

const large = () => ({ apiKeys: Array.from({ length: 64 }, (_, i) => `${i}`.padEnd(500, 'k')) })

it('behavior: those that can be evicted make room for large ones, but not for themselves', () => {
  const faults = Array.from({ length: 100 }, () => ({ fault: 'wire/reset', from: '1d' }) as const)
  const { ask, mock } = createCalls({ scenario: { faults } })
  const { sessions } = mock
  for (let i = 0; i < 200; i++) expect(ask(`/session/lazy${i}${LATEST}`).status).toBe(200)
  const lazy = () => sessions.list().filter(({ charge }) => !charge.isNamed)
  const before = lazy().length
  expect(before).toBeLessThan(200)
  // A small one needs no room.
  sessions.create({ id: 'small', scenario: 'calm' }, 0)
  expect(lazy()).toHaveLength(before)
  for (let i = 0; i < 8; i++) sessions.create({ id: `large${i}`, scenario: 'calm', ...large() }, 0)
  const left = lazy().length
  expect(left).toBeLessThan(before)
  for (let i = 0; i < 8; i++) {
    const [idle] = lazy()
    idle!.run(changed(large(), 0))
    expect(sessions.list()).toContain(idle)
  }
  expect(lazy().length).toBeLessThan(left - 8)
})

it('behavior: large ones are refused, small ones are created and changed', () => {
  const { sessions } = createCalls().mock
  const full = expect.objectContaining({
    code: 'SESSIONS_FULL',
    shortMessage: expect.stringContaining('hold too much'),
  })
  expect(() => {
    for (let i = 0; i < 800; i++) sessions.create({ id: `large${i}`, ...large() }, 0)
  }).toThrow(full)
  const small = ['a', 'b', 'c'].map(id => sessions.create({ id }, 0))
  for (const session of small) expect(() => session.run(changed({ prices: { BTCUSD: 50_000 } }, 0))).not.toThrow()
  expect(() => {
    for (const session of small) session.run(changed(large(), 0))
  }).toThrow(full)
})
