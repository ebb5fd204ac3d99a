// Synthetic feeds: valid at any count, and each depends only on the seed and its index.
import { expect, test } from 'vitest'
import { createFeedPath } from './feed-path.js'
import { catalogueFeeds, parseFeeds } from './feeds-file.js'
import { inventFeeds } from './synthetic.js'

const withInvented = async (seed: string, count: number) =>
  parseFeeds({ feeds: [] }, 'feeds', await inventFeeds(seed, count))

test('default', async () => {
  const [first, second] = await inventFeeds('42', 2)
  expect(first!.id).toMatch(/^[A-Z]{1,5}1USD$/)
  expect(second!.id).toMatch(/^[A-Z]{1,5}2USD$/)
  expect(await inventFeeds('42', 2)).toEqual([first, second])
})

test('behavior: a higher count keeps the first feeds, their numbers and their prices', async () => {
  const [fewer, more] = [await withInvented('42', 500), await withInvented('42', 501)]
  expect(more.slice(0, -1)).toEqual(fewer)
  for (const index of [0, 70, fewer.length - 1])
    expect(createFeedPath('42', more[index]!).at(1_753_354_096)).toBe(
      createFeedPath('42', fewer[index]!).at(1_753_354_096),
    )
})

test('behavior: the catalogue does not change', async () => {
  expect((await withInvented('42', 500)).slice(0, catalogueFeeds().length)).toEqual(catalogueFeeds())
})

test('behavior: ten thousand of them are valid, for any seed', async () => {
  const feeds = await withInvented('7', 10_000)
  expect(feeds).toHaveLength(catalogueFeeds().length + 10_000)
  expect(await withInvented('', 200)).toHaveLength(catalogueFeeds().length + 200)
})

test('behavior: they differ in price, in heartbeat and in lag', async () => {
  const feeds = await inventFeeds('42', 500)
  expect(new Set(feeds.map(({ heartbeat }) => heartbeat))).toEqual(new Set([1, 2, 4, 8, 16]))
  expect(new Set(feeds.map(({ lag }) => lag))).toEqual(new Set([0, 1, 2, 3]))
  expect(Math.min(...feeds.map(({ base }) => base!))).toBeLessThan(0.1)
  expect(Math.max(...feeds.map(({ base }) => base!))).toBeGreaterThan(1000)
  expect(new Set(feeds.map(({ id }) => id.replace(/\d.*/, ''))).size).toBeGreaterThan(200)
})

test('behavior: their prices are positive and have enough digits', async () => {
  for (const feed of (await withInvented('42', 300)).slice(-300)) {
    expect(Number(`1e${feed.expo}`) / feed.base).toBeLessThan(1e-4)
    expect(createFeedPath('42', feed).at(1_753_354_096)).toBeGreaterThan(0)
  }
})

test('args: seed: another seed invents other feeds', async () => {
  const [one, other] = await Promise.all(
    ['42', '43'].map(async seed => (await inventFeeds(seed, 20)).map(({ id }) => id)),
  )
  expect(one!.filter((id, i) => id === other![i]).length).toBeLessThan(5)
})

test('args: count: none', async () => expect(await inventFeeds('42', 0)).toEqual([]))
