// Signs prices with one key: secp256k1, deterministic (RFC 6979), low s. It knows layouts, no endpoints.
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

/** A key that signs. */
export interface Signer {
  /** Compressed public key, 33 bytes in hex. */
  readonly publicKey: string
  /** The same key as 65 bytes in hex: 04, x, y. */
  readonly uncompressedPublicKey: string
  /** Ethereum address with `0x`, lower case. */
  readonly address: string
  /** One signature over some prices in a layout. */
  sign(layout: Layout, ticks: readonly Tick[]): Signature
}

/** Signatures remembered per signer: about 300 bytes each. */
const REMEMBERED = 5_000

/** Creates a signer of a 32-byte private key. Signatures are remembered by the fields that they cover. */
export function createSigner(privateKey: Uint8Array): Signer {
  // Restored sessions bring layouts of their own, and take them along when they go.
  const remembered = new WeakMap<Layout, { encoder: Encoder; signatures: BoundedCache<string, Signature> }>()
  // The first point of a process costs a tenth of its start: who only listens does not need one yet.
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
      let memory = remembered.get(layout)
      if (memory === undefined) {
        memory = { encoder: createEncoder(layout), signatures: createBoundedCache(REMEMBERED) }
        remembered.set(layout, memory)
      }
      let key = ''
      for (const { feedId, price, expo, ts } of ticks) key += `${feedId} ${price} ${expo} ${ts};`
      const known = memory.signatures.get(key)
      if (known !== undefined) return known
      // Layouts are checked against every price of the market: what does not fit is what a fault has made of it.
      const { encode, digest } = memory.encoder
      const signature = signDigest(privateKey, digest(encode(ticks, 'wrap')), layout)
      memory.signatures.set(key, signature, ticks.length)
      return signature
    },
  }
}

/** The Ethereum address of an uncompressed public key (65 bytes). */
export function toAddress(publicKey: Uint8Array): string {
  return `0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12))}`
}

function signDigest(privateKey: Uint8Array, digest: Uint8Array, layout: Layout): Signature {
  // The recovered form is the recovery id, then r‖s.
  const recovered = secp.sign(digest, privateKey, { prehash: false, format: 'recovered' })
  return formatSignature({ rs: bytesToHex(recovered.subarray(1)), recoveryId: recovered[0]! }, layout)
}
