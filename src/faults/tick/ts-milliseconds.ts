// tick/ts-milliseconds: the time of a price is in another unit.
import { defineTickFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/** Later than any second of the mock: such a time is in milliseconds already. */
const NO_SECOND = 1e10

/**
 * `ts` is in milliseconds, with a valid signature. The EVM form has 32 bits for it: there the signature covers the low ones.
 * @catches An age below 0 that passes every check of a maximum; a time that overflows.
 */
export const tsMilliseconds = defineTickFault({
  name: 'tick/ts-milliseconds',
  options: NO_OPTIONS,
  tick: tick => (tick.ts === 0 || tick.ts > NO_SECOND ? tick : { ...tick, ts: tick.ts * 1000 }),
})
