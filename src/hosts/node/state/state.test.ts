import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createFolder } from '../../../../test/support/folder.js'
import { LAST_NUMBER } from '../../../../test/support/golden-set.js'
import { startMock } from '../../../../test/support/listen.js'
import { check } from '../../../../test/support/seed.js'
import { createMock, type MockOptions } from '../../../index.js'
import { CATALOGUE } from '../../../market/catalogue.js'
import { restoreLines } from '../../../service/saved-state.js'
import { type RunningServer, startServer } from '../server.js'
import { readLines, toStateError, toStatePaths } from './file.js'
import { pauseBetween, type StateOptions } from './state.js'

const AT = '2025-07-24T10:48:25Z'
const FROZEN = { clock: { at: AT, frozen: true } } as const
/** Faults whose effect depends on the seed, on the number of the request, and on time. */
const FAULTY = {
  title: 'Many',
  why: 'A test.',
  faults: [
    { fault: 'reply/status', requests: '3-5', options: { status: 500 } },
    { fault: 'reply/status', chance: 0.3, options: { status: 503 } },
    { fault: 'reply/rate-limit', options: { limit: 9, window: '1h' }, endpoints: ['latest'] },
    { fault: 'signature/bit-flip', chance: 0.5 },
    { fault: 'market/drift', from: '1m', options: {} },
  ],
}

let folder: string
let file: string
beforeEach(() => {
  folder = createFolder(onTestFinished)
  file = join(folder, 'state.jsonl')
})

async function start(options: MockOptions = FROZEN, state: Partial<StateOptions> = {}): Promise<RunningServer> {
  const server = await startServer({ host: '127.0.0.1', port: 0, ...options, state: { file, ...state } })
  onTestFinished(() => server.stop().catch(() => {}))
  return server
}

async function ask(server: RunningServer, path: string, key = 'test-api-key') {
  const reply = await fetch(server.url + path, { headers: { authorization: key } })
  const { 'x-price-feed-mock': mark, date } = Object.fromEntries(reply.headers)
  return { status: reply.status, mark, date, body: await reply.text() }
}

