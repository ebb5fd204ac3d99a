// signature/0x-prefix: the hex prefix is the wrong way round.
import { defineSignatureFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The signature starts with `0x`, or lacks it in a layout that has it.
 * @catches A hex decoder that turns `0x` into a byte, or into nothing at all.
 */
export const hexPrefix = defineSignatureFault({
  name: 'signature/0x-prefix',
  options: NO_OPTIONS,
  apply(signed, { layout }) {
    const { signature } = signed
    const hasPrefix = signature.startsWith('0x')
    // Another fault may have changed the prefix already.
    if (hasPrefix !== (layout.hexPrefix === '0x')) return signed
    return { ...signed, signature: hasPrefix ? signature.slice(2) : `0x${signature}` }
  },
})
