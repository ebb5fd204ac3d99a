// The one place that knows the verifier: from the text of a reply to its signatures, the signed bytes by field, and a verdict.
import { bytesToHex } from '@noble/hashes/utils.js'
import { isPriceFeedMockError } from '../../../src/errors.js'
import type { Layout } from '../../../src/settings/layouts.js'
import { createEncoder, type Tick } from '../../../src/signing/encode.js'
import { createRecover } from '../../../src/signing/recover.js'
import { readSignedResponse } from '../../../src/signing/signed-response.js'
import { testSigners } from '../../../src/signing/signers.js'

/** The layouts of a session, as the admin shows them. */
export interface Signing {
  readonly svm: string
  readonly evm: string
  readonly layouts: Readonly<Record<string, Layout>>
}

/** One field of the signed message. */
export interface SignedField {
  readonly name: string
  readonly encoding: string
  readonly hex: string
  readonly value: string
}

/** One signature of a reply. */
export interface InspectedSignature {
  /** A name of the signed prices: "the high of BTCUSD". */
  readonly label: string
  readonly layout: string
  readonly fields: readonly SignedField[]
  readonly hash: string
  readonly digest: string
  readonly signature: string
  /** The recovered address, where a key can have made the signature. */
  readonly address?: string
  /** `valid`: the expected signer. `other`: another key. `invalid`: no key can have made it. */
  readonly verdict: 'valid' | 'other' | 'invalid'
  readonly reason: string
}

/** The signatures of a reply, or why there are none. */
export type Inspected = { readonly signatures: readonly InspectedSignature[] } | { readonly problem: string }

/**
 * Inspects a reply.
 * @param text the body of a batch, history, evm or latest reply
 * @param signer the address that is expected to sign
 * @param symbolOf the symbol of a feed's number, for a batch with integer ids
 */
export function inspectReply(
  text: string,
  signing: Signing,
  signer: string,
  symbolOf: (number: number) => string | undefined,
): Inspected {
  let body: unknown
  try {
    body = parseLossless(text)
  } catch (error) {
    return { problem: `The body is not JSON: ${(error as Error).message}.` }
  }
  try {
    const signatures = readSignedResponse(body, symbolOf).map(signed => {
      const layoutName = signing[signed.form]
      const layout = signing.layouts[layoutName]!
      const { encode, digest } = createEncoder(layout)
      const message = encode(signed.prices, 'wrap')
      const shown = {
        label: signed.label,
        layout: layoutName,
        fields: fieldsOf(layout, signed.prices, message),
        hash: layout.digest,
        digest: bytesToHex(digest(message)),
        signature: signed.signature,
      }
      try {
        const { address } = createRecover(layout)(signed)
        const isExpected = address.toLowerCase() === signer.toLowerCase()
        const reason = isExpected
          ? `Signed by the session's key${nameOf(address)}.`
          : `Signed by another key${nameOf(address)}: reject it.`
        return { ...shown, address, verdict: isExpected ? ('valid' as const) : ('other' as const), reason }
      } catch (error) {
        return { ...shown, verdict: 'invalid' as const, reason: messageOf(error) }
      }
    })
    return { signatures }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

function messageOf(error: unknown): string {
  if (!isPriceFeedMockError(error)) throw error
  const details = error.details.map(([label, value]) => `${label} ${value}`).join('; ')
  return details === '' ? error.shortMessage : `${error.shortMessage} ${details[0]!.toUpperCase()}${details.slice(1)}.`
}

function nameOf(address: string): string {
  const known = testSigners().find(signer => signer.address === address.toLowerCase())
  return known === undefined ? '' : `, test key ${known.number}`
}

/** The bytes of each field, in the order in which the layout signs them. */
function fieldsOf(layout: Layout, prices: readonly Tick[], message: Uint8Array): SignedField[] {
  const hex = bytesToHex(message)
  let offset = 0
  return prices.flatMap(price =>
    layout.fields.map(field => {
      const [name, encoding] = field.split(':') as [keyof Tick, string]
      const digits = 2 * sizeOf(encoding)
      const bytes = hex.slice(offset, offset + digits)
      offset += digits
      return { name, encoding, hex: bytes, value: String(price[name]) }
    }),
  )
}

/** Bytes of a field: `ascii32-right` has 32, `u64le` has 8. */
function sizeOf(encoding: string): number {
  const [, characters, bits] = /^(?:ascii(\d+)|[ui](\d+))/.exec(encoding)!
  return characters === undefined ? Number(bits) / 8 : Number(characters)
}

/** Parses JSON; integers above 2^53 become bigints, where the browser passes their text. */
function parseLossless(text: string): unknown {
  return JSON.parse(text, (_key, value, ...rest: unknown[]) => {
    const source = (rest[0] as { source?: string } | undefined)?.source
    const isInexact = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
    return isInexact && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value
  })
}