const send = async (server: RunningServer, method: string, path: string, body?: object) => {
  const reply = await fetch(server.url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(reply.status, await reply.clone().text()).toBeLessThan(300)
  return reply
}

const PATHS = [
  '/session/faulty/prices/BTCUSD/latest',
  '/prices/batch?feedIds=BTCUSD,ETHUSD',
  '/session/asked/prices/queryHistory?feedIds=ETHUSD&minutes=5',
  '/scenario/rate-limited/prices/BTCUSD/latest',
  '/session/s1/prices/BTCUSD/latest',
]
/** Changes that only requests can make. */
async function prepare(server: RunningServer): Promise<void> {
  const clock = { at: '2026-01-02T03:04:05Z', frozen: true }
  await send(server, 'POST', '/_mock/sessions', {
    id: 'faulty',
    seed: '7',
    clock,
    scenario: FAULTY,
    prices: { BTCUSD: 70_000 },
  })
  await send(server, 'POST', '/_mock/sessions', { apiKeys: ['own-key'], policy: { batchFeedId: 'integer' }, signer: 3 })
  await send(server, 'POST', '/_mock/sessions', { id: 'gone' })
  await send(server, 'DELETE', '/_mock/sessions/gone')
  await send(server, 'PATCH', '/_mock/sessions/default', {
    prices: { ETHUSD: 4_000 },
    scenario: 'stale-btc',
    clock: { advance: '1h' },
  })
  await send(server, 'PATCH', '/_mock/sessions/default', { prices: { ETHUSD: 5_000 }, clock: { advance: '1h' } })
}
async function askAll(server: RunningServer, rounds: number) {
  const replies = []
  for (let i = 0; i < rounds; i++) for (const path of PATHS) replies.push(await ask(server, path))
  return replies
}
/** Everything that the admin shows, without real times and ports. */
async function shown(server: RunningServer) {
  const { sessions } = JSON.parse((await ask(server, '/_mock/sessions')).body) as { sessions: { id: string }[] }
  const pages = await Promise.all(
    sessions.flatMap(({ id }) =>
      ['requests', 'requests/summary', 'snapshot'].map(name =>
        name === 'snapshot'
          ? send(server, 'POST', `/_mock/sessions/${id}/snapshot`).then(reply => reply.text())
          : ask(server, `/_mock/sessions/${id}/${name}`).then(({ body }) => body),
      ),
    ),
  )
  return JSON.stringify([sessions, pages]).replaceAll(server.url, 'URL')
}

describe('a restart', () => {
  it('default: replies, journals and sessions go on byte by byte', async () => {
    const control = await startMock({ host: '127.0.0.1', ...FROZEN })
    await prepare(control)
    const before = await start()
    await prepare(before)
    expect(await askAll(before, 4)).toEqual(await askAll(control, 4))
    const seen = await shown(before)
    await before.stop()

    const after = await start()
    expect(after.restored).toMatchObject({ sessions: 5 })
    expect(await shown(after)).toBe(seen)
    const replies = await askAll(after, 6)
    expect(replies).toEqual(await askAll(control, 6))
    // Otherwise the counters of the faults would not matter.
    expect(new Set(replies.map(({ status }) => status)).size).toBeGreaterThan(2)
    await after.stop()
    const again = await start()
    expect(await askAll(again, 3)).toEqual(await askAll(control, 3))
  })

  it('behavior: a reset goes back to the settings at creation, and the keys of sessions stay', async () => {
    const before = await start()
    await prepare(before)
    const first = await ask(before, PATHS[0]!)
    await send(before, 'PATCH', '/_mock/sessions/faulty', { seed: '8', clock: { advance: '1d' }, scenario: 'calm' })
    await before.stop()
    const after = await start()
    await send(after, 'POST', '/_mock/sessions/faulty/reset')
    expect(await ask(after, PATHS[0]!)).toEqual(first)
    expect((await ask(after, '/session/s1/prices/BTCUSD/latest', 'own-key')).status).toBe(200)
    const { sessions } = after.mock
    expect(sessions.list().map(({ id, charge }) => [id, charge.isNamed])).toEqual([
      ['default', true],
      ['faulty', true],
      ['s1', true],
    ])
    const made = await send(after, 'POST', '/_mock/sessions', {})
    expect(await made.json()).toMatchObject({ id: 's2' })
  })

  it('behavior: options apply to new sessions, and keys to all', async () => {
    const before = await start({ ...FROZEN, seed: '7' })
    await ask(before, '/session/old/prices/BTCUSD/latest')
    await before.stop()
    const { mock } = await start({ seed: '9', signer: 2 })
    const of = (id: string) => mock.sessions.get(id).runtime.settings
    mock.sessions.create({ id: 'new' }, 0)
    expect([of('default').seed, of('old').seed, of('new').seed]).toEqual(['7', '7', '9'])
    expect([of('default').signer, of('old').signer, of('new').signer]).toEqual([2, 2, 2])
  })
})

/** A file without checksums is read as well, as version 1 was. */
const withoutSums = (text: string): string => text.replaceAll(/^\{"crc":"\w{8}",/gm, '{')
/** A file that version 2 wrote: with a snapshot in each line. */
const VERSION_2 = readFileSync(new URL('../../../../fixtures/state/version-2.jsonl', import.meta.url), 'utf8')

describe('the file', () => {
  it('default: only its user may read it, and nothing is left beside it', async () => {
    const server = await start()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await server.stop()
    expect(readdirSync(folder)).toEqual(['state.jsonl'])
    expect(JSON.parse(readFileSync(file, 'utf8').split('\n')[0]!)).toMatchObject({
      format: 'price-feed-mock state',
      version: 3,
    })
  })

  it('args: everyMs: changes are saved meanwhile, and without a change nothing is written', async () => {
    const server = await start(FROZEN, { everyMs: 10 })
    await ask(server, '/session/early/prices/BTCUSD/latest')
    await until(() => readFileSync(file, 'utf8').includes('"early"'))
    const { ino } = statSync(file)
    server.mock.setScenario('stale-btc')
    await until(() => statSync(file).ino !== ino && readFileSync(file, 'utf8').includes('"stale-btc"'))
    // A copy of the file while the server runs is a whole state.
    const copy = join(folder, 'copy')
    cpSync(file, copy)
    const other = await start(FROZEN, { file: copy })
    expect(other.mock.sessions.default.runtime.scenario.definition.name).toBe('stale-btc')
  })

  it('behavior: a link is followed', async () => {
    const link = join(folder, 'link')
    await (await start()).stop()
    symlinkSync(file, link)
    await (await start(FROZEN, { file: link })).stop()
    expect(readdirSync(folder).sort()).toEqual(['link', 'state.jsonl'])
    await expect(start(FROZEN, { file: link })).resolves.toMatchObject({ restored: { sessions: 1 } })
  })

  it.each([
    ['2', VERSION_2],
    ['1, without checksums,', withoutSums(VERSION_2).replace('"version":2', '"version":1')],
  ])('behavior: a file of version %s is restored, and saved as version 3', async (_, text) => {
    writeFileSync(file, text)
    // The catalogue of the file: it is restored with the same feeds only.
    const feeds = { extends: 'none', feeds: CATALOGUE.filter(({ number = 0 }) => number <= LAST_NUMBER) } as const
    const first = await start({ ...FROZEN, feeds })
    const { mock } = first
    expect(first.restored).toEqual({ sessions: 4, savedAt: 1_753_354_200_000 })
    expect(mock.sessions.list().map(({ id, charge, record }) => [id, charge.isNamed, record.counters.n])).toEqual([
      ['default', true, 3],
      ['faulty', true, 1],
      ['rows', true, 0],
      ['asked', false, 1],
    ])
    const { setup, counters } = mock.sessions.default.record
    expect(setup.scenario.name).toBe('stale-btc')
    expect(setup.verdicts.map(({ case: name, n }) => [name, n])).toEqual([['stale-btc', 3]])
    expect(setup.past.map(({ until, snapshot }) => [until, snapshot?.scenario.name])).toEqual([[2, 'calm']])
    expect(counters.clock).toMatchObject({ virtualMs: Date.parse(AT) + 3_600_000, frozen: true })
    expect(counters.refused).toEqual({ last: 1, marks: [] })
    expect(mock.sessions.get('faulty').record.setup.overrides.BTCUSD).toHaveLength(1)
    expect(JSON.parse((await ask(first, '/session/rows/prices/BTCUSD/latest')).body).price).toBe(5e8)
    expect((await ask(first, '/session/faulty/prices/BTCUSD/latest')).mark).toContain('n=2')
    const seen = await shown(first)
    await first.stop()
    expect(JSON.parse(readFileSync(file, 'utf8').split('\n')[0]!)).toMatchObject({ version: 3 })
    expect(await shown(await start({ ...FROZEN, feeds }))).toBe(seen)
  })

  it.each(['null', '{}', '[]', '{"id":"a","kept":true,"snapshot":null,"journal":{"entries":[null]}}'])(
    'error: a line of version 1 that is no session: %s',
    async line => {
      const [header, ...rest] = withoutSums(VERSION_2).replace('"version":2', '"version":1').split('\n')
      writeFileSync(file, [header, line, ...rest].join('\n'))
      await expect(start()).rejects.toMatchObject({ code: 'STATE_INVALID', message: expect.stringContaining('Line 2') })
    },
  )

  it('error: no damage is restored in silence: changed, missing, new or moved bytes and lines', async () => {
    const server = await start()
    await prepare(server)
    await askAll(server, 2)
    await server.stop()
    const whole = readFileSync(file)
    const paths = toStatePaths(file)
    const restore = () => restoreLines('f', readLines(paths)!, createMock(FROZEN), savedAt => savedAt)
    expect(restore().sessions).toBe(5)
    const ends = [...whole.keys()].filter(at => whole[at] === 0x0a)
    const at = fc.nat(whole.length - 2)
    const damage = fc.oneof(
      fc.record({ kind: fc.constant('flip'), at, bit: fc.nat(7) }),
      fc.record({ kind: fc.constant('delete'), at, count: fc.integer({ min: 1, max: 300 }) }),
      fc.record({ kind: fc.constant('insert'), at, bytes: fc.uint8Array({ minLength: 1, maxLength: 9 }) }),
      fc.record({ kind: fc.constant('truncate'), at }),
      fc.record({ kind: fc.constant('lines'), order: fc.shuffledSubarray([...ends.keys()]) }),
    )
    check([damage], [200, 5000], one => {
      const text = damaged(whole, one, ends)
      if (text.equals(whole)) return
      writeFileSync(file, text)
      expect(restore).toThrow(expect.objectContaining({ code: 'STATE_INVALID' }))
      expect(readFileSync(file).equals(text)).toBe(true)
    })
  })

  it('error: the message names the damaged line', async () => {
    await (await start()).stop()
    writeFileSync(file, readFileSync(file, 'utf8').replace('"n":0', '"n":1'))
    await expect(start()).rejects.toMatchObject({
      code: 'STATE_INVALID',
      shortMessage: `${file} is damaged.`,
      details: [
        ['at', 'line 2'],
        ['got', 'a line that was changed'],
        ['want', 'the line of this checksum'],
        ['fix', 'put a copy in its place, or move it away to begin anew'],
      ],
    })
  })

  it('error: a second name of the file would have a lock of its own', async () => {
    const first = await start()
    const other = join(folder, 'other')
    linkSync(file, other)
    await expect(start(FROZEN, { file: other })).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      shortMessage: `${other} has 2 names (hard links).`,
    })
    await first.stop()
    // The last save has replaced one of the two.
    await expect(start(FROZEN, { file: other })).resolves.toMatchObject({ restored: { sessions: 1 } })
  })

  const DAMAGED: readonly (readonly [string, (lines: string[]) => string, RegExp])[] = [
    ['a text', () => 'my notes\n', /damaged/],
    ['nothing', () => '', /damaged/],
    ['null', () => 'null\n', /not a state/],
    ['half of a line', lines => lines.join('\n').slice(0, -20), /damaged/],
    [
      'a session that is none',
      lines => [lines[0], '{"id":"a"}', ...lines.slice(1)].join('\n'),
      /Line 2 of .* has \d+ problems/,
    ],
    ['negative counters', lines => lines.join('\n').replace('"goneUntil":0', '"goneUntil":-1'), /goneUntil/],
  ]
  it.each(DAMAGED)('error: %s is refused, and stays as it is', async (_, damage, message) => {
    await (await start()).stop()
    const text = damage(withoutSums(readFileSync(file, 'utf8')).split('\n'))
    writeFileSync(file, text)
    await expect(start()).rejects.toMatchObject({ code: 'STATE_INVALID', message: expect.stringMatching(message) })
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(readdirSync(folder)).toEqual(['state.jsonl'])
  })

  it.each([
    ['a folder', () => folder, 'STATE_INVALID', /is not a file/],
    ['a device', () => '/dev/null', 'STATE_INVALID', /is not a file/],
    ['no folder', () => join(folder, 'none', 'state'), 'STATE_UNAVAILABLE', /there is no such folder/],
    ['a file as folder', () => join(file, 'state'), 'STATE_UNAVAILABLE', /a part of its path is a file/],
  ])('error: a path that cannot be used: %s', async (_, pathOf, code, message) => {
    writeFileSync(file, 'mine')
    const error = start(FROZEN, { file: pathOf() })
    await expect(error).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(existsSync('/dev/null.price-feed-mock.lock')).toBe(false)
  })

  it('error: a file that another program has changed is not overwritten, and that is reported once', async () => {
    const errors: string[] = []
    const server = await start(FROZEN, { everyMs: 10, onError: ({ shortMessage }) => errors.push(shortMessage) })
    writeFileSync(file, 'mine')
    server.mock.setScenario('stale-btc')
    await until(() => errors.length > 0)
    // Each attempt renews the lock.
    const renewedAt = (): number => statSync(`${file}.price-feed-mock.lock`).mtimeMs
    for (let attempts = 0; attempts < 3; attempts++) {
      const last = renewedAt()
      await until(() => renewedAt() !== last)
    }
    await expect(server.stop()).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
    expect(errors).toEqual([`${file} was changed by another program.`])
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(readdirSync(folder)).toEqual(['state.jsonl'])
  })

  it('error: a folder that disappears is reported once, and the server runs on', async () => {
    const errors: string[] = []
    file = join(folder, 'inner', 'state')
    mkdirSync(join(folder, 'inner'))
    const server = await start(FROZEN, { everyMs: 10, onError: ({ shortMessage }) => errors.push(shortMessage) })
    rmSync(join(folder, 'inner'), { recursive: true })
    server.mock.setScenario('stale-btc')
    await until(() => errors.length > 0)
    expect((await ask(server, '/prices/BTCUSD/latest')).status).toBe(200)
    await expect(server.stop()).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
    expect(errors).toEqual([expect.stringContaining('there is no such folder')])
  })
})

