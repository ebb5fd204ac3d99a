// Servers that share a Redis answer as one, and fail fast and whole where Redis fails.
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCalls, LATEST } from '../../../../test/support/calls.js'
import { httpHost } from '../../../../test/support/hosts/over-http.js'
import { needs } from '../../../../test/support/needs.js'
import { NO_REDIS, startRedis, type TestRedis } from '../../../../test/support/redis.js'
import { startServer } from '../server.js'
import { connect } from './connection.js'
import { fingerprintOf } from './fingerprint.js'
import { openRedisStore } from './store.js'
import { parseStoreUrl } from './store-url.js'

const AT = '2025-07-24T10:48:25Z'
const KEY = { authorization: 'test-api-key' }
const JSON_TYPE = { 'content-type': 'application/json' }

type Host = Awaited<ReturnType<typeof httpHost>>

const get = (host: Host, path: string, headers: Record<string, string> = KEY) => host.request(path, { headers })
const send = async (host: Host, method: string, path: string, data: object = {}) => {
  const reply = await host.request(path, { method, headers: JSON_TYPE, body: JSON.stringify(data) })
  return { ...reply, data: reply.body === '' ? undefined : JSON.parse(reply.body) }
}
const read = async (host: Host, path: string) => JSON.parse((await get(host, path)).body)
const numbersOf = async (host: Host, id = 'default'): Promise<number[]> =>
  (await read(host, `/_mock/sessions/${id}/requests`)).requests.map(({ n }: { n: number }) => n)

/** Starts servers on a Redis, with messages about it. */
async function startServers(redis: TestRedis, count: number, options: Parameters<typeof httpHost>[0] = {}) {
  const messages: string[] = []
  const store = {
    url: `${redis.url}?prefix=p${++prefixes}`,
    onChange: (message: string) => void messages.push(message),
  }
  const hosts: Host[] = []
  for (let i = 0; i < count; i++) {
    const host = await httpHost({
      clock: { at: AT, frozen: true },
      ...options,
      store: { ...store, ...Object(options.store) },
    })
    onTestFinished(host.stop)
    hosts.push(host)
  }
  return { hosts: hosts as [Host, Host], messages, url: store.url }
}
let prefixes = 0

