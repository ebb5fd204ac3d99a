// Signatures of the mock, checked by another implementation of the curve (libsecp256k1) and of the hashes, over messages built by hand.

import { createHash } from 'node:crypto'
import { secp256k1 } from '@bitauth/libauth'
import fc from 'fast-check'
import { keccak256 } from 'js-sha3'
import { describe, expect, test } from 'vitest'
import { createMock, type MockOptions } from '../src/index.js'
import type { Layout } from '../src/settings/layouts.js'
import { LAYOUTS, PriceFeedMockError, recoverSigners, testSigners, verify } from '../src/signing/verify.js'
import { replyOf } from './support/ask.js'
import { anyCharacter } from './support/characters.js'
import { check } from './support/seed.js'

type Price = { feedId: string; price: number; expo: number; ts: number }
type Signed = Price & { signature: string; recoveryId: number }
type Batch = { prices: Price[]; signature: string; recoveryId: number }
type History = Record<string, { high: Signed; low: Signed }>
type Evm = { prices: (Price & { signature: string })[] }

const AT = '2025-07-24T10:48:25Z'
const TARGETS = {
  latest: '/prices/BTCUSD/latest',
  one: '/prices/batch?feedIds=BTCUSD',
  batch: '/prices/batch?feedIds=BTCUSD,ETHUSD,SOLUSD',
  history: '/prices/queryHistory?feedIds=BTCUSD,ethusd&minutes=60',
  evm: '/prices/evm/crypto?feedIds=BTCUSD,ETHUSD,SOLUSD',
}

/** Parsed bodies of a mock with a frozen clock. */
function serve(options: MockOptions = {}): <T>(target: string) => T {
  const mock = createMock({ seed: '42', clock: { at: AT, frozen: true }, ...options })
  return target => {
    const answer = mock.serve({ method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 })
    expect(replyOf(answer).status).toBe(200)
    return JSON.parse(replyOf(answer).body)
  }
}

/** Zero bytes, then filled by hand. */
function bytesOf(size: number, fill: (view: DataView, bytes: Uint8Array) => void): Uint8Array {
  const bytes = new Uint8Array(size)
  fill(new DataView(bytes.buffer), bytes)
  return bytes
}

const ascii = (text: string): Uint8Array => Buffer.from(text, 'ascii')
const concat = (...parts: Uint8Array[]): Uint8Array => Buffer.concat(parts)
const keccak = (bytes: Uint8Array): Uint8Array => Uint8Array.from(keccak256.array(bytes))
const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()

const svmMessage = ({ feedId, price, expo, ts }: Price): Uint8Array =>
  bytesOf(49, (view, bytes) => {
    bytes.set(ascii(feedId))
    view.setBigUint64(32, BigInt(price), true)
    view.setInt8(40, expo)
    view.setBigUint64(41, BigInt(ts), true)
  })

const evmMessage = ({ feedId, price, expo, ts }: Price): Uint8Array =>
  bytesOf(64, (view, bytes) => {
    bytes.set(ascii(feedId), 32 - feedId.length)
    view.setBigUint64(48, BigInt(price))
    view.setUint32(56, ts)
    view.setInt32(60, expo)
  })

const HALF_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n / 2n

/** The public key that the other library recovers, after it verified the signature with a low s. */
function recover(digest: Uint8Array, rs: string, recoveryId: number): string {
  expect(rs).toMatch(/^[0-9a-f]{128}$/)
  expect(BigInt(`0x${rs.slice(64)}`) <= HALF_ORDER).toBe(true)
  expect([0, 1]).toContain(recoveryId)
  const signature = Uint8Array.from(Buffer.from(rs, 'hex'))
  const publicKey = secp256k1.recoverPublicKeyCompressed(signature, recoveryId as 0 | 1, Uint8Array.from(digest))
  if (typeof publicKey === 'string') throw new Error(publicKey)
  expect(secp256k1.verifySignatureCompactLowS(signature, publicKey, Uint8Array.from(digest))).toBe(true)
  return Buffer.from(publicKey).toString('hex')
}

