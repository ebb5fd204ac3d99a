// GET /_mock/explain and planned faults in the summary: which faults applied, and why others did not.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import type { AdminClient } from '../../src/client/index.js'
import { catalogueFeeds } from '../../src/market/feeds-file.js'
import { adminRoute as move, problemOf } from '../support/admin.js'
import { KEY } from '../support/ask.js'
import { describeService } from '../support/hosts.js'

type Explained = Awaited<ReturnType<AdminClient['explain']>>
type Summary = Awaited<ReturnType<AdminClient['summarizeRequests']>>

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

  it('default: session, key, tick, signed bytes and digest of a calm answer', async () => {
    const explained = await move<Explained>(host, 'GET', explainUrl(LATEST))
    const answer = await host.request(LATEST, { headers: KEY })
    expect(explained).toMatchObject({
      session: 'default',
      seed: '42',
      scenario: 'calm',
      endpoint: 'latest',
      key: 'accepted',
      faults: [],
      outcome: { kind: 'reply', status: 200, body: answer.body },
    })
    const { price, ts, signature, recoveryId } = JSON.parse(answer.body)
    const tick = { feedId: 'BTCUSD', price: String(price), expo: -8, ts }
    expect(explained.ticks).toEqual([{ before: tick, after: tick }])
    const [signed] = explained.signatures
    expect(signed).toMatchObject({ layout: 'svm', shown: [tick], covered: [tick], signature, recoveryId })
    expect(hexToBytes(signed!.bytes)).toHaveLength(49)
    expect(bytesToHex(keccak_256(hexToBytes(signed!.bytes)))).toBe(signed!.digest)
  })

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

  it('behavior: each fault has applied, or has a reason', async () => {
    const path = await under(
      { fault: 'market/shock', feeds: ['BTCUSD'], options: { change: -0.5 } },
      { fault: 'market/shock', feeds: ['BTCUSD'], from: '1h' },
      { fault: 'market/gap', feeds: ['ETHUSD'] },
      { fault: 'tick/zero', endpoints: ['batch'] },
      { fault: 'tick/negative', from: '1h' },
      { fault: 'tick/wrong-expo', requests: '2' },
      { fault: 'signature/bit-flip', chance: 0 },
      { fault: 'signature/batch-reordered' },
      { fault: 'signature/wrong-signer', options: { testKey: 3 } },
      { fault: 'wire/reset', feeds: ['ETHUSD'] },
    )
    const { faults, ticks, signatures } = await move<Explained>(host, 'GET', explainUrl(path + LATEST))
    const explained = faults.map(({ fault, applied, reason }) => `${fault}: ${applied ? 'applied' : reason}`)
    expect(explained).toEqual([
      'market/shock: applied',
      'market/shock: not its time',
      'market/gap: another feed',
      'tick/zero: another endpoint',
      'tick/negative: not its time',
      'tick/wrong-expo: not one of its requests',
      'signature/bit-flip: not by chance',
      'signature/batch-reordered: another endpoint',
      'signature/wrong-signer: applied',
      'wire/reset: another feed',
    ])
    expect(ticks).toHaveLength(1)
    expect(signatures).toHaveLength(1)
  })

  it('behavior: a fault hidden by another is shown as such and not counted', async () => {
    const stale = { fault: 'market/stale', options: { age: '5m' } }
    const zero = { fault: 'tick/zero' }
    const table: [{ fault: string }, number | undefined][] = [
      [{ fault: 'reply/status' }, 503],
      [{ fault: 'reply/empty-body' }, 200],
      [{ fault: 'wire/reset' }, undefined],
      [{ fault: 'wire/timeout' }, undefined],
    ]
    for (const [hiding, status] of table) {
      const path = await under(stale, zero, hiding)
      const { faults, outcome } = await move<Explained>(host, 'GET', explainUrl(path + LATEST))
      expect(outcome.status).toBe(status)
      expect(faults.map(({ reason }) => reason)).toEqual([...Array(2).fill(`hidden by ${hiding.fault}`), undefined])
    }
    const path = await under(stale, zero, { fault: 'wire/truncate' })
    const { faults } = await move<Explained>(host, 'GET', explainUrl(path + LATEST))
    expect(faults.map(({ applied }) => applied)).toEqual([true, true, true])
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

describe('summary', () => {
  describeService('planned faults', start => {
    it('default: planned, hits, misses and the reason of the last miss', async () => {
      const host = start({
        scenario: {
          faults: [
            { fault: 'reply/status', endpoints: ['latest'], requests: { first: 2 }, options: { status: 503 } },
            { fault: 'market/stale', feeds: ['BTCUSD'], from: '10s', for: '5m' },
            { fault: 'wire/reset', endpoints: ['candles'], requests: '3' },
          ],
        },
      })
      for (let i = 0; i < 3; i++) await host.request(LATEST, { headers: KEY })
      expect((await move<Summary>(host, 'GET', '/_mock/sessions/default/requests/summary')).faults).toEqual([
        { fault: 'reply/status', planned: 'latest, first 2', hits: 2, misses: 1, lastMiss: 'not one of its requests' },
        { fault: 'market/stale', planned: 'BTCUSD, from 10s for 5m', hits: 0, misses: 3, lastMiss: 'not its time' },
        { fault: 'wire/reset', planned: 'candles, requests 3', hits: 0, misses: 0 },
      ])
    })
  })
})
