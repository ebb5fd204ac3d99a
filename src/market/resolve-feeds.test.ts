// From definitions to feeds: defaults, derived feeds, numbers, and every problem at once.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from '../../test/support/seed.js'
import { FEED_CLASSES } from '../settings/policy.js'
import { createFeedPath } from './feed-path.js'
import { type FeedDefinition, toFeedKey } from './feeds.js'
import { priceRange, resolveFeeds } from './resolve-feeds.js'

const ACME: FeedDefinition = { id: 'ACMEUSD', base: 12.5, drivers: { crypto: 0.5, ACMEUSD: 0.4 } }
const TOKEN: FeedDefinition = { id: 'STACMEUSD', parent: 'ACMEUSD' }

/** The one feed of a definition without problems. */
function resolve(...definitions: FeedDefinition[]) {
  const { feeds, problems } = resolveFeeds(definitions)
  expect(problems).toEqual([])
  return feeds.at(-1)!
}
const problemsOf = (...definitions: FeedDefinition[]) => resolveFeeds(definitions).problems

test('default', () => {
  expect(resolve(ACME)).toEqual({
    id: 'ACMEUSD',
    number: 693_819_161,
    class: 'crypto',
    group: 'crypto',
    base: 12.5,
    expo: -8,
    step: 1,
    heartbeat: 1,
    lag: 1,
    span: 134_217_728,
    drivers: { crypto: 0.5, ACMEUSD: 0.4 },
    volume: 50e6,
  })
})

test('behavior: every class has its own defaults', () => {
  const byClass = FEED_CLASSES.map(name => {
    const { class: of, group, span, heartbeat, lag } = resolve({ ...ACME, class: name })
    return [of, group, span, heartbeat, lag]
  })
  expect(byClass).toEqual([
    ['crypto', 'crypto', 134_217_728, 1, 1],
    ['meme', 'crypto', 134_217_728, 2, 1],
    ['staked', 'crypto', 134_217_728, 4, 2],
    ['wrapped', 'crypto', 134_217_728, 2, 2],
    ['stable', 'stable', 65_536, 8, 2],
    ['fx', 'fx', 134_217_728, 4, 0],
    ['metal', 'fx', 134_217_728, 4, 0],
  ])
})

test('behavior: given fields are kept, zeros too', () => {
  const said = { number: 7, expo: 0, step: 5, heartbeat: 4096, lag: 0, span: 65_536, volume: 0 }
  expect(resolve({ ...ACME, ...said })).toMatchObject(said)
})

test('behavior: the exponent keeps six digits of a small price', () => {
  const expoOf = (base: number) => resolve({ ...ACME, base }).expo
  expect([1e6, 1, 0.01].map(expoOf)).toEqual([-8, -8, -8])
  expect([0.0099, 0.0001].map(expoOf)).toEqual([-10, -10])
  expect([0.000099, 0.000001].map(expoOf)).toEqual([-12, -12])
})

test('behavior: a derived feed has the drivers of its parent and its own one', () => {
  const feeds = resolveFeeds([ACME, { ...TOKEN, ratio: 1.2, basis: 0.006, class: 'staked' }]).feeds
  expect(feeds[1]).toMatchObject({
    class: 'staked',
    parent: 'ACMEUSD',
    base: 15,
    span: 134_217_728,
    drivers: { crypto: 0.5, ACMEUSD: 0.4, STACMEUSD: 0.006 },
    heartbeat: 4,
    lag: 2,
  })
})

test('behavior: a derived feed without a ratio has the price of its parent, its class and a small basis', () => {
  const feed = resolve({ ...ACME, class: 'meme' }, { ...TOKEN, parent: 'acmeusd' })
  expect(feed).toMatchObject({ class: 'meme', parent: 'ACMEUSD', base: 12.5, heartbeat: 2 })
  expect(feed.drivers.STACMEUSD).toBe(0.004)
})

test('behavior: a derived feed may follow a derived feed, and takes the span of its parent', () => {
  const second = resolve(
    { ...ACME, class: 'stable', span: 65_536 },
    { ...TOKEN, ratio: 2 },
    { id: 'X', parent: 'STACMEUSD', ratio: 3 },
  )
  expect(second).toMatchObject({ base: 75, span: 65_536 })
  expect(Object.keys(second.drivers)).toEqual(['crypto', 'ACMEUSD', 'STACMEUSD', 'X'])
})

