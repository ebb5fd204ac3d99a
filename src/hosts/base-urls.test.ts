// Which paths are the mock's: the five endpoints, with and without a session, and everything below /_mock in any case.
import { expect, it } from 'vitest'
import { isMockPath, isUnreadable, readBaseUrl } from './base-urls.js'

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

it('error: an address with a password is not shown', () => {
  expect(() => readBaseUrl('baseUrl', 'https://user:secret@api.example')).toThrow(/got {3}\(not shown\)\n/)
})
