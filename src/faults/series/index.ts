// The series faults. To add one, write its file and test beside this file and add a line here.
import { duplicate } from './duplicate.js'
import { empty } from './empty.js'
import { lateRevision } from './late-revision.js'
import { missing } from './missing.js'
import { negativeVolume } from './negative-volume.js'
import { nullValues } from './null-values.js'
import { outOfOrder } from './out-of-order.js'

/** Every series fault. */
export const SERIES_FAULTS = [missing, duplicate, outOfOrder, nullValues, empty, lateRevision, negativeVolume] as const