const recoverSvm = ({ signature, recoveryId }: Signed | Batch, ...prices: Price[]): string =>
  recover(keccak(concat(...prices.map(svmMessage))), signature, recoveryId)

const recoverEvm = (price: Evm['prices'][number]): string => {
  expect(price.signature).toHaveLength(130)
  const v = Number.parseInt(price.signature.slice(128), 16)
  return recover(keccak(evmMessage(price)), price.signature.slice(0, 128), v - 27)
}

describe.each([0, 1, 9])('signatures of test key %i, in another library', signer => {
  const get = serve({ signer })
  const { publicKey, address } = testSigners()[signer]!
  const signers = [address]

  test('default: latest', () => {
    const body = get<Signed>(TARGETS.latest)
    expect(recoverSvm(body, body)).toBe(publicKey)
    expect(verify(body, { signers })).toHaveLength(1)
  })

  test('default: batch', () => {
    const body = get<Batch>(TARGETS.batch)
    expect(body.prices).toHaveLength(3)
    expect(recoverSvm(body, ...body.prices)).toBe(publicKey)
    expect(verify(body, { signers })).toEqual([{ prices: body.prices, publicKey, address }])
  })

  test('default: history', () => {
    const body = get<History>(TARGETS.history)
    expect(Object.keys(body)).toEqual(['BTCUSD', 'ethusd'])
    for (const { high, low } of Object.values(body))
      for (const price of [high, low]) expect(recoverSvm(price, price)).toBe(publicKey)
    expect(verify(body, { signers })).toHaveLength(4)
  })

  test('default: evm', () => {
    const body = get<Evm>(TARGETS.evm)
    expect(body.prices.map(recoverEvm)).toEqual([publicKey, publicKey, publicKey])
    expect(verify(body, { signers })).toHaveLength(3)
  })
})

test('behavior: a custom key signs instead of a test key', () => {
  const body = serve({ signerKeyUnsafe: `0x${'0'.repeat(63)}1` })<Signed>(TARGETS.latest)
  // The public key of the private key 1 is the generator of the curve.
  expect(recoverSvm(body, body)).toBe('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798')
})

