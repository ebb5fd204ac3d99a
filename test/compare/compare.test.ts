// `compare` finds the options of another mock: with the configuration that it writes, no row differs, and later answers have one form.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { askService, compareWithOurs, compareWithProfile } from '../../src/compare/compare.js'
import { createOurs, toConfig } from '../../src/compare/ours.js'
import { shapeOf } from '../../src/compare/probe.js'
import { createFetch } from '../../src/hosts/fetch.js'
import { createMock } from '../../src/index.js'
import { parseExact, recoverSigners } from '../../src/signing/verify.js'
import { IS_FULL_RUN, PROPERTY_SEED } from '../support/seed.js'
import { arbitraryConfig, type ServiceConfig } from './arbitrary-config.js'
import { compareMocks, createService, optionsOf } from './run.js'

it('default: two equal mocks', async () => {
  const { rows, patch, requests } = await compareMocks({})
  expect(rows.filter(({ result }) => result !== 'same').map(({ probe }) => probe.name)).toEqual(['signers'])
  expect(patch).toEqual({})
  expect(requests).toBeLessThanOrEqual(130)
})

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

/** Configurations of a run; each takes one or two seconds. */
const RUNS = IS_FULL_RUN ? 200 : 8

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

it('behavior: a service without an option of ours is named, and changes are found by a profile', async () => {
  const { service, mock } = createService({})
  const changed = createService({ policy: { candles: 5 } })
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const response = await service.fetch(url, init)
    if (response.status !== 404) return response
    return new Response('{"detail":"gone"}', { status: 404, headers: response.headers })
  }
  const options = optionsOf()
  const asked = await askService({ ...service, fetch }, options)
  const { rows, patch } = await compareWithOurs(asked, options)
  expect(rows.filter(({ result }) => result === 'differs')).toMatchObject([
    { probe: { name: 'body of an error' }, isSolved: false },
  ])
  expect(patch).toEqual({})

  const recorded = asked.observed.seen
  mock.clock.advance('3h')
  const differing = async (one: typeof service) =>
    compareWithProfile(await askService(one, options), recorded)
      .filter(({ result }) => result === 'differs')
      .map(({ probe }) => probe.name)
  expect(await differing({ ...service, fetch })).toEqual([])
  expect(await differing({ ...changed.service })).toEqual(['candles', 'body of an error'])
})

it('behavior: it waits as long as the service asks, and stops at its limit of requests', async () => {
  const { service, lines } = createService({})
  let count = 0
  const urls: string[] = []
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    urls.push(url)
    return ++count % 20 === 10
      ? new Response('', { status: 429, headers: { 'retry-after': '7' } })
      : service.fetch(url, init)
  }
  const options = optionsOf()
  const { observed } = await askService({ ...service, fetch, maxRequests: 60 }, options)
  expect(urls).toHaveLength(60)
  expect(lines).toEqual(Array(3).fill('the service answered 429; asking again in 7 s.'))
  const reasons = new Set(Object.values(observed.notAsked))
  expect([...reasons]).toEqual(['the limit of 60 requests is reached'])
})

it('behavior: no key in a question, a row or an error', async () => {
  const { service } = createService({})
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const response = await service.fetch(url, init)
    const key = new Headers(init.headers).get('authorization')
    return response.status === 401
      ? new Response(`{"error":"no","you sent ${service.apiKey}":"${key}"}`, {
          status: 401,
          headers: { 'www-authenticate': `Key ${service.apiKey}` },
        })
      : response
  }
  const options = optionsOf()
  const asked = await askService({ ...service, fetch }, options)
  const compared = await compareWithOurs(asked, options)
  expect(
    JSON.stringify([asked.observed, asked.asker.answers.map(({ question }) => question), compared.patch]),
  ).not.toContain(service.apiKey)
})

it('error: replies of any form end no run', async () => {
  const junk = [
    'null',
    '[]',
    '7',
    '"x"',
    '{}',
    '{"prices":7}',
    '{"prices":[null,[]]}',
    '{"data":{"result":[null,{"time":"x"}]}}',
    '<html>',
    '',
  ]
  const signed = { feedId: 5, price: '1', ts: 1e300, expo: null, signature: 'ff'.repeat(65), recoveryId: 9 }
  junk.push(JSON.stringify({ prices: [signed], ...signed }), JSON.stringify({ BTCUSD: { high: signed, low: 7 } }))
  for (const body of junk) {
    const { service } = createService({})
    const fetch = async () => new Response(body, { headers: { date: 'never', 'retry-after': '-1' } })
    const options = optionsOf({}, { maxCandidates: 100 })
    const asked = await askService({ ...service, fetch }, options)
    expect(Object.keys({ ...asked.observed.seen, ...asked.observed.notAsked }), body).toHaveLength(34)
    if (body === 'null')
      expect((await compareWithOurs(asked, options)).rows.some(({ isSolved }) => isSolved === false)).toBe(true)
  }
})

it('error: a service that cannot be asked', async () => {
  const { service } = createService({})
  await expect(askService({ ...service, apiKey: 'other' }, optionsOf())).rejects.toThrow('cannot be asked')
  await expect(askService(service, optionsOf({}, { feeds: ['NOPEUSD'] }))).rejects.toMatchObject({
    code: 'SERVICE_REFUSED',
  })
  const fetch = () => Promise.reject(new TypeError('fetch failed'))
  await expect(askService({ ...service, fetch }, optionsOf())).rejects.toMatchObject({ code: 'NO_REPLY' })
})

it('args: a feed that the catalogue does not have', async () => {
  const feeds = { feeds: [{ id: 'ACMEUSD', base: 12.5, drivers: { crypto: 0.5, ACMEUSD: 0.4 } }] }
  const { service } = createService({ feeds })
  const options = optionsOf({}, { feeds: ['ACMEUSD', 'BTCUSD'] })
  const { rows, patch } = await compareWithOurs(await askService(service, options), options)
  expect(rows.filter(({ isSolved }) => isSolved === false)).toEqual([])
  expect(patch.feeds).toMatchObject({ ACMEUSD: { base: expect.any(Number) } })
  expect(() => createOurs({ settings: {}, feeds: undefined }, patch)).not.toThrow()
})
