// tick/negative: the price is below zero.
import { defineTickFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The price is negative; the signature is valid over its two's complement. In a history the high is the negative of the low.
 * @catches A cast to an unsigned integer that makes a fortune out of a loss.
 */
export const negative = defineTickFault({
  name: 'tick/negative',
  options: NO_OPTIONS,
  tick: tick => (tick.price === 0 ? tick : { ...tick, price: -tick.price }),
})
