// signature/0x-prefix: the hex digits are written the other way.
import { defineSignatureFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The signature begins with `0x` (or no longer does, in a layout that has it).
 *
 * `0x` where there is none, or none where there is one.
 * @catches A hex decoder that turns `0x` into a byte, or into nothing at all.
 */
export const hexPrefix = defineSignatureFault({
  name: 'signature/0x-prefix',
  options: NO_OPTIONS,
  apply(signed, { layout }) {
    const { signature } = signed
    const hasPrefix = signature.startsWith('0x')
    // What is written the other way already stays so.
    if (hasPrefix !== (layout.hexPrefix === '0x')) return signed
    return { ...signed, signature: hasPrefix ? signature.slice(2) : `0x${signature}` }
  },
})
