// The journal in pages: no reply above 1 MB, and all requests in order for a client that follows `next`.
import { describe, expect, it } from 'vitest'
import { createAdminClient, listAllRequests } from '../../src/client/index.js'
import { openSession } from '../../src/testing/price-feed.js'
import { adminRoute, askWith, KEY, move, problemOf, TARGETS } from '../support/admin.js'
import { AT, describeService, type Host, REFERENCE } from '../support/hosts.js'

const REQUESTS = '/_mock/sessions/default/requests'
type Page = { readonly requests: { n: number; target: string; targetLength?: number }[]; readonly next?: number }

/** A `fetch` of the admin routes of a host. */
const fetchOf =
  (host: Host, watch: (text: string) => void = () => {}) =>
  async (path: string, { method = 'GET', body }: RequestInit = {}) => {
    const reply = await move(host, method, path, body == null ? undefined : JSON.parse(String(body)))
    watch(reply.body)
    return new Response(reply.body === '' ? null : reply.body, { status: reply.status })
  }
const clientOf = (...of: Parameters<typeof fetchOf>) => createAdminClient({ url: 'http://mock', fetch: fetchOf(...of) })

describeService('pages of the journal', start => {
  it('default: one page of all requests, without next', async () => {
    const host = start()
    for (let i = 0; i < 5; i++) await askWith(host, KEY, TARGETS.latest)
    const page = await adminRoute<Page>(host, 'GET', REQUESTS)
    expect(page.requests.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5])
    expect(page).not.toHaveProperty('next')
  })

  it('args: limit and after', async () => {
    const host = start()
    for (let i = 0; i < 5; i++) await askWith(host, KEY, i === 2 ? '/prices/NOPEUSD/latest' : TARGETS.latest)
    const first = await adminRoute<Page>(host, 'GET', `${REQUESTS}?limit=2`)
    expect(first.requests.map(({ n }) => n)).toEqual([1, 2])
    const second = await adminRoute<Page>(host, 'GET', `${REQUESTS}?limit=2&after=${first.next}&status=200`)
    expect(second.requests.map(({ n }) => n)).toEqual([4, 5])
    expect(second).not.toHaveProperty('next')
    expect((await adminRoute<Page>(host, 'GET', `${REQUESTS}?after=5`)).requests).toEqual([])
  })

  it.each(['limit=0', 'limit=1001', 'limit=x', 'limit=', 'after=-1', 'after=x', 'after='])('error: %s', async query => {
    problemOf(await move(start(), 'GET', `${REQUESTS}?${query}`), 400, 'REQUEST_INVALID')
  })
})

// In process: over HTTP characters beyond ASCII are malformed or escaped, and no journal needs a second page by its bytes.
describe('pages by their bytes', () => {
  const start = () => REFERENCE.start({ clock: { at: AT, frozen: true } })

  it('behavior: no page is above 1 MB, and pages together hold every entry', async () => {
    const host = await start()
    // Characters beyond ASCII take six bytes each in a reply.
    for (let i = 0; i < 450; i++) await askWith(host, KEY, `${TARGETS.latest}?${i}${'\u00ff'.repeat(5000)}`)
    const lengths: number[] = []
    const all = await listAllRequests(
      clientOf(host, text => lengths.push(text.length)),
      { id: 'default' },
    )
    expect(lengths.length).toBeGreaterThan(1)
    expect(Math.max(...lengths)).toBeLessThan(1_000_000)
    expect(all.length).toBeGreaterThan(400)
    expect(all.map(({ n }) => n)).toEqual(Array.from({ length: all.length }, (_, i) => 450 - all.length + i + 1))
    expect(all[0]).toMatchObject({ targetLength: expect.any(Number) })
    const summary = await adminRoute<{ requests: number }>(host, 'GET', `${REQUESTS}/summary`)
    expect(summary.requests).toBe(450)
  })

  it('behavior: the kits see the requests of all pages', async () => {
    const host = await start()
    const { feed } = await openSession({ url: 'http://mock', fetch: fetchOf(host) } as never, {}, 1000)
    for (let i = 0; i < 440; i++)
      await askWith(host, `session.${feed.id}`, `${TARGETS.latest}?${i}${'\u00ff'.repeat(2000)}`)
    expect((await clientOf(host).listRequests({ id: feed.id })).next).toBeGreaterThan(0)
    expect(await feed.waitForRequests(400)).toHaveLength((await feed.requests()).length)
  })
})
