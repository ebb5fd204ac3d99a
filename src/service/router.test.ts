// Routes: fixed paths before templates, aliases, case, and what a path that leads nowhere may have meant.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { defineEndpoint, type Parameter } from './endpoint.js'
import { parseTarget } from './request.js'
import { createRouter, describeNearest } from './router.js'

const id: Parameter<string> = {
  in: 'path',
  description: 'An id.',
  schema: { type: 'string' },
  example: 'BTCUSD',
  parse: ([value]) => value!,
}
const endpoint = (path: string, more: { aliases?: string[]; anyCase?: boolean } = {}) =>
  defineEndpoint({
    name: path,
    summary: path,
    path,
    base: 'prices',
    protected: false,
    parameters: path.includes('{') ? { feedId: id } : {},
    reply: z.object({}),
    answer: () => ({}),
    ...more,
  })

const LATEST = endpoint('/prices/{feedId}/latest')
const CRYPTO = endpoint('/prices/evm/crypto')
const FIXED = endpoint('/prices/special/latest')
const HISTORY = endpoint('/prices/queryHistory', { anyCase: true })
const CANDLES = endpoint('/charting/feeds-data', { aliases: ['/trading-view/feeds-data'] })
const ALL = [LATEST, CRYPTO, FIXED, HISTORY, CANDLES]

const route = (path: string, endpoints = ALL) => {
  const match = createRouter(endpoints)(parseTarget(path))
  return match && { path: match.endpoint.path, ...match.pathValues }
}

describe('createRouter', () => {
  it('default', () => {
    expect(route('/prices/BTCUSD/latest?a=1')).toEqual({ path: '/prices/{feedId}/latest', feedId: 'BTCUSD' })
  })

  it('behavior: fixed paths win over templates in any order', () => {
    expect(route('/prices/special/latest')).toEqual({ path: '/prices/special/latest' })
    expect(route('/prices/special/latest', ALL.toReversed())).toEqual({ path: '/prices/special/latest' })
  })

  it('behavior: an alias leads to its endpoint', () => {
    expect(route('/trading-view/feeds-data')).toEqual({ path: '/charting/feeds-data' })
  })

  it('behavior: case counts, unless the endpoint says otherwise', () => {
    expect(route('/Charting/feeds-data')).toBeUndefined()
    expect(route('/prices/BTCUSD/Latest')).toBeUndefined()
    for (const path of ['/prices/queryhistory', '/PRICES/QUERYHISTORY', '/prices/queryHistory'])
      expect(route(path)).toEqual({ path: '/prices/queryHistory' })
  })

  it('behavior: a path value keeps its spelling, decoded', () => {
    expect(route('/prices/bTc%20uSd/latest')).toEqual({ path: '/prices/{feedId}/latest', feedId: 'bTc uSd' })
    expect(route('/prices/a%2Fb/latest')).toEqual({ path: '/prices/{feedId}/latest', feedId: 'a/b' })
  })

  it('behavior: escapes in fixed parts are decoded', () => {
    expect(route('/%63harting/feeds-data')).toEqual({ path: '/charting/feeds-data' })
  })

  it.each([
    ['an empty path value', '/prices//latest'],
    ['a slash at the end', '/prices/BTCUSD/latest/'],
    ['double slashes', '//prices/BTCUSD/latest'],
    ['a part too few', '/prices/BTCUSD'],
    ['a part too many', '/prices/BTCUSD/latest/now'],
    ['an escaped slash between fixed parts', '/prices%2FqueryHistory'],
    ['the root', '/'],
    ['the template itself is only a value', '/prices/{feedId}'],
  ])('behavior: %s matches nothing', (_title, path) => expect(route(path)).toBeUndefined())

  it('behavior: no endpoints, no routes', () => expect(route('/', [])).toBeUndefined())
})

describe('describeNearest', () => {
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
    ['/v1/prices/queryHistory', 'GET /prices/queryHistory (it has 2 segments, not 3)'],
    // An escaped letter is no difference, and an escaped slash no end of a segment.
    ['/prices/%42TCUSD/lates', 'GET /prices/{feedId}/latest ("latest", not "lates")'],
    ['/prices%2FBTCUSD/latest/now', undefined],
  ])('default: %s', (path, described) => expect(nearestOf(path)).toBe(described))

  it('behavior: unlike any path: no nearest', () => expect(nearestOf('/favicon.ico')).toBeUndefined())

  it('behavior: a missing path value is not a matter of case', () => {
    expect(nearestOf('/prices//latest') ?? '').not.toContain('the case differs')
  })

  it('behavior: a long path unlike any other has no nearest', () => {
    expect(nearestOf(`/${'x'.repeat(500)}`)).toBeUndefined()
  })
})