test('behavior: the number is a hash of the id alone', () => {
  const id = fc.stringMatching(/^[A-Z][A-Z0-9]{2,9}$/)
  check([fc.uniqueArray(id, { minLength: 2, maxLength: 8 })], ids => {
    const feeds = resolveFeeds(ids.map(name => ({ ...ACME, id: name }))).feeds
    expect(feeds.map(({ number }) => number)).toEqual(ids.map(name => resolve({ ...ACME, id: name }).number))
    for (const { number } of feeds) expect(number >= 1_000_000 && number < 2_147_483_648).toBe(true)
  })
})

test('behavior: a missing definition counts for positions', () => {
  const { feeds, problems } = resolveFeeds([undefined, ACME, undefined, { id: 'X', base: 1 }])
  expect(feeds.map(({ id }) => id)).toEqual(['ACMEUSD'])
  expect(problems.map(({ at }) => at)).toEqual(['feeds[3].drivers'])
})

test('behavior: ids are compared without regard to the case of ASCII letters only', () => {
  expect(['btcusd', 'BtcUSD', 'a.b-c_1'].map(toFeedKey)).toEqual(['BTCUSD', 'BTCUSD', 'A.B-C_1'])
  // In upper case the long s is an S, the dotless i an I, and the ligature two letters.
  for (const id of ['u\u017fd', '\u0131d', '\ufb01d']) expect(toFeedKey(id)).not.toMatch(/^[A-Z]+$/)
})

test('error: a number that is taken', () => {
  expect(problemsOf({ ...ACME, number: 5 }, { ...ACME, id: 'B', number: 5 })).toEqual([
    { at: 'feeds[1].number', got: 5, want: 'a number that is not taken (by ACMEUSD)' },
  ])
})

test('error: missing and excluded fields', () => {
  const ats = (definition: FeedDefinition) => problemsOf(ACME, definition).map(({ at }) => at)
  expect(ats({ id: 'X' })).toEqual(['feeds[1].base', 'feeds[1].drivers'])
  expect(ats({ ...ACME, id: 'X', ratio: 2, basis: 0.01 })).toEqual(['feeds[1].ratio', 'feeds[1].basis'])
  expect(ats({ ...TOKEN, base: 1, drivers: { a: 1 }, span: 65_536 })).toEqual(
    ['base', 'drivers', 'span'].map(key => `feeds[1].${key}`),
  )
  expect(problemsOf({ ...ACME, drivers: {} })).toEqual([
    { at: 'feeds[0].drivers', got: {}, want: 'at least one driver' },
  ])
})

test('behavior: the nearest feed is looked for as long as problems are shown', () => {
  const orphans = Array.from({ length: 101 }, (_, i) => ({ ...TOKEN, id: `T${i}`, parent: 'ACMEUSB' }))
  expect(problemsOf(ACME, ...orphans).map(({ closest }) => closest)).toEqual([...Array(100).fill('ACMEUSD'), undefined])
})

test('behavior: a feed without a group has that of its parent, of its first known driver, or of its class', () => {
  const known = resolveFeeds([ACME, { ...ACME, id: 'PAIR', class: 'fx', drivers: { usd: 0.1 } }]).feeds
  const groupOf = (definition: FeedDefinition) => resolveFeeds([definition], known).feeds[0]!.group
  expect(groupOf({ id: 'B', base: 1, class: 'stable', drivers: { B: 0.1, usd: 0.1 } })).toBe('fx')
  expect(groupOf({ id: 'B', base: 1, class: 'stable', drivers: { B: 0.1 } })).toBe('stable')
  expect(groupOf({ id: 'B', base: 1, class: 'stable', group: 'crypto', drivers: { B: 0.1 } })).toBe('crypto')
  expect(groupOf({ id: 'B', parent: 'PAIR', class: 'staked' })).toBe('fx')
})

