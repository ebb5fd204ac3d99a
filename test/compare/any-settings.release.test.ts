// The configuration that `compare` writes, for a service with any settings: no row differs, and later answers have one form.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toConfig } from '../../src/compare/compare.js'
import { shapeOf } from '../../src/compare/probe.js'
import { createFetch } from '../../src/hosts/fetch.js'
import { createMock } from '../../src/index.js'
import { parseExact, recoverSigners } from '../../src/signing/verify.js'
import { PROPERTY_SEED } from '../support/seed.js'
import { arbitraryConfig, type ServiceConfig } from './arbitrary-config.js'
import { compareMocks } from './run.js'

/** Requests that no probe makes in this form, at times that no probe has seen. */
const LATER = [
  '/prices/batch?feedIds=ETHUSD,SOLUSD',
  '/prices/batch?feedIds=BTCUSD,ETHUSD,SOLUSD,NOPEUSD',
  '/prices/evm/crypto?feedIds=ETHUSD',
  '/prices/evm/crypto?feedIds=EURUSD,XAUUSD,BTCUSD',
  '/prices/queryHistory?feedIds=SOLUSD,ETHUSD&minutes=60',
  '/prices/queryHistory?feedIds=BTCUSD&minutes=100000',
  '/prices/queryHistory?feedIds=BTCUSD&minutes=x',
  '/prices/ETHUSD/latest',
  '/prices/SOLUSD/latest',
  '/prices/NOPEUSD/latest',
  '/charting/feeds-data?feedids=ethusd&feed=ethusd&type=1&interval=5m',
  '/charting/feeds-data?feedids=ethusd&feed=ethusd&type=1&interval=5x',
]

/** The forms of later answers: status, headers, types, exponents, ids, ages, number of candles, and signers. */
async function formsOf({ feeds, ...settings }: ServiceConfig) {
  const mock = createMock({ ...settings, feeds, apiKeys: ['k'], clock: { at: '2025-09-01T00:00:00Z', frozen: true } })
  const fetch = createFetch(mock)
  const { svm, evm, layouts } = mock.sessions.default.runtime.settings.signing
  const forms: unknown[] = []
  for (const [i, path] of LATER.entries()) {
    mock.clock.advance(7)
    const response = await fetch(`http://mock${path}`, { headers: i === 5 ? {} : { authorization: 'k' } })
    const body = parseExact(await response.text())
    const { status, headers } = response
    const signed = status === 200 && !path.startsWith('/charting')
    const symbolOf = (number: number) =>
      mock.sessions.default.runtime.market.feeds.find(feed => feed.number === number)?.id
    const signers = signed ? recoverSigners(body, { svm: layouts[svm], evm: layouts[evm], symbolOf }) : []
    forms.push({
      path,
      status,
      headers: [...headers].filter(([name]) => !/^(date|content-length|x-price-feed-mock)$/.test(name)),
      shape: shapeOf(body, [], path.startsWith('/charting')),
      signers: signers.map(({ address, prices }) => [
        address,
        ...prices.map(({ feedId, expo, ts }) => [feedId, expo, ts]),
      ]),
      form: JSON.stringify(body).match(/"signature":"(0x)?/)?.[1],
      ids: JSON.stringify(body).match(/"feedId":[^,]*/g),
      candles: (body as { data?: { result: [] } }).data?.result.length,
    })
  }
  return forms
}

/** Configurations of a run. */
const RUNS = 30

it(
  'behavior: the written configuration gives the answers of the service, whatever its settings',
  async () => {
    const found: string[] = []
    await fc.assert(
      fc.asyncProperty(arbitraryConfig, async config => {
        const { patch, rows } = await compareMocks(config)
        const written = toConfig({ settings: {}, feeds: undefined }, patch) as ServiceConfig
        expect(rows.filter(({ isSolved }) => isSolved === false).map(({ probe }) => probe.name)).toEqual([])
        const again = await compareMocks(config, written)
        expect(again.rows.filter(({ result }) => !/same|own/.test(result)).map(({ probe }) => probe.name)).toEqual([])
        expect(await formsOf(written)).toEqual(await formsOf(config))
        found.push(
          ...Object.keys(written.policy ?? {}),
          ...Object.keys(written.signing ?? {}),
          ...(written.feeds ? ['feeds'] : []),
        )
      }),
      { seed: PROPERTY_SEED, numRuns: RUNS, endOnFailure: true },
    )
    // The run has met every option.
    expect(new Set(found).size).toBe(12)
  },
  RUNS * 20_000,
)
