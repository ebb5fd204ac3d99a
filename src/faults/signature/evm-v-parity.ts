// signature/evm-v-parity: v follows the other convention.
import { formatSignature, splitSignature } from '../../signing/signer.js'
import { defineSignatureFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * v is 0 or 1 in place of 27 or 28, or the other way round; forms without v stay as they are.
 * @catches A consumer that ignores that `ecrecover` returns the zero address for v 0 and 1.
 */
export const evmVParity = defineSignatureFault({
  name: 'signature/evm-v-parity',
  options: NO_OPTIONS,
  apply(signed, { layout }) {
    if (layout.signature === 'rs') return signed
    const other = layout.signature === 'rsv' ? 'rsy' : 'rsv'
    return { ...signed, ...formatSignature(splitSignature(signed), { ...layout, signature: other }) }
  },
})