describe('custom layouts', () => {
  const EIP_191 = ascii('\x19Ethereum Signed Message:\n32')
  const bigEndian = ({ feedId, price, expo, ts }: Price): Uint8Array =>
    bytesOf(44, (view, bytes) => {
      view.setBigUint64(0, BigInt(ts))
      view.setBigUint64(16, BigInt(price))
      bytes.set(ascii(feedId), 40 - feedId.length)
      view.setInt32(40, expo)
    })
  const bigEndianFields = ['ts:u64be', 'price:i128be', 'feedId:ascii16-left', 'expo:i32be']

  const cases: [string, Partial<Layout>, message: (price: Price) => Uint8Array, hash: typeof keccak][] = [
    ['the EIP-191 prefix', { prefix: 'eip191' }, svmMessage, bytes => keccak(concat(EIP_191, keccak(bytes)))],
    [
      'a prefix of bytes',
      { prefix: '0x1901ff' },
      svmMessage,
      bytes => keccak(concat(Uint8Array.of(25, 1, 255), bytes)),
    ],
    ['sha256', { digest: 'sha256' }, svmMessage, sha256],
    ['v 27 or 28', { signature: 'rsv' }, svmMessage, keccak],
    ['v 0 or 1', { signature: 'rsy' }, svmMessage, keccak],
    ['0x before the digits', { hexPrefix: '0x' }, svmMessage, keccak],
    ['big-endian fields in another order', { fields: bigEndianFields }, bigEndian, keccak],
    [
      'all at once',
      { fields: bigEndianFields, digest: 'sha256', prefix: 'eip191', signature: 'rsy', hexPrefix: '0x' },
      bigEndian,
      bytes => sha256(concat(EIP_191, sha256(bytes))),
    ],
  ]

  const { publicKey, address } = testSigners()[0]!
  const signers = [address]

  test.each(cases)('args: %s', (_, changes, message, hash) => {
    const mine: Layout = { ...LAYOUTS.svm, ...changes }
    const rsOf = (signature: string): string => {
      expect(signature.startsWith('0x')).toBe(mine.hexPrefix === '0x')
      return signature.replace('0x', '').slice(0, 128)
    }
    const get = serve({ signing: { layouts: { mine }, svm: 'mine' } })

    const latest = get<Signed>(TARGETS.latest)
    expect(recover(hash(message(latest)), rsOf(latest.signature), latest.recoveryId)).toBe(publicKey)
    const v = { rs: '', rsv: ['1b', '1c'][latest.recoveryId]!, rsy: ['00', '01'][latest.recoveryId]! }
    expect(latest.signature).toBe(mine.hexPrefix + rsOf(latest.signature) + v[mine.signature])

    const batch = get<Batch>(TARGETS.batch)
    const digest = hash(concat(...batch.prices.map(message)))
    expect(recover(digest, rsOf(batch.signature), batch.recoveryId)).toBe(publicKey)

    for (const target of [TARGETS.latest, TARGETS.batch, TARGETS.history])
      expect(verify(get(target), { signers, svm: mine }).length).toBeGreaterThan(0)
    expect(() => verify(latest, { signers })).toThrow(expect.objectContaining({ code: 'SIGNATURE_MISMATCH' }))
    expect(get<Evm>(TARGETS.evm).prices.map(recoverEvm)).toEqual([publicKey, publicKey, publicKey])
  })

  test('args: for the EVM form', () => {
    const mine: Layout = { ...LAYOUTS.evm, prefix: 'eip191', signature: 'rsy', hexPrefix: '0x' }
    const body = serve({ signing: { layouts: { mine }, evm: 'mine' } })<Evm>(TARGETS.evm)
    for (const price of body.prices) {
      const digest = keccak(concat(EIP_191, keccak(evmMessage(price))))
      const [, rs, v] = /^0x(.{128})0([01])$/.exec(price.signature)!
      expect(recover(digest, rs!, Number(v))).toBe(publicKey)
    }
    expect(verify(body, { signers, evm: mine })).toHaveLength(3)
    expect(() => verify(body, { signers })).toThrow(expect.objectContaining({ code: 'SIGNATURE_MISMATCH' }))
  })

  test.each([
    ['an id', 'feedId:ascii4-right'],
    ['a price', 'price:u32le'],
    ['a time', 'ts:u16le'],
  ])('error: %s that does not fit', (_, field) => {
    // Reported when the mock is created: a layout must fit the largest price that any feed can have.
    const signing = { layouts: { mine: { ...LAYOUTS.svm, fields: [field] } }, svm: 'mine' }
    expect(() => createMock({ signing })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        problems: [expect.objectContaining({ at: 'signing.layouts.mine' })],
      }),
    )
  })
})

