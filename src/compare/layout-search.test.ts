// The search for a layout: it finds those of the vocabulary by the signatures alone, likely ones first.
import { bytesToHex } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ANY_ID_VOCABULARY,
  arbitraryLayout,
  MIXED_VOCABULARY,
  USUAL,
  VOCABULARY,
  type Vocabulary,
  WHOLE_VOCABULARY,
} from '../../test/compare/arbitrary-config.js'
import { IS_FULL_RUN, PROPERTY_SEED } from '../../test/support/seed.js'
import { LAYOUTS, type Layout } from '../settings/layouts.js'
import { createEncoder, type Tick } from '../signing/encode.js'
import { createSigner, splitSignature, testKey } from '../signing/signer.js'
import { type Candidate, listCandidates } from './layout-candidates.js'
import { type FoundLayout, type SignedTick, searchLayout } from './layout-search.js'

const btc = { feedId: 'BTCUSD', price: 11_830_872_000_000, expo: -8, ts: 1_753_354_105 }
const eth = { feedId: 'ETHUSD', price: 365_087_200_000, expo: -8, ts: 1_753_354_104 }

/** Two signed prices of one key, which may be signed otherwise than they are shown. */
function signPair(
  layout: Layout,
  change: (tick: Tick) => Tick = tick => tick,
  keys = [3, 3],
  hasId = true,
): [SignedTick, SignedTick] {
  const [one, other] = [btc, eth].map((tick, i) => {
    const signature = createSigner(testKey(keys[i]!)).sign({ ...layout, signature: 'rs', hexPrefix: '' }, [
      change(tick),
    ])
    const { rs, recoveryId } = splitSignature(signature)
    const [r, s] = [BigInt(`0x${rs.slice(0, 64)}`), BigInt(`0x${rs.slice(64)}`)]
    return { tick, r, s, recoveryId: hasId ? (recoveryId as 0 | 1) : undefined }
  })
  return [one!, other!]
}

function search(pair: [SignedTick, SignedTick], known: readonly Candidate[] = [], max = 1000): FoundLayout | undefined {
  const running = searchLayout(pair, known, max)
  for (;;) {
    const { done, value } = running.next()
    if (done) return value
  }
}

/** The bytes and the hash of a candidate. */
const bytesOf = ({ fields, digest, prefix }: Candidate): string =>
  `${createEncoder({ ...LAYOUTS.svm, fields: [...fields] }).encode([btc])} ${digest} ${prefix}`

describe('searchLayout', () => {
  it('default: the built-in layouts are among the first', () => {
    for (const layout of [LAYOUTS.svm, LAYOUTS.evm])
      expect(bytesOf(search(signPair(layout))!.candidate)).toBe(bytesOf(layout))
  })

  it('args: without recovery ids', () => {
    expect(search(signPair(LAYOUTS.svm, undefined, [3, 3], false))?.candidate.fields).toEqual(LAYOUTS.svm.fields)
  })

  it('args: a layout of the user comes first', () => {
    const mine: Layout = { ...LAYOUTS.svm, fields: ['ts:u96le', 'price:u256be', 'ts:u32be'], prefix: '1901' }
    expect(search(signPair(mine), [LAYOUTS.evm, mine], 0)?.candidate).toBe(mine)
    expect(search(signPair(mine), [LAYOUTS.evm], 0)).toBeUndefined()
  })

  it('behavior: values that no layout of ours can express are named', () => {
    const wide: Layout = { ...LAYOUTS.svm, fields: ['feedId:ascii32-right', 'price:u128le', 'expo:i8', 'ts:u64le'] }
    const changes: [string, (tick: Tick) => Tick][] = [
      ['price with 18 decimals', tick => ({ ...tick, price: BigInt(tick.price) * 10_000_000_000n })],
      ['ts in milliseconds', tick => ({ ...tick, ts: tick.ts * 1000 })],
      ['feedId in lower case', tick => ({ ...tick, feedId: tick.feedId.toLowerCase() })],
    ]
    for (const [name, change] of changes) expect(search(signPair(wide, change))?.transform?.name).toBe(name)
  })

  it('behavior: an absurd exponent makes no price of so many digits', () => {
    const [one, other] = signPair(LAYOUTS.svm).map(signed => ({ ...signed, tick: { ...signed.tick, expo: 1e9 } }))
    expect(search([one!, other!], [], 1)).toBeUndefined()
  })

  it('error: two keys', () => expect(search(signPair(LAYOUTS.svm, undefined, [3, 4]))).toBeUndefined())

  it('error: signatures that no key can have made', () => {
    const [one, other] = signPair(LAYOUTS.svm)
    expect(search([{ ...one, r: 0n }, other])).toBeUndefined()
    expect(search([{ ...one, r: 5n }, other])).toBeUndefined()
  })

  it('behavior: random layouts are found by their signatures', () => {
    fc.assert(
      fc.property(arbitraryLayout(USUAL), layout => {
        expect(bytesOf(search(signPair(layout), [], 30_000)!.candidate)).toBe(bytesOf(layout))
      }),
      { seed: PROPERTY_SEED, numRuns: IS_FULL_RUN ? 50 : 4, endOnFailure: true },
    )
  })
})

