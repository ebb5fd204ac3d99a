// From a price to the bytes that are signed. One encoder interprets every layout; it does not use keys.
// The chosen layouts are checked at the start, instead of failing at the first request.
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { isPriceFeedMockError, PriceFeedMockError, type Problem } from '../errors.js'
import { bytesOfField, type Layout, type LayoutField, MAX_LAYOUTS } from '../settings/layouts.js'
import type { SigningSettings } from '../settings/settings.js'

/** A price as replies show it and signatures cover it. */
export interface Tick {
  /** At most 32 ASCII characters. */
  readonly feedId: string
  /** In units of 10^expo, an int64 (docs/format.md#numbers); a bigint keeps integers above 2^53 exact. */
  readonly price: number | bigint
  readonly expo: number
  /** Seconds since the epoch. */
  readonly ts: number
}

/** The encoder of one layout. */
export type Encoder = ReturnType<typeof createEncoder>

interface Field {
  readonly size: number
  write(bytes: Uint8Array, offset: number, price: Tick, wraps: boolean): void
}

/** Creates the encoder of a layout. Sizes and offsets are computed once. */
export function createEncoder(layout: Layout) {
  const fields = layout.fields.map(parseField)
  const size = fields.reduce((sum, field) => sum + field.size, 0)
  const { digest, prefix } = layout
  const hash = digest === 'sha256' ? sha256 : keccak_256
  /** Puts the prefix of the layout before a message: the bytes whose hash the key signs. */
  const preimage = (message: Uint8Array): Uint8Array => {
    if (prefix === 'none') return message
    if (prefix === 'eip191') return concatBytes(EIP_191, hash(message))
    return concatBytes(hexToBytes(prefix.replace(/^0x/, '')), message)
  }

  return {
    /**
     * Encodes prices to a message: their encodings one after the other.
     * @param overflow for an integer too large for its field, or a price that is no int64: `refuse` throws, `wrap` drops the high bytes
     * @throws PriceFeedMockError PRICE_UNSIGNABLE
     */
    encode(prices: readonly Tick[], overflow: 'refuse' | 'wrap' = 'refuse'): Uint8Array {
      const bytes = new Uint8Array(size * prices.length)
      let offset = 0
      for (const price of prices)
        for (const field of fields) {
          field.write(bytes, offset, price, overflow === 'wrap')
          offset += field.size
        }
      return bytes
    },
    preimage,
    /** Hashes a message to the 32 bytes that the key signs. */
    digest: (message: Uint8Array): Uint8Array => hash(preimage(message)),
  }
}

/** "\x19Ethereum Signed Message:\n32", https://eips.ethereum.org/EIPS/eip-191 */
const EIP_191 = asciiBytes('\x19Ethereum Signed Message:\n32')

/** Converts ASCII text to bytes. */
export function asciiBytes(value: string): Uint8Array {
  return Uint8Array.from(value, character => character.charCodeAt(0))
}

/** Parses a field, whose form `layoutSchema` has checked. */
function parseField(field: string): Field {
  const [name, encoding] = field.split(':') as [LayoutField, string]
  const size = bytesOfField(field)
  return name === 'feedId' ? asciiField(size, encoding.endsWith('left')) : integerField(name, encoding, size)
}

/** The largest price: it is an int64 in every layout. */
export const MAX_PRICE = (1n << 63n) - 1n
const WANT_PRICE = `an int64, from ${-MAX_PRICE - 1n} to ${MAX_PRICE}`

function asciiField(size: number, padLeft: boolean): Field {
  return {
    size,
    write(bytes, offset, { feedId }) {
      if (feedId.length > size) throw unsignable(feedId, 'feedId', feedId, `at most ${size} characters`)
      const start = padLeft ? offset + size - feedId.length : offset
      for (let i = 0; i < feedId.length; i++) bytes[start + i] = feedId.charCodeAt(i)
    },
  }
}

function integerField(name: Exclude<LayoutField, 'feedId'>, encoding: string, size: number): Field {
  const littleEndian = encoding.endsWith('le')
  const half = 1n << BigInt(size * 8 - 1)
  const isInt64 = name === 'price' && size >= 8
  const [min, max] = isInt64 ? [-MAX_PRICE - 1n, MAX_PRICE] : boundsOf(name, encoding, half)
  const want = isInt64 ? WANT_PRICE : `a number from ${min} to ${max}, in ${encoding}`
  return {
    size,
    write(bytes, offset, price, wraps) {
      const value = BigInt(price[name])
      if (!wraps && (value > max || value < min))
        throw unsignable(price.feedId, name, value, want, !isInt64 && value > max)
      let rest = value
      for (let i = 0; i < size; i++) {
        bytes[offset + (littleEndian ? i : size - 1 - i)] = Number(rest & 0xffn)
        rest >>= 8n
      }
    },
  }
}

/**
 * The numbers of a field. Price and exponent are in two's complement in an unsigned one as well: with its upper half, -1 and the largest
 * number would share their bytes and signature.
 */
function boundsOf(name: LayoutField, encoding: string, half: bigint): [min: bigint, max: bigint] {
  if (name !== 'ts') return [-half, half - 1n]
  return [0n, encoding.startsWith('i') ? half - 1n : 2n * half - 1n]
}

function unsignable(feedId: string, name: string, got: unknown, want: string, isTooNarrow = true): PriceFeedMockError {
  return new PriceFeedMockError('PRICE_UNSIGNABLE', `The ${name} of ${feedId} does not fit the layout that signs it.`, {
    problems: [{ at: name, got, want }],
    fix: isTooNarrow ? 'choose a layout with a wider field in signing.layouts' : undefined,
  })
}

/**
 * Finds every problem of the chosen layouts.
 * @param largest the largest price of each feed
 */
export function checkLayouts({ svm, evm, layouts }: SigningSettings, largest: readonly Tick[]): Problem[] {
  const count = Object.keys(layouts).length
  if (count > MAX_LAYOUTS)
    return [{ at: 'signing.layouts', got: count, want: `at most ${MAX_LAYOUTS} layouts, with the built-in ones` }]
  return Object.entries({ svm, evm }).flatMap(([form, name]): Problem[] => {
    const layout = Object.hasOwn(layouts, name) ? layouts[name] : undefined
    if (layout === undefined)
      return [{ at: `signing.${form}`, got: name, want: `the name of a layout: ${Object.keys(layouts).join(', ')}` }]
    if (form === 'evm' && layout.signature === 'rs')
      return [
        {
          at: `signing.layouts.${name}.signature`,
          got: 'rs',
          want: 'rsv or rsy: the EVM form has no recovery id beside it',
        },
      ]
    const { encode } = createEncoder(layout)
    for (const tick of largest) {
      try {
        encode([tick])
      } catch (error) {
        if (!isPriceFeedMockError(error)) throw error
        const [{ at, got, want }] = error.problems as [Problem]
        return [
          { at: `signing.layouts.${name}`, got: `${at} ${got} of ${tick.feedId}`, want: `${want}, or a wider field` },
        ]
      }
    }
    return []
  })
}
