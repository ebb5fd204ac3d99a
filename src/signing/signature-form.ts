// The written form of a signature, taken apart and put together: what its layout puts before and behind r‖s.
import type { Layout } from '../settings/layouts.js'
import type { Signature } from './signer.js'

/** r‖s as 128 hex digits, and the recovery id, 0 or 1. */
export interface SignatureParts {
  readonly rs: string
  readonly recoveryId: number
}

/** The parts of a signature; what is missing of r‖s is zero. */
export function takeApart({ signature, recoveryId }: Signature): SignatureParts {
  return { rs: signature.replace(/^0x/, '').slice(0, 128).padEnd(128, '0'), recoveryId }
}

/** A signature in the form of a layout. */
export function putTogether({ rs, recoveryId }: SignatureParts, layout: Layout): Signature {
  return { signature: layout.hexPrefix + rs + lastByte(recoveryId, layout), recoveryId }
}

/** `v`, where the form has one: 27 or 28, or 0 or 1. */
function lastByte(recoveryId: number, { signature }: Layout): string {
  if (signature === 'rs') return ''
  return signature === 'rsv' ? (27 + recoveryId).toString(16) : `0${recoveryId}`
}
