// From "10s", "5m" and "6m" to windows of time: `from`, `for`, `repeat` and the loop of a scenario.
import type { Problem } from '../errors.js'
import type { Pattern } from './scenario.js'
import { readTimes, TIME, type Times } from './schema.js'

/** Windows within one loop, at most. */
const MAX_WINDOWS_PER_LOOP = 1000
const { POSITIVE_INFINITY: EVER } = Number

/** An entry of a scenario as it was written. */
type Written = Readonly<Record<string, unknown>>

/** When a fault is at work, in seconds, and what is wrong with its times besides their form. */
export function planTimes(
  written: Written,
  loop: number | undefined,
  at: string,
): { pattern: Pattern; problems: Problem[] } {
  const { from = 0, for: length, repeat } = readTimes(written)
  const problems: Problem[] = []
  const refuseIf = (is: boolean, key: keyof Times, want: string): void => {
    if (is) problems.push({ at: `${at}.${key}`, got: written[key], want })
  }
  refuseIf(written.repeat !== undefined && written.for === undefined, 'for', 'how long each repetition lasts')
  if (repeat !== undefined) refuseIf(length! > repeat, 'for', `at most ${written.repeat}, the time of "repeat"`)
  if (loop !== undefined) {
    refuseIf(from >= loop, 'from', `a time before ${loop}s, when the loop begins again`)
    refuseIf(length! > loop, 'for', `at most ${loop}s, the time of "loop"`)
    refuseIf(repeat! > loop, 'repeat', `at most ${loop}s, the time of "loop"`)
    const want = `a longer time: at most ${MAX_WINDOWS_PER_LOOP} repetitions fit into a loop of ${loop}s`
    refuseIf(loop / repeat! > MAX_WINDOWS_PER_LOOP, 'repeat', want)
  }
  return { pattern: problems.length > 0 ? NEVER : toPattern(from, length ?? EVER, repeat, loop), problems }
}

/** The times of an entry in its own words: "from 10s for 5m". */
export const describeTimes = (written: Written): string =>
  TIME.filter(key => written[key] !== undefined)
    .map(key => `${key} ${written[key]}`)
    .join(' ')

const NEVER: Pattern = { shift: 0, windows: [], period: EVER }

function toPattern(from: number, length: number, repeat: number | undefined, loop: number | undefined): Pattern {
  if (loop === undefined) return { shift: from, windows: [{ from: 0, until: length }], period: repeat ?? EVER }
  const windows = []
  for (let start = from; start < loop; start += repeat ?? loop)
    windows.push({ from: start, until: Math.min(start + length, loop) })
  return { shift: 0, windows, period: loop }
}
