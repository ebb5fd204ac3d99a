// signature/high-s: the other signature that the same mathematics accepts.
import { CURVE_ORDER } from '../../settings/layouts.js'
import { formatSignature, splitSignature } from '../../signing/signature-form.js'
import { defineSignatureFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The twin with a high s: it recovers to the same key, and strict verifiers refuse it (EIP-2).
 *
 * n − s in the place of s, with the other recovery id: it recovers to the same key.
 * @catches A consumer that takes a signature for the name of a message: there are two of each.
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
