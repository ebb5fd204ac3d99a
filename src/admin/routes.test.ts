// The nearest path for one that leads nowhere.
import { expect, it } from 'vitest'
import { parseTarget } from '../service/request.js'
import { HOST_ROUTES } from './admin-route.js'
import { ADMIN_ROUTES } from './index.js'
import { describeNearest } from './routes.js'

const ALL = [
  { path: '/prices/{feedId}/latest' },
  { path: '/prices/evm/crypto' },
  { path: '/prices/special/latest' },
  { path: '/prices/queryHistory', anyCase: true },
  { path: '/charting/feeds-data', aliases: ['/trading-view/feeds-data'] },
]

const nearestOf = (path: string) => describeNearest(ALL, parseTarget(path))

it.each([
  ['/price/BTCUSD/latest', 'GET /prices/{feedId}/latest ("prices", not "price")'],
  ['/prices/BTCUSD', 'GET /prices/BTCUSD/latest ("latest" is missing)'],
  ['/prices/PRICE', 'GET /prices/PRICE/latest ("latest" is missing)'],
  ['/prices/BTCUSD/', 'GET /prices/BTCUSD/latest ("latest" is missing)'],
  ['/prices/latest', 'GET /prices/{feedId}/latest ("{feedId}" is missing)'],
  ['/prices/evm', 'GET /prices/evm/crypto ("crypto" is missing)'],
  ['/prices/queryHistry', 'GET /prices/queryHistory ("queryHistory", not "queryHistry")'],
  ['/prices/BTCUSD/lastest', 'GET /prices/{feedId}/latest ("latest", not "lastest")'],
  ['/prices/evm/cryptos', 'GET /prices/evm/crypto ("crypto", not "cryptos")'],
  ['/prices/evm/crypto/', 'GET /prices/evm/crypto (without the slash at the end)'],
  ['/prices/BTCUSD/latest/', 'GET /prices/{feedId}/latest (without the slash at the end)'],
  ['//prices/evm/crypto', 'GET /prices/evm/crypto (with single slashes)'],
  // The result of a base URL with a trailing slash.
  ['//prices/BTCUSD/latest', 'GET /prices/{feedId}/latest (with single slashes)'],
  ['/prices//BTCUSD/latest', 'GET /prices/{feedId}/latest (with single slashes)'],
  ['/Prices/EVM/crypto', 'GET /prices/evm/crypto (the case differs)'],
  ['/prices/btcusd/Latest', 'GET /prices/{feedId}/latest (the case differs)'],
  ['/charting/feeds/data', 'GET /charting/feeds-data (it has 2 segments, not 3)'],
  ['/trading-view/feed-data', 'GET /trading-view/feeds-data ("feeds-data", not "feed-data")'],
  ['/prices//latest', 'GET /prices/{feedId}/latest ({feedId} is empty)'],
  ['/v1/prices/queryHistory', 'GET /prices/queryHistory (without /v1)'],
  ['/api/v1/prices/evm/crypto', 'GET /prices/evm/crypto (without /api/v1)'],
  // An escaped letter is no difference, and an escaped slash no end of a segment.
  ['/prices/%42TCUSD/lates', 'GET /prices/{feedId}/latest ("latest", not "lates")'],
  ['/prices%2FBTCUSD/latest/now', undefined],
])('default: %s', (path, described) => expect(nearestOf(path)).toBe(described))

it('behavior: unlike any path: no nearest', () => expect(nearestOf('/favicon.ico')).toBeUndefined())

it('behavior: a long path unlike any other has no nearest', () => {
  expect(nearestOf(`/${'x'.repeat(500)}`)).toBeUndefined()
})

it.each([
  ['POST', '/_mock/reset', 'POST /_mock/sessions/{id}/reset'],
  ['GET', '/_mock/reset', 'POST /_mock/sessions/{id}/reset'],
  ['DELETE', '/_mock/requests', 'DELETE /_mock/sessions/{id}/requests'],
  ['GET', '/_mock/events', 'GET /_mock/sessions/{id}/events'],
  ['PUT', '/_mock/clock', 'PATCH /_mock/sessions/{id} with {"clock": …}'],
  ['PUT', '/_mock/sessions/a/scenario', 'PATCH /_mock/sessions/a with {"scenario": …}'],
  ['GET', '/_mock/sessions/a/scenario', 'GET /_mock/sessions/a'],
  // One that has a route of nearly its name, one of another method, and what every object has.
  ['GET', '/_mock/scenario', 'GET /_mock/scenarios ("scenarios", not "scenario")'],
  ['POST', '/_mock/sessions/a/rest', 'POST /_mock/sessions/{id}/reset ("reset", not "rest")'],
  ['PUT', '/_mock/constructor', undefined],
  // An item of a list without paths of its own, and what is left of /scenario/NAME/_mock/info.
  ['GET', '/_mock/feeds/BTCUSD', 'GET /_mock/feeds (it has 2 segments, not 3)'],
  ['GET', '/_mock/info', 'GET /_mock/info (without prefix)'],
  // A word unlike any other, and paths that many servers have.
  ['GET', '/_mock/ui', undefined],
  ['GET', '/_mock/console', undefined],
  ['GET', '/health', 'GET /_mock/health (it has 2 segments, not 1)'],
  ['GET', '/metrics', 'GET /_mock/metrics (it has 2 segments, not 1)'],
])('behavior: a part of a session elsewhere: %s %s', (method, path, described) => {
  expect(describeNearest([...ADMIN_ROUTES, ...HOST_ROUTES], parseTarget(path), method)).toBe(described)
})
