// The hash behind the walk against independent uniform numbers: alone, in series, in the tree, between sources and by bits.
//
// Every figure is a z-score. With a fixed seed a test can not fail by chance later; when the hash changes, the largest of the
// thousands of scores here is above 5 with a probability below 0.5 %, and then another seed decides. The root mean square
// shows what no single score does: a hash that is a little off everywhere, or too even to be random.
import { expect, test } from 'vitest'
import { catalogueFeeds } from '../../src/market/feeds-file.js'
import { keysOf, scatter, uniformOf } from '../../src/market/random.js'
import {
  createJury,
  type Sample,
  zOfBins,
  zOfGrid,
  zOfMean,
  zOfProduct,
  zOfSquares,
  zOfTriple,
  zOfVariance,
} from './z-scores.js'

const LAGS = Array.from({ length: 11 }, (_, k) => 2 ** k)
const LEVELS = Array.from({ length: 20 }, (_, k) => k + 1)
const SOURCES = ['crypto', 'BTCUSD', 'USDTUSD', 'volume:BTCUSD']
/** Seconds of the mock's time, 2^32 about. */
const TIME = 4_291_747_200

/** `count` draws of a source at the seconds `first + i · stride`. */
function draw({ k1, k2 }: ReturnType<typeof keysOf>, count: number, first: number, stride = 1): Sample {
  const sample = new Float64Array(count)
  for (let i = 0; i < count; i++) sample[i] = uniformOf(k1, k2, scatter((first + i * stride) | 0))
  return sample
}

/** Draws at the midpoints of neighbouring nodes of a level, moved by `shift`: at most `most`, from the middle of time. */
function midpoints(keys: ReturnType<typeof keysOf>, level: number, most: number, shift = 0): Sample {
  const length = 2 ** level
  const nodes = Math.floor(TIME / length) - 1
  const count = Math.min(most, nodes)
  return draw(keys, count, Math.floor((nodes - count) * 0.41) * length + length / 2 + shift, length)
}

function expectRandom({ verdict }: ReturnType<typeof createJury>): void {
  const { count, largest, at, rms } = verdict()
  expect(Math.abs(largest), at).toBeLessThan(5)
  // The root mean square of n normal numbers has the deviation 1/√(2n); scores of one sample lean on each other, hence 0.05.
  expect(Math.abs(rms - 1)).toBeLessThan(5 / Math.sqrt(2 * count) + 0.05)
}

test('behavior: consecutive seconds are uniform: 256 bins, mean and variance of 4 million', () => {
  const jury = createJury()
  for (const name of SOURCES)
    for (const first of [0, 1_753_354_105, 2_147_483_648 - 2 ** 19, TIME - 2 ** 20]) {
      const sample = draw(keysOf('42', name), 2 ** 20, first)
      jury.hear(zOfBins(sample, 256), `bins ${name} ${first}`)
      jury.hear(zOfMean(sample), `mean ${name} ${first}`)
      jury.hear(zOfVariance(sample), `variance ${name} ${first}`)
    }
  expectRandom(jury)
})

test('behavior: midpoints of every level of the tree are uniform', () => {
  const jury = createJury()
  for (const name of SOURCES)
    for (const level of LEVELS) {
      const sample = midpoints(keysOf('42', name), level, 2 ** 17)
      jury.hear(zOfBins(sample, Math.min(256, sample.length >> 4)), `bins ${name} ${level}`)
      jury.hear(zOfMean(sample), `mean ${name} ${level}`)
      jury.hear(zOfVariance(sample), `variance ${name} ${level}`)
    }
  expectRandom(jury)
})

