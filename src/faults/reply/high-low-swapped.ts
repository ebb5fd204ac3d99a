// reply/high-low-swapped: the high of a history is its low.
import { isObject } from '../../errors.js'
import { rewriteObjects } from '../content.js'
import { defineReplyFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The high and the low of a history stand in each other's place, each with its own valid signature.
 * @catches A range that is negative, a stop that the wrong end of it triggers, and a verifier that takes valid signatures for a valid pair.
 */
export const highLowSwapped = defineReplyFault({
  name: 'reply/high-low-swapped',
  options: NO_OPTIONS,
  endpoints: ['history'],
  apply: content =>
    rewriteObjects(content, object => {
      const { high, low } = object
      return isObject(high) && isObject(low) ? { ...object, high: low, low: high } : object
    }),
})
