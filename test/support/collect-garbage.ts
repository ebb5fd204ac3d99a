// Garbage collection on demand, for what must outlive it.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects all garbage at once. What a `WeakRef` has just given lives to the end of the turn. */
export const collectGarbage = runInNewContext('gc') as () => void
