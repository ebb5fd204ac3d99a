// Unknown paths: the answer names the nearest route. The wording of the difference is tested in src/service/router.test.ts.
import { describe, expect, it } from 'vitest'
import { requestTo, serveHostiles } from '../support/raw.js'

const { askOne } = serveHostiles()

/** The problem that an unknown path gets. */
async function problemOf(path: string, method = 'GET'): Promise<Record<string, string>> {
  const { status, headers, body } = await askOne(requestTo(path, { method }))
  expect(status).toBe(404)
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(headers['x-price-feed-mock']).toBe('own, code="UNKNOWN_ROUTE"')
  const problem = JSON.parse(body)
  expect(problem).toMatchObject({
    status: 404,
    code: 'UNKNOWN_ROUTE',
    docs: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/_mock\/$/),
  })
  return problem
}

describe('a near miss', () => {
  it.each([
    ['/price/BTCUSD/latest', 'GET /prices/{feedId}/latest'],
    ['/prices/BTCUSD/lates', 'GET /prices/{feedId}/latest'],
    ['/prices/BTCUSD/latest/', 'GET /prices/{feedId}/latest'],
    ['/prices/batch/', 'GET /prices/batch'],
    ['/Prices/Batch', 'GET /prices/batch'],
    ['/PRICES/btcusd/LATEST', 'GET /prices/{feedId}/latest'],
    ['//prices/batch', 'GET /prices/batch'],
    ['//prices/BTCUSD/latest', 'GET /prices/{feedId}/latest'],
    ['/prices/history', 'GET /prices/queryHistory'],
    ['/prices/evm/Crypto', 'GET /prices/evm/crypto'],
    ['/charting/feed-data', 'GET /charting/feeds-data'],
    ['/trading_view/feeds-data', 'GET /trading-view/feeds-data'],
    ['/v1/prices/batch', 'GET /prices/batch'],
    ['/prices/BTC/USD/latest', 'GET /prices/{feedId}/latest'],
    ['/_mock/helth', 'GET /_mock/health'],
  ])('error: %s', async (path, route) => {
    const { detail, want } = await problemOf(path)
    expect(detail).toContain(`GET ${path}`)
    expect(want).toContain(`${route} (`)
  })

  it('error: with another method and a query', async () => {
    const { detail, want } = await problemOf('/price/BTCUSD/latest?a=1', 'POST')
    expect(detail).toContain('POST /price/BTCUSD/latest')
    expect(want).toContain('GET /prices/{feedId}/latest (')
  })
})

describe('the difference from the nearest route', () => {
  it('error: an empty feed is not a difference of case', async () => {
    const { want } = await problemOf('/prices//latest')
    expect(want).toContain('/prices/{feedId}/latest')
    expect(want).not.toContain('case')
  })

  it('error: an escaped letter of the feed is no difference', async () => {
    const { want } = await problemOf('/prices/%42TCUSD/lates')
    expect(want).toContain('GET /prices/{feedId}/latest ("latest", not "lates")')
  })

  it('error: an escaped slash does not add segments', async () => {
    const { want } = await problemOf('/prices/BTCUSD%2Flatest')
    expect(want).not.toContain('4 segments, not 2')
  })

  it('error: no route is near 300 letters', async () => {
    const { want } = await problemOf(`/${'a'.repeat(300)}`)
    expect(want).not.toContain('GET ')
    expect(want).toContain('/prices/{feedId}/latest')
  })
})

describe('no near miss', () => {
  it.each(['/prices', '/robots.txt', '/api', '/__proto__', '/_mock/__proto__'])(
    'error: %s: the answer lists all routes',
    async path => {
      const { want } = await problemOf(path)
      expect(want).toContain('/charting/feeds-data')
      expect(want).toContain('/prices/{feedId}/latest')
    },
  )
})
