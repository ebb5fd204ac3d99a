// The wire faults. To add one, write its file and test beside this file and add a line here.
import { dribble } from './dribble.js'
import { refused } from './refused.js'
import { reset } from './reset.js'
import { timeout } from './timeout.js'
import { truncate } from './truncate.js'

/** Every wire fault. */
export const WIRE_FAULTS = [reset, refused, truncate, timeout, dribble] as const
