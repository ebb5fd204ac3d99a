// signature/truncated: the end of the signature is missing.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineSignatureFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The signature has only its first bytes.
 * @catches A parser that pads a short signature, or reads past its end.
 */
export const truncated = defineSignatureFault({
  name: 'signature/truncated',
  options: z.strictObject({
    /** The number of bytes that are left; 64 removes only the `v` of a form that has one. */
    bytes: option(integer(0, 64), 32),
  }),
  apply(signed, { options: { bytes }, layout }) {
    const signature = signed.signature.slice(0, layout.hexPrefix.length + 2 * bytes)
    return signature === signed.signature ? signed : { ...signed, signature }
  },
})
