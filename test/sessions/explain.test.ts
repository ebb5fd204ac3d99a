// GET /_mock/explain and planned faults in the summary: which faults applied, and why others did not.
import { expect, it } from 'vitest'
import type { AdminClient } from '../../src/client/index.js'
import { catalogueFeeds } from '../../src/market/feeds-file.js'
import { adminRoute as move, problemOf } from '../support/admin.js'
import { KEY } from '../support/ask.js'
import { describeService } from '../support/hosts.js'

type Explained = Awaited<ReturnType<AdminClient['explain']>>

const LATEST = '/prices/BTCUSD/latest'
const explainUrl = (url: string, more = ''): string => `/_mock/explain?url=${encodeURIComponent(url)}${more}`

describeService('explain', start => {
  const host = start()
  let sessions = 0
  /** The path of a new session under some faults. */
  const under = async (...faults: readonly object[]): Promise<string> => {
    const id = `explained-${++sessions}`
    await move(host, 'POST', '/_mock/sessions', { id, scenario: { faults } })
    return `/session/${id}`
  }

  it('behavior: a long message is truncated, unless the whole is asked for', async () => {
    const url = explainUrl(`/prices/batch?feedIds=${catalogueFeeds().map(({ id }) => id)}`)
    const [short, whole] = [url, `${url}&body=whole`].map(each => move<Explained>(host, 'GET', each))
    const [cut, bytes] = [(await short!).signatures[0]!.bytes, (await whole!).signatures[0]!.bytes]
    expect(bytes).toHaveLength(2 * 49 * catalogueFeeds().length)
    expect(cut).toBe(`${bytes.slice(0, 2000)}… ${bytes.length - 2000} more`)
  })

  it('behavior: it counts nothing and changes nothing', async () => {
    const path = await under(
      { fault: 'reply/rate-limit', options: { limit: 1 } },
      { fault: 'tick/zero', requests: '1' },
    )
    const before = await move<Explained>(host, 'GET', explainUrl(path + LATEST))
    expect(await move<Explained>(host, 'GET', explainUrl(path + LATEST))).toEqual(before)
    expect(before).toMatchObject({ ordinal: 1, outcome: { status: 200 } })
    expect((await host.request(path + LATEST, { headers: KEY })).status).toBe(200)
    expect(await move<Explained>(host, 'GET', explainUrl(path + LATEST))).toMatchObject({
      ordinal: 2,
      outcome: { status: 429 },
    })
  })

  it('behavior: it creates no session and starts no clock', async () => {
    const listed = () => move<{ sessions: readonly object[] }>(host, 'GET', '/_mock/sessions')
    const before = await listed()
    for (const path of ['/session/nobody-yet', '/scenario/key-revoked'])
      expect((await move<Explained>(host, 'GET', explainUrl(path + LATEST))).outcome.status).toBe(200)
    const byKey = await move<Explained>(host, 'GET', explainUrl(LATEST, '&key=scenario.unauthorized'))
    expect([byKey.session, byKey.outcome.status]).toEqual(['scenario.unauthorized', 401])
    expect(await listed()).toEqual(before)
  })

  it('behavior: it shows tampered values beside the signed ones', async () => {
    const path = await under({ fault: 'signature/tampered-price', options: { by: 0.5 } }, { fault: 'tick/ts-skew' })
    const { ticks, signatures } = await move<Explained>(host, 'GET', explainUrl(path + LATEST))
    const [{ before, after }] = ticks as [Explained['ticks'][number]]
    expect(after.ts - before.ts).toBe(30)
    const [{ shown, covered }] = signatures as [Explained['signatures'][number]]
    expect(covered).toEqual([after])
    expect(Number(shown[0]!.price) / Number(covered[0]!.price)).toBeCloseTo(1.5)
  })

  it('behavior: an invalid key, a missing one, and an outcome without a reply', async () => {
    const path = await under({ fault: 'wire/timeout', requests: '1' })
    expect(await move<Explained>(host, 'GET', explainUrl(LATEST, '&key=wrong'))).toMatchObject({
      key: 'refused',
      outcome: { status: 401 },
    })
    expect(await move<Explained>(host, 'GET', explainUrl(LATEST, '&key='))).toMatchObject({ key: 'missing' })
    expect((await move<Explained>(host, 'GET', explainUrl(path + LATEST))).outcome).toEqual({
      kind: 'timeout',
      delayMs: 0,
    })
  })

  it('behavior: an absolute URL and a path without its slash', async () => {
    const whole = await move<Explained>(host, 'GET', explainUrl(`http://127.0.0.1:4700${LATEST}`))
    expect(whole).toMatchObject({ endpoint: 'latest', outcome: { status: 200 } })
    expect(await move<Explained>(host, 'GET', explainUrl(LATEST.slice(1)))).toMatchObject({ endpoint: 'latest' })
  })

  it('error: 400 for a URL of no endpoint, 404 for an unknown scenario', async () => {
    for (const query of [
      explainUrl('/price/BTCUSD'),
      '/_mock/explain',
      '/_mock/explain?url=',
      explainUrl(LATEST, '&x=1'),
    ])
      problemOf(await host.request(query), 400, 'REQUEST_INVALID')
    problemOf(await host.request(explainUrl('/scenario/clam/prices/BTCUSD/latest')), 404, 'SCENARIO_UNKNOWN')
  })
})
