// tick/negative: the price is below zero.
import { defineTickFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/** Signed as its two's complement. */
export const negative = defineTickFault({
  name: 'tick/negative',
  summary: "The price is negative; the signature is valid over its two's complement.",
  catches: 'A cast to an unsigned integer that makes a fortune out of a loss.',
  options: NO_OPTIONS,
  tick: tick => ({ ...tick, price: -tick.price }),
})
