import * as secp from '@noble/secp256k1'
import { describe, expect, test } from 'vitest'
import vectors from '../../fixtures/signing-vectors.json' with { type: 'json' }
import { CURVE_ORDER, LAYOUTS, type Layout } from '../settings/layouts.js'
import { createSigner } from './signer.js'
import { testKey } from './test-keys.js'

const btc = { feedId: 'BTCUSD', price: 11830872000000, expo: -8, ts: 1753354105 }

const ticksOf = (count: number, price = 1) =>
  Array.from({ length: count }, (_, i) => ({ feedId: 'BTCUSD', price: price + i, expo: -8, ts: 1753354105 }))

test('default: the order of the curve', () => {
  expect(CURVE_ORDER).toBe(secp.Point.CURVE().n)
})

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

test('behavior: the order of a batch is signed', () => {
  const { sign } = createSigner(testKey(0))
  const eth = { ...btc, feedId: 'ETHUSD' }
  expect(sign(LAYOUTS.svm, [btc, eth])).not.toEqual(sign(LAYOUTS.svm, [eth, btc]))
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
