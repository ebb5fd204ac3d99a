// The faults of the series. Adding one is a file beside this one, its test, and a line here.
import { duplicate } from './duplicate.js'
import { empty } from './empty.js'
import { lateRevision } from './late-revision.js'
import { missing } from './missing.js'
import { negativeVolume } from './negative-volume.js'
import { nullValues } from './null-values.js'
import { outOfOrder } from './out-of-order.js'

/** Every fault of the series. */
export const SERIES_FAULTS = [missing, duplicate, outOfOrder, nullValues, empty, lateRevision, negativeVolume] as const
