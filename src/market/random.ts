// Randomness with random access: a number depends on a name and a second only, not on earlier draws.
import type SeedRandom from 'seedrandom'
// @ts-expect-error: only the entry point has types, and it would load six other generators into browsers.
import generator from 'seedrandom/seedrandom.js'

const seedrandom: typeof SeedRandom = generator

/** The keys of the source `name` under `seed`: two 32-bit numbers that identify it. */
export function keysOf(seed: string, name: string) {
  const stream = seedrandom(`${seed}:${name}`)
  return { k1: stream.int32(), k2: stream.int32() }
}

/**
 * The first half of a counter-based integer hash, the same for every source: it scatters a second over 32 bits. It uses only xor,
 * shifts and `Math.imul`, so that every engine gives the same bits; seconds count modulo 2^32.
 */
export function scatter(second: number): number {
  const h = Math.imul(second ^ (second >>> 16), 0x85ebca6b)
  const g = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return g ^ (g >>> 16)
}

/** The second half: a uniform number in [−1, 1) of 32 random bits, for a scattered second of one source. */
export function uniformOf(k1: number, k2: number, scattered: number): number {
  // Each source multiplies by its own odd number, so that even sources that share a key are unrelated.
  const h = Math.imul(scattered ^ k1, k2 | 1)
  const g = Math.imul(h ^ (h >>> 15), 0x27d4eb2f)
  return (g ^ (g >>> 15)) / 2_147_483_648
}

/** Hashes a text to a 32-bit number, 0 to 2^32 − 1: FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
export function hashText(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return h >>> 0
}
