import { bytesToHex } from '@noble/hashes/utils.js'
import * as secp from '@noble/secp256k1'
import { keccak256 } from 'js-sha3'
import { describe, expect, it, test } from 'vitest'
import vectors from '../../fixtures/signing-vectors.json' with { type: 'json' }
import { CURVE_ORDER, LAYOUTS, type Layout } from '../settings/layouts.js'
import { createSigner, formatSignature, privateKeyOf, splitSignature, TEST_KEY_COUNT, testKey } from './signer.js'

const btc = { feedId: 'BTCUSD', price: 11830872000000, expo: -8, ts: 1753354105 }

const ticksOf = (count: number, price = 1) =>
  Array.from({ length: count }, (_, i) => ({ feedId: 'BTCUSD', price: price + i, expo: -8, ts: 1753354105 }))

test('default: the order of the curve', () => expect(CURVE_ORDER).toBe(secp.Point.CURVE().n))

describe('default', () => {
  test.each(vectors.vectors)('default: $title, $layout, test key $key', vector => {
    const { publicKey, address, sign } = createSigner(testKey(vector.key))
    const { signature, recoveryId } = sign(LAYOUTS[vector.layout as keyof typeof LAYOUTS], vector.prices)
    expect({ publicKey, address, signature, recoveryId }).toEqual({
      publicKey: vector.publicKey,
      address: vector.address,
      signature: vector.signature,
      recoveryId: vector.recoveryId,
    })
  })
})

test('behavior: signatures are deterministic, cached or not', () => {
  const signer = createSigner(testKey(0))
  const first = signer.sign(LAYOUTS.svm, [btc])
  expect(signer.sign(LAYOUTS.svm, [{ ...btc }])).toEqual(first)
  expect(createSigner(testKey(0)).sign(LAYOUTS.svm, [btc])).toEqual(first)
})

test('behavior: the cached signature of one price is not used for another', () => {
  const { sign } = createSigner(testKey(0))
  const others = [
    [{ ...btc, feedId: 'BTCUSE' }],
    [{ ...btc, price: btc.price + 1 }],
    [{ ...btc, expo: -7 }],
    [{ ...btc, ts: btc.ts + 1 }],
    [btc, btc],
  ]
  const signatures = [[btc], ...others].flatMap(ticks => [
    sign(LAYOUTS.svm, ticks).signature,
    sign(LAYOUTS.evm, ticks).signature,
    sign({ ...LAYOUTS.evm, digest: 'sha256' }, ticks).signature,
  ])
  expect(new Set(signatures).size).toBe(signatures.length)
})

test('behavior: a signature that is not cached is signed again with the same result', () => {
  const { sign } = createSigner(testKey(0))
  const first = sign(LAYOUTS.svm, [btc])
  const tooLarge = sign(LAYOUTS.svm, ticksOf(10_001))
  sign(LAYOUTS.svm, ticksOf(10_000, 2))
  sign(LAYOUTS.svm, ticksOf(10_000, 3))
  expect(sign(LAYOUTS.svm, [btc])).toEqual(first)
  expect(sign(LAYOUTS.svm, ticksOf(10_001))).toEqual(tooLarge)
})

test('behavior: s lies in the lower half of the order', () => {
  const { sign } = createSigner(testKey(1))
  for (const tick of ticksOf(100)) {
    const { signature } = sign(LAYOUTS.svm, [tick])
    expect(BigInt(`0x${signature.slice(64)}`) <= CURVE_ORDER / 2n).toBe(true)
  }
})

test('args: each form of the signature', () => {
  const { sign } = createSigner(testKey(0))
  const written = (layout: Partial<Layout>, price: number) =>
    sign({ ...LAYOUTS.svm, ...layout }, [{ ...btc, price }]).signature
  // Prices enough for both recovery ids.
  for (const { price } of ticksOf(10)) {
    const { signature, recoveryId } = sign(LAYOUTS.svm, [{ ...btc, price }])
    expect(signature).toMatch(/^[0-9a-f]{128}$/)
    expect(written({ signature: 'rsv' }, price)).toBe(signature + ['1b', '1c'][recoveryId])
    expect(written({ signature: 'rsy' }, price)).toBe(signature + ['00', '01'][recoveryId])
    expect(written({ hexPrefix: '0x' }, price)).toBe(`0x${signature}`)
  }
})

const RS = '0123456789abcdef'.repeat(8)

describe('splitSignature', () => {
  it('default', () => {
    expect(splitSignature({ signature: `${RS}1b`, recoveryId: 0 })).toEqual({ rs: RS, recoveryId: 0 })
  })

  it('behavior: 0x is no part of r‖s, and what is missing is zero', () => {
    expect(splitSignature({ signature: `0x${RS}1c`, recoveryId: 1 }).rs).toBe(RS)
    expect(splitSignature({ signature: 'ab', recoveryId: 1 }).rs).toBe(`ab${'0'.repeat(126)}`)
    expect(splitSignature({ signature: '', recoveryId: 0 }).rs).toBe('0'.repeat(128))
  })
})

it.each([
  ['rs', '', RS],
  ['rsv', '', `${RS}1c`],
  ['rsy', '0x', `0x${RS}01`],
] as const)('args: formatSignature: %s, prefix "%s"', (signature, hexPrefix, expected) => {
  const layout = { ...LAYOUTS.evm, signature, hexPrefix }
  expect(formatSignature({ rs: RS, recoveryId: 1 }, layout)).toEqual({ signature: expected, recoveryId: 1 })
})

const numbers = Array.from({ length: TEST_KEY_COUNT }, (_, n) => n)

test('default', () => {
  for (const n of numbers) expect(bytesToHex(testKey(n))).toBe(keccak256(`price-feed-mock test key ${n}`))
})

test('args: privateKeyOf takes the number of a test key, and hex with and without 0x', () => {
  const hex = bytesToHex(testKey(3))
  expect(bytesToHex(privateKeyOf({ signer: 3 }))).toBe(hex)
  for (const signerKeyUnsafe of [hex, `0x${hex}`])
    expect(bytesToHex(privateKeyOf({ signer: 0, signerKeyUnsafe }))).toBe(hex)
})

test('behavior: the addresses never change, because consumers pin them', () => {
  expect(numbers.map(n => createSigner(testKey(n)).address)).toMatchInlineSnapshot(`
    [
      "0xad3784aa29be2b36f5873e248de7a8e28f441f55",
      "0xc986de385cc06859a68f9eb7d4a5301143b006bf",
      "0x6e5df0944e80206110c957929a79224b0f4f6870",
      "0xaf947047e3a3459bb172f3efc13d4d81ad1e5e91",
      "0x5a168bc729afb5f2817e1057a575a57f7bc643d7",
      "0x61b2845367ccc93bf0cf80afc3fc0b1b9d52bb62",
      "0x5b3fd5e80502220602244b64b7501a345d59f995",
      "0xb3896503a372f87275f2c3df78745565f08076f3",
      "0xc238390508ac313df73846dc272fbceccb6d2c84",
      "0x7144ad1b85d9d287548dc64c85caf7e034dd0cb6",
    ]
  `)
})
