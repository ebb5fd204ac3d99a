// Makes fixtures/signing-vectors.json with libraries that the mock does not use: @bitauth/libauth (libsecp256k1) and js-sha3.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { secp256k1 } from '@bitauth/libauth'
import jsSha3 from 'js-sha3'
import { evmMessage, svmMessage } from './vector-messages.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const TOOLS = ['@bitauth/libauth', 'js-sha3']
const KEYS = [0, 1, 9]

const btc = { feedId: 'BTCUSD', price: 11830872000000, expo: -8, ts: 1753354105 }
const PRICES = {
  'a price of BTCUSD': [btc],
  'the smallest of everything': [{ feedId: 'A', price: 0, expo: 0, ts: 0 }],
  'the largest of everything': [{ feedId: 'Z'.repeat(32), price: Number.MAX_SAFE_INTEGER, expo: 127, ts: 2 ** 32 - 1 }],
  'an id of 32 characters': [
    { feedId: 'a.feed-id_of.exactly-32_chars-00', price: 100000000, expo: -8, ts: 1753354105 },
  ],
  'expo -12': [{ feedId: 'PEPEUSD', price: 12345678, expo: -12, ts: 1753354106 }],
  'expo 0': [{ feedId: 'USDJPY', price: 147, expo: 0, ts: 1753354107 }],
  'a price of 2^53 - 1': [{ ...btc, price: Number.MAX_SAFE_INTEGER }],
  'a negative price': [{ ...btc, price: -1 }],
  'a batch of 3': [
    btc,
    { feedId: 'ETHUSD', price: 365012000000, expo: -8, ts: 1753354104 },
    { feedId: 'SOLUSD', price: 18812345678, expo: -8, ts: 1753354105 },
  ],
}

/** Each layout: the message of one price, and the signature as replies carry it. */
const LAYOUTS = {
  svm: { message: svmMessage, signature: rs => rs },
  evm: { message: evmMessage, signature: (rs, recoveryId) => rs + (27 + recoveryId).toString(16) },
}

const hex = bytes => Buffer.from(bytes).toString('hex')
const keccak256 = bytes => Uint8Array.from(jsSha3.keccak256.array(bytes))

/** libauth answers its errors as text. */
function unwrap(result) {
  if (typeof result === 'string') throw new Error(result)
  return result
}

const vectors = KEYS.flatMap(key => {
  const privateKey = keccak256(`price-feed-mock test key ${key}`)
  const publicKey = hex(unwrap(secp256k1.derivePublicKeyCompressed(privateKey)))
  const uncompressed = unwrap(secp256k1.derivePublicKeyUncompressed(privateKey))
  const address = `0x${hex(keccak256(uncompressed.subarray(1)).subarray(12))}`
  return Object.entries(PRICES).flatMap(([title, prices]) =>
    Object.entries(LAYOUTS).map(([layout, { message: encode, signature: write }]) => {
      const message = Buffer.concat(prices.map(encode))
      const digest = keccak256(message)
      const { signature: rs, recoveryId } = unwrap(secp256k1.signMessageHashRecoverableCompact(privateKey, digest))
      const signature = write(hex(rs), recoveryId)
      return {
        title,
        layout,
        key,
        publicKey,
        address,
        prices,
        message: hex(message),
        digest: hex(digest),
        signature,
        recoveryId,
      }
    }),
  )
})

const versions = TOOLS.map(
  name => JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version,
)
const fixture = {
  source: 'scripts/make-signing-vectors.mjs',
  tool: TOOLS.join(', '),
  version: versions.join(', '),
  vectors,
}
const file = join(root, 'fixtures', 'signing-vectors.json')
writeFileSync(file, `${JSON.stringify(fixture, null, 2)}\n`)
process.stderr.write(`${vectors.length} vectors\n`)
