// Windows of time from `from`, `for` and `repeat` of a fault and `loop` of its scenario.
import type { Problem } from '../errors.js'
import type { Pattern } from './scenario.js'
import { readTimes, TIME, type Times } from './schema.js'

/** Maximum number of windows within one loop. */
const MAX_WINDOWS_PER_LOOP = 1000
const { POSITIVE_INFINITY: EVER } = Number

/** An entry of `faults`, unparsed. */
type Written = Readonly<Record<string, unknown>>

/** The pattern of a fault, and the contradictions between its times. */
export function planTimes(
  written: Written,
  loop: number | undefined,
  at: string,
): { pattern: Pattern; problems: Problem[] } {
  const { from = 0, for: length, repeat } = readTimes(written)
  const problems: Problem[] = []
  const reportIf = (isWrong: boolean, key: keyof Times, want: string): void => {
    if (isWrong) problems.push({ at: `${at}.${key}`, got: written[key], want })
  }
  reportIf(written.repeat !== undefined && written.for === undefined, 'for', 'how long each repetition lasts')
  if (repeat !== undefined) reportIf(length! > repeat, 'for', `at most ${written.repeat}, the time of "repeat"`)
  if (loop !== undefined) {
    reportIf(from >= loop, 'from', `a time before ${loop}s, when the loop begins again`)
    reportIf(length! > loop, 'for', `at most ${loop}s, the time of "loop"`)
    reportIf(repeat! > loop, 'repeat', `at most ${loop}s, the time of "loop"`)
    const want = `a longer time: at most ${MAX_WINDOWS_PER_LOOP} repetitions fit into a loop of ${loop}s`
    reportIf(loop / repeat! > MAX_WINDOWS_PER_LOOP, 'repeat', want)
  }
  return { pattern: problems.length > 0 ? NEVER : toPattern(from, length ?? EVER, repeat, loop), problems }
}

/** The times of an entry as they were written: "from 10s for 5m". */
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
