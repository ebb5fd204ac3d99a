// signature/all-zero: r and s are zero.
import { formatSignature } from '../../signing/signer.js'
import { defineSignatureFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * r and s are 0, as from a service that failed to sign.
 * @catches A recovery that returns the zero address, compared with a trusted signer that was never set.
 */
export const allZero = defineSignatureFault({
  name: 'signature/all-zero',
  options: NO_OPTIONS,
  apply: (signed, { layout }) => ({ ...signed, ...formatSignature({ rs: '0'.repeat(128), recoveryId: 0 }, layout) }),
})
