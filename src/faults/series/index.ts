// The candle faults, whose public names begin with `series/`. To add one, write its file and test beside this file and add a line here.
import { duplicate } from './duplicate.js'
import { empty } from './empty.js'
import { highBelowLow } from './high-below-low.js'
import { lateRevision } from './late-revision.js'
import { missing } from './missing.js'
import { negativeVolume } from './negative-volume.js'
import { nullValues } from './null-values.js'
import { otherInterval } from './other-interval.js'
import { outOfOrder } from './out-of-order.js'
import { timeSkew } from './time-skew.js'
import { timeUnit } from './time-unit.js'

/** Every candle fault. */
export const CANDLE_FAULTS = [
  missing,
  duplicate,
  outOfOrder,
  nullValues,
  empty,
  lateRevision,
  negativeVolume,
  highBelowLow,
  timeUnit,
  timeSkew,
  otherInterval,
] as const
