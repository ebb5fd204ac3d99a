// Look-ups by a tree and by halving, against a walk through the whole list.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { check } from '../../test/support/seed.js'
import { createPriceTree, firstIndex, indexAfter } from './lookups.js'

/** Few prices, so that many are equal, for trees of one to four levels. */
const prices = fc
  .tuple(fc.constantFrom(1, 15, 16, 17, 31, 256, 257, 272, 4096, 4097, 5000), fc.integer(), fc.constantFrom(3, 1000))
  .map(([length, seed, most]) =>
    Float64Array.from({ length }, (_, i) => Math.abs(Math.imul(seed ^ i, 0x9e3779b1)) % most),
  )

it('default: the first of the highest and of the lowest prices in any part', () => {
  const part = fc.tuple(fc.nat(), fc.nat())
  check([prices, fc.array(part, { minLength: 1, maxLength: 10 })], (list, parts) => {
    const tree = createPriceTree(list)
    for (const ends of [...parts, [0, list.length - 1]]) {
      const [from, to] = ends.map(end => end % list.length).toSorted((a, b) => a - b) as [number, number]
      const own = list.slice(from, to + 1)
      const wanted = [Math.max, Math.min].map(most => from + own.indexOf(own.reduce((a, b) => most(a, b))))
      expect([tree.highest(from, to), tree.lowest(from, to)]).toEqual(wanted)
    }
  })
})

it.each([0, 1, 2, 3, 7, 8, 9])('default: every place in a list of %i', length => {
  const list = Float64Array.from({ length }, (_, i) => i * 2)
  for (let at = 0; at <= length; at++) {
    expect(firstIndex(list, item => item >= at * 2)).toBe(at)
    expect([indexAfter(list, at * 2 - 1), indexAfter(list, at * 2)]).toEqual([at, Math.min(length, at + 1)])
  }
})
