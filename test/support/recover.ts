// Recovers the signers of a reply with another implementation of the curve (libsecp256k1) and messages built by hand, independent
// of the signing code.
import { secp256k1 } from '@bitauth/libauth'
import { keccak256 } from 'js-sha3'
import { expect } from 'vitest'
import { parseExact, testSigners, verify } from '../../src/signing/verify.js'

/** A price as a body shows it; `signature` and `recoveryId` where each price has its own. */
export interface ShownPrice {
  readonly feedId: string
  readonly price: number | bigint
  readonly expo: number
  readonly ts: number
  readonly signature?: string
  readonly recoveryId?: number
}
/** Prices under one signature. */
export interface SignedBlock {
  readonly form: 'svm' | 'evm'
  readonly prices: readonly ShownPrice[]
  readonly signature: string
  /** From the body, or from `v`. */
  readonly recoveryId: number
}

/** The test keys; the first is the key of the session. */
export const SIGNERS = testSigners()
/** The default signer of a session. */
export const SIGNER = SIGNERS[0]!

/** The signed parts of the body of any endpoint. */
export function blocksOf(body: string): SignedBlock[] {
  const value = parseExact(body) as Record<string, unknown>
  if (typeof value.feedId === 'string') return [svm([value as never], value)]
  if (!Array.isArray(value.prices))
    return Object.values(value as Record<string, { high: ShownPrice; low: ShownPrice }>).flatMap(({ high, low }) =>
      [high, low].map(price => svm([price], price)),
    )
  if ('signature' in value) return [svm(value.prices, value)]
  return (value.prices as ShownPrice[]).map(price => {
    const signature = price.signature!
    const v = Number.parseInt(signature.slice(-2), 16)
    return { form: 'evm', prices: [price], signature, recoveryId: v < 27 ? v : v - 27 }
  })
}

const svm = (prices: readonly ShownPrice[], { signature, recoveryId }: object & Partial<ShownPrice>): SignedBlock => ({
  form: 'svm',
  prices,
  signature: signature!,
  recoveryId: recoveryId!,
})

/** The compressed public key recovered from a signature over prices, with any s; undefined without one. */
export function recover(block: SignedBlock, prices = block.prices): string | undefined {
  const key = secp256k1.recoverPublicKeyCompressed(rsOf(block), block.recoveryId as 0 | 1, digestOf(block.form, prices))
  return typeof key === 'string' ? undefined : Buffer.from(key).toString('hex')
}

/** Whether the key of the session made the signature, for a verifier that refuses a high s. */
export function verifiesStrictly(block: SignedBlock): boolean {
  const key = Uint8Array.from(Buffer.from(SIGNER.publicKey, 'hex'))
  return secp256k1.verifySignatureCompactLowS(rsOf(block), key, digestOf(block.form, block.prices))
}

const rsOf = ({ signature }: SignedBlock): Uint8Array =>
  Uint8Array.from(Buffer.from(signature.replace(/^0x/, '').slice(0, 128).padEnd(128, '0'), 'hex'))

function digestOf(form: 'svm' | 'evm', prices: readonly ShownPrice[]): Uint8Array {
  return Uint8Array.from(keccak256.array(Buffer.concat(prices.map(form === 'svm' ? svmMessage : evmMessage))))
}

/** feedId, 32 bytes, zeros behind · price, u64le · expo, i8 · ts, u64le. */
function svmMessage({ feedId, price, expo, ts }: ShownPrice): Buffer {
  const bytes = Buffer.alloc(49)
  bytes.write(feedId, 0, 'ascii')
  bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(price)), 32)
  bytes.writeInt8(expo, 40)
  bytes.writeBigUInt64LE(BigInt(ts), 41)
  return bytes
}

/** feedId, 32 bytes, zeros before · price, u192be, two's complement · ts, u32be · expo, i32be. */
function evmMessage({ feedId, price, expo, ts }: ShownPrice): Buffer {
  const price192 = BigInt.asUintN(192, BigInt(price)).toString(16).padStart(48, '0')
  const bytes = Buffer.alloc(64)
  bytes.write(feedId, 32 - feedId.length, 'ascii')
  bytes.write(price192, 32, 'hex')
  bytes.writeUInt32BE(ts, 56)
  bytes.writeInt32BE(expo, 60)
  return bytes
}

/** The result of the verifier for consumers: "ok", or the code of its error. */
export function verdict(body: string): string {
  try {
    verify(parseExact(body), { signers: [SIGNER.address], allowNotPositive: true })
    return 'ok'
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}

/** All prices of a body, in its order. */
export const pricesOf = (body: string): ShownPrice[] => blocksOf(body).flatMap(({ prices }) => prices)

/** Expects a signature of the session over exactly these prices. */
export function expectGenuine(body: string): void {
  expect(verdict(body)).toBe('ok')
  for (const block of blocksOf(body)) {
    expect(recover(block)).toBe(SIGNER.publicKey)
    expect(verifiesStrictly(block)).toBe(true)
  }
}

/** Expects both verifiers to find no known signer of these prices. */
export function expectForged(body: string): void {
  expect(verdict(body)).toBe('SIGNATURE_MISMATCH')
  for (const block of blocksOf(body)) expect(recover(block)).not.toBe(SIGNER.publicKey)
}
