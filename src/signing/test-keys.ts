// The ten public test keys. They are worthless by design: anybody can sign with them.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { asciiBytes } from './encode.js'

/** How many test keys there are. */
export const TEST_KEY_COUNT = 10

/** The private key of test key `n`, 0 … 9: keccak256("price-feed-mock test key <n>"). */
export function testKey(n: number): Uint8Array {
  return keccak_256(asciiBytes(`price-feed-mock test key ${n}`))
}
