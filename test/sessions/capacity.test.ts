// At most a thousand sessions: the longest idle lazy session is evicted and its next user informed, a created or changed one never.
import { expect, it } from 'vitest'
import { adminRoute, askWith, KEY, move, problemOf, type Shown, TARGETS } from '../support/admin.js'
import { describeService, type Host } from '../support/hosts.js'

const MAX_SESSIONS = 1000
const MAX_KEPT = 900
const ORDERED = 8
const AT_ONCE = 50

const use = (host: Host, id: string) => askWith(host, KEY, `/session/${id}${TARGETS.latest}`)
const create = (host: Host, id: string) => adminRoute(host, 'POST', '/_mock/sessions', { id })

describeService('a full mock', start => {
  const ids = async (host: Host) =>
    (await adminRoute<{ sessions: Shown[] }>(host, 'GET', '/_mock/sessions')).sessions.map(({ id }) => id)
  const fill = async (host: Host, from: number, to: number, make: (host: Host, id: string) => Promise<unknown>) => {
    // The order of the first ones is tested; the others come some at a time.
    for (let i = from; i < from + ORDERED; i++) await make(host, `x${i}`)
    for (let i = from + ORDERED; i < to; i += AT_ONCE) {
      const names = Array.from({ length: Math.min(AT_ONCE, to - i) }, (_, j) => `x${i + j}`)
      await Promise.all(names.map(name => make(host, name)))
    }
  }

  it('behavior: the longest idle lazy session is evicted, by last use and not by age', async () => {
    const host = start()
    await create(host, 'kept')
    await fill(host, 1, MAX_SESSIONS, use)
    expect(await ids(host)).toHaveLength(MAX_SESSIONS + 1)
    // x1 is used by its path and x2 by its key: x3 is now the longest idle.
    await use(host, 'x1')
    await askWith(host, 'session.x2', TARGETS.latest)
    await use(host, 'one-more')
    const after = await ids(host)
    expect(after).toHaveLength(MAX_SESSIONS + 1)
    expect(after).toEqual(expect.arrayContaining(['default', 'kept', 'x1', 'x2', 'x4', 'one-more']))
    expect(after).not.toContain('x3')
    // A created session also evicts a lazy one.
    await create(host, 'another')
    expect(await ids(host)).not.toContain('x4')
    // An evicted session starts from the beginning.
    expect((await use(host, 'x3')).headers['x-price-feed-mock']).toMatch(/n=1, evicted$/)
    expect(await ids(host)).toContain('kept')
  })

  it('error: an invalid request evicts no session', async () => {
    const host = start()
    await fill(host, 0, MAX_SESSIONS, use)
    const before = await ids(host)
    for (const bad of [
      { prices: { NOPEUSD: 1 } },
      { scenario: 'nope' },
      { id: 'default' },
      { id: '?' },
      { signing: { svm: 'nope' } },
    ])
      expect((await move(host, 'POST', '/_mock/sessions', bad)).status).toBeOneOf([400, 404, 409])
    await use(host, '%00')
    await askWith(host, 'session.nobody', TARGETS.latest)
    expect(await ids(host)).toEqual(before)
  })

  it('error: 503 for a session too many that cannot be evicted; new paths still find room', async () => {
    const host = start()
    await fill(host, 0, MAX_KEPT, create)
    const created = problemOf(await move(host, 'POST', '/_mock/sessions', {}), 503, 'SESSIONS_FULL')
    expect(created).toMatchObject({
      detail: 'There are already 900 sessions created or changed through the admin API, the maximum.',
      fix: 'DELETE /_mock/sessions/{id} when a test ends',
    })
    // Before, they were answered with 503 as soon as all sessions had names.
    for (let i = 0; i < 150; i++) expect((await use(host, `lazy${i}`)).status).toBe(200)
    expect((await askWith(host, 'scenario.calm', TARGETS.latest)).status).toBe(200)
    expect(await ids(host)).toHaveLength(MAX_SESSIONS + 1)
    // A lazy session that is changed would be one too many.
    const taken = await adminRoute<{ snapshot: object }>(host, 'POST', '/_mock/sessions/lazy149/snapshot')
    for (const [method, path, body] of [
      ['PATCH', '', { seed: '7' }],
      ['POST', '/reset', undefined],
      ['POST', '/restore', taken],
      ['DELETE', '/requests', undefined],
    ] as const)
      problemOf(await move(host, method, `/_mock/sessions/lazy149${path}`, body), 503, 'SESSIONS_FULL')
    expect((await use(host, 'lazy149')).headers['x-price-feed-mock']).toMatch(/n=2$/)
    // Existing sessions still answer, and a deleted one makes room.
    expect((await use(host, 'x0')).status).toBe(200)
    await move(host, 'PATCH', '/_mock/sessions/x0', { seed: '7' })
    await move(host, 'DELETE', '/_mock/sessions/x7')
    await create(host, 'x7')
    expect(await ids(host)).toContain('x7')
  })

  it('behavior: a lazy session is not evicted after a change, a reset, a restore or a deletion of its requests', async () => {
    const host = start()
    const changes = [
      ['PATCH', '', { clock: { frozen: true } }],
      ['POST', '/reset', undefined],
      ['POST', '/restore', 'snapshot'],
      ['DELETE', '/requests', undefined],
    ] as const
    const mine = changes.map((_, i) => `mine${i}`)
    for (const [i, [method, path, body]] of changes.entries()) {
      const id = mine[i]!
      await use(host, id)
      const taken = await adminRoute<{ snapshot: object }>(host, 'POST', `/_mock/sessions/${id}/snapshot`)
      const done = await move(host, method, `/_mock/sessions/${id}${path}`, body === 'snapshot' ? taken : body)
      expect(done.status).toBeOneOf([200, 204])
      expect(await adminRoute(host, 'GET', `/_mock/sessions/${id}`)).toMatchObject({ created: true })
    }
    await fill(host, 0, MAX_SESSIONS + 1, use)
    expect(await ids(host)).toEqual(expect.arrayContaining(mine))
  })

  it('behavior: an eviction shows in the header and the journal of the next use, and in its 404', async () => {
    const host = start()
    await use(host, 'mine')
    await fill(host, 0, MAX_SESSIONS, use)
    const gone = problemOf(await move(host, 'GET', '/_mock/sessions/mine'), 404, 'SESSION_UNKNOWN')
    expect(gone.detail).toContain('evicted')
    // Its key selects it as before.
    const first = await askWith(host, 'session.mine', TARGETS.latest)
    expect(first.headers['x-price-feed-mock']).toMatch(/^session="mine", now=\d+, n=1, evicted$/)
    expect((await use(host, 'mine')).headers['x-price-feed-mock']).toMatch(/n=2$/)
    const { requests } = await adminRoute<{ requests: { evicted?: boolean }[] }>(
      host,
      'GET',
      '/_mock/sessions/mine/requests',
    )
    expect(requests.map(({ evicted }) => evicted)).toEqual([true, undefined])
    await adminRoute(host, 'POST', '/_mock/sessions/mine/reset')
    expect((await use(host, 'mine')).headers['x-price-feed-mock']).toMatch(/n=1$/)
  })
})
