import { secp256k1 } from '@bitauth/libauth'
import { bytesToHex } from '@noble/hashes/utils.js'
import { keccak256 } from 'js-sha3'
import { expect, test } from 'vitest'
import { createSigner } from './signer.js'
import { privateKeyOf, TEST_KEY_COUNT, testKey } from './test-keys.js'

const numbers = Array.from({ length: TEST_KEY_COUNT }, (_, n) => n)

test('default', () => {
  for (const n of numbers) expect(bytesToHex(testKey(n))).toBe(keccak256(`price-feed-mock test key ${n}`))
})

test('args: privateKeyOf takes a test key, or hex with and without 0x', () => {
  const hex = bytesToHex(testKey(3))
  expect(bytesToHex(privateKeyOf({ signer: 3 }))).toBe(hex)
  for (const signerKeyUnsafe of [hex, `0x${hex}`])
    expect(bytesToHex(privateKeyOf({ signer: 0, signerKeyUnsafe }))).toBe(hex)
})

test('behavior: every key is valid, and no two are equal', () => {
  expect(numbers.every(n => secp256k1.validatePrivateKey(testKey(n)))).toBe(true)
  expect(new Set(numbers.map(n => bytesToHex(testKey(n)))).size).toBe(10)
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
