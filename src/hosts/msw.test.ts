// Handlers of msw: which addresses they answer, when one base URL lies below the other or has a path of its own.
import { getResponse } from 'msw'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createCalls } from '../../test/support/calls.js'
import { createFetch } from './fetch.js'
import { handlers } from './msw.js'

const LATEST = '/prices/BTCUSD/latest'
const CHART = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h'

function statusOf(options: Parameters<typeof handlers>[1]) {
  const all = handlers(createCalls().mock, options)
  return async (url: string): Promise<number | undefined> =>
    (await getResponse(all, new Request(url, { headers: { authorization: 'test-api-key' } })))?.status
}

describe('baseUrl', () => {
  it.each(['https://api.example', 'https://api.example/', 'https://api.example/v1', 'https://api.example/v1///'])(
    'args: %s',
    async baseUrl => {
      const status = statusOf({ baseUrl })
      expect(await status(`${baseUrl.replace(/\/+$/, '')}${LATEST}`)).toBe(200)
      expect(await status(`https://other.example${LATEST}`)).toBeUndefined()
    },
  )

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

  it('error: not an address that requests can begin with', () => {
    for (const baseUrl of ['', 'api.example', 'https://api.example?a=1', 'https://me:key@api.example'])
      expect(() => statusOf({ baseUrl })).toThrow(expect.objectContaining({ code: 'OPTIONS_INVALID' }))
  })

  it('error: a misspelt option', () => {
    const options = { baseUrl: 'https://api.example', historyURL: 'https://charts.example' }
    const problems = [expect.objectContaining({ at: 'historyURL', closest: 'historyUrl' })]
    expect(() => statusOf(options)).toThrow(expect.objectContaining({ problems }))
  })
})

describe('the origin of the page', () => {
  afterEach(() => void vi.unstubAllGlobals())

  it('behavior: the own paths of the mock are answered, and pages of the application are passed on', async () => {
    vi.stubGlobal('location', { href: 'https://app.example/start' })
    const status = statusOf({ baseUrl: '/' })
    expect(await status(`https://app.example${LATEST}`)).toBe(200)
    expect(await status('https://app.example/index.html')).toBeUndefined()
  })
})

it('behavior: historyUrl: each address answers its own endpoints, also where one lies below the other', async () => {
  const status = statusOf({ baseUrl: 'https://api.example', historyUrl: 'https://api.example/history' })
  expect(await status(`https://api.example${LATEST}`)).toBe(200)
  expect(await status(`https://api.example/history${CHART}`)).toBe(200)
  expect(await status(`https://api.example${CHART}`)).toBe(404)
})
