// The catalogue: every fault, in the order of the stages.
import type { Fault } from './fault.js'
import { MARKET_FAULTS } from './market/index.js'
import { REPLY_FAULTS } from './reply/index.js'
import { CANDLE_FAULTS } from './series/index.js'
import { SIGNATURE_FAULTS } from './signature/index.js'
import { TICK_FAULTS } from './tick/index.js'
import { WIRE_FAULTS } from './wire/index.js'

const ALL = [
  ...MARKET_FAULTS,
  ...TICK_FAULTS,
  ...SIGNATURE_FAULTS,
  ...CANDLE_FAULTS,
  ...REPLY_FAULTS,
  ...WIRE_FAULTS,
] as const

/** A fault of the catalogue, with the types of its name and options. */
export type CatalogueFault = (typeof ALL)[number]

/** Every fault. Callers pass each fault only options that its own schema has parsed. */
export const FAULTS = ALL as readonly unknown[] as readonly Fault[]
