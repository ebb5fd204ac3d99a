// At most a thousand sessions: the longest idle lazy session is evicted, a created one never.
import { expect, it } from 'vitest'
import { adminRoute, askWith, move, problemOf, type Shown, TARGETS } from '../support/admin.js'
import { describeService, type Host } from '../support/hosts.js'

const MAX_SESSIONS = 1000
const KEY = 'test-api-key'

const use = (host: Host, id: string) => askWith(host, KEY, `/session/${id}${TARGETS.latest}`)
const create = (host: Host, id: string) => adminRoute(host, 'POST', '/_mock/sessions', { id })

describeService('a full mock', start => {
  const ids = async (host: Host) =>
    (await adminRoute<{ sessions: Shown[] }>(host, 'GET', '/_mock/sessions')).sessions.map(({ id }) => id)
  const fill = async (host: Host, from: number, to: number, make: (host: Host, id: string) => Promise<unknown>) => {
    for (let i = from; i < to; i++) await make(host, `x${i}`)
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
    expect((await use(host, 'x3')).headers['x-price-feed-mock']).toMatch(/n=1$/)
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

  it('error: 503 when all sessions were created', async () => {
    const host = start()
    await fill(host, 0, MAX_SESSIONS, create)
    const created = problemOf(await move(host, 'POST', '/_mock/sessions', {}), 503, 'SESSIONS_FULL')
    expect(created.fix).toContain('DELETE /_mock/sessions/{id}')
    problemOf(await use(host, 'lazy'), 503, 'SESSIONS_FULL')
    problemOf(await askWith(host, 'scenario.calm', TARGETS.latest), 503, 'SESSIONS_FULL')
    // Existing sessions still answer, and a deleted one makes room.
    expect((await use(host, 'x0')).status).toBe(200)
    expect((await askWith(host, KEY, TARGETS.latest)).status).toBe(200)
    await move(host, 'DELETE', '/_mock/sessions/x7')
    expect((await use(host, 'lazy')).status).toBe(200)
    await create(host, 'x7')
    expect(await ids(host)).not.toContain('lazy')
  })
})
