// `price-feed-mock keys`: the public key and address of the signer, in a format that consumers can paste.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { quote } from '../admin/reproduce-command.js'
import { asciiBytes } from '../signing/encode.js'
import type { Signer } from '../signing/signer.js'

/** The formats of `keys --format`. */
export const KEY_FORMATS = ['env', 'solidity', 'rust', 'json'] as const
/** An output format. */
export type KeyFormat = (typeof KEY_FORMATS)[number]

/** The printed data: the signer, and the API key that clients send. */
export interface KeyDetails {
  readonly signer: Pick<Signer, 'address' | 'publicKey' | 'uncompressedPublicKey'>
  /** The number of the test key; null for the user's own key. */
  readonly testKey: number | null
  readonly apiKey: string
}

const WRITERS: Readonly<Record<KeyFormat, (details: KeyDetails) => string>> = {
  env: ({ signer, apiKey }) =>
    [
      `PRICE_FEED_API_KEY=${quote(apiKey)}`,
      `PRICE_FEED_SIGNER=${signer.address}`,
      `PRICE_FEED_SIGNER_PUBLIC_KEY=${signer.publicKey}`,
    ].join('\n'),
  solidity: ({ signer, testKey }) =>
    [
      `// ${nameOf(testKey)}. Never trust it in production.`,
      `address constant PRICE_FEED_SIGNER = ${toChecksum(signer.address)};`,
    ].join('\n'),
  rust: ({ signer, testKey }) =>
    [
      `// ${nameOf(testKey)}. Never trust it in production.`,
      '/// Ethereum address: the last 20 bytes of keccak256 of the public key.',
      `pub const PRICE_FEED_SIGNER: [u8; 20] = ${toRust(signer.address.slice(2))};`,
      '/// Public key, x and y.',
      `pub const PRICE_FEED_SIGNER_PUBLIC_KEY: [u8; 64] = ${toRust(signer.uncompressedPublicKey.slice(2))};`,
    ].join('\n'),
  json: ({ signer, testKey, apiKey }) => JSON.stringify({ testKey, ...signer, apiKey }, null, 2),
}

/** The text to paste. */
export function writeKeys(format: KeyFormat, details: KeyDetails): string {
  return WRITERS[format](details)
}

function nameOf(testKey: number | null): string {
  return testKey === null ? 'Your own key' : `Test key ${testKey} of price-feed-mock`
}

/** Address with the mixed-case checksum of https://eips.ethereum.org/EIPS/eip-55, which the Solidity compiler requires. */
function toChecksum(address: string): string {
  const digits = address.slice(2)
  const hash = bytesToHex(keccak_256(asciiBytes(digits)))
  return `0x${[...digits].map((digit, i) => (Number.parseInt(hash[i]!, 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`
}

function toRust(hex: string): string {
  const bytes = [...hexToBytes(hex)].map(byte => `0x${byte.toString(16).padStart(2, '0')}`)
  const lines = Array.from(
    { length: Math.ceil(bytes.length / 12) },
    (_, i) => `    ${bytes.slice(i * 12, i * 12 + 12).join(', ')},`,
  )
  return `[\n${lines.join('\n')}\n]`
}
