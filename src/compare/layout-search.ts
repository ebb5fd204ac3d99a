// Finds the layout of signed bytes from two signed prices: the one under which both have the same signer.
import { concatBytes } from '@noble/hashes/utils.js'
import { getOrCreate } from '../caches.js'
import { tryTo } from '../errors.js'
import type { Layout } from '../settings/layouts.js'
import { createEncoder, type Tick } from '../signing/encode.js'
import { type Candidate, listCandidates } from './layout-candidates.js'
import { createPairSearch, type SignatureNumbers } from './same-signer.js'

/** A price with its own signature. */
export interface SignedTick extends SignatureNumbers {
  readonly tick: Tick
}

/** How a price differs from the one that is shown before it is signed. No layout of ours can express it. */
interface Transform {
  readonly name: string
  readonly apply: (tick: Tick) => Tick
}

/** The result of a search. */
export interface FoundLayout {
  readonly candidate: Candidate
  /** Undefined when the signed values are those that are shown. */
  readonly transform?: Transform | undefined
}

/** Candidates that share their inversions. */
const CHUNK = 256
/** Candidates for each transform, of which only common layouts are tried. */
const MAX_TRANSFORMED = 10_000

const with18Decimals = (tick: Tick): Tick => {
  const places = 18 + tick.expo
  return { ...tick, price: places < 0 ? tick.price : BigInt(tick.price) * BigInt(`1${'0'.repeat(places)}`) }
}

const TRANSFORMS: readonly Transform[] = [
  { name: 'price with 18 decimals', apply: with18Decimals },
  { name: 'ts in milliseconds', apply: tick => ({ ...tick, ts: tick.ts * 1000 }) },
  { name: 'feedId in lower case', apply: tick => ({ ...tick, feedId: tick.feedId.toLowerCase() }) },
  { name: 'expo without its sign', apply: tick => ({ ...tick, expo: -tick.expo }) },
]

/**
 * Searches, and yields the number of candidates so far after each part of the work, as a step of a probe.
 * @param known layouts to try first
 * @param max the number of candidates after which it gives up; by default after all
 */
export function* searchLayout(
  pair: readonly [SignedTick, SignedTick],
  known: readonly Candidate[],
  max = Number.POSITIVE_INFINITY,
): Generator<{ readonly calculated: number }, FoundLayout | undefined> {
  const search = createPairSearch(...pair)
  if (search === undefined) return undefined
  let tried = 0
  const run = function* (candidates: Iterable<Candidate>, limit: number, transform?: Transform) {
    const ticks = pair.map(({ tick }) => (transform === undefined ? tick : transform.apply(tick))) as [Tick, Tick]
    const digests = ticks.map(createDigester) as [Digester, Digester]
    let chunk: Candidate[] = []
    let left = limit
    const find = (): FoundLayout | undefined => {
      const index = search(chunk.map(digests[0]), chunk.map(digests[1]))
      tried += chunk.length
      return index < 0 ? undefined : { candidate: chunk[index]!, transform }
    }
    for (const candidate of candidates) {
      if (left-- <= 0) break
      chunk.push(candidate)
      if (chunk.length < CHUNK) continue
      const found = find()
      if (found !== undefined) return found
      chunk = []
      yield { calculated: tried }
    }
    return chunk.length === 0 ? undefined : find()
  }
  const ticks = pair.map(({ tick }) => tick)
  const usable = known.filter(candidate => ticks.every(tick => fits(candidate, tick)))
  const quick =
    (yield* run(usable, usable.length)) ?? (yield* run(listCandidates(ticks), Math.min(MAX_TRANSFORMED, max)))
  if (quick !== undefined || max === 0) return quick
  for (const transform of TRANSFORMS) {
    const transformed = ticks.map(transform.apply)
    if (transformed.every((tick, i) => JSON.stringify(tick, text) === JSON.stringify(ticks[i], text))) continue
    const found = yield* run(listCandidates(transformed), Math.min(MAX_TRANSFORMED, max), transform)
    if (found !== undefined) return found
  }
  return yield* run(skip(listCandidates(ticks), MAX_TRANSFORMED), max - MAX_TRANSFORMED)
}

const text = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

function* skip<T>(items: Iterable<T>, count: number): Generator<T> {
  let index = 0
  for (const item of items) if (index++ >= count) yield item
}

const fits = ({ fields }: Candidate, tick: Tick): boolean =>
  tryTo(() => createEncoder({ ...BARE, fields: [...fields] }).encode([tick])) !== undefined

const BARE: Layout = { fields: [], digest: 'keccak256', prefix: 'none', signature: 'rs', hexPrefix: '' }
type Digester = (candidate: Candidate) => Uint8Array

/** Digests of one price: each encoded field and each hash is prepared once. */
function createDigester(tick: Tick): Digester {
  const encoded = new Map<string, Uint8Array>()
  const hashes = new Map<string, (message: Uint8Array) => Uint8Array>()
  const encode = (field: string): Uint8Array =>
    getOrCreate(encoded, field, () => createEncoder({ ...BARE, fields: [field] }).encode([tick], 'wrap'))
  return ({ fields, digest, prefix }) => {
    const hash = getOrCreate(hashes, digest + prefix, () => createEncoder({ ...BARE, digest, prefix }).digest)
    return hash(concatBytes(...fields.map(encode)))
  }
}
