// The entry point `price-feed-mock/chain`: signed prices as contracts and programs take them, and one clock for a mock and a chain.
export { isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
export { LAYOUTS, type Layout } from '../settings/layouts.js'
export { type CalldataOptions, type EvmSignedPrice, toBytes32, toCalldata, UPDATE_PRICE } from './calldata.js'
export {
  type ClockLeader,
  type LiteSvmClock,
  type RpcProvider,
  type SyncClockOptions,
  syncClock,
  type VirtualClock,
} from './clock.js'
export {
  type InstructionOptions,
  MAX_INSTRUCTION_BYTES,
  SECP256K1_PROGRAM,
  type SvmPrice,
  type SvmSignedPrices,
  toInstructionData,
} from './instruction.js'
