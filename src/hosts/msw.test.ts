// Handlers of msw: which addresses they answer, when one base URL lies below the other or has a path of its own.
import { getResponse } from 'msw'
import { describe, expect, it } from 'vitest'
import { createCalls, LATEST } from '../../test/support/calls.js'
import { createFetch } from './fetch.js'
import { handlers } from './msw.js'

const CHART = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h'

function statusOf(options: Parameters<typeof handlers>[1]) {
  const all = handlers(createCalls().mock, options)
  return async (url: string): Promise<number | undefined> =>
    (await getResponse(all, new Request(url, { headers: { authorization: 'test-api-key' } })))?.status
}

describe('baseUrl', () => {
  it.each([undefined, { seed: '42' }])('error: no mock: %j', mock => {
    for (const create of [
      () => handlers(mock as never, { baseUrl: 'https://api.example' }),
      () => createFetch(mock as never),
    ])
      expect(create).toThrow(
        expect.objectContaining({
          code: 'OPTIONS_INVALID',
          problems: [{ at: 'mock', got: mock, want: expect.any(String) }],
        }),
      )
  })

  it.each(['', '/api', 'api.example', 'ftp://api.example', 'https://api.example/?a=1', 'https://key@api.example'])(
    'error: "%s" is no address',
    baseUrl => {
      const make = () => statusOf({ baseUrl })
      expect(make).toThrow(expect.objectContaining({ code: 'OPTIONS_INVALID' }))
      expect(make).toThrow(/^Invalid baseUrl\.\n {2}at {4}baseUrl\n/)
      expect(() => statusOf({ baseUrl: 'https://api.example', historyUrl: baseUrl })).toThrow(/at {4}historyUrl/)
    },
  )

  it('error: a misspelt option', () => {
    const options = { baseUrl: 'https://api.example', historyURL: 'https://charts.example' }
    const problems = [expect.objectContaining({ at: 'historyURL', closest: 'historyUrl' })]
    expect(() => statusOf(options)).toThrow(expect.objectContaining({ problems }))
  })
})

it.each([
  ['https://api.example', 'https://history.example'],
  ['https://api.example', 'https://api.example/history'],
  ['https://api.example/v1', 'https://api.example/v1/charts'],
  ['https://api.example/v1/prices-of-ours', 'https://api.example/v1'],
])('behavior: each of two addresses answers its own endpoints: %s, %s', async (baseUrl, historyUrl) => {
  const status = statusOf({ baseUrl, historyUrl })
  expect([await status(baseUrl + LATEST), await status(historyUrl + CHART)]).toEqual([200, 200])
  expect([await status(baseUrl + CHART), await status(historyUrl + LATEST)]).toEqual([404, 404])
  for (const base of [baseUrl, historyUrl]) expect(await status(`${base}/_mock/health`)).toBe(200)
})