describe('listCandidates', () => {
  /** Their ids differ in length. */
  const ticks = [btc, { ...eth, feedId: 'WSTETHUSD' }]
  const encoded = new Map<string, string>()
  const encode = (field: string): string => {
    const known = encoded.get(field)
    if (known !== undefined) return known
    const { encode } = createEncoder({ ...LAYOUTS.svm, fields: [field] })
    const both = ticks.map(tick => bytesToHex(encode([tick])))
    encoded.set(field, both.join())
    return both.join()
  }
  const toKey = ({ fields, digest, prefix }: Candidate): string => {
    const parts = fields.map(field => encode(field).split(','))
    return `${parts.map(([one]) => one).join('')} ${parts.map(([, other]) => other).join('')} ${digest} ${prefix}`
  }

  /** The part of random layouts of each vocabulary that is among the first candidates, and the number of candidates. */
  function measure(vocabularies: readonly Vocabulary[], max = Number.POSITIVE_INFINITY) {
    const wanted = vocabularies.map(vocabulary =>
      fc.sample(arbitraryLayout(vocabulary), { seed: PROPERTY_SEED, numRuns: 400 }).map(toKey),
    )
    const places = new Map(wanted.flat().map(key => [key, Number.POSITIVE_INFINITY]))
    let place = 0
    for (const candidate of listCandidates(ticks)) {
      const key = toKey(candidate)
      if (places.get(key) === Number.POSITIVE_INFINITY) places.set(key, place)
      if (++place >= max) break
    }
    const parts = wanted.map(keys => keys.filter(key => Number.isFinite(places.get(key)!)).length / keys.length)
    return { parts, count: place }
  }

  /** Only the widest fields hold them. */
  const widest = { feedId: 'X'.repeat(99), price: 2n ** 254n, expo: -(2 ** 200), ts: 2 ** 200 }
  const encodingsOf = (field: string, candidates: readonly Candidate[]): string[] => {
    const all = candidates.flatMap(({ fields }) => fields.filter(one => one.startsWith(`${field}:`)))
    return [...new Set(all)].map(one => one.replace(/^.*:(u|i|ascii)/, ''))
  }

  it.each([
    [
      { price: 1 },
      '64le 192le 128le 256le 64be 192be 128be 256be 32le 32be 96le 160le 56le 48le 40le 24le 16le 8 96be 160be 56be 48be 40be 24be 16be',
    ],
    [{ price: 2 ** 47 }, '64le 192le 128le 256le 64be 192be 128be 256be 96le 160le 56le 96be 160be 56be'],
    [
      { expo: -1 },
      '8 32le 32be 16le 64le 16be 64be 128le 192le 256le 128be 192be 256be 24le 40le 48le 56le 96le 160le 24be 40be 48be 56be 96be 160be',
    ],
    [
      { ts: 1 },
      '64le 32le 64be 32be 256le 128le 192le 256be 128be 192be 40le 48le 56le 96le 160le 40be 48be 56be 96be 160be',
    ],
  ])('behavior: all encodings for %o, likely ones first', (values, expected) => {
    const [field] = Object.keys(values)
    expect(encodingsOf(field!, [...listCandidates([{ ...widest, ...values }])])).toEqual(expected.split(' '))
  })

  it('behavior: ids of common lengths come before the others, and every order of fields with every hash', () => {
    const all = [...listCandidates([{ ...widest, feedId: 'A'.repeat(17), expo: -(2 ** 30), ts: 2 ** 40 }])]
    const common = [32, 20, 24, 64]
    const others = Array.from({ length: 83 }, (_, i) => i + 17).filter(bytes => !common.includes(bytes))
    expect(encodingsOf('feedId', all)).toEqual(
      [...common, ...others].flatMap(bytes => [`${bytes}-right`, `${bytes}-left`]),
    )
    const orders = [...new Set(all.map(({ fields }) => fields.map(field => field.split(':')[0]).join()))]
    expect(orders).toHaveLength(64)
    const withId = orders.filter(order => order.includes('feedId'))
    expect(withId.slice(0, 2)).toEqual(['feedId,price,expo,ts', 'feedId,price,ts,expo'])
    expect(withId.findIndex(order => !order.startsWith('feedId'))).toBe(6)
    expect(withId.indexOf('feedId,price,ts')).toBe(24)
    const hashes = ['keccak256 none', 'keccak256 eip191', 'sha256 none', 'sha256 eip191']
    expect([...new Set(all.map(({ digest, prefix }) => `${digest} ${prefix}`))]).toEqual(hashes)
  })

  it('behavior: usual layouts come first', () => expect(measure([USUAL], 25_000).parts).toEqual([1]))

  it.runIf(IS_FULL_RUN)('behavior: it has all layouts that are unusual in one respect', { timeout: 600_000 }, () => {
    const { parts, count } = measure([VOCABULARY, MIXED_VOCABULARY, ANY_ID_VOCABULARY, WHOLE_VOCABULARY])
    expect(parts).toEqual([1, 1, 1, 0.05])
    expect(count).toBeLessThan(3_500_000)
  })
})
