// reply/numbers-as-strings: numbers are strings.

import { mapValues, rewriteObjects } from '../content.js'
import { defineReplyFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * Every number is a string of its digits.
 * @catches `ts + 60` that becomes "175335410560".
 */
export const numbersAsStrings = defineReplyFault({
  name: 'reply/numbers-as-strings',
  options: NO_OPTIONS,
  apply: content =>
    rewriteObjects(content, object =>
      mapValues(object, value => (typeof value === 'number' || typeof value === 'bigint' ? String(value) : value)),
    ),
})
