// Every assumption with an option: its default and its other values. An option without cases fails.
import { expect, it } from 'vitest'
import type { MockOptions } from '../../src/index.js'
import type { Layout } from '../../src/settings/layouts.js'
import { ask, askError, type Batch, type Chart, type Evm, type History, type Price } from '../support/ask.js'
import { listAssumptions } from '../support/assumptions.js'
import { describeHosts, type Host } from '../support/hosts.js'

interface Case {
  readonly title: string
  /** Options of the host; the defaults when left out. */
  readonly options?: MockOptions
  run(host: Host): Promise<void>
}

const CHART = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1m'
const LAYOUT: Layout = { fields: ['ts:u32be'], digest: 'sha256', prefix: 'none', signature: 'rsy', hexPrefix: '0x' }
/** More feeds than a request may name. */
const MANY = {
  feeds: Array.from({ length: 60 }, (_, i) => ({ id: `COPY${i}USD`, parent: 'BTCUSD', number: 90_000 + i })),
}
const idsOf = async (host: Host, count: number): Promise<string> => {
  const { feeds } = JSON.parse((await host.request('/_mock/feeds')).body) as { feeds: { id: string }[] }
  expect(feeds.length).toBeGreaterThan(101)
  return feeds
    .slice(0, count)
    .map(({ id }) => id)
    .join(',')
}
const askMissing = async (host: Host, status: number): Promise<void> => {
  for (const path of ['/prices/batch', '/prices/evm/crypto?feedIds=', '/prices/queryHistory?feedIds=BTCUSD&minutes=x'])
    expect((await askError(host, path, status)).error).toBe('bad_request')
}
const challengeOf = async (host: Host): Promise<string | undefined> =>
  (await host.request('/prices/BTCUSD/latest', { headers: {} })).headers['www-authenticate']
const signatureOf = async (host: Host): Promise<string> => (await ask<Price>(host, '/prices/BTCUSD/latest')).signature
const evmSignatureOf = async (host: Host): Promise<string> =>
  (await ask<Evm>(host, '/prices/evm/crypto?feedIds=BTCUSD')).prices[0]!.signature

