// Finds the signers in a value of any shape: a text, bytes, a list, a configuration.
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import * as secp from '@noble/secp256k1'
import { pathOf } from '../settings/schema.js'
import { toAddress } from './signer.js'

/** A signer in a value. */
export interface FoundSigner {
  /** The path to it. */
  readonly at: string
  /** Its text there. */
  readonly got: string
  readonly address: string
}

/** Finds every address and public key in a value: hex anywhere in a text, keys of objects, and bytes. Never fails. */
export function findSigners(root: unknown, path: string): FoundSigner[] {
  const found: FoundSigner[] = []
  const seen = new Set<unknown>()
  // A list of open values and no recursion: a configuration can be deep or contain itself.
  const open = [{ value: root, at: path }]
  for (const { value, at } of open) {
    const bytes = bytesIn(value)
    const text = bytes ?? (typeof value === 'string' ? value : '')
    for (const got of text.match(HEX) ?? []) {
      const address = toSignerAddress(got)
      if (address !== undefined) found.push({ at, got, address })
    }
    if (bytes !== undefined || typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    for (const [key, inner] of entriesOf(value)) {
      const inside = pathOf([at, ...(typeof key === 'object' ? [] : [key as PropertyKey])].filter(part => part !== ''))
      open.push({ value: inner, at: inside })
      // Some configurations have signers as keys.
      if (typeof key !== 'number') open.push({ value: key, at: inside })
    }
  }
  return found
}

/** Converts an address or a public key (compressed, uncompressed, or its bare 64 bytes) to an address. */
export function toSignerAddress(signer: unknown): string | undefined {
  const digits = typeof signer === 'string' ? signer.replace(/^0x/i, '').toLowerCase() : ''
  if (/^[0-9a-f]{40}$/.test(digits)) return `0x${digits}`
  try {
    const publicKey = hexToBytes(digits.length === 128 ? `04${digits}` : digits)
    return toAddress(secp.Point.fromBytes(publicKey).toBytes(false))
  } catch {
    return undefined
  }
}

/** The digits of an address or of a public key, as a whole. */
const HEX = /(?<![0-9a-f])(?:0x)?(?:[0-9a-f]{130}|[0-9a-f]{128}|[0-9a-f]{66}|[0-9a-f]{40})(?![0-9a-f])/gi
/** The lengths of an address and of a public key. */
const LENGTHS: readonly number[] = [20, 33, 64, 65]

/** Bytes of such a length, as hex. */
function bytesIn(value: unknown): string | undefined {
  if (!(Array.isArray(value) || value instanceof Uint8Array) || !LENGTHS.includes(value.length)) return undefined
  const isBytes = Array.from(value).every(one => Number.isInteger(one) && one >= 0 && one <= 255)
  return isBytes ? bytesToHex(Uint8Array.from(value)) : undefined
}

function entriesOf(value: object): Iterable<readonly [key: unknown, value: unknown]> {
  if (ArrayBuffer.isView(value)) return []
  if (value instanceof Map) return value
  return Array.isArray(value) || value instanceof Set ? [...value].entries() : Object.entries(value)
}
