// `price-feed-mock keys`: what a consumer needs to know of the key that signs, in the form that its code wants.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { quote } from '../admin/reproduce-command.js'
import { asciiBytes } from '../signing/encode.js'
import type { Signer } from '../signing/signer.js'

/** The forms that `keys --format` knows. */
export const KEY_FORMATS = ['env', 'solidity', 'rust', 'json'] as const
/** One of the forms. */
export type KeyFormat = (typeof KEY_FORMATS)[number]

/** What is printed: the signer, and the key that clients send. */
export interface KeyFacts {
  readonly signer: Pick<Signer, 'address' | 'publicKey' | 'uncompressedPublicKey'>
  /** The number of the test key, or null for a key of the user's own. */
  readonly testKey: number | null
  readonly apiKey: string
}

const WRITERS: Readonly<Record<KeyFormat, (details: KeyFacts) => string>> = {
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
export function writeKeys(format: KeyFormat, details: KeyFacts): string {
  return WRITERS[format](details)
}

function nameOf(testKey: number | null): string {
  return testKey === null ? 'A key of your own' : `Test key ${testKey} of price-feed-mock`
}

/** Mixed-case checksum of an address, https://eips.ethereum.org/EIPS/eip-55: the Solidity compiler insists on it. */
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
