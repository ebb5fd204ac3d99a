// A fault as scenario files have it.
import { SECONDS_BY_UNIT } from '../../../src/settings/time.js'

export type { HuntFault as FaultEntry } from '../../../src/hunt/types.js'

/** A duration as a scenario file has it, in seconds. */
export const toSeconds = (text: string): number =>
  Number(text.slice(0, -1)) * SECONDS_BY_UNIT[text.slice(-1) as keyof typeof SECONDS_BY_UNIT]
