// Branch and bound over parts: equal prices, the tick that is known from below, and bounds that are just large enough.
import { describe, expect, it } from 'vitest'
import type { Extremes } from './path.js'
import { merge, type Part, searchExtremes } from './search.js'

/** Parts of a list of prices, one a second, halved down to single seconds, with exact bounds. */
function partsOf(prices: readonly number[], from = 0, to = prices.length - 1): Part[] {
  if (from > to) return []
  const own = prices.slice(from, to + 1)
  const [low, high] = [Math.min(...own), Math.max(...own)]
  if (from === to) return [{ from, to, low, high }]
  const middle = Math.floor((from + to) / 2)
  const split: Part['split'] = isWanted =>
    [...partsOf(prices, from, middle), ...partsOf(prices, middle + 1, to)].filter(part =>
      isWanted(part.from, part.to, part.low, part.high),
    )
  return [{ from, to, low, high, split }]
}
/** A search of parts whose bounds no layer changes. */
const asTheyAre = (parts: readonly Part[]): Parameters<typeof searchExtremes>[0] => ({
  parts: () => parts,
  boundsOf: (_from, _to, low, high) => [low, high],
})
const search = (prices: readonly number[], extremes: Extremes = everySecond(prices)) =>
  searchExtremes(asTheyAre(partsOf(prices)), [0, prices.length - 1], { extremes, at: ({ ts }) => prices[ts] })
/** Ticks of which nothing is known but that they exist. */
const everySecond = (prices: readonly number[]): Extremes => {
  const last = { price: prices.at(-1)!, ts: prices.length - 1 }
  return { high: last, low: last }
}

describe('searchExtremes', () => {
  it('default: the earliest of equal highs and lows', () => {
    expect(search([5, 9, 1, 9, 1, 5])).toEqual({ high: { price: 9, ts: 1 }, low: { price: 1, ts: 2 } })
    expect(searchExtremes(asTheyAre([]), [0, 1], { extremes: everySecond([5]), at: () => undefined })).toBeUndefined()
  })

  it('behavior: a part is searched whose bound is just above the best', () => {
    const prices = Array.from({ length: 64 }, (_, i) => (i === 0 ? 100 : i === 63 ? 101 : 50))
    expect(search(prices)!.high).toEqual({ price: 101, ts: 63 })
    const mirrored = prices.map(price => -price)
    expect(search(mirrored)!.low).toEqual({ price: -101, ts: 63 })
  })

  it('behavior: each split is told, and only parts that can win are split', () => {
    const prices = Array.from({ length: 64 }, (_, i) => i)
    const splits: number[] = []
    const parted = { ...asTheyAre(partsOf(prices)), onSplit: ({ from, to }: Part) => void splits.push(to - from + 1) }
    searchExtremes(parted, [0, 63], { extremes: everySecond(prices), at: ({ ts }) => prices[ts] }, true)
    // The highest is known from below; the lowest is at the end of a way down.
    expect(splits).toEqual([64, 32, 16, 8, 4, 2])
  })

  it('behavior: an equal tick before the one that is known from below wins', () => {
    const known = { high: { price: 9, ts: 3 }, low: { price: 1, ts: 4 } }
    expect(search([5, 9, 1, 9, 1, 5], known)).toEqual({ high: { price: 9, ts: 1 }, low: { price: 1, ts: 2 } })
    expect(search([5, 10, 0, 9, 1, 5], known)).toEqual({ high: { price: 10, ts: 1 }, low: { price: 0, ts: 2 } })
    expect(search([5, 8, 2, 9, 1, 9], known)).toEqual(known)
  })
})

describe('merge', () => {
  const one = { high: { price: 9, ts: 1 }, low: { price: 1, ts: 2 } }

  it('behavior: of equal extremes the earlier stays', () => {
    expect(merge(one, { high: { price: 9, ts: 11 }, low: { price: 1, ts: 12 } })).toEqual(one)
    const wider = { high: { price: 10, ts: 11 }, low: { price: 0, ts: 12 } }
    expect(merge(one, wider)).toEqual(wider)
    expect([merge(one, undefined), merge(undefined, one)]).toEqual([one, one])
  })
})
