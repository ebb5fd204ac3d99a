// signature/high-s: the second valid signature of the same bytes.
import { CURVE_ORDER } from '../../settings/layouts.js'
import { formatSignature, splitSignature } from '../../signing/signer.js'
import { defineSignatureFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * s is replaced by n − s, with the other recovery id: the signature recovers to the same key, and strict verifiers
 * reject it (EIP-2).
 * @catches A consumer that takes both signatures of a message, or identifies it by one.
 */
export const highS = defineSignatureFault({
  name: 'signature/high-s',
  options: NO_OPTIONS,
  apply(signed, { layout }) {
    const { rs, recoveryId } = splitSignature(signed)
    const s = CURVE_ORDER - BigInt(`0x${rs.slice(64)}`)
    const twin = rs.slice(0, 64) + s.toString(16).padStart(64, '0')
    return { ...signed, ...formatSignature({ rs: twin, recoveryId: 1 - recoveryId }, layout) }
  },
})
