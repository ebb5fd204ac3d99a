// Branch and bound over parts: equal prices, the tick that is known from below, and bounds that are just large enough.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { extremesOf, listPath } from '../../test/support/paths.js'
import { check } from '../../test/support/seed.js'
import type { Extremes } from './path.js'
import { changeParts, merge, type Part, searchExtremes } from './search.js'

/** A path without parts, with a tick every `every` seconds from 0 on. */
const listedPath = (prices: readonly number[], every: number) =>
  listPath(...prices.map((price, i) => [i * every, price] as const))

/** A search whose bounds no layer changes. */
const asTheyAre = (prices: readonly number[]) =>
  changeParts(listedPath(prices, 1), (_from, _to, low, high) => [low, high])
/** Ticks of which nothing is known but that they exist. */
const everySecond = (prices: readonly number[]): Extremes => {
  const last = { price: prices.at(-1)!, ts: prices.length - 1 }
  return { high: last, low: last }
}

it('behavior: each split is told, and only parts that can win are split', () => {
  const prices = Array.from({ length: 64 }, (_, i) => i)
  const splits: number[] = []
  const parted = { ...asTheyAre(prices), onSplit: ({ from, to }: Part) => void splits.push(to - from + 1) }
  searchExtremes(parted, [0, 63], { extremes: everySecond(prices), at: ({ ts }) => prices[ts] }, true)
  // The highest is known from below; the lowest is at the end of a way down.
  expect(splits).toEqual([64, 32, 16, 8, 4, 2])
})

it('default: the extremes through two layers are those of all ticks, also where a layer removes some', () => {
  const prices = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 40 })
  const span = fc.tuple(fc.integer({ min: -3, max: 80 }), fc.nat({ max: 80 }))
  const options = fc.tuple(fc.constantFrom(1, 2), fc.constantFrom(-2, 3))
  check([prices, span, options], 500, (list, [from, length], [every, factor]) => {
    const path = listedPath(list, every)
    const to = from + length
    const below = path.extremes(from, to)
    if (below === undefined) return
    const isGone = (ts: number): boolean => ts % 7 === 3
    const scaled = changeParts(path, (_from, _to, low, high) =>
      factor < 0 ? [high * factor, low * factor] : [low * factor, high * factor],
    )
    const parted = changeParts({ ...path, ...scaled }, (from, to, low, high) =>
      from === to && isGone(from) ? undefined : [low + 1, high + 1],
    )
    const at = ({ price, ts }: Extremes['high']) => (isGone(ts) ? undefined : price * factor + 1)
    const ticks = list.map((price, i) => ({ price: price * factor + 1, ts: i * every }))
    const wanted = extremesOf(ticks.filter(({ ts }) => !isGone(ts) && ts >= from && ts <= to))
    expect(searchExtremes(parted, [from, to], { extremes: below, at })).toEqual(wanted)
    const any = searchExtremes(parted, [from, to], { extremes: below, at }, true)
    expect([any?.high.price, any?.low.price]).toEqual([wanted?.high.price, wanted?.low.price])
  })
})

it('behavior: of equal extremes that are merged the earlier stays', () => {
  const one = { high: { price: 9, ts: 1 }, low: { price: 1, ts: 2 } }
  expect(merge(one, { high: { price: 9, ts: 11 }, low: { price: 1, ts: 12 } })).toEqual(one)
  const wider = { high: { price: 10, ts: 11 }, low: { price: 0, ts: 12 } }
  expect(merge(one, wider)).toEqual(wider)
  expect([merge(one, undefined), merge(undefined, one)]).toEqual([one, one])
})
