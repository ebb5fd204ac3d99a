// tick/zero: the price is 0.
import { defineTickFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/** Signed as such. */
export const zero = defineTickFault({
  name: 'tick/zero',
  summary: 'The price is 0, with a valid signature.',
  catches: 'A division by the price, or a zero that is taken for "no value".',
  options: NO_OPTIONS,
  tick: tick => ({ ...tick, price: 0 }),
})
