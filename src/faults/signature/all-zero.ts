// signature/all-zero: r and s are zero.
import * as z from 'zod/mini'
import { formatSignature } from '../../signing/signer.js'
import { defineSignatureFault } from '../fault.js'
import { isOfHalf, onlyOfHistory } from '../options.js'

/**
 * r and s are 0, as from a service that failed to sign.
 * @catches A recovery that returns the zero address, compared with a trusted signer that was never set.
 */
export const allZero = defineSignatureFault({
  name: 'signature/all-zero',
  options: z.strictObject({
    /** The signatures of a history that are replaced. */
    only: onlyOfHistory,
  }),
  apply(signed, { options: { only }, layout, half }) {
    if (!isOfHalf(only, half)) return signed
    return { ...signed, ...formatSignature({ rs: '0'.repeat(128), recoveryId: 0 }, layout) }
  },
})
