// The journal of a session: what it counts, its filters, and the keys that it hides. src/admin/whole-replies.test.ts has its fields.
import { expect, it } from 'vitest'
import type { JournalEntry } from '../../src/service/journal-entry.js'
import { adminRoute, askWith, KEY, move, problemOf, TARGETS } from '../support/admin.js'
import { describeService, type Host } from '../support/hosts.js'

describeService('the journal of a session', start => {
  const requests = async (host: Host, query = '', id = 'default') =>
    (await adminRoute<{ requests: JournalEntry[] }>(host, 'GET', `/_mock/sessions/${id}/requests${query}`)).requests

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
})
