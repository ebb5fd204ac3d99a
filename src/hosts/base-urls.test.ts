// Which paths are the mock's: the five endpoints, with and without a session, and everything below /_mock in any case.
import { expect, it } from 'vitest'
import { isMockPath, isUnreadable, listBases } from './base-urls.js'

it.each(['/_mock', '/_MOCK/health', '/prices/BTCUSD/latest', '/session/a/prices/batch', '/scenario/calm/prices/batch'])(
  'default: %s',
  path => expect(isMockPath(path)).toBe(true),
)

it.each(['/', '/index.html', '/prices', '/session/a', '/mock'])('behavior: not %s', path => {
  expect(isMockPath(path)).toBe(false)
})

it.each([
  [{ 'x-price-feed-mock': 'session="a", now=1, n=1' }, true],
  [{ 'x-price-feed-mock': 'session="a", now=1, n=1', 'access-control-allow-origin': '*' }, false],
  [{ 'x-price-feed-mock': 'own' }, false],
])('behavior: another origin cannot read a reply with %o: %s', (headers, expected) =>
  expect(isUnreadable(new Response(null, { headers }))).toBe(expected),
)

it('behavior: targets are below their address, and the longer address goes first', () => {
  const [charts, prices] = listBases({ baseUrl: 'https://a.example/v1', historyUrl: 'https://a.example/v1/charts' })
  expect([charts!.base, prices!.base]).toEqual(['history', 'prices'])
  expect(charts!.targetOf('https://a.example/v1/charts/x?a=1')).toBe('/x?a=1')
  expect(prices!.targetOf('https://a.example/v1')).toBe('')
  expect(['', '/', '/x', 's'].map(rest => prices!.pattern.test(`https://a.example/v1${rest}`))).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(prices!.pattern.test('https://aXexample/v1')).toBe(false)
})
