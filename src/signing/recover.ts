// From a signature to the key that made it, as strict as a careful contract. All input is untrusted.
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import * as secp from '@noble/secp256k1'
import { isPriceFeedMockError, PriceFeedMockError, show } from '../errors.js'
import { CURVE_ORDER, type Layout } from '../settings/layouts.js'
import { createEncoder, type Tick } from './encode.js'
import { FIRST_V } from './signature-form.js'
import { inWords, type SignedPrices } from './signed-response.js'
import { toAddress } from './signer.js'

/** A public key, recovered from a signature. */
export interface RecoveredKey {
  /** Compressed public key, 33 bytes in hex. */
  readonly publicKey: string
  /** Ethereum address with `0x`, lower case. */
  readonly address: string
}

/**
 * Creates the recovery function of a layout. The function throws SIGNATURE_MISMATCH when no key can have made the signature.
 */
export function createRecover(layout: Layout): (signed: SignedPrices) => RecoveredKey {
  const { encode, digest } = createEncoder(layout)

  const encodeOrThrow = (prices: readonly Tick[], label: string): Uint8Array => {
    try {
      return encode(prices)
    } catch (error) {
      const [problem] = isPriceFeedMockError(error) ? error.problems : []
      if (problem === undefined) throw error
      throw mismatch(label, `${problem.at} ${show(problem.got)}`, problem.want)
    }
  }

  return signed => {
    const { rs, recoveryId } = parseSignature(signed, layout)
    const hash = digest(encodeOrThrow(signed.prices, signed.label))
    let point: secp.Point
    try {
      const recovered = concatBytes(Uint8Array.of(recoveryId), rs)
      point = secp.Point.fromBytes(secp.recoverPublicKey(recovered, hash, { prehash: false }))
    } catch {
      throw mismatch(signed.label, show(signed.signature), 'r and s that some key can have made')
    }
    return { publicKey: point.toHex(), address: toAddress(point.toBytes(false)) }
  }
}

function parseSignature({ signature, recoveryId, label }: SignedPrices, layout: Layout) {
  const { signature: form, hexPrefix } = layout
  const size = form === 'rs' ? 64 : 65
  const digits = signature.startsWith(hexPrefix) ? signature.slice(hexPrefix.length) : ''
  if (digits.length !== 2 * size || !/^[0-9a-f]*$/i.test(digits))
    throw mismatch(
      label,
      `${show(signature)}, ${signature.length} characters`,
      `${2 * size} hex digits ${hexPrefix === '' ? 'without' : 'after'} 0x`,
    )

  // A high s is a second signature of the same bytes by the same key, which contracts reject.
  if (BigInt(`0x${digits.slice(64, 128)}`) > CURVE_ORDER / 2n)
    throw mismatch(label, 'a high s', 's in the lower half of the order of the curve')

  const rs = hexToBytes(digits.slice(0, 128))
  if (form === 'rs') {
    if (isBit(recoveryId)) return { rs, recoveryId }
    throw mismatch(label, `recoveryId ${inWords(recoveryId)}`, 'recoveryId 0 or 1')
  }
  const v = Number.parseInt(digits.slice(128), 16)
  const bit = v - FIRST_V[form]
  if (!isBit(bit)) throw mismatch(label, `v ${v}`, `v ${FIRST_V[form]} or ${FIRST_V[form] + 1}`)
  if (recoveryId !== undefined && recoveryId !== bit)
    throw mismatch(label, `recoveryId ${inWords(recoveryId)} beside v ${v}`, `recoveryId ${bit}`)
  return { rs, recoveryId: bit }
}

const isBit = (value: unknown): value is 0 | 1 => value === 0 || value === 1

function mismatch(label: string, got: string, want: string): PriceFeedMockError {
  return new PriceFeedMockError('SIGNATURE_MISMATCH', `The signature of ${label} cannot be genuine.`, {
    details: [
      ['got', got],
      ['want', want],
    ],
  })
}
