// A seeded order of a list: the same seed gives the same sample.
import { hashText, scatter } from '../../src/market/random.js'

/** Some items of a list in a random order; all of them without a size. */
export function sample<T>(items: readonly T[], seed: string, size = items.length): T[] {
  const rank = (index: number): number => scatter(hashText(`${seed}:${index}`))
  return items
    .map((item, index) => ({ item, rank: rank(index) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, size)
    .map(({ item }) => item)
}
