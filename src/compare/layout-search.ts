// Finds the layout of signed bytes from two signed prices: the one under which both have the same signer.
import { concatBytes } from '@noble/hashes/utils.js'
import * as secp from '@noble/secp256k1'
import { getOrCreate } from '../caches.js'
import { tryTo } from '../errors.js'
import { type Layout, CURVE_ORDER as N } from '../settings/layouts.js'
import { createEncoder, type Tick } from '../signing/encode.js'
import { type Candidate, listCandidates } from './layout-candidates.js'

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

/** 10^77 is the largest power of ten in 256 bits. */
const MAX_PLACES = 77

const with18Decimals = (tick: Tick): Tick => {
  const places = 18 + tick.expo
  if (places < 0 || places > MAX_PLACES) return tick
  return { ...tick, price: BigInt(tick.price) * BigInt(`1${'0'.repeat(places)}`) }
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

const P = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn
/** Bits of one digit of a scalar, and the largest digit: digits are signed. */
const BITS = 13
const HALF = 4096
const RADIX = 8192
const WINDOWS = 20

/** r and s of a signature, and the recovery id if it is known. */
interface SignatureNumbers {
  readonly r: bigint
  readonly s: bigint
  readonly recoveryId: 0 | 1 | undefined
}

/** Points by their affine coordinates. Those that are undefined are left out of an addition. */
interface Points {
  readonly x: (bigint | undefined)[]
  readonly y: (bigint | undefined)[]
}

/** Adds points to others in place. They are random, so that equal ones do not occur. */
function addAll(to: Points, added: Points): void {
  const { length } = to.x
  const differences = new Array<bigint>(length)
  const products = new Array<bigint>(length)
  let product = 1n
  for (let i = 0; i < length; i++) {
    const x = added.x[i]
    const difference = x === undefined ? 1n : x - to.x[i]!
    differences[i] = difference
    products[i] = product
    product = (product * difference) % P
  }
  let inverse = secp.etc.invert(secp.etc.mod(product, P), P)
  for (let i = length - 1; i >= 0; i--) {
    const ownInverse = (inverse * products[i]!) % P
    inverse = (inverse * differences[i]!) % P
    const x = added.x[i]
    if (x === undefined) continue
    const [fromX, fromY] = [to.x[i]!, to.y[i]!]
    const slope = ((added.y[i]! - fromY) * ownInverse) % P
    const sum = (slope * slope - fromX - x) % P
    to.x[i] = sum
    to.y[i] = (slope * (fromX - sum) - fromY) % P
  }
}

/** The multiples 1 … 4096 of G · 2^(13 · window), for each window. Computed on first use, in about half a second. */
let table: readonly Points[] | undefined
function multiplesOfG(): readonly Points[] {
  if (table !== undefined) return table
  const windows: Points[] = []
  let base = secp.Point.BASE
  for (let window = 0; window < WINDOWS; window++) {
    const first = base.toAffine()
    const points: Points = { x: [undefined, first.x], y: [undefined, first.y] }
    for (let known = 1; known < HALF; known *= 2) {
      const last = { x: points.x[known]!, y: points.y[known]! }
      const next: Points = { x: points.x.slice(1, known), y: points.y.slice(1, known) }
      const lasts = { x: next.x.map(() => last.x), y: next.y.map(() => last.y) }
      addAll(next, lasts)
      base = secp.Point.fromAffine({ x: secp.etc.mod(last.x, P), y: secp.etc.mod(last.y, P) }).double()
      const doubled = base.toAffine()
      points.x.push(...next.x, doubled.x)
      points.y.push(...next.y, doubled.y)
    }
    base = base.double()
    windows.push(points)
  }
  return (table = windows)
}

/** A point that starts every sum, so that no sum is the point at infinity. */
const START = secp.Point.BASE.multiply(0x6a09e667f3bcc908b2fb1366ea957d3e3adec17512775099da2f590b0667322an)

/**
 * Prepares the search for two signatures among very many digests. Undefined if one of them is impossible.
 *
 * With key Q, nonce point R and digest z, a signature (r, s) means r·Q = s·R − z·G. Two signatures of one key eliminate it:
 *   (r₂·z₁ − r₁·z₂)·G = r₂·s₁·R₁ − r₁·s₂·R₂
 * The right side is the same for all candidates. So one candidate costs a multiple of G instead of two recovered keys, and many
 * multiples share a table and their inversions (Montgomery's trick), which makes them ten times faster than one by one.
 * @returns a function that finds the index of the pair of digests under which one key made both; -1 if there is none
 */
function createPairSearch(one: SignatureNumbers, other: SignatureNumbers) {
  const targets = targetsOf(one, other)
  if (targets === undefined) return undefined
  const windows = multiplesOfG()
  const start = START.toAffine()
  return (first: readonly Uint8Array[], second: readonly Uint8Array[]): number => {
    const scalars = first.map((digest, i) => secp.etc.mod(other.r * toNumber(digest) - one.r * toNumber(second[i]!), N))
    const sums: Points = { x: scalars.map(() => start.x), y: scalars.map(() => start.y) }
    const added: Points = { x: new Array(scalars.length), y: new Array(scalars.length) }
    for (const { x, y } of windows) {
      for (let i = 0; i < scalars.length; i++) {
        let digit = Number(scalars[i]! & BigInt(RADIX - 1))
        scalars[i]! >>= BigInt(BITS)
        if (digit > HALF) {
          digit -= RADIX
          scalars[i]! += 1n
        }
        added.x[i] = x[Math.abs(digit)]
        const height = y[Math.abs(digit)]
        added.y[i] = digit < 0 ? -height! : height
      }
      addAll(sums, added)
    }
    return sums.x.findIndex(x => targets.has(secp.etc.mod(x!, P)))
  }
}

/** The right side of the equation, for each possible pair of recovery ids, and with the start added. */
function targetsOf(one: SignatureNumbers, other: SignatureNumbers): Set<bigint> | undefined {
  return tryTo(() => {
    const targets = noncesOf(one).flatMap(R1 =>
      noncesOf(other).map(R2 => {
        const right = R1.multiply(secp.etc.mod(other.r * one.s, N)).add(
          R2.multiply(secp.etc.mod(one.r * other.s, N)).negate(),
        )
        return right.add(START).toAffine().x
      }),
    )
    return new Set(targets)
  })
}

const noncesOf = ({ r, recoveryId }: SignatureNumbers): secp.Point[] =>
  (recoveryId === undefined ? [0, 1] : [recoveryId]).map(id =>
    secp.Point.fromHex(`0${2 + id}${r.toString(16).padStart(64, '0')}`),
  )

function toNumber(digest: Uint8Array): bigint {
  const view = new DataView(digest.buffer, digest.byteOffset, 32)
  const [a, b, c, d] = [0, 8, 16, 24].map(offset => view.getBigUint64(offset)) as [bigint, bigint, bigint, bigint]
  return (a << 192n) | (b << 128n) | (c << 64n) | d
}
