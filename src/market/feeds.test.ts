// Derived feeds: their ancestors, their followers, and the feed that leads among some.
import { expect, test } from 'vitest'
import { createFeedPath } from './feed-path.js'
import { ancestorsOf, followersOf, leaderOf, withFollowers } from './feeds.js'
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

test('behavior: WSTETH over STETH falls by no more than its rounding, and never over two hours', () => {
  const seeded = (id: string) => {
    const feed = catalogueFeeds().find(one => one.id === id)!
    return { feed, path: createFeedPath('42', feed) }
  }
  const [steth, wsteth] = [seeded('STETHUSD'), seeded('WSTETHUSD')]
  expect(wsteth.feed.heartbeat).toBe(steth.feed.heartbeat)
  const start = 1_753_354_112
  const ratios = Array.from({ length: 20_000 }, (_, i) => {
    const tick = start + i * steth.feed.heartbeat
    return wsteth.path.at(tick) / steth.path.at(tick)
  })
  const falls = ratios.map((ratio, i) => (i === 0 ? 0 : 1 - ratio / ratios[i - 1]!))
  expect(Math.max(...falls)).toBeLessThan(1e-9)
  const later = 7200 / steth.feed.heartbeat
  expect(ratios.filter((ratio, i) => i >= later && ratio < ratios[i - later]!)).toEqual([])
})
