import { expect, it } from 'vitest'
import { errorLines, failureOf } from '../../test/support/problem-paths.js'
import { createMock, type MockOptions } from '../index.js'
import { readSeries } from '../market/read-series.js'
import { VERSION } from '../version.js'
import { changed, judged, reset, withoutVerdicts } from './changes.js'
import { MAX_JOURNAL_ENTRIES } from './journal.js'
import { restoreLines, toLines } from './saved-state.js'
import type { Session } from './sessions.js'

const FROZEN = { clock: { at: '2025-07-24T10:48:25Z', frozen: true } } as const
const FAULTY = {
  title: 'Many',
  why: 'A test.',
  faults: [
    { fault: 'reply/status', requests: '3-5', options: { status: 500 } },
    { fault: 'signature/bit-flip', chance: 0.5 },
  ],
}

const saved = (options: MockOptions, savedAt: number, act = (_: ReturnType<typeof createMock>) => {}) => {
  const mock = createMock(options)
  act(mock)
  return [...toLines(mock, savedAt)].map(line => line.slice(0, -1))
}

it('behavior: a running clock goes on from where it was saved', () => {
  const startedAt = 1_000_000_000_000
  const lines = saved({ startedAt, clock: { speed: 60 } }, startedAt + 1_000)
  const mock = createMock({})
  expect(restoreLines('f', lines, mock, () => 5_000)).toEqual({ sessions: 1, savedAt: startedAt + 1_000 })
  expect(mock.sessions.default.record.counters.clock).toEqual({
    virtualMs: startedAt + 60_000,
    realMs: 5_000,
    speed: 60,
    frozen: false,
  })
})

it('behavior: the memory that sessions hold is counted as before', () => {
  let held: unknown
  const lines = saved(FROZEN, 0, ({ sessions }) => {
    sessions.create({ id: 'a', scenario: FAULTY as never, prices: { BTCUSD: 5 } }, 0)
    for (let i = 0; i < 3; i++)
      sessions.route({ method: 'GET', target: `/session/r${i}/x`, authorization: undefined, receivedAt: i })
    sessions.get('r1').run(changed({ seed: '5' }, 0))
    held = sessions.list().map(({ charge }) => charge)
  })
  const mock = createMock(FROZEN)
  restoreLines('f', lines, mock, () => 0)
  const sessionsOf = (all: readonly string[]) => all.slice(0, -1).map(line => JSON.parse(line))
  expect(sessionsOf([...toLines(mock, 0)])).toEqual(sessionsOf(lines))
  expect(mock.sessions.list().map(({ charge }) => charge)).toEqual(held)
  const holdings = mock.sessions.list().map(({ id, charge }) => [id, charge.isNamed])
  expect(holdings).toEqual([
    ['default', true],
    ['a', true],
    ['r0', false],
    ['r1', true],
    ['r2', false],
  ])
})

it('behavior: sessions with equal scenarios share what was parsed, and a reset holds no more', () => {
  const lines = saved(FROZEN, 0, ({ sessions }) => {
    for (const id of ['a', 'b', 'c']) sessions.create({ id, scenario: structuredClone(FAULTY) as never }, 0)
    sessions.get('c').run(changed({ scenario: { ...FAULTY, title: 'Other' } as never }, 0))
  })
  const mock = createMock(FROZEN)
  restoreLines('f', lines, mock, () => 0)
  const [a, b, c] = ['a', 'b', 'c'].map(id => mock.sessions.get(id))
  const definitionOf = ({ runtime }: Session) => runtime.scenario.definition
  expect(definitionOf(b!)).toBe(definitionOf(a!))
  expect(definitionOf(c!)).toMatchObject({ title: 'Other' })
  const { charge } = a!
  a!.run(reset(0))
  c!.run(reset(0))
  expect(a!.charge).toEqual(charge)
  expect(definitionOf(c!)).toBe(definitionOf(a!))
})

it('behavior: verdicts are kept, and counted as before', () => {
  const lines = saved(FROZEN, 0, ({ sessions }) => {
    sessions.default.run(judged({ case: 'stale-btc', ok: false, why: 'traded' }, 5))
    sessions.create({ id: 'a' }, 0)
  })
  const [, first] = lines.map(line => JSON.parse(line).setup)
  const mock = createMock(FROZEN)
  restoreLines('f', lines, mock, () => 0)
  expect(mock.sessions.default.record.setup.verdicts).toEqual(first.verdicts)
  const { bytes } = mock.sessions.default.charge
  mock.sessions.default.run(withoutVerdicts())
  expect(mock.sessions.default.charge.bytes).toBeLessThan(bytes - JSON.stringify(first.verdicts).length)
})

it('behavior: a full journal is kept whole', () => {
  const ping = { method: 'GET', target: '/prices/BTCUSD/latest', authorization: undefined, receivedAt: 0 }
  const lines = saved(FROZEN, 0, mock => {
    for (let n = 0; n <= MAX_JOURNAL_ENTRIES; n++) mock.record(mock.serve(ping)!, 0)
  })
  const mock = createMock(FROZEN)
  restoreLines('f', lines, mock, () => 0)
  expect(mock.sessions.default.journal.entries()).toHaveLength(MAX_JOURNAL_ENTRIES)
})

