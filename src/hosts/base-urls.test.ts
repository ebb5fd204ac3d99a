// Base addresses and the requests below them; which paths are the mock's: the five endpoints, and everything below /_mock in any case.
import { expect, it } from 'vitest'
import { isMockPath, isUnreadable, listBases, readBaseUrls } from './base-urls.js'

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

it.each<[title: string, baseUrl: string, historyUrl: string | undefined, matches: readonly unknown[]]>([
  ['one address', 'http://a/feed/', undefined, [[undefined, '/prices?x=1'], undefined, undefined]],
  ['two, the longer one first', 'http://a/feed', 'http://a/feed/prices', [['history', '?x=1'], undefined, undefined]],
  ['two of one length', 'http://a/feed', 'http://b/feed', [['prices', '/prices?x=1'], undefined, undefined]],
  ['an origin', 'http://b', 'http://a', [['history', '/feed/prices?x=1'], ['history', '/feeder'], undefined]],
])('default: the address of a request: %s', (_, baseUrl, historyUrl, matches) => {
  const bases = listBases(readBaseUrls('call', { baseUrl, historyUrl }, []))
  const matchOf = (url: string) => {
    const found = bases.find(({ pattern }) => pattern.test(url))
    return found && [found.base, found.targetOf(url)]
  }
  expect(['http://a/feed/prices?x=1', 'http://a/feeder', 'http://ab/feed'].map(matchOf)).toEqual(matches)
})
