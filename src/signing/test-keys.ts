// The ten public test keys: worthless by design, because anybody can sign with them.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import type { Settings } from '../settings/settings.js'
import { asciiBytes } from './encode.js'

/** The settings that choose the key of a session. */
type KeySettings = Pick<Settings, 'signer' | 'signerKeyUnsafe'>

/** The number of test keys. */
export const TEST_KEY_COUNT = 10

/** The private key of test key `n`, 0 … 9: keccak256("price-feed-mock test key <n>"). */
export function testKey(n: number): Uint8Array {
  return keccak_256(asciiBytes(`price-feed-mock test key ${n}`))
}

/** The number of the test key that signs for a session, or undefined for a key of the user's own. */
export function testKeyNumber({ signer, signerKeyUnsafe }: KeySettings): number | undefined {
  return signerKeyUnsafe === undefined ? signer : undefined
}

/** The private key that signs for a session: the user's own, 32 bytes in hex, or a test key. */
export function privateKeyOf({ signer, signerKeyUnsafe }: KeySettings): Uint8Array {
  return signerKeyUnsafe === undefined ? testKey(signer) : hexToBytes(signerKeyUnsafe.replace(/^0x/, ''))
}