describe('the lock', () => {
  const lockOf = (content: object, ageMs = 0) => {
    const lock = `${file}.price-feed-mock.lock`
    writeFileSync(lock, JSON.stringify(content))
    const seconds = (Date.now() - ageMs) / 1000
    utimesSync(lock, seconds, seconds)
  }
  /** No process has it. */
  const DEAD = 2 ** 22 + 1

  it('error: two servers cannot use one file', async () => {
    const first = await start()
    await expect(start()).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      shortMessage: `${file} is in use by process ${process.pid} of ${hostname()}.`,
    })
    await first.stop()
    await expect(start()).resolves.toBeDefined()
  })

  it.each([
    ['a live process', { pid: process.ppid, host: hostname() }, 0],
    ['another machine, renewed half a minute ago', { pid: DEAD, host: 'elsewhere' }, 30_000],
  ])('error: a fresh lock of %s', async (_, content, age) => {
    lockOf(content, age)
    await expect(start()).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
    expect(readdirSync(folder)).toEqual(['state.jsonl.price-feed-mock.lock'])
  })

  it.each([
    ['a dead process', { pid: DEAD, host: hostname() }, 0],
    ['an earlier process of this number', { pid: process.pid, host: hostname(), token: 'other' }, 0],
    ['another machine, not renewed for a minute', { pid: DEAD, host: 'elsewhere' }, 61_000],
  ])('behavior: a lock is taken over from %s', async (_, content, age) => {
    lockOf(content, age)
    writeFileSync(`${file}.price-feed-mock.tmp`, 'half of a st')
    await (await start()).stop()
    expect(readdirSync(folder)).toEqual(['state.jsonl'])
  })

  it('behavior: a clock runs on until the last sign of life of a killed server', async () => {
    const before = await start({})
    const virtualMs = before.mock.clock.now()
    await before.stop()
    const hour = 3_600_000
    const [header, ...rest] = withoutSums(readFileSync(file, 'utf8')).split('\n')
    const savedAt = Date.now() - 2 * hour
    writeFileSync(file, [JSON.stringify({ ...JSON.parse(header!), savedAt }), ...rest].join('\n'))
    lockOf({ pid: DEAD, host: hostname() }, hour)
    const after = await start({})
    expect(after.mock.clock.now()).toBeGreaterThanOrEqual(virtualMs + hour - 1_000)
    expect(after.mock.clock.now()).toBeLessThan(virtualMs + 2 * hour)
  })

  it('error: a lock that another server has taken over ends the saves', async () => {
    const server = await start()
    lockOf({ pid: process.ppid, host: hostname(), token: 'theirs' })
    const text = readFileSync(file, 'utf8')
    server.mock.setScenario('stale-btc')
    await expect(server.stop()).rejects.toThrow(/taken over by another server/)
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(readdirSync(folder)).toContain('state.jsonl.price-feed-mock.lock')
  })
})

