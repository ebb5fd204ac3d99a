// A thousand sessions and no more: who goes when one more is asked for, who never does, and what is said when nobody can.
import { expect, it } from 'vitest'
import { adminRoute, askWith, move, problemOf, type Shown, TARGETS } from '../support/admin.js'
import { describeService, type Host } from '../support/hosts.js'

const MOST = 1000
const KEY = 'test-api-key'

const use = (host: Host, id: string) => askWith(host, KEY, `/session/${id}${TARGETS.latest}`)
const create = (host: Host, id: string) => adminRoute(host, 'POST', '/_mock/sessions', { id })

describeService('a full mock', start => {
  const ids = async (host: Host) =>
    (await adminRoute<{ sessions: Shown[] }>(host, 'GET', '/_mock/sessions')).sessions.map(({ id }) => id)
  const fill = async (host: Host, from: number, to: number, make: (host: Host, id: string) => Promise<unknown>) => {
    for (let i = from; i < to; i++) await make(host, `x${i}`)
  }

  it('behavior: the longest idle lazy session goes, by use and not by age', async () => {
    const host = start()
    await create(host, 'kept')
    await fill(host, 1, MOST, use)
    expect(await ids(host)).toHaveLength(MOST + 1)
    // Used again, by its path and by its key: x3 is now the longest idle.
    await use(host, 'x1')
    await askWith(host, 'session.x2', TARGETS.latest)
    await use(host, 'one-more')
    const after = await ids(host)
    expect(after).toHaveLength(MOST + 1)
    expect(after).toEqual(expect.arrayContaining(['default', 'kept', 'x1', 'x2', 'x4', 'one-more']))
    expect(after).not.toContain('x3')
    // Created ones take the place of lazy ones as well.
    await create(host, 'another')
    expect(await ids(host)).not.toContain('x4')
    // Whoever was evicted starts anew.
    expect((await use(host, 'x3')).headers['x-price-feed-mock']).toMatch(/n=1$/)
    expect(await ids(host)).toContain('kept')
  })

  it('error: a change that fails costs nobody its session', async () => {
    const host = start()
    await fill(host, 0, MOST, use)
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

  it('error: 503 that says so, when all were created by name', async () => {
    const host = start()
    await fill(host, 0, MOST, create)
    const created = problemOf(await move(host, 'POST', '/_mock/sessions', {}), 503, 'SESSIONS_FULL')
    expect(created).toMatchObject({ detail: 'There are 1000 sessions, all created by name: no more fit.' })
    expect(created.fix).toContain('DELETE /_mock/sessions/{id}')
    problemOf(await use(host, 'lazy'), 503, 'SESSIONS_FULL')
    problemOf(await askWith(host, 'scenario.calm', TARGETS.latest), 503, 'SESSIONS_FULL')
    // Those that are there go on, and one that goes makes room.
    expect((await use(host, 'x0')).status).toBe(200)
    expect((await askWith(host, KEY, TARGETS.latest)).status).toBe(200)
    await move(host, 'DELETE', '/_mock/sessions/x7')
    expect((await use(host, 'lazy')).status).toBe(200)
    await create(host, 'x7')
    expect(await ids(host)).not.toContain('lazy')
  })
})