test('error: a shared driver of another group', () => {
  const pair: FeedDefinition = { id: 'PAIR', base: 1, class: 'fx', drivers: { usd: 0.1 } }
  const want = '"crypto", the group of the driver "crypto" in ACMEUSD'
  expect(problemsOf(ACME, { ...pair, group: 'fx', drivers: { own: 0.1, crypto: 0.4 } })).toEqual([
    { at: 'feeds[1].group', got: 'fx', want },
  ])
  expect(problemsOf(ACME, pair, { ...ACME, id: 'B', drivers: { usd: 0.1, crypto: 0.4 } })).toEqual([
    { at: 'feeds[2].group', got: 'fx', want },
  ])
})

test('args: yield: a derived feed grows by its own and by that of its parent', () => {
  const staked = resolveFeeds([ACME, { ...TOKEN, yield: 0.03 }]).feeds
  expect(staked.map(feed => feed.yield)).toEqual([undefined, 0.03])
  expect(resolveFeeds([{ id: 'W', parent: TOKEN.id, yield: 0.01 }], staked).feeds[0]!.yield).toBeCloseTo(0.04, 15)
  expect(problemsOf({ ...ACME, yield: 0.03 }).map(({ at }) => at)).toEqual(['feeds[0].yield'])
  // It may take the price beyond exact integers by 2105.
  const high: FeedDefinition = { ...ACME, base: 1e5 }
  expect(problemsOf(high, { ...TOKEN, yield: 0.03 })).toEqual([])
  expect(problemsOf(high, { ...TOKEN, yield: 0.1 }).map(({ at }) => at)).toEqual(['feeds[1].expo'])
})

test('error: a price beyond exact integers', () => {
  const [problem, ...others] = problemsOf({ ...ACME, base: 1e9, expo: -8 })
  expect(others).toEqual([])
  expect(problem).toMatchObject({ at: 'feeds[0].expo', got: -8 })
  expect(problem!.want).toMatch(/^an exponent that keeps the highest price, \d+, below 2\^53$/)
  expect(problemsOf({ ...ACME, base: 1e9, expo: -5 })).toEqual([])
})

test('error: a derived feed that is named like a driver of its parent', () => {
  // Its basis would replace that driver, and it would no longer follow its parent.
  expect(problemsOf(ACME, { id: 'crypto', parent: 'ACMEUSD' }).map(({ at }) => at)).toEqual(['feeds[1].id'])
})

test('error: a price below one step, or below the exponent', () => {
  expect(problemsOf({ ...ACME, base: 0.001, expo: 0 }).map(({ at }) => at)).toEqual(['feeds[0].expo'])
  expect(problemsOf({ ...ACME, base: 1, step: 1e9 }).map(({ at }) => at)).toEqual(['feeds[0].step'])
})

test('error: volatilities that can move a price beyond exact integers', () => {
  const wild: FeedDefinition = { ...ACME, base: 4e7, drivers: { a: 5, b: 5 }, span: 134_217_728 }
  expect(problemsOf(wild).map(({ at }) => at)).toContain('feeds[0].expo')
})

test('error: feeds that follow an invalid feed are not reported, at any distance', () => {
  const list: FeedDefinition[] = [{ id: 'A', base: 1 }, { id: 'B', parent: 'A' }, { id: 'C', parent: 'b' }, TOKEN]
  expect(problemsOf(...list).map(({ at }) => at)).toEqual(['feeds[0].drivers', 'feeds[3].parent'])
})

test('behavior: no price leaves the range of its feed', () => {
  const definition = fc.record({
    id: fc.constant('X'),
    base: fc.constantFrom(0.0000138, 1, 118_300),
    drivers: fc.constantFrom<Record<string, number>[]>({ a: 0.01 }, { a: 0.6, b: -0.6 }, { a: 1, b: 0.5, c: 0.5 }),
    span: fc.constantFrom(65_536, 4_194_304, 134_217_728),
  })
  check([definition, fc.integer({ min: 0, max: 4_290_000_000 })], [5, 20], (of, from) => {
    const feed = resolve(of)
    const { low, high } = priceRange(feed)
    const extremes = createFeedPath('42', feed).extremes(from, 4_291_747_199)!
    expect(extremes.low.price).toBeGreaterThanOrEqual(Math.floor(low))
    expect(extremes.high.price).toBeLessThanOrEqual(Math.ceil(high))
  })
})
