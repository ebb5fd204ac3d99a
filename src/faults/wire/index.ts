// The faults of the wire. Adding one is a file beside this one, its test, and a line here.
import { dribble } from './dribble.js'
import { reset } from './reset.js'
import { timeout } from './timeout.js'
import { truncate } from './truncate.js'

/** Every fault of the wire. */
export const WIRE_FAULTS = [reset, truncate, timeout, dribble] as const
