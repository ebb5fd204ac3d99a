// `compare` finds the options of another mock: with the configuration that it writes, no row differs, and later answers have one form.
import { expect, it } from 'vitest'
import type { ServiceConfig } from '../../test/compare/arbitrary-config.js'
import { compareMocks, createService, optionsOf } from '../../test/compare/run.js'
import { LAYOUTS } from '../settings/layouts.js'
import { askService, compareWithOurs, compareWithProfile, createOurs, listQuestions, toConfig } from './compare.js'

it('default: two equal mocks', async () => {
  const { service, mock } = createService({})
  const now = mock.clock.now() / 1000
  const asked = await askService(service, optionsOf())
  const { rows, patch } = await compareWithOurs(asked, optionsOf())
  expect(rows.filter(({ result }) => result !== 'same')).toMatchObject([{ probe: { name: 'signers' }, result: 'own' }])
  expect(patch).toEqual({})
  const questions = asked.asker.answers.map(({ question }) => question)
  expect(questions).toHaveLength(119)
  expect(await listQuestions(optionsOf(), now)).toEqual(questions)
})

it('behavior: a service with all options has its configuration written', async () => {
  const config: ServiceConfig = {
    policy: {
      wwwAuthenticate: 'Bearer',
      missingParameter: 422,
      unknownFeed: 'omit',
      maxMinutes: 1000,
      maxFeedIds: 37,
      evmClasses: ['crypto', 'fx'],
      batchFeedId: 'integer',
      candles: 120,
    },
    signing: {
      svm: 'observed-svm',
      evm: 'observed-evm',
      layouts: {
        'observed-svm': { ...LAYOUTS.svm, fields: ['price:u64le', 'feedId:ascii32-right', 'expo:i8', 'ts:u64le'] },
        'observed-evm': { ...LAYOUTS.evm, signature: 'rsy', hexPrefix: '0x' },
      },
    },
    signer: 3,
    feeds: {
      feeds: [
        { id: 'BTCUSD', number: 70, heartbeat: 4, lag: 3 },
        { id: 'ETHUSD', number: 71, expo: -6 },
        { id: 'SOLUSD', number: 72, heartbeat: 64, lag: 1 },
      ],
    },
  }
  const { rows, patch } = await compareMocks(config)
  expect(rows.filter(({ isSolved }) => isSolved === false)).toEqual([])
  expect(toConfig({ settings: {}, feeds: undefined }, patch)).toEqual(config)
})

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
  const differing = async (one: typeof service, profile: typeof recorded) =>
    compareWithProfile(await askService(one, options), profile)
      .filter(({ result }) => result !== 'same')
      .map(({ probe, result, reason }) => [probe.name, result, reason])
  expect(await differing({ ...service, fetch }, recorded)).toEqual([])
  const { HEAD, ...older } = recorded
  expect(await differing(changed.service, older)).toEqual([
    ['candles', 'differs', undefined],
    ['body of an error', 'differs', undefined],
    ['HEAD', 'not asked', 'the profile does not have it'],
  ])
})

it('behavior: a setting that ours has already is no option where another part of its row differs', async () => {
  const { service } = createService({})
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { status, headers, body } = await service.fetch(url, init)
    const other = /NOPEUSD\/latest/.test(url) ? 410 : /minutes=525601/.test(url) ? 422 : status
    return new Response(body, { status: other, headers })
  }
  const { rows, patch } = await compareWithOurs(await askService({ ...service, fetch }, optionsOf()), optionsOf())
  expect(rows.filter(({ result }) => result === 'differs')).toMatchObject([
    { probe: { name: 'unknown feed' }, patch: undefined, isSolved: false },
    { probe: { name: 'limit of minutes' }, patch: undefined, isSolved: false },
  ])
  expect(patch).toEqual({})
})

it('behavior: it waits as long as the service asks, and stops at its limit of requests, or when it is ended', async () => {
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

  const ended = new AbortController()
  const ending = (url: string, init: RequestInit) => {
    if (/NOPEUSD/.test(url)) ended.abort()
    return service.fetch(url, init)
  }
  const { seen, notAsked } = (await askService({ ...service, fetch: ending, signal: ended.signal }, options)).observed
  expect(Object.keys(seen)).toEqual(['feeds', 'no key, a wrong one', 'WWW-Authenticate'])
  expect(new Set(Object.values(notAsked))).toEqual(new Set(['the run was ended']))
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

it('behavior: one error of the service is chance, and what it answers twice is its rule', async () => {
  const { service } = createService({})
  const waits: number[] = []
  let failures = 0
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    // Each seventeenth request fails, and every one for an exchange rate on the chain.
    const isRule = /evm.*EURUSD/.test(url)
    return isRule || ++failures % 17 === 0 ? new Response('oops', { status: 500 }) : service.fetch(url, init)
  }
  const options = optionsOf()
  const asked = await askService({ ...service, fetch, wait: async ms => void waits.push(ms) }, options)
  const { rows } = await compareWithOurs(asked, options)
  expect(waits.filter(ms => ms === 1000).length).toBeGreaterThan(5)
  expect(rows.filter(({ result }) => result === 'differs').map(({ probe }) => probe.name)).toEqual(['classes of evm'])
})

it('error: a service that cannot be asked', async () => {
  const { service } = createService({})
  const refused = (ids: string, got: string, fix: string) => ({
    code: 'SERVICE_REFUSED',
    shortMessage: `The service cannot be asked: it has no price of ${ids}.`,
    details: Object.entries({ got, fix }),
  })
  await expect(askService({ ...service, apiKey: 'other' }, optionsOf())).rejects.toMatchObject(
    refused('BTCUSD', '401 for BTCUSD', 'check the key in the variable that --api-key-env names'),
  )
  await expect(askService(service, optionsOf({}, { feeds: ['A', 'B'] }))).rejects.toMatchObject(
    refused('A, B', '404 for A, 404 for B', 'check --base-url, and name feeds of the service with --feeds'),
  )
  const fetch = () => Promise.reject(new TypeError('fetch failed'))
  await expect(askService({ ...service, fetch }, optionsOf())).rejects.toMatchObject({ code: 'NO_REPLY' })
})

it('args: a feed that the catalogue does not have', async () => {
  const feeds = { feeds: [{ id: 'ACMEUSD', base: 12.5, drivers: { crypto: 0.5, ACMEUSD: 0.4 } }] }
  const { service } = createService({ feeds })
  const options = optionsOf({}, { feeds: ['ACMEUSD', 'BTCUSD'] })
  const asked = await askService(service, options)
  const { rows, patch } = await compareWithOurs(asked, options)
  expect(rows.filter(({ isSolved }) => isSolved === false)).toEqual([])
  const { price } = asked.asker.answers[0]!.answer.body as { price: number }
  const drivers = { crypto: 0.5, ACMEUSD: 0.4 }
  expect(patch.feeds).toEqual({ ACMEUSD: { base: price / 1e8, drivers, expo: -8, heartbeat: 1, lag: 1 } })
  expect(() => createOurs({ settings: {}, feeds: undefined }, patch)).not.toThrow()
})
