// The written form of a signature: its r‖s and recovery id, and the digits that a layout adds before and after them.
import type { Layout } from '../settings/layouts.js'

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