const CASES: Readonly<Record<string, readonly Case[]>> = {
  'policy.missingParameter': [
    { title: '400', run: host => askMissing(host, 400) },
    { title: '422', options: { policy: { missingParameter: 422 } }, run: host => askMissing(host, 422) },
  ],
  'policy.unknownFeed': [
    {
      title: 'reject: 404 that names the unknown ids, on all four endpoints',
      async run(host) {
        for (const path of ['batch?feedIds=', 'evm/crypto?feedIds=', 'queryHistory?minutes=5&feedIds='])
          expect((await askError(host, `/prices/${path}BTCUSD,NOUSD`, 404)).message).toContain('NOUSD')
        expect((await askError(host, '/prices/NOUSD/latest', 404)).message).toContain('NOUSD')
      },
    },
    {
      title: 'omit: known feeds are answered, 404 without any',
      options: { policy: { unknownFeed: 'omit' } },
      async run(host) {
        const { prices, signature } = await ask<Batch>(host, '/prices/batch?feedIds=NOUSD,BTCUSD')
        expect(prices.map(({ feedId }) => feedId)).toEqual(['BTCUSD'])
        expect(signature).toBe(await signatureOf(host))
        expect((await ask<Evm>(host, '/prices/evm/crypto?feedIds=BTCUSD,NOUSD')).prices).toHaveLength(1)
        const history = await ask<History>(host, '/prices/queryHistory?minutes=5&feedIds=BTCUSD,NOUSD')
        expect(Object.keys(history)).toEqual(['BTCUSD'])
        expect((await askError(host, '/prices/batch?feedIds=NOUSD,NIXUSD', 404)).error).toBe('unknown_feed')
        await askError(host, '/prices/NOUSD/latest', 404)
      },
    },
  ],
  'policy.maxMinutes': [
    {
      title: '525600, a year',
      async run(host) {
        await ask(host, '/prices/queryHistory?feedIds=BTCUSD&minutes=525600')
        await askError(host, '/prices/queryHistory?feedIds=BTCUSD&minutes=525601', 400)
      },
    },
    {
      title: 'less',
      options: { policy: { maxMinutes: 60 } },
      async run(host) {
        await ask(host, '/prices/queryHistory?feedIds=BTCUSD&minutes=60')
        const { message } = await askError(host, '/prices/queryHistory?feedIds=BTCUSD&minutes=61', 400)
        expect(message).toContain(' 60 ')
      },
    },
    {
      title: 'more',
      options: { policy: { maxMinutes: 600_000 } },
      run: async host => void (await ask(host, '/prices/queryHistory?feedIds=BTCUSD&minutes=600000')),
    },
  ],
  'policy.maxFeedIds': [
    {
      title: '100',
      options: { feeds: MANY },
      async run(host) {
        expect((await ask<Batch>(host, `/prices/batch?feedIds=${await idsOf(host, 100)}`)).prices).toHaveLength(100)
        const { error } = await askError(host, `/prices/batch?feedIds=${await idsOf(host, 101)}`, 400)
        expect(error).toBe('too_many_feeds')
      },
    },
    {
      title: 'less, duplicates do not count',
      options: { policy: { maxFeedIds: 2 } },
      async run(host) {
        await ask(host, '/prices/batch?feedIds=BTCUSD,ETHUSD,btcusd,BTCUSD')
        for (const path of ['batch?feedIds=', 'evm/crypto?feedIds=', 'queryHistory?minutes=5&feedIds='])
          await askError(host, `/prices/${path}BTCUSD,ETHUSD,SOLUSD`, 400)
      },
    },
    {
      title: 'more',
      options: { feeds: MANY, policy: { maxFeedIds: 101 } },
      run: async host => void (await ask(host, `/prices/batch?feedIds=${await idsOf(host, 101)}`)),
    },
  ],
  'policy.evmClasses': [
    {
      title: 'all: FX, metals and stables are served',
      async run(host) {
        const { prices } = await ask<Evm>(host, '/prices/evm/crypto?feedIds=BTCUSD,EURUSD,XAUUSD,USDCUSD')
        expect(prices).toHaveLength(4)
      },
    },
    {
      title: 'a list: other classes are unknown there, and only there',
      options: { policy: { evmClasses: ['crypto', 'metal'] } },
      async run(host) {
        expect((await ask<Evm>(host, '/prices/evm/crypto?feedIds=BTCUSD,XAUUSD')).prices).toHaveLength(2)
        expect((await askError(host, '/prices/evm/crypto?feedIds=BTCUSD,EURUSD', 404)).message).toContain('EURUSD')
        await ask(host, '/prices/batch?feedIds=BTCUSD,EURUSD')
      },
    },
    {
      title: 'a list with omit: other classes are left out',
      options: { policy: { evmClasses: ['fx'], unknownFeed: 'omit' } },
      async run(host) {
        const { prices } = await ask<Evm>(host, '/prices/evm/crypto?feedIds=BTCUSD,EURUSD')
        expect(prices.map(({ feedId }) => feedId)).toEqual(['EURUSD'])
      },
    },
  ],
  'policy.batchFeedId': [
    {
      title: 'symbol',
      async run(host) {
        const { prices } = await ask<Batch>(host, '/prices/batch?feedIds=btcusd,ETHUSD')
        expect(prices.map(({ feedId }) => feedId)).toEqual(['BTCUSD', 'ETHUSD'])
      },
    },
    {
      title: 'integer: the number of the catalogue, in the batch alone; the signed bytes keep the symbol',
      options: { policy: { batchFeedId: 'integer' } },
      async run(host) {
        const { prices, signature } = await ask<Batch>(host, '/prices/batch?feedIds=ETHUSD')
        expect(prices.map(({ feedId }) => feedId)).toEqual([2])
        const latest = await ask<Price>(host, '/prices/ETHUSD/latest')
        expect(latest).toMatchObject({ feedId: 'ETHUSD', signature })
      },
    },
  ],
  'policy.candles': [
    { title: '300', run: async host => expect((await ask<Chart>(host, CHART)).data.result).toHaveLength(300) },
    {
      title: '7, the newest',
      options: { policy: { candles: 7 } },
      async run(host) {
        const { result } = (await ask<Chart>(host, CHART)).data
        expect(result.map(({ time }) => time)).toEqual(
          Array.from({ length: 7 }, (_, i) => Date.UTC(2025, 6, 24, 10, 42 + i)),
        )
      },
    },
  ],
  'policy.wwwAuthenticate': [
    { title: 'none', run: async host => expect(await challengeOf(host)).toBeUndefined() },
    {
      title: 'a scheme',
      options: { policy: { wwwAuthenticate: 'ApiKey realm="prices"' } },
      run: async host => expect(await challengeOf(host)).toBe('ApiKey realm="prices"'),
    },
  ],
  'signing.evm': [
    { title: '65 bytes', run: async host => expect(await evmSignatureOf(host)).toMatch(/^[0-9a-f]{128}(1b|1c)$/) },
    {
      title: 'another layout, for that form alone',
      options: { signing: { evm: 'mine', layouts: { mine: LAYOUT } } },
      async run(host) {
        expect(await evmSignatureOf(host)).toMatch(/^0x[0-9a-f]{128}0[01]$/)
        expect(await signatureOf(host)).toMatch(/^[0-9a-f]{128}$/)
      },
    },
  ],
  'signing.layouts': [
    {
      title: 'svm and evm',
      async run(host) {
        const { signing } = JSON.parse((await host.request('/_mock/info')).body)
        expect(signing).toMatchObject({ svm: 'svm', evm: 'evm' })
        expect(Object.keys(signing.layouts)).toEqual(['svm', 'evm'])
      },
    },
    {
      title: 'a custom layout under its name',
      options: { signing: { layouts: { mine: LAYOUT } } },
      async run(host) {
        const { signing } = JSON.parse((await host.request('/_mock/info')).body)
        expect(signing).toMatchObject({ svm: 'svm', evm: 'evm', layouts: { mine: LAYOUT } })
        expect(Object.keys(signing.layouts)).toEqual(['svm', 'evm', 'mine'])
      },
    },
    {
      title: 'a custom layout that replaces a built-in one',
      options: { signing: { layouts: { svm: LAYOUT } } },
      run: async host => expect(await signatureOf(host)).toMatch(/^0x[0-9a-f]{128}0[01]$/),
    },
  ],
  'signing.svm': [
    { title: '64 bytes', run: async host => expect(await signatureOf(host)).toMatch(/^[0-9a-f]{128}$/) },
    {
      title: 'the layout of the EVM form',
      options: { signing: { svm: 'evm' } },
      run: async host => expect(await signatureOf(host)).toBe(await evmSignatureOf(host)),
    },
  ],
}

