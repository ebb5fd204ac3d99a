// A user's file of feeds: added to the catalogue or instead of it, and every problem of it in one error.
import { describe, expect, it, test } from 'vitest'
import { failureOf } from '../../test/support/problem-paths.js'
import { createFeedPath } from './feed-path.js'
import type { Feed } from './feeds.js'
import { catalogueFeeds, parseFeeds, toFeeds } from './feeds-file.js'

const ACME = { id: 'ACMEUSD', base: 12.5, drivers: { crypto: 0.5, ACMEUSD: 0.4 } }

const errorOf = (data: unknown) => failureOf(() => parseFeeds(data, 'feeds.json'))
const details = (data: unknown) => errorOf(data).problems.map(({ at, got, closest }) => [at, got, closest])

test('default', () => {
  const feeds = parseFeeds({ feeds: [ACME] }, 'feeds.json')
  expect(feeds.slice(0, -1)).toEqual(catalogueFeeds())
  expect(feeds.at(-1)).toMatchObject({ id: 'ACMEUSD', base: 12.5, class: 'crypto', span: 134_217_728 })
})

test('behavior: a file may name its schema and hold no feed', () => {
  expect(parseFeeds({ $schema: './feeds.schema.json', extends: 'default', feeds: [] }, 'feeds.json')).toEqual(
    catalogueFeeds(),
  )
})

test('behavior: a feed more changes neither the path nor the number of another', () => {
  const before = parseFeeds({ feeds: [{ ...ACME, id: 'OLDUSD' }] }, 'feeds.json')
  const after = parseFeeds({ feeds: [ACME, { ...ACME, id: 'OLDUSD' }] }, 'feeds.json')
  for (const feed of before) {
    const same = after.find(({ id }) => id === feed.id)!
    expect(same).toEqual(feed)
    for (const second of [0, 1_753_354_096, 4_291_743_744])
      expect(createFeedPath('42', same).at(second)).toBe(createFeedPath('42', feed).at(second))
  }
})

test('args: extends: none leaves the catalogue out', () => {
  expect(parseFeeds({ extends: 'none', feeds: [ACME] }, 'feeds.json').map(({ id }) => id)).toEqual(['ACMEUSD'])
  expect(parseFeeds({ extends: 'none', feeds: [{ ...ACME, id: 'BTCUSD', number: 1 }] }, 'feeds.json')).toHaveLength(1)
  expect(details({ extends: 'none', feeds: [{ id: 'X', parent: 'ETHUSD' }] })).toEqual([
    ['feeds[0].parent', 'ETHUSD', undefined],
  ])
})

test('error: a mistake of the file hides none of its feeds, and all stand in their order', () => {
  const feeds = [ACME, { ...ACME, id: 'A' }, { ...ACME, id: 'BTCUSD' }, { ...ACME, id: 'C', base: 0 }]
  expect(details({ feeds: [...feeds, { id: 'D' }, 5], extends: 'nine', more: 1 }).map(([at]) => at)).toEqual([
    'extends',
    'more',
    'feeds[2].id',
    'feeds[3].base',
    'feeds[4].base',
    'feeds[4].drivers',
    'feeds[5]',
  ])
})

test('args: invented feeds come last, and must not be repeated', () => {
  const invented = [{ ...ACME, id: 'INVENTEDUSD', number: 100_001 }]
  const feeds = parseFeeds({ extends: 'none', feeds: [ACME] }, 'feeds.json', invented)
  expect(feeds.map(({ id }) => id)).toEqual(['ACMEUSD', 'INVENTEDUSD'])
  expect(parseFeeds({ extends: 'none', feeds: [] }, 'feeds.json', invented)).toHaveLength(1)
})

test('behavior: toFeeds takes a file or parsed feeds, with the same result', () => {
  const file = { feeds: [ACME] }
  const invented = [{ ...ACME, id: 'INVENTEDUSD', number: 100_001 }]
  expect(toFeeds()).toEqual(catalogueFeeds())
  expect(toFeeds(file)).toEqual(parseFeeds(file, 'feeds.json'))
  expect(toFeeds(parseFeeds(file, 'feeds.json'), invented)).toEqual(toFeeds(file, invented))
  expect(toFeeds(toFeeds(file))).toEqual(toFeeds(file))
})

