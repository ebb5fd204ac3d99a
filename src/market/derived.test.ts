// Derived feeds: their ancestors, their followers, and the feed that leads among some.
import { expect, test } from 'vitest'
import { ancestorsOf, followersOf, leaderOf, withFollowers } from './derived.js'
import { catalogueFeeds, parseFeeds } from './feeds-file.js'

const feeds = parseFeeds(
  {
    extends: 'none',
    feeds: [
      { id: 'OTHERUSD', base: 5, drivers: { b: 1 } },
      { id: 'ACMEUSD', base: 100, drivers: { a: 1 } },
      { id: 'STUSD', parent: 'acmeusd', ratio: 1.1 },
      { id: 'WSTUSD', parent: 'STUSD', ratio: 1.2 },
      { id: 'WACMEUSD', parent: 'ACMEUSD' },
    ],
  },
  'feeds',
)
const feed = (id: string) => feeds.find(one => one.id === id)!
const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id)

test('default: ancestorsOf, nearest first', () => {
  expect(ids(ancestorsOf(feeds, feed('WSTUSD')))).toEqual(['STUSD', 'ACMEUSD'])
  expect(ancestorsOf(feeds, feed('ACMEUSD'))).toEqual([])
})

test('default: followersOf, also those through another feed', () => {
  expect(ids(followersOf(feeds, feed('ACMEUSD')))).toEqual(['STUSD', 'WSTUSD', 'WACMEUSD'])
  expect(ids(followersOf(feeds, feed('STUSD')))).toEqual(['WSTUSD'])
  expect(followersOf(feeds, feed('OTHERUSD'))).toEqual([])
})

test('default: withFollowers', () => {
  expect([...withFollowers(feeds, new Set(['STUSD', 'OTHERUSD']))].toSorted()).toEqual(['OTHERUSD', 'STUSD', 'WSTUSD'])
})

test('behavior: the nearest selected feed leads, the feed itself first', () => {
  const leads = (id: string, ...selected: string[]) => leaderOf(feeds, feed(id), new Set(selected))?.id
  expect(leads('WSTUSD', 'ACMEUSD', 'STUSD')).toBe('STUSD')
  expect(leads('WSTUSD', 'ACMEUSD')).toBe('ACMEUSD')
  expect(leads('STUSD', 'ACMEUSD', 'STUSD')).toBe('STUSD')
  expect(leads('ACMEUSD', 'STUSD')).toBeUndefined()
})

test('behavior: the catalogue has ten followers of three feeds', () => {
  const all = catalogueFeeds()
  const count = (id: string) => followersOf(all, { id }).length
  expect([count('BTCUSD'), count('ETHUSD'), count('SOLUSD'), count('EURUSD')]).toEqual([3, 6, 1, 0])
  expect(all.filter(({ parent }) => parent !== undefined)).toHaveLength(10)
})
