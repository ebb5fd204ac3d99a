// Routes: fixed paths before templates, aliases, case.
import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { defineEndpoint, type Parameter } from './endpoint.js'
import { parseTarget } from './request.js'
import { createRouter } from './router.js'

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