test('behavior: there is no serial correlation at lags 1, 2, 4 … 1024, in seconds and in nodes of every level', () => {
  const jury = createJury()
  for (const name of SOURCES)
    for (const level of [0, ...LEVELS.slice(0, 16)]) {
      const keys = keysOf('42', name)
      const sample = level === 0 ? draw(keys, 2 ** 18, 1_753_354_105) : midpoints(keys, level, 2 ** 16)
      for (const lag of LAGS) {
        const [before, after] = [sample.subarray(0, -lag), sample.subarray(lag)]
        jury.hear(zOfProduct(before, after), `product ${name} ${level} ${lag}`)
        jury.hear(zOfSquares(before, after), `squares ${name} ${level} ${lag}`)
        jury.hear(zOfGrid(before, after), `grid ${name} ${level} ${lag}`)
      }
    }
  expectRandom(jury)
})

test('behavior: a node, its left and its right child have nothing in common', () => {
  const jury = createJury()
  for (const name of SOURCES)
    for (const level of LEVELS.slice(1, 16)) {
      const keys = keysOf('42', name)
      const quarter = 2 ** level / 4
      const node = midpoints(keys, level, 2 ** 17)
      const left = midpoints(keys, level, 2 ** 17, -quarter)
      const right = midpoints(keys, level, 2 ** 17, quarter)
      for (const [pair, a, b] of [
        ['node left', node, left],
        ['node right', node, right],
        ['left right', left, right],
      ] as const) {
        jury.hear(zOfProduct(a, b), `${pair} ${name} ${level}`)
        jury.hear(zOfSquares(a, b), `${pair} squares ${name} ${level}`)
        jury.hear(zOfGrid(a, b), `${pair} grid ${name} ${level}`)
      }
      jury.hear(zOfTriple(node, left, right), `triple ${name} ${level}`)
    }
  expectRandom(jury)
})

/** Every source of randomness of the catalogue: its drivers and the volumes of its feeds. */
const CATALOGUE_SOURCES = [
  ...new Set(catalogueFeeds().flatMap(({ id, drivers }) => [...Object.keys(drivers), `volume:${id}`])),
]
/** Names and seeds that differ in one letter. */
const NEAR_NAMES = [...'ABCDEFGHIJKLMNOP'].map(letter => keysOf('42', `${letter}USD`))
const NEAR_SEEDS = Array.from({ length: 16 }, (_, seed) => keysOf(String(seed), 'crypto'))

test.each([
  ['the sources of the catalogue', CATALOGUE_SOURCES.map(name => keysOf('42', name)), 2 ** 14],
  ['sources whose names differ in one letter', NEAR_NAMES, 2 ** 18],
  ['one source under seeds that follow each other', NEAR_SEEDS, 2 ** 18],
])('behavior: no two of %s have anything in common', (_title, sources, count) => {
  const jury = createJury()
  const samples = sources.map(keys => draw(keys, count, 1_753_354_105))
  samples.forEach((a, i) => {
    for (let j = 0; j < i; j++) {
      const b = samples[j]!
      jury.hear(zOfProduct(a, b), `product ${i} ${j}`)
      jury.hear(zOfSquares(a, b), `squares ${i} ${j}`)
      jury.hear(zOfGrid(a, b), `grid ${i} ${j}`)
      jury.hear(zOfProduct(a.subarray(1), b), `product one second apart ${i} ${j}`)
    }
  })
  expectRandom(jury)
})

test('behavior: sources that share one of their two keys have nothing in common', () => {
  const jury = createJury()
  const { k1, k2 } = keysOf('42', 'crypto')
  const sample = draw({ k1, k2 }, 2 ** 20, 1_753_354_105)
  for (const other of NEAR_NAMES)
    for (const keys of [
      { k1, k2: other.k2 },
      { k1: other.k1, k2 },
    ]) {
      const b = draw(keys, 2 ** 20, 1_753_354_105)
      jury.hear(zOfProduct(sample, b), `product ${keys.k1} ${keys.k2}`)
      jury.hear(zOfGrid(sample, b), `grid ${keys.k1} ${keys.k2}`)
    }
  expectRandom(jury)
})

