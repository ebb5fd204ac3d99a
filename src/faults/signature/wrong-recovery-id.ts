// signature/wrong-recovery-id: the recovery id is the other one.
import { formatSignature, splitSignature } from '../../signing/signer.js'
import { defineSignatureFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The recovery id is the other one (in the EVM form, v), so the signature recovers to an unknown key.
 * @catches A consumer that tries both recovery ids, or trusts any key that is recovered.
 */
export const wrongRecoveryId = defineSignatureFault({
  name: 'signature/wrong-recovery-id',
  options: NO_OPTIONS,
  apply(signed, { layout }) {
    const { rs, recoveryId } = splitSignature(signed)
    return { ...signed, ...formatSignature({ rs, recoveryId: 1 - recoveryId }, layout) }
  },
})
