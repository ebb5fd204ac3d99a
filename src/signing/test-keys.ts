// The ten public test keys. They are worthless by design: anybody can sign with them.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { asciiBytes } from './encode.js'

/** How many test keys there are. */
export const TEST_KEY_COUNT = 10

/** The private key of test key `n`, 0 … 9: keccak256("price-feed-mock test key <n>"). */
export function testKey(n: number): Uint8Array {
  return keccak_256(asciiBytes(`price-feed-mock test key ${n}`))
}

/** The private key that a setting names: the number of a test key, or 32 bytes in hex. */
export function privateKeyOf(key: number | string): Uint8Array {
  return typeof key === 'number' ? testKey(key) : hexToBytes(key.replace(/^0x/, ''))
}
