// The journal of a session: its fields, size, filters and summary, and the keys that it hides.
import { expect, it } from 'vitest'
import { ALL_TARGETS, adminRoute, askWith, move, problemOf, TARGETS } from '../support/admin.js'
import { describeService, type Host, NOW } from '../support/hosts.js'

const KEY = 'test-api-key'

/** An entry of the reply. */
interface Entry {
  readonly n: number
  readonly ordinal: number
  readonly endpoint: string
  readonly method: string
  readonly target: string
  readonly apiKey?: string
  readonly status: number
  readonly faults: readonly string[]
  readonly now: number
  readonly receivedAt: number
  readonly durationMs?: number
}

describeService('the journal of a session', start => {
  const requests = async (host: Host, query = '', id = 'default') =>
    (await adminRoute<{ requests: Entry[] }>(host, 'GET', `/_mock/sessions/${id}/requests${query}`)).requests
  /** Names of the endpoints in the order of `ALL_TARGETS`. */
  const namesOf = async (host: Host) => (await requests(host)).slice(0, 5).map(({ endpoint }) => endpoint)

  it('default: entries with all fields, oldest first', async () => {
    const host = start()
    const from = Date.now()
    for (const target of ALL_TARGETS) await askWith(host, KEY, target)
    const entries = await requests(host)
    expect(entries).toHaveLength(5)
    for (const [i, entry] of entries.entries()) {
      expect(entry).toEqual({
        n: i + 1,
        ordinal: 1,
        endpoint: expect.stringMatching(/^[a-z]+$/i),
        method: 'GET',
        target: expect.stringContaining(ALL_TARGETS[i]!),
        apiKey: KEY,
        status: 200,
        got: 'fresh',
        faults: [],
        now: NOW,
        nowMs: NOW * 1000,
        receivedAt: expect.any(Number),
        durationMs: expect.any(Number),
      })
      expect(entry.receivedAt).toBeGreaterThanOrEqual(from)
      expect(entry.receivedAt).toBeLessThanOrEqual(Date.now())
      expect(entry.durationMs).toBeGreaterThanOrEqual(0)
    }
    expect(new Set(entries.map(({ endpoint }) => endpoint)).size).toBe(5)
  })

  it('behavior: GET and HEAD to an endpoint have an ordinal; admin and unknown paths are not recorded', async () => {
    const host = start()
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'GET']) await askWith(host, KEY, TARGETS.latest, method)
    await askWith(host, 'wrong', TARGETS.latest)
    await host.request('/nowhere')
    await host.request('/_mock/info')
    const entries = await requests(host)
    expect(entries.map(({ n, ordinal, method, status }) => [n, ordinal, method, status])).toEqual([
      [1, 1, 'GET', 200],
      [2, 2, 'HEAD', 200],
      [3, 0, 'OPTIONS', 204],
      [4, 0, 'POST', 405],
      [5, 3, 'GET', 200],
      [6, 4, 'GET', 401],
    ])
  })

  it('behavior: filtered by endpoint, by status, by both', async () => {
    const host = start()
    for (const target of ALL_TARGETS) await askWith(host, KEY, target)
    const [first, , , latest] = await namesOf(host)
    await askWith(host, 'wrong', TARGETS.latest)
    await askWith(host, KEY, '/prices/NOPE/latest')
    const found = async (query: string) => (await requests(host, query)).map(({ n }) => n)
    expect(await found(`?endpoint=${latest}`)).toEqual([4, 6, 7])
    expect(await found(`?endpoint=${first}`)).toEqual([1])
    expect(await found('?status=401')).toEqual([6])
    expect(await found('?status=200')).toEqual([1, 2, 3, 4, 5])
    expect(await found(`?endpoint=${latest}&status=404`)).toEqual([7])
    expect(await found(`?endpoint=${first}&status=404`)).toEqual([])
  })

  it.each([
    ['?endpoint=latst', 'endpoint', 'latest'],
    ['?status=abc', 'status', undefined],
    ['?status=20', 'status', undefined],
    ['?status=00', 'status', undefined],
    ['?status=600', 'status', undefined],
    ['?status=401&status=404', 'status', undefined],
    ['?stauts=401', 'stauts', 'status'],
    ['?__proto__=1', '__proto__', undefined],
  ])('error: %s', async (query, at, closest) => {
    const details = problemOf(
      await move(start(), 'GET', `/_mock/sessions/default/requests${query}`),
      400,
      'REQUEST_INVALID',
    )
    expect(details.problems).toMatchObject([closest === undefined ? { at } : { at, closest }])
  })

  it('behavior: status 0 selects requests without a reply', async () => {
    const host = start({ scenario: { faults: [{ fault: 'wire/reset', requests: '2' }] } as never })
    await askWith(host, KEY, TARGETS.latest)
    await askWith(host, KEY, TARGETS.latest).catch(() => {})
    await askWith(host, KEY, TARGETS.latest)
    expect((await requests(host, '?status=0')).map(({ n, status }) => [n, status])).toEqual([[2, 0]])
  })

  it('behavior: DELETE clears it, and the counters continue', async () => {
    const host = start()
    await askWith(host, KEY, TARGETS.latest)
    expect((await move(host, 'DELETE', '/_mock/sessions/default/requests')).status).toBe(204)
    expect(await requests(host)).toEqual([])
    await askWith(host, KEY, TARGETS.latest)
    expect(await requests(host)).toMatchObject([{ n: 2, ordinal: 2 }])
  })

  it('behavior: each session has its own journal, without path prefixes', async () => {
    const host = start()
    await askWith(host, KEY, `/session/a${TARGETS.latest}`)
    await askWith(host, 'session.a', TARGETS.batch)
    expect(await requests(host)).toEqual([])
    expect((await requests(host, '', 'a')).map(({ n, apiKey }) => [n, apiKey])).toEqual([
      [1, KEY],
      [2, 'session.a'],
    ])
    for (const { target } of await requests(host, '', 'a')) expect(target).not.toContain('/session/')
  })

  it('behavior: an unknown key appears in no reply', async () => {
    const host = start()
    const secret = 'a-real-key-of-production'
    for (const key of [secret, `Bearer ${secret}`, `session.${secret}`, `Basic ${secret}`]) {
      const { status, body } = await askWith(host, key, TARGETS.latest)
      expect(status).toBe(401)
      expect(body).not.toContain(secret)
    }
    await askWith(host, secret, TARGETS.candles)
    await host.request(TARGETS.latest)
    const reply = await move(host, 'GET', '/_mock/sessions/default/requests')
    expect(reply.body).not.toContain(secret)
    const entries = await requests(host)
    expect(entries.map(({ apiKey }) => apiKey)).toEqual([...Array(5).fill('(not shown)'), undefined])
    for (const path of ['/_mock/info', '/_mock/sessions', '/_mock/sessions/default/requests/summary'])
      expect((await host.request(path)).body).not.toContain(secret)
    expect((await move(host, 'POST', '/_mock/sessions/default/snapshot')).body).not.toContain(secret)
  })

  it('behavior: a summary', async () => {
    const host = start()
    const empty = await adminRoute(host, 'GET', '/_mock/sessions/default/requests/summary')
    expect(empty).toEqual({ requests: 0, endpoints: [], faults: [] })
    for (const seconds of [0, 10, 40]) {
      await adminRoute(host, 'PATCH', '/_mock/sessions/default', { clock: { advance: seconds } })
      await askWith(host, seconds === 40 ? 'wrong' : KEY, TARGETS.latest)
    }
    await askWith(host, KEY, TARGETS.candles)
    const summary = await adminRoute<{ requests: number; endpoints: { endpoint: string }[]; faults: [] }>(
      host,
      'GET',
      '/_mock/sessions/default/requests/summary',
    )
    expect(summary).toMatchObject({ requests: 4, faults: [] })
    expect(summary.endpoints).toHaveLength(2)
    expect(summary.endpoints.find(({ endpoint }) => endpoint === 'latest')).toEqual({
      endpoint: 'latest',
      requests: 3,
      statuses: { 200: 2, 401: 1 },
      got: { fresh: 2, refused: 1 },
      betweenVirtualMs: { least: 10_000, mean: 25_000, most: 40_000 },
      betweenRealMs: { least: expect.any(Number), mean: expect.any(Number), most: expect.any(Number) },
    })
    expect(summary.endpoints.find(({ endpoint }) => endpoint === 'candles')).toMatchObject({
      requests: 1,
      betweenVirtualMs: null,
      betweenRealMs: null,
    })
  })
})
