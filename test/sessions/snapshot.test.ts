// Snapshots: restored here or on another server they lead to the same bytes; invalid ones are rejected.
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Snapshot } from '../../src/service/snapshot.js'
import { ALL_TARGETS, adminRoute, askWith, digest, move, problemOf, type Shown, TARGETS } from '../support/admin.js'
import { describeService, type Host, httpHost } from '../support/hosts.js'

const KEY = 'test-api-key'
const SESSION = '/_mock/sessions/default'
const take = async (host: Host, id = 'default') =>
  (await adminRoute<{ snapshot: Snapshot }>(host, 'POST', `/_mock/sessions/${id}/snapshot`)).snapshot
const restore = (host: Host, snapshot: unknown, id = 'default') =>
  move(host, 'POST', `/_mock/sessions/${id}/restore`, { snapshot })
/** Hashes of the answers in order: status, every header with `n`, body. */
const trace = async (host: Host, key = KEY, prefix = '') => {
  const digests: string[] = []
  for (const target of [...ALL_TARGETS, TARGETS.latest, '/prices/NOPE/latest'])
    digests.push(digest(await askWith(host, key, prefix + target)))
  return digests
}
const CHANGE = {
  seed: 'of a snapshot',
  clock: { at: '2031-05-06T07:08:09Z', frozen: true },
  policy: { candles: 9, unknownFeed: 'omit' },
  signer: 6,
  prices: { BTCUSD: 50_000, ethusd: 2.5 },
  signing: {
    svm: 'own',
    layouts: {
      own: { fields: ['ts:u64be', 'price:u64be'], digest: 'sha256', prefix: 'none', signature: 'rs', hexPrefix: '0x' },
    },
  },
}

describeService('a snapshot', start => {
  it('default: restoring it leads to the same bytes, counters included', async () => {
    const host = start()
    await adminRoute(host, 'PATCH', SESSION, CHANGE)
    await trace(host)
    const snapshot = await take(host)
    expect(snapshot.state.n).toBe(7)
    const first = await trace(host)
    await adminRoute(host, 'PATCH', SESSION, {
      seed: 'x',
      clock: { advance: '9d' },
      prices: { BTCUSD: null },
      signer: 1,
    })
    expect(await trace(host)).not.toEqual(first)
    expect((await restore(host, snapshot)).status).toBe(200)
    expect(await take(host)).toEqual(snapshot)
    expect(await trace(host)).toEqual(first)
  })

  it('behavior: the journal keeps the entries before the snapshot and loses the ones after', async () => {
    const host = start()
    await askWith(host, KEY, TARGETS.latest)
    const snapshot = await take(host)
    for (let n = 2; n <= 4; n++) await askWith(host, KEY, TARGETS.latest)
    await restore(host, snapshot)
    await askWith(host, KEY, TARGETS.evm)
    const { requests } = await adminRoute<{ requests: object[] }>(host, 'GET', `${SESSION}/requests`)
    expect(requests).toMatchObject([
      { n: 1, endpoint: 'latest' },
      { n: 2, endpoint: 'evm' },
    ])
  })

  it('behavior: it can be restored on another server, in another session, over other settings', async () => {
    const here = start()
    const there = start({ seed: 'elsewhere', clock: { at: 5, frozen: true }, policy: { candles: 1 }, signer: 9 })
    await adminRoute(here, 'PATCH', SESSION, CHANGE)
    await trace(here)
    const wire = JSON.parse(JSON.stringify(await take(here)))
    const first = await trace(here)
    await restore(there, wire)
    expect(await trace(there)).toEqual(first)
    await adminRoute(there, 'POST', '/_mock/sessions', { id: 'named' })
    const shown = JSON.parse((await restore(there, wire, 'named')).body) as Shown
    expect(shown).toMatchObject({ id: 'named', apiKey: 'session.named', seed: CHANGE.seed, requests: 7 })
    expect(await take(there, 'named')).toEqual(wire)
  })

  it('behavior: a running clock continues from the time of the snapshot', async () => {
    const host = start({ clock: { at: '2025-07-24T10:48:25Z', speed: 0.001 } })
    const snapshot = await take(host)
    expect(snapshot.clock).toMatchObject({ speed: 0.001, frozen: false })
    await adminRoute(host, 'PATCH', SESSION, { clock: { at: 5, speed: 100, frozen: true } })
    expect(JSON.parse((await restore(host, snapshot)).body).clock).toMatchObject({
      at: expect.stringMatching(/^2025-07-24T10:48:2/),
      speed: 0.001,
      frozen: false,
    })
  })

  it('behavior: taking one changes nothing', async () => {
    const host = start()
    await trace(host)
    expect(await take(host)).toEqual(await take(host))
    expect((await adminRoute(host, 'GET', SESSION)).requests).toBe(7)
  })

  it('behavior: reset of a restored session leads to its original settings', async () => {
    const host = start()
    const created = await adminRoute(host, 'GET', SESSION)
    await adminRoute(host, 'PATCH', SESSION, CHANGE)
    await restore(host, await take(host))
    expect(await adminRoute(host, 'POST', `${SESSION}/reset`)).toEqual(created)
  })
})

