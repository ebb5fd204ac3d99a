import { expect, test, vi } from 'vitest'
import { createFeedPath } from './feed-path.js'
import { catalogueFeeds } from './feeds-file.js'
import { rampTo } from './levels.js'
import type { Extremes, PricePath } from './path.js'
import { type Layer, trackChanges, untracked } from './path.js'
import { transformedPath } from './price-transform.js'
import { repeatedWindows } from './windows.js'
import { withoutTicks } from './without-ticks.js'

const feed = catalogueFeeds()[0]!
const base: PricePath = createFeedPath('7', feed)
const always = repeatedWindows(0, [{ from: 0, until: Number.POSITIVE_INFINITY }])
const scaled = (below: typeof base, factor: number, markApplied: () => void) =>
  transformedPath(below, { windows: always, appliedAt: 0, feed, markApplied }, rampTo(factor))

test('default: each layer reports its own changes', () => {
  const [first, second] = [vi.fn(), vi.fn()]
  const path = scaled(scaled(base, 2, first), 1, second)
  path.at(100)
  path.extremes(100, 200)
  expect([first, second].map(({ mock }) => mock.calls.length)).toEqual([2, 0])
})

test('behavior: an untracked path reports nothing and gives the same answers', () => {
  const markApplied = vi.fn()
  const path = withoutTicks(
    scaled(base, 2, markApplied),
    repeatedWindows(150, [{ from: 0, until: 20 }]),
    'hole',
    markApplied,
  )
  const plain = untracked(path)
  const answers = [
    plain.at(100),
    plain.extremes(100, 200),
    plain.lastTick(160),
    plain.nextTick(160),
    plain.holes(0, 999),
  ]
  expect(markApplied).not.toHaveBeenCalled()
  expect([path.at(100), path.extremes(100, 200), path.lastTick(160), path.nextTick(160), path.holes(0, 999)]).toEqual(
    answers,
  )
  expect(markApplied).toHaveBeenCalled()
  expect(untracked(base)).toBe(base)
})

test('behavior: a look-up is made once, however many layers there are', () => {
  const at = vi.fn(base.at)
  let path: typeof base = { ...base, at }
  for (let i = 0; i < 20; i++) path = scaled(path, 1.01, () => {})
  path.at(100)
  expect(at).toHaveBeenCalledTimes(1)
})

const HIGH = { price: 9, ts: 3 }
const LOW = { price: 2, ts: 5 }
const PLAIN: Layer = {
  at: () => 7,
  lastTick: () => 4,
  nextTick: () => 8,
  holes: () => [{ from: 1, until: 3 }],
  extremes: () => ({ high: HIGH, low: LOW }),
}
const extremes = (found: Extremes | undefined): Partial<Layer> => ({ extremes: () => found })
const ask = {
  at: path => path.at(4),
  lastTick: path => path.lastTick(5),
  nextTick: path => path.nextTick(5),
  holes: path => path.holes(0, 9),
  extremes: path => path.extremes(0, 9),
  prices: path => path.extremes(0, 9, true),
} satisfies Record<string, (path: PricePath) => unknown>

const ALL: readonly (keyof typeof ask)[] = ['extremes', 'prices']
test.each<[name: string, layer: Partial<Layer>, reported: readonly (keyof typeof ask)[]]>([
  [
    'nothing',
    { at: () => 7, holes: () => [{ from: 1, until: 3 }], ...extremes({ high: { ...HIGH }, low: { ...LOW } }) },
    [],
  ],
  ['a price', { at: () => 6 }, ['at']],
  ['the last tick', { lastTick: () => undefined }, ['lastTick']],
  ['the next tick', { nextTick: () => 9 }, ['nextTick']],
  ['the start of a hole', { holes: () => [{ from: 0, until: 3 }] }, ['holes']],
  ['the end of a hole', { holes: () => [{ from: 1, until: 4 }] }, ['holes']],
  [
    'a hole more',
    {
      holes: () => [
        { from: 1, until: 3 },
        { from: 8, until: 10 },
      ],
    },
    ['holes'],
  ],
  ['no hole', { holes: () => [] }, ['holes']],
  ['no extremes', extremes(undefined), ALL],
  ['the highest price', extremes({ high: { price: 8, ts: 3 }, low: LOW }), ALL],
  ['the lowest price', extremes({ high: HIGH, low: { price: 1, ts: 5 } }), ALL],
  ['the second of the high', extremes({ high: { price: 9, ts: 4 }, low: LOW }), ['extremes']],
  ['the second of the low', extremes({ high: HIGH, low: { price: 2, ts: 6 } }), ['extremes']],
])('behavior: a layer that changes %s reports just that', (_, layer, reported) => {
  const markApplied = vi.fn()
  const path = trackChanges(PLAIN, { ...PLAIN, ...layer }, markApplied)
  const changed = Object.entries(ask).flatMap(([name, question]) => {
    markApplied.mockClear()
    expect(question(path)).toEqual(question({ ...PLAIN, ...layer }))
    return markApplied.mock.calls.length > 0 ? [name] : []
  })
  expect(changed).toEqual(reported)
})
