// tick/ts-milliseconds: the time of a price is in another unit.
import { defineTickFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/** Later than any second of the mock: such a time is in milliseconds already. */
const NO_SECOND = 1e10

/**
 * `ts` is in milliseconds, with a valid signature. The EVM form has 32 bits for it: there the signature covers the low ones.
 * @catches A price from the future: its age is below 0, so a check for "too old" lets it pass; or such a time overflows, or is
 * divided by 1000 and taken.
 */
export const tsMilliseconds = defineTickFault({
  name: 'tick/ts-milliseconds',
  options: NO_OPTIONS,
  tick: tick => (tick.ts === 0 || tick.ts > NO_SECOND ? tick : { ...tick, ts: tick.ts * 1000 }),
})