it('behavior: every option has its cases, the default first', () => {
  expect(Object.keys(CASES)).toEqual(listAssumptions().flatMap(({ option }) => option ?? []))
  for (const cases of Object.values(CASES)) expect(cases.length).toBeGreaterThan(1)
})

describeHosts('assumptions', start => {
  for (const [option, cases] of Object.entries(CASES))
    for (const [i, { title, options, run }] of cases.entries())
      it(`${i === 0 ? 'default' : 'args'}: ${option}: ${title}`, () => run(start(options)))

  // Without faults, a feed lacks a price only before its first tick.
  it('behavior: a feed without a price counts as unknown', async () => {
    const clock = { at: '1970-01-01T00:00:00Z', frozen: true }
    const host = start({ clock })
    expect((await askError(host, '/prices/batch?feedIds=EURUSD,BTCUSD', 404)).message).toContain('BTCUSD')
    await askError(host, '/prices/queryHistory?feedIds=BTCUSD&minutes=5', 404)
    const omitting = start({ clock, policy: { unknownFeed: 'omit' } })
    const { prices } = await ask<Batch>(omitting, '/prices/batch?feedIds=EURUSD,BTCUSD')
    expect(prices.map(({ feedId }) => feedId)).toEqual(['EURUSD'])
  })

  it('behavior: 405 before 401 before 400 before 404; ids are not trimmed, unknown parameters are ignored', async () => {
    const host = start()
    const statusOf = async (path: string, headers: Record<string, string>, method = 'GET') =>
      (await host.request(path, { headers, method })).status
    const key = { authorization: 'test-api-key' }
    expect(await statusOf('/prices/queryHistory?feedIds=NOUSD', {}, 'POST')).toBe(405)
    expect(await statusOf('/prices/queryHistory?feedIds=NOUSD', {})).toBe(401)
    expect(await statusOf('/prices/queryHistory?feedIds=NOUSD', key)).toBe(400)
    expect(await statusOf('/prices/queryHistory?feedIds=NOUSD&minutes=5', key)).toBe(404)
    expect(await statusOf('/charting/feeds-data', key)).toBe(404)
    expect((await askError(host, '/prices/batch?feedIds=BTCUSD,%20ETHUSD', 404)).message).toContain('" ETHUSD"')
    await ask(host, '/prices/batch?feedIds=BTCUSD&unknown=1')
  })
})
