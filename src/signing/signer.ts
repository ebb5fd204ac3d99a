// Signs prices with one key: secp256k1, deterministic (RFC 6979), low s. It does not know endpoints.
// The ten public test keys are worthless by design, because anybody can sign with them.
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import * as secp from '@noble/secp256k1'
import { createBoundedCache } from '../caches.js'
import type { Layout } from '../settings/layouts.js'
import type { Settings } from '../settings/settings.js'
import { asciiBytes, createEncoder, type Encoder, type Tick } from './encode.js'

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

/** The number of ticks whose signatures are cached for all signers that share a cache: about 350 bytes each. */
const MAX_CACHED = 16_000

/** Creates a cache for some signers: signatures by key, layout and the fields that they cover. */
export const createSignatureCache = () => createBoundedCache<string, Signature>(MAX_CACHED)

/** Numbers of encoders, which tell signatures of one cache apart. */
let lastNumber = 0

/** Creates the signer of a 32-byte private key. */
export function createSigner(privateKey: Uint8Array, signatures = createSignatureCache()): Signer {
  // Weak, because restored sessions bring their own layouts.
  const encoders = new WeakMap<Layout, { readonly encoder: Encoder; readonly number: number }>()
  // Made on first use, which costs a tenth of a process's start, and once, since every reply of a session has them.
  let names: ReturnType<typeof namesOf> | undefined
  return {
    get publicKey() {
      return (names ??= namesOf(privateKey)).publicKey
    },
    get uncompressedPublicKey() {
      return (names ??= namesOf(privateKey)).uncompressedPublicKey
    },
    get address() {
      return (names ??= namesOf(privateKey)).address
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

function namesOf(privateKey: Uint8Array): Pick<Signer, 'publicKey' | 'uncompressedPublicKey' | 'address'> {
  const point = secp.Point.fromBytes(secp.getPublicKey(privateKey, true))
  return {
    publicKey: point.toHex(),
    uncompressedPublicKey: point.toHex(false),
    address: toAddress(point.toBytes(false)),
  }
}

/** The Ethereum address of an uncompressed public key (65 bytes). */
export function toAddress(publicKey: Uint8Array): string {
  return `0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12))}`
}

/** A signature as replies carry it. */
export interface Signature {
  /** Hex digits, in the form of the layout. */
  readonly signature: string
  /** 0 or 1. */
  readonly recoveryId: number
}

/** r‖s as 128 hex digits, and the recovery id, 0 or 1. */
export interface SignatureParts {
  readonly rs: string
  readonly recoveryId: number
}

/** The value of `v` for recovery id 0, in the forms that contain `v`. */
export const FIRST_V = { rsv: 27, rsy: 0 } as const

/** Splits a signature of any form; missing digits of r‖s become zeros. */
export function splitSignature({ signature, recoveryId }: Signature): SignatureParts {
  return { rs: signature.replace(/^0x/, '').slice(0, 128).padEnd(128, '0'), recoveryId }
}

/** Writes a signature in the form of a layout. */
export function formatSignature({ rs, recoveryId }: SignatureParts, { hexPrefix, signature: form }: Layout): Signature {
  const v = form === 'rs' ? '' : (FIRST_V[form] + recoveryId).toString(16).padStart(2, '0')
  return { signature: hexPrefix + rs + v, recoveryId }
}

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
