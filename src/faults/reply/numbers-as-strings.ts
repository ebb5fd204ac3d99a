// reply/numbers-as-strings: numbers come in quotes.
import { defineReplyFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'
import { rewriteEntries, rewriteValue } from '../rewrite.js'

/**
 * Every number is a string of its digits.
 *
 * Every number of the reply.
 * @catches `ts + 60` that becomes "175335410560".
 */
export const numbersAsStrings = defineReplyFault({
  name: 'reply/numbers-as-strings',
  options: NO_OPTIONS,
  apply: content =>
    rewriteValue(content, value =>
      rewriteEntries(value, (key, inner) => [
        [key, typeof inner === 'number' || typeof inner === 'bigint' ? String(inner) : inner],
      ]),
    ),
})