test('error: toFeeds refuses an invented feed that repeats a parsed one', () => {
  const repeated = () => toFeeds(parseFeeds({ feeds: [ACME] }, 'feeds.json'), [ACME])
  expect(repeated).toThrow(expect.objectContaining({ code: 'FEEDS_INVALID' }))
})

test('error: toFeeds does not trust a list that parseFeeds has not returned', () => {
  expect(() => toFeeds([...catalogueFeeds()])).toThrow(expect.objectContaining({ code: 'FEEDS_INVALID' }))
})

test('error: every problem at once, each with its place, what stands there and what should', () => {
  const error = errorOf({
    feeds: [
      { id: 'A B', base: 1, drivers: { a: -5.1 } },
      7,
      { id: 'X', base: -1, drivers: { 'a b': 1, ok: 'x', wild: 9 }, heartbeat: 3, lag: 61, clas: 'fx', span: 100_000 },
      { id: 'Y', class: 'cripto', base: '1', number: 0, expo: 1, step: 0.5, volume: -1, drivers: 4 },
      { ...ACME, ratio: 2 },
      { id: 'btcUSD', base: 1, drivers: { own: 0.1 } },
      { id: 'Z', parent: 'ETHUSDT', basis: 0.004 },
      { id: 'SLOW', base: 1, drivers: { meme: 0.4 }, span: 65_536 },
    ],
  })
  expect(error.code).toBe('FEEDS_INVALID')
  expect(error.shortMessage).toBe('feeds.json has 22 problems.')
  const texts = error.problems.map(({ at, want }) => `${at}: ${want}`)
  expect(texts.toSorted().join('\n')).toMatchInlineSnapshot(`
    "feeds[0].drivers.a: an annualised volatility from -5 to 5, for example 0.45
    feeds[0].id: a feed id of letters, digits, . - and _, at most 32, the first a letter or digit, such as "ACMEUSD"
    feeds[1]: an object
    feeds[2].base: a price above 0 and up to a billion, in USD
    feeds[2].clas: class
    feeds[2].drivers.a b: a driver name of letters, digits, - and _, at most 32
    feeds[2].drivers.ok: an annualised volatility from -5 to 5, for example 0.45
    feeds[2].drivers.wild: an annualised volatility from -5 to 5, for example 0.45
    feeds[2].heartbeat: a power of two from 1 to 4096
    feeds[2].lag: an integer from 0 to 60
    feeds[2].span: a power of two from 65536 to 134217728
    feeds[3].base: a price above 0 and up to a billion, in USD
    feeds[3].class: one of "crypto", "meme", "staked", "wrapped", "stable", "fx", "metal"
    feeds[3].drivers: an object
    feeds[3].expo: an integer from -18 to 0
    feeds[3].number: an integer from 1 to 2147483647
    feeds[3].step: an integer from 1 to 1000000000000000
    feeds[3].volume: a daily volume in USD from 0 to 200 billion
    feeds[4].ratio: a parent beside it, or no ratio
    feeds[5].id: an id that is not taken (BTCUSD is, in any case)
    feeds[6].parent: a feed defined before this one
    feeds[7].span: 134217728, the span of the driver "meme" in DOGEUSD"
  `)
  const at = (place: string) => error.problems.find(problem => problem.at === place)
  expect(at('feeds[2].clas')).toMatchObject({ got: 'an unknown key', closest: 'class' })
  expect(at('feeds[2].heartbeat')).toMatchObject({ got: 3 })
  expect(at('feeds[3].class')).toMatchObject({ got: 'cripto', closest: 'crypto' })
  expect(at('feeds[6].parent')).toMatchObject({ got: 'ETHUSDT', closest: 'ETHUSD' })
})

test('error: a parent that is itself wrong is one problem, not two', () => {
  const broken = { id: 'BROKENUSD', base: -1, drivers: { a: 0.1 } }
  expect(details({ extends: 'none', feeds: [broken, { id: 'STUSD', parent: 'BROKENUSD' }] })).toEqual([
    ['feeds[0].base', -1, undefined],
  ])
})

test('error: what is not a file of feeds', () => {
  expect(details(null)).toEqual([['(the whole)', null, undefined]])
  expect(details([ACME])).toEqual([['(the whole)', [ACME], undefined]])
  expect(details({})).toEqual([['feeds', undefined, undefined]])
  expect(details({ feeds: ACME })).toEqual([['feeds', ACME, undefined]])
  expect(details({ feed: [ACME], feeds: [] })).toEqual([['feed', 'an unknown key', 'feeds']])
  expect(errorOf({ feeds: Array(10_001).fill(ACME) }).problems[0]).toMatchObject({ want: 'at most 10000 feeds' })
})

