// Signs prices with one key: secp256k1, deterministic (RFC 6979), low s. It does not know endpoints.
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import * as secp from '@noble/secp256k1'
import { type BoundedCache, createBoundedCache } from '../bounded-cache.js'
import type { Layout } from '../settings/layouts.js'
import { createEncoder, type Encoder, type Tick } from './encode.js'
import { formatSignature, type Signature } from './signature-form.js'

secp.hashes.sha256 = sha256
secp.hashes.hmacSha256 = (key: Uint8Array, message: Uint8Array) => hmac(sha256, key, message)

/** A signing key. */
export interface Signer {
  /** Compressed public key, 33 bytes in hex. */
  readonly publicKey: string
  /** The same key as 65 bytes in hex: 04, x, y. */
  readonly uncompressedPublicKey: string
  /** Ethereum address with `0x`, lower case. */
  readonly address: string
  /** Signs some prices together, in a layout. */
  sign(layout: Layout, ticks: readonly Tick[]): Signature
}

/** Signatures by key, layout and the fields that they cover. */
export type SignatureCache = BoundedCache<string, Signature>

/** The number of ticks whose signatures are cached for all signers that share a cache: about 350 bytes each. */
const MAX_CACHED = 16_000

/** Creates a cache for some signers. */
export const createSignatureCache = (): SignatureCache => createBoundedCache(MAX_CACHED)

/** Numbers of encoders, which tell signatures of one cache apart. */
let lastNumber = 0

/** Creates the signer of a 32-byte private key. */
export function createSigner(privateKey: Uint8Array, signatures = createSignatureCache()): Signer {
  // Weak, because restored sessions bring their own layouts.
  const encoders = new WeakMap<Layout, { readonly encoder: Encoder; readonly number: number }>()
  // Created on first use: the first point costs a tenth of a process's start.
  let point: secp.Point | undefined
  const publicPoint = (): secp.Point => (point ??= secp.Point.fromBytes(secp.getPublicKey(privateKey, true)))
  return {
    get publicKey() {
      return publicPoint().toHex()
    },
    get uncompressedPublicKey() {
      return publicPoint().toHex(false)
    },
    get address() {
      return toAddress(publicPoint().toBytes(false))
    },
    sign(layout, ticks) {
      let known = encoders.get(layout)
      if (known === undefined) encoders.set(layout, (known = { encoder: createEncoder(layout), number: ++lastNumber }))
      let key = `${known.number} `
      for (const { feedId, price, expo, ts } of ticks) key += `${feedId} ${price} ${expo} ${ts};`
      const cached = signatures.get(key)
      if (cached !== undefined) return cached
      // Layouts are checked against every price of the market, so only a price changed by a fault can overflow.
      const { encode, digest } = known.encoder
      const bytes = digest(encode(ticks, 'wrap'))
      // The recovered form is the recovery id followed by r‖s.
      const recovered = secp.sign(bytes, privateKey, { prehash: false, format: 'recovered' })
      const signature = formatSignature({ rs: bytesToHex(recovered.subarray(1)), recoveryId: recovered[0]! }, layout)
      signatures.set(key, signature, ticks.length)
      return signature
    },
  }
}

/** The Ethereum address of an uncompressed public key (65 bytes). */
export function toAddress(publicKey: Uint8Array): string {
  return `0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12))}`
}
