// signature/truncated: the end of the signature is missing.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineSignatureFault } from '../fault.js'
import { option } from '../options.js'

/**
 * Only the first bytes of the signature are there.
 *
 * The first bytes only.
 * @catches A parser that pads what is short, or reads on behind it.
 */
export const truncated = defineSignatureFault({
  name: 'signature/truncated',
  options: z.strictObject({
    /** How many are left; 64 leaves out the `v` of a form that has one, and nothing of others. */
    bytes: option(integer(0, 64), 32),
  }),
  apply(signed, { options: { bytes }, layout }) {
    const signature = signed.signature.slice(0, layout.hexPrefix.length + 2 * bytes)
    return signature === signed.signature ? signed : { ...signed, signature }
  },
})
