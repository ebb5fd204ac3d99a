// signature/bit-flip: one bit of the signature is wrong.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { formatSignature, splitSignature } from '../../signing/signer.js'
import { defineSignatureFault } from '../fault.js'
import { option } from '../options.js'

/**
 * One bit of r‖s is flipped.
 * @catches A consumer that checks the length of a signature and calls that verified.
 */
export const bitFlip = defineSignatureFault({
  name: 'signature/bit-flip',
  options: z.strictObject({
    /** The position of the bit: 0 is the highest of r, 511 the lowest of s. */
    bit: option(integer(0, 511), 511),
  }),
  apply(signed, { options: { bit }, layout }) {
    const { rs, recoveryId } = splitSignature(signed)
    const index = bit >> 2
    const digit = Number.parseInt(rs.charAt(index), 16) ^ (8 >> (bit & 3))
    const flipped = rs.slice(0, index) + digit.toString(16) + rs.slice(index + 1)
    return { ...signed, ...formatSignature({ rs: flipped, recoveryId }, layout) }
  },
})