test('error: no feed at all', () => {
  expect(errorOf({ extends: 'none', feeds: [] }).problems).toEqual([
    { at: 'feeds', got: [], want: 'at least one feed' },
  ])
})

describe('changes of the catalogue', () => {
  const change = (...feeds: object[]) => toFeeds({ feeds } as never)
  const feedOf = (feeds: readonly Feed[], id: string) => feeds.find(feed => feed.id === id)!

  it('default: a definition without a base changes a feed, and no other', () => {
    const feeds = change({ id: 'btcusd', expo: -6, heartbeat: 8, lag: 3, number: 7777 })
    const before = catalogueFeeds()
    expect(feedOf(feeds, 'BTCUSD')).toEqual({
      ...feedOf(before, 'BTCUSD'),
      expo: -6,
      step: 1_000,
      heartbeat: 8,
      lag: 3,
      number: 7777,
    })
    expect(feeds.filter(({ id }) => id !== 'BTCUSD')).toEqual(before.filter(({ id }) => id !== 'BTCUSD'))
  })

  it.each([
    ['BTCUSD', 'fx'],
    ['ETHUSD', 'stable'],
    ['EURUSD', 'crypto'],
    ['USDTUSD', 'meme'],
    ['WBTCUSD', 'metal'],
  ] as const)('args: %s of the class %s, which changes no other feed', (id, feedClass) => {
    const [feeds, before] = [change({ id, class: feedClass }), catalogueFeeds()]
    const { group, span } = feedOf(before, id)
    expect(feedOf(feeds, id)).toMatchObject({ class: feedClass, group, span })
    expect(feeds.filter(feed => feed.id !== id)).toEqual(before.filter(feed => feed.id !== id))
  })

  it('args: a step of its own, and other feeds beside it', () => {
    const acme = { id: 'ACMEUSD', parent: 'SHIBUSD' }
    const feeds = change(acme, { id: 'SHIBUSD', expo: -10, step: 5 })
    expect(feedOf(feeds, 'SHIBUSD')).toMatchObject({ expo: -10, step: 5 })
    expect(feedOf(feeds, 'ACMEUSD').parent).toBe('SHIBUSD')
  })

  it('error: a change that no price fits, named by its place in the file', () => {
    expect(() => change({ id: 'ACMEUSD', parent: 'BTCUSD' }, { id: 'BTCUSD', expo: -18 })).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ at: 'feeds[1].expo' })] }),
    )
  })

  it('error: two changes of one feed, of which one would be lost', () => {
    expect(() => change({ id: 'BTCUSD', lag: 1 }, { id: 'ETHUSD', lag: 1 }, { id: 'btcusd', expo: -6 })).toThrow(
      expect.objectContaining({
        problems: [{ at: 'feeds[2].id', got: 'btcusd', want: 'an id that is not taken' }],
      }),
    )
  })

  it('error: the number of another feed, and a feed anew', () => {
    expect(() => change({ id: 'BTCUSD', number: 2 })).toThrow('feeds[0].number')
    expect(() => change({ id: 'BTCUSD', base: 5, drivers: { crypto: 0.5 } })).toThrow('an id that is not taken')
  })
})

test('args: wander: false keeps every feed near its base, and a span of its own as it is', () => {
  const feeds = parseFeeds(
    {
      wander: false,
      feeds: [
        { id: 'ACMEUSD', base: 12.5, drivers: { crypto: 0.5 } },
        { id: 'OWN', base: 1, drivers: { OWN: 0.1 }, span: 16_777_216 },
      ],
    },
    'feeds',
  )
  const spans = new Map(feeds.map(({ id, span }) => [id, span]))
  expect(['BTCUSD', 'USDCUSD', 'ACMEUSD', 'OWN'].map(id => spans.get(id))).toEqual([
    4_194_304, 65_536, 4_194_304, 16_777_216,
  ])
  const bitcoin = feeds.find(({ id }) => id === 'BTCUSD')!
  const { low, high } = createFeedPath('42', bitcoin).extremes(0, 4_291_747_199)!
  expect(low.price / 1e8).toBeGreaterThan(118_300 / 2.5)
  expect(high.price / 1e8).toBeLessThan(118_300 * 2.5)
})