describe('tampering', () => {
  const get = serve()
  const signer = testSigners()[0]!.address

  /** A signed value: its body, and its path there. */
  type Spot = { body: object; path: readonly string[] }
  const spotsOf = (body: object, under: readonly string[] = []): Spot[] =>
    Object.entries(under.reduce<object>((inner, key) => (inner as Record<string, object>)[key]!, body)).flatMap(
      ([key, value]) =>
        typeof value === 'object' ? spotsOf(body, [...under, key]) : [{ body, path: [...under, key] }],
    )
  const spots = [TARGETS.latest, TARGETS.batch, TARGETS.history, TARGETS.evm].flatMap(target => spotsOf(get(target)))

  const number = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.bigInt(-(2n ** 256n), 2n ** 256n))
  const offset = fc.constantFrom(-1, 1, -256, 256, -(2 ** 32), 2 ** 32)
  /** Another value in place of `value`. */
  const tampered = (name: string, value: string | number): fc.Arbitrary<unknown> => {
    if (name === 'signature')
      return fc.integer({ min: 0, max: String(value).length * 4 - 1 }).map(bit => flip(String(value), bit))
    if (name === 'recoveryId') return fc.oneof(fc.constant(1 - Number(value)), number)
    if (name === 'feedId')
      return fc.oneof(
        fc.string(),
        fc.string({ unit: anyCharacter }),
        fc.constantFrom(...['\0', ' ', 'A'].flatMap(end => [value + end, end + value])),
        fc.nat(5).chain(i => fc.integer({ min: 1, max: 255 }).map(plane => raise(String(value), i, plane))),
      )
    const alias = fc.constantFrom(32n, 64n, 192n).chain(bits => fc.constantFrom(-1n, 1n).map(n => n * 2n ** bits))
    return fc.oneof(
      number,
      offset.map(n => Number(value) + n),
      alias.map(n => BigInt(value) + n),
    )
  }

  const flip = (hex: string, bit: number): string => {
    const i = Math.floor(bit / 4)
    return hex.slice(0, i) + (Number.parseInt(hex[i]!, 16) ^ (1 << (bit % 4))).toString(16) + hex.slice(i + 1)
  }
  /** Changes the high byte of character `i`; its low byte stays. */
  const raise = (text: string, i: number, plane: number): string =>
    text.slice(0, i) + String.fromCharCode(text.charCodeAt(i) + 256 * plane) + text.slice(i + 1)

  const put = ({ body, path }: Spot, value: unknown): object => {
    const copy = structuredClone(body)
    const inner = path.slice(0, -1).reduce<Record<string, unknown>>((at, key) => at[key] as never, copy as never)
    inner[path.at(-1)!] = value
    return copy
  }
  const valueAt = ({ body, path }: Spot): string | number =>
    path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], body) as string | number

  test('behavior: a change to any field, or to any bit of a signature, never recovers the signer of all', () => {
    const change = fc
      .constantFrom(...spots)
      .chain(spot => tampered(spot.path.at(-1)!, valueAt(spot)).map(value => ({ spot, value })))
      .filter(({ spot, value }) => String(value) !== String(valueAt(spot)))
    check([change], 1000, ({ spot, value }) => {
      try {
        const addresses = recoverSigners(put(spot, value)).map(({ address }) => address)
        expect(addresses.every(address => address === signer)).toBe(false)
      } catch (error) {
        if (!(error instanceof PriceFeedMockError)) throw error
        expect(['SIGNATURE_MISMATCH', 'RESPONSE_UNRECOGNISED']).toContain(error.code)
      }
    })
  })

  test('behavior: no bit of a signature can change', () => {
    const latest = get<Signed>(TARGETS.latest)
    for (let bit = 0; bit < 512; bit++) {
      const body = { ...latest, signature: flip(latest.signature, bit) }
      expect(() => verify(body, { signers: [signer] }), `bit ${bit}`).toThrow(
        expect.objectContaining({ code: 'SIGNATURE_MISMATCH' }),
      )
    }
  })
})

test('error: a price that outgrows its layout: createMock rejects it, also for a feed that only might reach it', () => {
  const wild = { id: 'WILDUSD', base: 5000, drivers: { WILDUSD: 2 } }
  // Twice the base would fit into 40 bits.
  const narrow = { fields: ['price:u40le'], digest: 'sha256', prefix: 'none', signature: 'rs', hexPrefix: '' } as const
  const signing = { svm: 'narrow', layouts: { narrow: { ...narrow, fields: [...narrow.fields] } } }
  expect(() => createMock({ feeds: { extends: 'none', feeds: [wild] }, signing })).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      problems: [expect.objectContaining({ at: 'signing.layouts.narrow' })],
    }),
  )
})
