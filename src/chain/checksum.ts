// The checksum of an address: its capitals, see https://eips.ethereum.org/EIPS/eip-55.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { asciiBytes } from '../signing/encode.js'

/** An address with its checksum. */
export function toChecksum(address: string): string {
  const digits = address.slice(2).toLowerCase()
  const hash = bytesToHex(keccak_256(asciiBytes(digits)))
  return `0x${[...digits].map((digit, i) => (Number.parseInt(hash[i]!, 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`
}

/** Whether an address has no checksum, because its letters are all alike, or the right one. */
export function hasValidChecksum(address: string): boolean {
  const digits = address.slice(2)
  return digits === digits.toLowerCase() || digits === digits.toUpperCase() || address === toChecksum(address)
}
