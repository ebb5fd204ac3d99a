// The limits of a store: journals of all sessions together, and a Redis without memory.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { httpHost } from '../../../../test/support/hosts/over-http.js'
import { needs } from '../../../../test/support/needs.js'
import { NO_REDIS, startRedis, type TestRedis } from '../../../../test/support/redis.js'
import { MAX_JOURNAL_BYTES, MAX_POOL_BYTES } from '../../../service/journal.js'

const LATEST = '/prices/BTCUSD/latest'
const AT = { at: '2025-07-24T10:48:25Z', frozen: true }

type Host = Awaited<ReturnType<typeof httpHost>>

describe('limits of a store', needs(NO_REDIS), () => {
  let redis: TestRedis
  let host: Host | undefined
  beforeAll(async () => (redis = await startRedis('--maxmemory-policy', 'noeviction')))
  afterAll(() => redis?.stop())
  afterEach(async () => {
    await redis.command('CONFIG', 'SET', 'maxmemory', '0')
    await host?.stop()
    await redis.command('FLUSHALL')
  })

  const start = async (idleMs?: number): Promise<Host> => {
    host = await httpHost({ clock: AT, store: { url: redis.url, idleMs, onChange() {} } })
    return host
  }
  const send = async (method: string, path: string, data?: object) => {
    const headers = { authorization: 'test-api-key', 'content-type': 'application/json' }
    const body = data && JSON.stringify(data)
    const reply = await host!.request(path, { method, headers, body })
    return { status: reply.status, data: reply.body === '' ? undefined : JSON.parse(reply.body) }
  }
  const create = (id: string) => send('POST', '/_mock/sessions', { id })
  /** A number that a command replies with. */
  const ask = async (...args: string[]): Promise<number> =>
    Number(/\d+/.exec((await redis.command(...args)).split('\r\n').at(-2)!)![0])
  const usedBytes = async (): Promise<number> =>
    Number(/used_memory:(\d+)/.exec(await redis.command('INFO', 'memory'))![1])

  /** Sessions of some hundred KB together. */
  const MANY = Array.from({ length: 200 }, (_, i) => `many-${i}`)
  const createMany = async (): Promise<void> => {
    const made = await Promise.all(MANY.map(create))
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]))
  }
  /** Leaves Redis without memory: more than the connection of a command needs. */
  const fill = async () => redis.command('CONFIG', 'SET', 'maxmemory', String((await usedBytes()) - 80_000))

  it('behavior: journals have their limit in all sessions, and the oldest entries are dropped first', async () => {
    await start()
    const target = `${LATEST}?x=${'y'.repeat(2000)}`
    const entryBytes = 250 + '/session/s00'.length + target.length
    const [sessions, each] = [20, Math.floor(MAX_JOURNAL_BYTES / entryBytes) - 5]
    expect(sessions * each * entryBytes).toBeGreaterThan(MAX_POOL_BYTES * 1.1)
    const ids = Array.from({ length: sessions }, (_, i) => `s${10 + i}`)
    for (const id of ids) {
      await create(id)
      for (let sent = 0; sent < each; sent += 100) {
        const count = Math.min(100, each - sent)
        await Promise.all(Array.from({ length: count }, () => send('GET', `/session/${id}${target}`)))
      }
    }
    const total = () => ask('HGET', '{pfm}:totals', 'bytes')
    // Entries are dropped after the reply.
    await expect.poll(total).toBeLessThanOrEqual(MAX_POOL_BYTES)
    expect(await total()).toBeGreaterThan(MAX_POOL_BYTES * 0.8)
    // Up to 16 KB of each journal are not in the total yet.
    const lengths: number[] = []
    let bytes = 0
    for (const id of ids) {
      bytes += await ask('HGET', `{pfm}:s:${id}`, 'bytes')
      lengths.push(await ask('LLEN', `{pfm}:j:${id}`))
      const { data } = await send('GET', `/_mock/sessions/${id}/requests/summary`)
      expect(data.requests, id).toBe(each)
    }
    expect(bytes).toBeLessThanOrEqual(MAX_POOL_BYTES + sessions * 16_384)
    expect(lengths[0]).toBe(0)
    expect(lengths.at(-1)).toBe(each)
    expect(lengths).toEqual([...lengths].sort((a, b) => a - b))
    for (const id of ids) await send('DELETE', `/_mock/sessions/${id}`)
    expect(await total()).toBe(0)
  })

  it('behavior: sessions that requests have created make room for those of the admin, but not for themselves', async () => {
    const faults = Array.from({ length: 100 }, () => ({ fault: 'wire/reset', from: '1d' }) as const)
    const store = { url: redis.url, lazySessions: true, onChange() {} }
    host = await httpHost({ clock: AT, scenario: { faults }, store })
    const large = { scenario: 'calm', apiKeys: Array.from({ length: 64 }, (_, i) => `${i}`.padEnd(500, 'k')) }
    const lazy = async (): Promise<string[]> =>
      (await send('GET', '/_mock/sessions')).data.sessions.flatMap(({ id }: { id: string }) =>
        id.startsWith('lazy') ? [id] : [],
      )
    for (let i = 0; i < 200; i++) expect((await send('GET', `/session/lazy${i}${LATEST}`)).status).toBe(200)
    const before = await lazy()
    expect(before.length).toBeLessThan(200)
    for (let i = 0; i < 4; i++)
      expect((await send('POST', '/_mock/sessions', { id: `large${i}`, ...large })).status).toBe(201)
    const left = await lazy()
    expect(left.length).toBeLessThan(before.length)
    for (const id of left.slice(0, 2)) {
      expect((await send('PATCH', `/_mock/sessions/${id}`, large)).status).toBe(200)
      expect(await lazy()).toContain(id)
    }
  })

  it('behavior: while Redis is full, requests and changes get 503, reading and deleting work, and nothing is counted', async () => {
    await start()
    await create('kept')
    await createMany()
    expect((await send('GET', `/session/kept${LATEST}`)).status).toBe(200)
    await fill()
    for (const [method, path, data] of [
      ['GET', `/session/kept${LATEST}`],
      ['POST', '/_mock/sessions', { id: 'new' }],
      ['PATCH', '/_mock/sessions/kept', { clock: { advance: 1 } }],
    ] as const) {
      const refused = await send(method, path, data)
      expect([refused.status, refused.data], path).toEqual([
        503,
        expect.objectContaining({
          code: 'STORE_UNAVAILABLE',
          detail: `The store ${redis.url} is full.`,
          fix: expect.stringContaining('delete sessions'),
        }),
      ])
    }
    expect((await send('GET', '/_mock/sessions/kept/requests')).data.requests).toHaveLength(1)
    // A balancer must not keep the changes away that make room.
    expect((await send('GET', '/_mock/health')).status).toBe(200)
    const deleted = await Promise.all(MANY.map(id => send('DELETE', `/_mock/sessions/${id}`)))
    expect(new Set(deleted.map(({ status }) => status))).toEqual(new Set([204]))
    expect((await send('GET', `/session/kept${LATEST}`)).status).toBe(200)
    const { data } = await send('GET', '/_mock/sessions/kept/requests')
    expect(data.requests.map(({ n }: { n: number }) => n)).toEqual([1, 2])
  })

  it('behavior: idle sessions expire while Redis is full, and requests are served again', async () => {
    await start(1000)
    await createMany()
    await fill()
    expect((await send('GET', LATEST)).status).toBe(503)
    let status: number
    do ({ status } = await send('GET', LATEST))
    while (status === 503)
    expect(status).toBe(200)
    expect((await send('GET', `/session/${MANY[0]}${LATEST}`)).data.detail).toContain('because it was idle')
  })
})