describe('servers on a store', needs(NO_REDIS), () => {
  let redis: TestRedis
  beforeAll(async () => (redis = await startRedis()))
  afterAll(() => redis?.stop())

  describe('as one', () => {
    it('behavior: the first 5 requests of 50 at the same time fail, whichever server gets them', async () => {
      const { hosts } = await startServers(redis, 2)
      const faults = [{ fault: 'reply/status', requests: { first: 5 }, options: { status: 503 } }]
      await send(hosts[0], 'PATCH', '/_mock/sessions/default', { scenario: { title: 'T', why: 'W', faults } })
      const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => get(hosts[i % 2]!, LATEST)))
      expect(replies.filter(({ status }) => status === 503)).toHaveLength(5)
      const numbers = replies.map(({ headers }) => Number(/n=(\d+)/.exec(headers['x-price-feed-mock']!)![1]))
      expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1))
      expect(await numbersOf(hosts[1])).toEqual(Array.from({ length: 50 }, (_, i) => i + 1))
      const { faults: counted } = await read(hosts[0], '/_mock/sessions/default/requests/summary')
      expect(counted).toMatchObject([{ hits: 5, misses: 45 }])
    })

    it('behavior: a rate limit admits exactly its requests', async () => {
      const { hosts } = await startServers(redis, 2)
      const faults = [{ fault: 'reply/rate-limit', options: { limit: 10, window: '1m' } }]
      await send(hosts[0], 'PATCH', '/_mock/sessions/default', { scenario: { title: 'T', why: 'W', faults } })
      const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => get(hosts[i % 2]!, LATEST)))
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(10)
    })

    it('behavior: without faults, 100 requests at the same time have the numbers 1 to 100', async () => {
      const { hosts } = await startServers(redis, 2)
      const replies = await Promise.all(Array.from({ length: 100 }, (_, i) => get(hosts[i % 2]!, LATEST)))
      const numbers = replies.map(({ headers }) => Number(/n=(\d+)/.exec(headers['x-price-feed-mock']!)![1]))
      expect(new Set(numbers).size).toBe(100)
      expect(await numbersOf(hosts[0])).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
      const ordinals = (await read(hosts[0], '/_mock/sessions/default/requests')).requests
      expect(ordinals.map(({ ordinal }: { ordinal: number }) => ordinal)).toEqual(
        Array.from({ length: 100 }, (_, i) => i + 1),
      )
    })

    it('behavior: a change at one server shows in the next reply of the other', async () => {
      const { hosts } = await startServers(redis, 2)
      const before = JSON.parse((await get(hosts[1], LATEST)).body)
      await send(hosts[0], 'PATCH', '/_mock/sessions/default', { clock: { advance: '1h' } })
      const after = JSON.parse((await get(hosts[1], LATEST)).body)
      expect(after.ts - before.ts).toBe(3600)
    })

    it('behavior: of changes at the same time none is lost', async () => {
      const { hosts } = await startServers(redis, 2)
      const advance = (i: number) => send(hosts[i % 2]!, 'PATCH', '/_mock/sessions/default', { clock: { advance: 1 } })
      const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => advance(i)))
      expect(replies.map(({ status }) => status)).toEqual(Array(40).fill(200))
      const { clock } = await read(hosts[0], '/_mock/sessions/default')
      expect(clock.now - Date.parse(AT) / 1000).toBe(40)
    })

    it('behavior: a stream of events at one server has the requests at the other, with their replies', async () => {
      const { hosts } = await startServers(redis, 2)
      await get(hosts[0], LATEST)
      const abort = new AbortController()
      onTestFinished(() => abort.abort())
      const path = '/_mock/sessions/default/events?replies=1'
      const response = await fetch(hosts[0].server.url + path, {
        headers: { 'last-event-id': '0' },
        signal: abort.signal,
      })
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      const until = async (count: number): Promise<{ n: number; reply?: { body: string } }[]> => {
        for (;;) {
          const events = [...text.matchAll(/^data: (.*)$/gm)].map(match => JSON.parse(match[1]!))
          if (events.length >= count) return events
          text += (await reader.read()).value
        }
      }
      await until(1)
      const replies = []
      for (let i = 0; i < 6; i++) replies.push(await get(hosts[i % 2]!, LATEST))
      const events = await until(7)
      expect(events.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7])
      expect(events.slice(1).map(({ reply }) => reply?.body)).toEqual(replies.map(({ body }) => body))
    })

    it('behavior: a stream at one server learns that the other has cleared or rewound the journal', async () => {
      const { hosts } = await startServers(redis, 2)
      const abort = new AbortController()
      onTestFinished(() => abort.abort())
      const response = await fetch(`${hosts[0].server.url}/_mock/sessions/default/events`, { signal: abort.signal })
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      const until = async (wanted: string): Promise<void> => {
        const found = () =>
          [...text.matchAll(/"n":(\d+)|event: (cleared)/g)].map(match => match[1] ?? match[2]).join(' ')
        while (found() !== wanted) text += (await reader.read()).value
      }
      for (let i = 0; i < 3; i++) await get(hosts[i % 2]!, LATEST)
      await until('1 2 3')
      const { snapshot } = (await send(hosts[1], 'POST', '/_mock/sessions/default/snapshot')).data
      await get(hosts[1], LATEST)
      await until('1 2 3 4')
      await send(hosts[1], 'POST', '/_mock/sessions/default/restore', { snapshot })
      await until('1 2 3 4 cleared 1 2 3')
      await send(hosts[1], 'DELETE', '/_mock/sessions/default/requests')
      await until('1 2 3 4 cleared 1 2 3 cleared')
      await get(hosts[0], LATEST)
      await until('1 2 3 4 cleared 1 2 3 cleared 4')
    })

    it('behavior: a deleted session ends its streams at all servers, each time', async () => {
      const { hosts } = await startServers(redis, 2)
      for (let i = 0; i < 2; i++) {
        await send(hosts[0], 'POST', '/_mock/sessions', { id: 'short' })
        const response = await fetch(`${hosts[0].server.url}/_mock/sessions/short/events`)
        await send(hosts[1], 'DELETE', '/_mock/sessions/short')
        expect(await response.text()).toMatch(/^:/)
      }
    })

    it('behavior: an unknown session is an error, unless --lazy-sessions', async () => {
      const { hosts } = await startServers(redis, 2)
      const reply = await get(hosts[0], `/session/typo${LATEST}`)
      expect([reply.status, JSON.parse(reply.body).code]).toEqual([404, 'SESSION_UNKNOWN'])
      expect(reply.headers['access-control-allow-origin']).toBe('*')
      const lazy = await startServers(redis, 2, { store: { lazySessions: true } as never })
      expect((await get(lazy.hosts[0], `/session/typo${LATEST}`)).status).toBe(200)
      expect(await numbersOf(lazy.hosts[1], 'typo')).toEqual([1])
      // Scenarios are few, and their sessions begin by their path on every server.
      expect((await get(hosts[0], `/scenario/calm${LATEST}`)).status).toBe(200)
    })

    it('behavior: addresses are those of --public-url', async () => {
      const { hosts } = await startServers(redis, 1, { publicUrl: 'https://mock.example/feed/' })
      const { data } = await send(hosts[0], 'POST', '/_mock/sessions', { id: 'a' })
      expect([data.baseUrl, data.historyUrl]).toEqual(Array(2).fill('https://mock.example/feed/session/a'))
      const named = await get(hosts[0], '/_mock/sessions', { host: 'mock.example' })
      expect(named.status).toBe(200)
    })

    it('behavior: an idle session is removed, and one in use or of a scenario is not', async () => {
      const { hosts, url } = await startServers(redis, 1)
      for (const id of ['idle', 'used']) await send(hosts[0], 'POST', '/_mock/sessions', { id })
      await get(hosts[0], `/scenario/calm${LATEST}`)
      // All have been idle for long, until one of them is used.
      const prefix = `{${new URL(url).searchParams.get('prefix')}}:`
      await redis.command('ZADD', `${prefix}used:0`, 'XX', '0', 'scenario.calm')
      await redis.command('ZADD', `${prefix}used:1`, 'XX', '0', 'idle', '0', 'used')
      expect((await get(hosts[0], `/session/used${LATEST}`)).status).toBe(200)
      // This server looks for idle sessions every second, and the test ends long before the other one becomes idle.
      const other = await startServers(redis, 1, { store: { url, idleMs: 10_000 } as never })
      const [{ receivedAt }] = (await read(other.hosts[0], '/_mock/sessions/used/requests')).requests
      const { expiresAt } = await read(other.hosts[0], '/_mock/sessions/used')
      expect(Date.parse(expiresAt) - receivedAt).toBe(10_000)
      const idsNow = async () => (await read(hosts[0], '/_mock/sessions')).sessions.map(({ id }: { id: string }) => id)
      for (let ids = await idsNow(); ids.includes('idle'); ids = await idsNow())
        expect(ids).toEqual(['default', 'idle', 'used', 'scenario.calm'])
      expect(await idsNow()).toEqual(['default', 'used', 'scenario.calm'])
      const gone = JSON.parse((await get(hosts[0], `/session/idle${LATEST}`)).body)
      expect([gone.code, gone.detail]).toEqual(['SESSION_UNKNOWN', expect.stringContaining('idle')])
    })

    it('behavior: a session with rows of its own has their prices at every server', async () => {
      const { hosts } = await startServers(redis, 2)
      await send(hosts[0], 'POST', '/_mock/sessions', { id: 'rows', series: [{ as: 'BTCUSD', rows: [[0, 5]] }] })
      const prices = await Promise.all(hosts.map(host => read(host, `/session/rows${LATEST}`)))
      expect(prices.map(({ price, ts }) => [price, ts])).toEqual(Array(2).fill([5e8, 0]))
    })

    it('behavior: a server notes the sessions that are used through it, and those that others remove', async () => {
      const { hosts } = await startServers(redis, 2, { store: { notesUse: true } as never })
      const used = hosts[0].server.used!
      const ended: unknown[] = []
      used.onEnd(({ id, record }) => void ended.push([id, record.counters.n]))
      for (const id of ['a', 'b', 'c']) await send(hosts[0], 'POST', '/_mock/sessions', { id })
      await send(hosts[1], 'POST', '/_mock/sessions', { id: 'other' })
      await get(hosts[0], `/session/a${LATEST}`)
      for (const id of ['a', 'other']) await send(hosts[0], 'DELETE', `/_mock/sessions/${id}`)
      await send(hosts[1], 'DELETE', '/_mock/sessions/b')
      expect(ended).toEqual([['a', 1]])
      const { sessions, lost } = await used.present()
      expect([sessions.map(({ id }) => id), lost]).toEqual([['default', 'c'], 1])
    })

    it.each([9e15, Number.POSITIVE_INFINITY])('edge: sessions that may be idle for %s ms stay', async idleMs => {
      const { hosts } = await startServers(redis, 1, { store: { idleMs } as never })
      await send(hosts[0], 'POST', '/_mock/sessions', { id: 'kept' })
      const { sessions } = await read(hosts[0], '/_mock/sessions')
      expect(sessions).toMatchObject([{ id: 'default' }, { id: 'kept' }])
      expect(sessions[1]).not.toHaveProperty('expiresAt')
    })

    it('error: a session that cannot be read is left out of lists, and can be deleted', async () => {
      const { hosts, messages, url } = await startServers(redis, 1, { store: { idleMs: 1000 } as never })
      const prefix = `{${new URL(url).searchParams.get('prefix')}}:`
      for (const id of ['bad-counters', 'bad-setup', 'bad-kind', 'good'])
        await send(hosts[0], 'POST', '/_mock/sessions', { id })
      await redis.command('HSET', `${prefix}s:bad-counters`, 'counters', 'x')
      await redis.command('HSET', `${prefix}s:bad-setup`, 'setup', '{')
      await redis.command('DEL', `${prefix}s:bad-kind`)
      await redis.command('SET', `${prefix}s:bad-kind`, 'x')
      const idsNow = async () => (await read(hosts[0], '/_mock/sessions')).sessions.map(({ id }: { id: string }) => id)
      expect(await idsNow()).toEqual(['default', 'good'])
      await idsNow()
      const bad = ['bad-counters', 'bad-setup', 'bad-kind']
      expect(messages).toEqual(bad.map(id => `lists leave it out: The session "${id}" in the store cannot be read.`))
      for (const id of bad) {
        const { status, body } = await get(hosts[0], `/_mock/sessions/${id}`)
        expect([status, JSON.parse(body)]).toMatchObject([
          500,
          { code: 'SESSION_UNREADABLE', fix: `DELETE /_mock/sessions/${id}` },
        ])
        expect(JSON.parse((await get(hosts[0], `/session/${id}${LATEST}`)).body).code).toBe('SESSION_UNREADABLE')
        expect((await send(hosts[0], 'DELETE', `/_mock/sessions/${id}`)).status).toBe(204)
      }
      expect((await get(hosts[0], '/_mock/sessions/bad-counters')).status).toBe(404)
      expect((await redis.command('HGETALL', `${prefix}totals`)).includes('NaN')).toBe(false)
      expect((await send(hosts[0], 'POST', '/_mock/sessions', { id: 'bad-kind' })).status).toBe(201)
    })

    it.each(['{', 'null', undefined])('error: the description of its servers is %s', async text => {
      const { url } = await startServers(redis, 1)
      const key = `{${new URL(url).searchParams.get('prefix')}}:birth`
      await redis.command(...(text === undefined ? ['DEL', key] : ['SET', key, text]))
      const other = startServer({ port: 0, clock: { at: AT, frozen: true }, store: url })
      await expect(other).rejects.toMatchObject({
        code: 'STORE_MISMATCH',
        shortMessage: expect.stringContaining('has keys of another program, or of another version'),
      })
    })

    it('error: the default session cannot be read', async () => {
      const { hosts, url } = await startServers(redis, 1)
      await get(hosts[0], LATEST)
      const connections = async () => (await redis.command('CLIENT', 'LIST')).match(/^id=/gm)?.length
      const before = await connections()
      await redis.command('HSET', `{${new URL(url).searchParams.get('prefix')}}:s:default`, 'counters', 'x')
      const other = startServer({ port: 0, clock: { at: AT, frozen: true }, store: url })
      await expect(other).rejects.toMatchObject({ code: 'SESSION_UNREADABLE' })
      await expect(other).rejects.toThrow('or remove the keys of this one')
      // Otherwise the program would not end.
      await expect.poll(connections).toBe(before)
    })

    it('error: another configuration', async () => {
      const { url } = await startServers(redis, 1)
      const other = startServer({ port: 0, seed: '7', clock: { at: AT, frozen: true }, store: url })
      await expect(other).rejects.toMatchObject({ code: 'STORE_MISMATCH' })
      await expect(other).rejects.toThrow(/seed: here 7, there 42/)
    })

    it('behavior: the policy of a session holds on the other server', async () => {
      const { hosts } = await startServers(redis, 2)
      const made = await send(hosts[0], 'POST', '/_mock/sessions', { id: 'own', policy: { missingParameter: 422 } })
      expect(made.status).toBe(201)
      const statuses = ['/session/own/prices/batch', '/prices/batch'].map(
        async path => (await get(hosts[1], path)).status,
      )
      expect(await Promise.all(statuses)).toEqual([422, 400])
    })

    it('behavior: a store for more sessions keeps more than a mock in memory', async () => {
      const { hosts } = await startServers(redis, 2, {
        store: { url: `${redis.url}?prefix=large&sessions=1100` } as never,
      })
      const create = (i: number) => send(hosts[i % 2]!, 'POST', '/_mock/sessions', { id: `x${i}` })
      for (let i = 0; i < 990; i += 30) await Promise.all(Array.from({ length: 30 }, (_, j) => create(i + j)))
      const { data } = await create(990)
      expect([data.code, data.detail]).toEqual(['SESSIONS_FULL', expect.stringContaining('990 sessions')])
      const other = startServer({
        port: 0,
        seed: '42',
        clock: { at: AT, frozen: true },
        store: `${redis.url}?prefix=large`,
      })
      await expect(other).rejects.toThrow(/sessions: here 1000, there 1100/)
    })

    it('error: the sessions of the process, which no request reaches', async () => {
      const { hosts } = await startServers(redis, 1)
      const { mock } = hosts[0].server
      expect(mock.sessions.default.id).toBe('default')
      for (const use of [
        () => mock.sessions.get('default'),
        () => mock.sessions.size,
        () => mock.clock.now(),
        () => mock.setScenario('stale-btc'),
        () => mock.endScenario(),
      ])
        expect(use).toThrow('With a store, a server has no sessions of its own.')
    })
  })

  describe('without Redis', () => {
    const start = async (...options: string[]) => {
      const own = await startRedis(...options)
      onTestFinished(own.stop)
      return own
    }
    const codeOf = (reply: { body: string }): string | undefined => JSON.parse(reply.body).code
    /** Asks until the server answers by its store again. */
    const recovered = async (host: Host): Promise<void> => {
      while ((await get(host, '/_mock/health')).status !== 200);
    }

    it('behavior: a silent Redis gives 503 within its deadline, then at once, until it answers', async () => {
      const own = await start()
      const { hosts, messages } = await startServers(own, 1)
      const [host] = hosts
      await get(host, LATEST)
      own.process.kill('SIGSTOP')
      const first = await get(host, LATEST)
      expect([first.status, codeOf(first), first.headers['retry-after']]).toEqual([503, 'STORE_UNAVAILABLE', '1'])
      expect(first.headers['access-control-allow-origin']).toBe('*')
      // No further command is sent, so none is waited for.
      expect(JSON.parse(first.body).got).toBe('no reply within 1000 ms')
      expect(JSON.parse((await get(host, LATEST)).body).got).toBe('no reply to an earlier command')
      expect((await get(host, '/_mock/health')).status).toBe(503)
      expect((await get(host, '/_mock/live')).status).toBe(200)
      own.process.kill('SIGCONT')
      await recovered(host)
      expect((await get(host, LATEST)).status).toBe(200)
      expect(messages).toEqual([expect.stringContaining('is away'), expect.stringContaining('is back')])
    })

    it('error: a subscription at a silent Redis ends within its deadline, and hears nothing later', async () => {
      const own = await start()
      const store = await connect(parseStoreUrl(own.url), 'key', () => {})
      onTestFinished(store.close)
      const heard: string[] = []
      const listen = (channel: string) => store.subscribe(channel, message => void heard.push(message))
      await listen('before')
      own.process.kill('SIGSTOP')
      await expect(listen('late')).rejects.toThrow('no reply within 1000 ms')
      own.process.kill('SIGCONT')
      // Its connection answers in order: with the second of these, the late one has come and gone.
      await vi.waitFor(() => listen('after'))
      await listen('last')
      await own.command('PUBLISH', 'late', 'one')
      await own.command('PUBLISH', 'last', 'two')
      await expect.poll(() => heard).toEqual(['two'])
    })

    it('behavior: a Redis that starts empty gives STORE_EMPTIED, and never another session', async () => {
      const own = await start()
      const { hosts, messages } = await startServers(own, 1)
      await get(hosts[0], LATEST)
      await own.command('FLUSHALL')
      for (const path of [LATEST, '/_mock/sessions', '/_mock/health']) {
        const reply = await get(hosts[0], path)
        expect([reply.status, codeOf(reply)], path).toEqual([503, 'STORE_EMPTIED'])
      }
      expect(messages).toEqual([
        expect.stringMatching(/ has lost its sessions since this server started\. Restart the servers\.$/),
      ])
      expect((await get(hosts[0], '/_mock/live')).status).toBe(200)
    })

    it('behavior: without its connection 503 at once, and nothing is lost when it is back', async () => {
      const own = await start()
      const { hosts } = await startServers(own, 2)
      await get(hosts[0], LATEST)
      await own.command('CLIENT', 'KILL', 'TYPE', 'normal')
      for (const host of hosts) {
        await recovered(host)
        expect((await get(host, LATEST)).status).toBe(200)
      }
      expect(await numbersOf(hosts[0])).toEqual([1, 2, 3])
    })

    it('error: a stream of events whose user may not subscribe', async () => {
      const own = await start()
      const { hosts } = await startServers(own, 1)
      await own.command('ACL', 'SETUSER', 'default', '-subscribe')
      const reply = await get(hosts[0], '/_mock/sessions/default/events')
      expect([reply.status, codeOf(reply)]).toEqual([503, 'STORE_UNAVAILABLE'])
    })

    it('error: a session that cannot be listened to leaves nothing behind', async () => {
      const own = await start()
      const { parts } = createCalls().mock.sessions
      const store = await openRedisStore(own.url, fingerprintOf(parts), 1000, () => {})
      onTestFinished(store.close)
      await own.command('FLUSHALL')
      await expect(store.listen('a', () => {})).rejects.toMatchObject({ code: 'STORE_EMPTIED' })
      await expect.poll(() => own.command('PUBSUB', 'CHANNELS')).toBe('*0\r\n')
    })

    it('behavior: a password is not shown', async () => {
      const own = await start('--requirepass', 'hidden-word')
      const url = own.url.replace('//', '//:hidden-word@')
      const server = await startServer({ port: 0, store: { url, onChange() {} } })
      onTestFinished(() => server.stop())
      expect(server.store).toBe(own.url)
      own.process.kill('SIGKILL')
      await once(own.process, 'exit')
      const reply = await fetch(server.url + LATEST, { headers: KEY })
      const text = await reply.text()
      expect([reply.status, JSON.parse(text).code]).toEqual([503, 'STORE_UNAVAILABLE'])
      expect(text).not.toContain('hidden-word')
      const wrong = startServer({ port: 0, store: own.url })
      await expect(wrong).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    })
  })
})