test('behavior: no two sources have nearly the same keys, which the hash does not keep apart', () => {
  // Keys that differ in one bit of 64 give sources that move together. Of random keys, 1 pair in 2·10^12 differs in five or less.
  const keys = Array.from({ length: 4000 }, (_, i) => keysOf('42', i % 2 === 0 ? `FEED${i}USD` : `volume:FEED${i}USD`))
  let nearest = 64
  keys.forEach((a, i) => {
    for (let j = 0; j < i; j++) nearest = Math.min(nearest, ones(a.k1 ^ keys[j]!.k1) + ones(a.k2 ^ keys[j]!.k2))
  })
  expect(nearest).toBeGreaterThan(5)
})

test('behavior: the sum of several sources is spread like the sum of independent ones, and has no memory', () => {
  const jury = createJury()
  const count = 2 ** 19
  for (const terms of [2, 3, 5, 8]) {
    const parts = CATALOGUE_SOURCES.slice(0, terms).map(name => draw(keysOf('42', name), count, 1_753_354_105))
    const sum = new Float64Array(count).map((_, i) => parts.reduce((total, part) => total + part[i]!, 0))
    // Cumulants add: a uniform number in [−1, 1) has 1/3, −2/15 and 16/63; odd ones vanish. Moments follow from them.
    const [c2, c4, c6] = [terms / 3, (-2 / 15) * terms, (16 / 63) * terms]
    const m4 = c4 + 3 * c2 ** 2
    const m6 = c6 + 15 * c4 * c2 + 15 * c2 ** 3
    const mean = (power: number) => sum.reduce((total, x) => total + x ** power, 0) / count
    jury.hear(mean(1) / Math.sqrt(c2 / count), `mean of ${terms}`)
    jury.hear((mean(2) - c2) / Math.sqrt((m4 - c2 ** 2) / count), `variance of ${terms}`)
    jury.hear(mean(3) / Math.sqrt(m6 / count), `skewness of ${terms}`)
    jury.hear((mean(4) - m4) / Math.sqrt((mean(8) - m4 ** 2) / count), `kurtosis of ${terms}`)
    for (const lag of LAGS) {
      let product = 0
      for (let i = lag; i < count; i++) product += sum[i]! * sum[i - lag]!
      jury.hear(product / c2 / Math.sqrt(count - lag), `lag ${lag} of ${terms}`)
    }
  }
  expectRandom(jury)
})

test('behavior: bits are independent: of one number, of the next second, of the next node, of another source', () => {
  const jury = createJury()
  const count = 2 ** 20
  const hear = (title: string, a: readonly Int32Array[], b: readonly Int32Array[]) =>
    a.forEach((x, i) => {
      b.forEach((y, j) => {
        if (x === y) return
        let differ = 0
        for (let word = 0; word < x.length; word++) differ += ones(x[word]! ^ y[word]!)
        jury.hear((differ - count / 2) / Math.sqrt(count / 4), `${title} ${i} ${j}`)
      })
    })
  const bits = bitsOf(draw(keysOf('42', 'crypto'), count, 1_753_354_105))
  hear('within', bits, bits)
  hear('next second', bits, bitsOf(draw(keysOf('42', 'crypto'), count, 1_753_354_106)))
  hear('another source', bits, bitsOf(draw(keysOf('42', 'BTCUSD'), count, 1_753_354_105)))
  const nodes = bitsOf(midpoints(keysOf('42', 'crypto'), 10, count))
  hear('next node', nodes, bitsOf(midpoints(keysOf('42', 'crypto'), 10, count, 1024)))
  expectRandom(jury)
})

/** A sample by bits: for each of the 32 bits of its numbers, that bit of all of them, 32 to a word. */
function bitsOf(sample: Sample): Int32Array[] {
  const columns = Array.from({ length: 32 }, () => new Int32Array(sample.length / 32))
  sample.forEach((u, i) => {
    const number = u * 2_147_483_648
    for (let bit = 0; bit < 32; bit++) columns[bit]![i >>> 5]! |= ((number >>> bit) & 1) << (i & 31)
  })
  return columns
}

/** The number of ones among the bits of an integer. */
function ones(value: number): number {
  let x = value - ((value >>> 1) & 0x55555555)
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333)
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
