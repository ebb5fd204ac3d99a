// tick/zero: the price is 0.
import { defineTickFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The price is 0, with a valid signature.
 * @catches A division by the price, or a zero that is taken for a price, or for "no value".
 */
export const zero = defineTickFault({
  name: 'tick/zero',
  options: NO_OPTIONS,
  tick: tick => (tick.price === 0 ? tick : { ...tick, price: 0 }),
})
