// The signature faults. To add one, write its file and test beside this file and add a line here.
import { hexPrefix } from './0x-prefix.js'
import { allZero } from './all-zero.js'
import { batchDuplicate } from './batch-duplicate.js'
import { batchReordered } from './batch-reordered.js'
import { batchSwapped } from './batch-swapped.js'
import { bitFlip } from './bit-flip.js'
import { evmVParity } from './evm-v-parity.js'
import { highS } from './high-s.js'
import { otherFeed } from './other-feed.js'
import { replay } from './replay.js'
import { tamperedPrice } from './tampered-price.js'
import { tamperedTs } from './tampered-ts.js'
import { truncated } from './truncated.js'
import { wrongRecoveryId } from './wrong-recovery-id.js'
import { wrongSigner } from './wrong-signer.js'

/** Every signature fault. */
export const SIGNATURE_FAULTS = [
  wrongSigner,
  tamperedPrice,
  tamperedTs,
  bitFlip,
  wrongRecoveryId,
  highS,
  allZero,
  truncated,
  hexPrefix,
  evmVParity,
  replay,
  batchReordered,
  batchSwapped,
  batchDuplicate,
  otherFeed,
] as const
