// From "10s", "5m" and "6m" to windows of time: `from`, `for`, `repeat` and the loop of a scenario.
import type { Problem } from '../errors.js'
import type { Pattern } from './scenario.js'
import type { Selectors } from './schema.js'

/** Windows within one loop, at most. */
const MOST_WINDOWS = 1000
const { POSITIVE_INFINITY: EVER } = Number

/**
 * When a fault is at work, in windows and in words, or what is wrong with its times. All in seconds.
 * @param written the times as they were written
 */
export function planTimes(
  { from = 0, for: length, repeat }: Pick<Selectors, 'from' | 'for' | 'repeat'>,
  loop: number | undefined,
  at: string,
  written: Readonly<Record<string, unknown>>,
): { pattern: Pattern; words: string | undefined; problems: Problem[] } {
  const problems: Problem[] = []
  if (repeat !== undefined && length === undefined)
    problems.push({ at: `${at}.for`, got: undefined, want: 'how long each repetition lasts' })
  if (repeat !== undefined && length !== undefined && length > repeat)
    problems.push({ at: `${at}.for`, got: written.for, want: `at most ${written.repeat}, the time of "repeat"` })
  if (loop !== undefined && from >= loop)
    problems.push({ at: `${at}.from`, got: written.from, want: `a time before ${loop}s, when the loop begins again` })
  if (loop !== undefined && repeat !== undefined && loop / repeat > MOST_WINDOWS)
    problems.push({
      at: `${at}.repeat`,
      got: written.repeat,
      want: `a longer time: at most ${MOST_WINDOWS} repetitions fit into a loop of ${loop}s`,
    })
  const always = from === 0 && length === undefined && repeat === undefined
  const words = always ? undefined : toWords(from, length, repeat)
  return { pattern: problems.length > 0 ? NEVER : toPattern(from, length ?? EVER, repeat, loop), words, problems }
}

const NEVER: Pattern = { shift: 0, windows: [], period: EVER }

function toPattern(from: number, length: number, repeat: number | undefined, loop: number | undefined): Pattern {
  if (loop === undefined) return { shift: from, windows: [{ from: 0, until: length }], period: repeat ?? EVER }
  const windows = []
  for (let start = from; start < loop; start += repeat ?? loop)
    windows.push({ from: start, until: Math.min(start + length, loop) })
  return { shift: 0, windows, period: loop }
}

function toWords(from: number, length: number | undefined, repeat: number | undefined): string {
  const until = length === undefined ? '' : `${from + length}s`
  return `${from}s–${until}${repeat === undefined ? '' : ` every ${repeat}s`}`
}