it('args: everyMs: at most so much is lost, or two saves if they take longer', () => {
  for (const took of [0, 1, 300, 500, 1450]) {
    // The change comes just after one save has begun, and the next one begins after that has ended.
    const lost = Math.max(pauseBetween(1000, took), took) + took
    expect(lost).toBeLessThanOrEqual(Math.max(1000, 2 * took))
  }
})

type Damage =
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'delete'; readonly at: number; readonly count: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly at: number }
  | { readonly kind: 'lines'; readonly order: readonly number[] }

/** @param ends the end of each line */
function damaged(whole: Buffer, damage: Damage, ends: readonly number[]): Buffer {
  const before = (at: number): Buffer => whole.subarray(0, at)
  switch (damage.kind) {
    case 'flip': {
      const copy = Buffer.from(whole)
      copy[damage.at]! ^= 1 << damage.bit
      return copy
    }
    case 'delete':
      return Buffer.concat([before(damage.at), whole.subarray(damage.at + damage.count)])
    case 'insert':
      return Buffer.concat([before(damage.at), damage.bytes, whole.subarray(damage.at)])
    case 'truncate':
      return before(damage.at)
    case 'lines':
      return Buffer.concat(damage.order.map(i => whole.subarray((ends[i - 1] ?? -1) + 1, ends[i]! + 1)))
  }
}

/** Waits for a change of the file system, by turns of the event loop and not by time. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(resolve => setImmediate(resolve))
}

it.each([
  ['ENOSPC', 'the disk is full', 'make room, or name a file on another disk'],
  ['EDQUOT', 'the disk quota is used up', 'make room, or name a file on another disk'],
  ['EFBIG', 'the file would be larger than this process may write', 'make room, or name a file on another disk'],
  ['EROFS', 'its file system is read-only', 'name a file in a folder that this user may write to'],
])('error: %s', (code, reason, fix) => {
  const { message } = toStateError({ shown: 'a.json' }, Object.assign(new Error('failed'), { code }))
  expect(message).toContain(`a.json cannot be used for the state: ${reason}.`)
  expect(message).toContain(fix)
})