it('behavior: a session keeps its own series, and their place', () => {
  const body = { id: 'a', series: [{ as: 'BTCUSD', rows: 'ts,price\n1,5\n9,6\n' }], seriesAt: 'now' }
  const lines = saved(FROZEN, 0, ({ sessions }) => {
    sessions.create(body, 0, readSeries).run(changed({ clock: { advance: 8 } }, 0))
  })
  const mock = createMock(FROZEN)
  restoreLines('f', lines, mock, () => 0)
  const latest = () => {
    const { runtime, nowMs } = mock.sessions.get('a')
    const feed = runtime.market.feed('BTCUSD')!
    const path = runtime.stage.path(feed)
    return path.at(path.lastTick(nowMs(0) / 1000 - feed.lag)!)
  }
  expect(latest()).toBe(6e8)
  mock.sessions.get('a').run(reset(0))
  expect(latest()).toBe(5e8)
})

it('behavior: the least used session is evicted first, also after a restart', () => {
  const use = (mock: ReturnType<typeof createMock>, id: string) =>
    mock.sessions.route({ method: 'GET', target: `/session/${id}/x`, authorization: undefined, receivedAt: 0 })
  const lines = saved(FROZEN, 0, mock => {
    for (let i = 0; i < 2000; i++) use(mock, `r${i % 1000}`)
    for (const id of ['r0', 'late']) use(mock, id)
  })
  const mock = createMock(FROZEN)
  restoreLines('f', lines, mock, () => 0)
  expect(mock.sessions.size).toBe(1001)
  for (const id of ['r3', 'new', 'newer']) use(mock, id)
  for (const id of ['r0', 'r3']) expect(mock.sessions.get(id).id).toBe(id)
  for (const id of ['r1', 'r2', 'r4']) expect(() => mock.sessions.get(id)).toThrow(/evicted/)
})

it.each<[string, MockOptions, MockOptions, RegExp]>([
  [
    'other feeds',
    {},
    { feeds: { feeds: [{ id: 'ACMEUSD', base: 12.5, drivers: { crypto: 0.5 } }] } as never },
    /feed catalogue/,
  ],
  ['a private key', { signerKeyUnsafe: 'ab'.repeat(32) }, {}, /signer-key-unsafe/],
  ['a scenario of its own', { scenarios: { mine: FAULTY } }, {}, /no scenario "mine"/],
])('error: a session that needs other options: %s', (_, before, after, message) => {
  const lines = saved(before, 0, ({ sessions, scenarios }) => {
    if (scenarios.has('mine')) sessions.create({ id: 'a', scenario: 'mine' }, 0)
  })
  const error = failureOf(() => restoreLines('f', lines, createMock(after as never), () => 0))
  expect(error).toMatchObject({ code: 'STATE_INVALID', message: expect.stringMatching(message) })
  expect(error.message).toContain('start with the options of the server that saved it')
})

it('error: a file that is no state, of another version, or damaged', () => {
  const [header = '', session = '', footer = ''] = saved(FROZEN, 0)
  const damagedFiles = [
    ['{}'],
    [header.replace(/"version":\d/, '"version":9'), session, footer],
    [header.replace('"savedAt":0', '"savedAt":-1'), session, footer],
    [header, 'x'],
    [header, session],
    [header, footer],
    [header, session, footer, session],
    [header, '{"setup":{"id":"-"},"__proto__":1}'],
  ]
  const restores = damagedFiles.map(lines => () => restoreLines('f', lines, createMock(FROZEN), () => 0))
  expect(errorLines(...restores).replaceAll(VERSION, 'VERSION')).toMatchInlineSnapshot(`
    "StateInvalidError: f is not a state of price-feed-mock. | fix   name another file; a new one is created | code  STATE_INVALID
    StateInvalidError: f has version 9 of the format. | want  version 3, 2 or 1, which this program (VERSION) reads | fix   use the program that wrote it, or move the file away | code  STATE_INVALID
    StateInvalidError: f is damaged. | at    line 1 | got   an invalid header | want  format, version, program and savedAt | fix   put a copy in its place, or move it away to begin anew | code  STATE_INVALID
    StateInvalidError: f is damaged. | at    line 2 | got   no JSON | want  one JSON object in a line | fix   put a copy in its place, or move it away to begin anew | code  STATE_INVALID
    StateInvalidError: f is damaged. | at    line 3 | got   the end of the file | want  more lines: the file is not whole | fix   put a copy in its place, or move it away to begin anew | code  STATE_INVALID
    StateInvalidError: f is damaged. | at    line 2 | got   0 sessions | want  1 sessions | fix   put a copy in its place, or move it away to begin anew | code  STATE_INVALID
    StateInvalidError: f is damaged. | at    line 4 | got   more lines | want  the end of the file | fix   put a copy in its place, or move it away to begin anew | code  STATE_INVALID
    StateInvalidError: Line 2 of f has 1 problem. | at    __proto__ | got   an unknown key | want  another key: \`__proto__\` is not allowed | code  STATE_INVALID"
  `)
})
