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

/**
 * Finds every address and public key in a value: hex anywhere in a text, keys of objects, bytes, and large bigints. Never fails.
 * @param onUnreadable receives the path to each value that throws when it is read, such as a getter
 */
export function findSigners(root: unknown, path: string, onUnreadable: (at: string) => void = () => {}): FoundSigner[] {
  const found: FoundSigner[] = []
  const seen = new Set<unknown>()
  // A list of open values and no recursion: a configuration can be deep or contain itself.
  const open = [{ value: root, at: path }]
  for (const { value, at } of open) {
    try {
      const text = textIn(value)
      for (const got of text?.match(HEX) ?? []) {
        const address = toSignerAddress(got)
        if (address !== undefined) found.push({ at, got, address })
      }
      if (text !== undefined || typeof value !== 'object' || value === null || seen.has(value)) continue
      seen.add(value)
      for (const [key, read] of entriesOf(value)) {
        const inside = pathOf(
          [at, ...(typeof key === 'object' ? [] : [key as PropertyKey])].filter(part => part !== ''),
        )
        // Some configurations have signers as keys.
        if (typeof key !== 'number') open.push({ value: key, at: inside })
        try {
          open.push({ value: read(), at: inside })
        } catch {
          onUnreadable(inside)
        }
      }
    } catch {
      onUnreadable(at)
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

/** An address as a number is above this; smaller ones are identifiers of chains, amounts and times. */
const MIN_ADDRESS = 1n << 100n

/** A text; bytes of such a length or an address as a number, as hex. */
function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'bigint')
    return value >= MIN_ADDRESS && value < 1n << 160n ? `0x${value.toString(16).padStart(40, '0')}` : ''
  const bytes = toBytes(value)
  if (bytes === undefined || !LENGTHS.includes(bytes.length)) return undefined
  const isBytes = Array.from(bytes).every(
    one => Number.isInteger(one) && (one as number) >= 0 && (one as number) <= 255,
  )
  return isBytes ? bytesToHex(Uint8Array.from(bytes as ArrayLike<number>)) : undefined
}

function toBytes(value: unknown): ArrayLike<unknown> | undefined {
  if (Array.isArray(value)) return value
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined
}

type Entry = readonly [key: unknown, read: () => unknown]

function entriesOf(value: object): Iterable<Entry> {
  if (ArrayBuffer.isView(value)) return []
  const list = Array.isArray(value) ? value : value instanceof Set ? [...value] : undefined
  if (list !== undefined) return list.map((item, i): Entry => [i, () => item])
  if (value instanceof Map) return [...value].map(([key, item]): Entry => [key, () => item])
  // Each value is read on its own, so that one that cannot be read hides no other.
  return Object.keys(value).map((key): Entry => [key, () => (value as Record<string, unknown>)[key]])
}