describe('an invalid snapshot', async () => {
  const host = await httpHost({ clock: { at: 1_753_354_105, frozen: true } })
  afterAll(host.stop)
  const good = await take(host)
  const refuse = async (snapshot: unknown) => {
    const before = await take(host)
    const details = problemOf(await restore(host, snapshot), 400, 'SNAPSHOT_INVALID')
    expect(await take(host)).toEqual(before)
    return (details.problems ?? []).map(({ at }) => at)
  }

  it.each([null, 5, 'text', [], {}, [good]])('error: %j', async snapshot => {
    expect((await refuse(snapshot)).length).toBeGreaterThan(0)
  })

  it('error: every problem at once', async () => {
    const { seed: _, ...rest } = good
    const bad = {
      ...rest,
      version: 2,
      extra: 1,
      policy: { ...good.policy, candles: 0 },
      signer: 10,
      clock: { virtualMs: -1, speed: 0, frozen: 'no' },
      state: { n: 1.5, ordinals: { latest: -1 } },
    }
    expect((await refuse(bad)).sort()).toEqual(
      ['clock.frozen', 'clock.speed', 'clock.virtualMs', 'extra', 'policy.candles', 'seed', 'signer', 'state.n']
        .concat('state.applied', 'state.faults', 'state.ordinals.latest', 'version')
        .sort(),
    )
  })

  it('error: a snapshot of other feeds', async () => {
    const other = await httpHost({ feeds: { extends: 'none', feeds: [{ id: 'XUSD', base: 5, drivers: { x: 0.5 } }] } })
    onTestFinished(other.stop)
    expect(await refuse(await take(other))).toEqual(['feeds'])
    problemOf(await restore(other, good), 400, 'SNAPSHOT_INVALID')
  })

  // Restored, an impossible state would lead to a 500, or to prices on which endpoints disagree.
  it.each([
    ['an unknown layout', 'signing.svm', { signing: { ...good.signing, svm: 'nope' } }],
    ['a price that no layout can sign', 'overrides', { overrides: { BTCUSD: [{ from: 0, factor: 1e30 }] } }],
    ['a price of 0', 'overrides', { overrides: { BTCUSD: [{ from: 0, factor: 1e-30 }] } }],
    ['an unknown feed', 'overrides', { overrides: { NOPEUSD: [{ from: 0, factor: 2 }] } }],
    [
      'prices out of order',
      'overrides',
      { overrides: { BTCUSD: [9, 5].map(from => ({ from: 1_753_354_100 + from, factor: from })) } },
    ],
    ['no API key', 'apiKeys', { apiKeys: [] }],
    ['a key that is no header value', 'apiKeys', { apiKeys: ['a\r\nb'] }],
    ['no seed', 'seed', { seed: '' }],
    ['a very long seed', 'seed', { seed: 'x'.repeat(100_000) }],
  ])('error: %s', async (_, at, change) => {
    const problems = await refuse({ ...good, ...change })
    expect(problems.length).toBeGreaterThan(0)
    for (const problem of problems) expect(problem.startsWith(at)).toBe(true)
  })
})

describe('a private key', async () => {
  const secret = 'c0ffee'.padStart(64, '1')
  const host = await httpHost({ signerKeyUnsafe: secret, clock: { at: 5000, frozen: true } })
  const other = await httpHost({ clock: { at: 5000, frozen: true } })
  afterAll(() => Promise.all([host.stop(), other.stop()]))

  it('behavior: no snapshot contains it', async () => {
    const text = JSON.stringify(await take(host)).toLowerCase()
    expect(text).not.toContain('c0ffee')
    expect(text).not.toContain(String(BigInt(`0x${secret}`)))
  })

  it('behavior: a server with the key restores the same bytes', async () => {
    const snapshot = await take(host)
    const first = await trace(host)
    await restore(host, snapshot)
    expect(await trace(host)).toEqual(first)
  })

  it('error: a server without the key does not show its address', async () => {
    const reply = await restore(other, await take(host))
    const { signer } = await adminRoute(host, 'GET', SESSION)
    // Rejected, or restored with another signer: never with the address of the key.
    if (reply.status === 200) expect((JSON.parse(reply.body) as Shown).signer.address).not.toBe(signer.address)
    else problemOf(reply, 400, 'SNAPSHOT_INVALID')
  })

  it('behavior: a snapshot of a test key keeps that key on a server with a private key', async () => {
    const snapshot = await take(other)
    const { signer } = await adminRoute(other, 'GET', SESSION)
    await adminRoute(host, 'POST', '/_mock/sessions', { id: 'ported' })
    const reply = await restore(host, snapshot, 'ported')
    expect((JSON.parse(reply.body) as Shown).signer).toEqual(signer)
  })

  it('behavior: a session with a test key keeps it on a server with a private key', async () => {
    const shown = await adminRoute(host, 'POST', '/_mock/sessions', { id: 'asked', signer: 3 })
    expect(shown.signer.testKey).toBe(3)
  })
})
