// Paths that lead nowhere: the answer names the nearest route and what differs, and never says anything that is not so.
import { describe, expect, it } from 'vitest'
import { requestTo, serveHostiles } from '../support/raw.js'

const { askOne } = serveHostiles()

/** The problem that a path is answered with. */
async function lost(path: string, method = 'GET'): Promise<Record<string, string>> {
  const { status, headers, body } = await askOne(requestTo(path, { method }))
  expect(status).toBe(404)
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(headers['x-price-feed-mock']).toBe('own, code="UNKNOWN_ROUTE"')
  const problem = JSON.parse(body)
  expect(problem).toMatchObject({ status: 404, code: 'UNKNOWN_ROUTE', docs: '/_mock/' })
  return problem
}

describe('a slip', () => {
  it.each([
    ['/price/BTCUSD/latest', 'GET /prices/{feedId}/latest', /"prices", not "price"/],
    ['/prices/BTCUSD/lates', 'GET /prices/{feedId}/latest', /"latest", not "lates"/],
    ['/prices/BTCUSD/latest/', 'GET /prices/{feedId}/latest', /slash at the end/],
    ['/prices/batch/', 'GET /prices/batch', /slash at the end/],
    ['/Prices/Batch', 'GET /prices/batch', /case/],
    ['/PRICES/btcusd/LATEST', 'GET /prices/{feedId}/latest', /case/],
    ['//prices/batch', 'GET /prices/batch', /single slashes/],
    ['//prices/BTCUSD/latest', 'GET /prices/{feedId}/latest', /single slashes/],
    ['/prices/history', 'GET /prices/queryHistory', /"queryHistory", not "history"/],
    ['/prices/evm/Crypto', 'GET /prices/evm/crypto', /case/],
    ['/charting/feed-data', 'GET /charting/feeds-data', /"feeds-data", not "feed-data"/],
    ['/trading_view/feeds-data', 'GET /trading-view/feeds-data', /"trading-view", not "trading_view"/],
    ['/v1/prices/batch', 'GET /prices/batch', /2 segments, not 3|"v1"/],
    ['/prices/BTC/USD/latest', 'GET /prices/{feedId}/latest', /3 segments, not 4/],
    ['/_mock/helth', 'GET /_mock/health', /"health", not "helth"/],
  ])('error: %s', async (path, route, differs) => {
    const { detail, want } = await lost(path)
    expect(detail).toBe(`Nothing answers GET ${path}.`)
    expect(want).toContain(`${route} (`)
    expect(want).toMatch(differs)
  })

  it('error: of another method, with a query', async () => {
    const { detail, want } = await lost('/price/BTCUSD/latest?a=1', 'POST')
    expect(detail).toBe('Nothing answers POST /price/BTCUSD/latest.')
    expect(want).toContain('GET /prices/{feedId}/latest (')
  })
})

describe('what is said of a slip is so', () => {
  it('error: /prices//latest has no feed; its case is right', async () => {
    const { want } = await lost('/prices//latest')
    expect(want).toContain('/prices/{feedId}/latest')
    expect(want).not.toContain('case')
  })

  it('error: an escaped letter of the feed is not what differs', async () => {
    const { want } = await lost('/prices/%42TCUSD/lates')
    expect(want).toContain('GET /prices/{feedId}/latest ("latest", not "lates")')
  })

  it('error: the route of two segments is not said to have four', async () => {
    const { want } = await lost('/prices/BTCUSD%2Flatest')
    expect(want).not.toContain('4 segments, not 2')
  })

  it('error: nothing is near to 300 letters', async () => {
    const { want } = await lost(`/${'a'.repeat(300)}`)
    expect(want).toMatch(/^one of /)
  })
})

describe('no slip', () => {
  it.each(['/prices', '/favicon.ico', '/api', '/__proto__', '/_mock/__proto__'])(
    'error: %s: all that there is',
    async path => {
      const { want } = await lost(path)
      expect(want).toContain('/charting/feeds-data')
      expect(want).toContain('/prices/{feedId}/latest')
    },
  )
})
