// The progress of a hunt: one line that changes at a terminal, elsewhere a line now and then.
import { formatMs } from '../admin/report/check.js'
import { countOf } from '../errors.js'
import type { HuntProgress } from '../hunt/types.js'

/** Time between two lines where there is no terminal. */
const EVERY_MS = 10_000
const ERASE = '\r\x1b[K'

/** Surroundings of a progress, which a test replaces. */
export interface ProgressContext {
  readonly report: (text: string) => void
  readonly isTerminal: boolean
  readonly columns?: number | undefined
  /** Milliseconds from any origin. */
  readonly now: () => number
}

/** Creates the two functions that show a progress and remove it. */
export function createProgress({ report, isTerminal, columns = 80, now }: ProgressContext) {
  const startedAt = now()
  let shownAt = Number.NEGATIVE_INFINITY
  let finds = 0
  return {
    show(progress: HuntProgress): void {
      const at = now()
      const text = `price-feed-mock: ${toText(progress, at - startedAt)}`
      if (isTerminal) report(`${ERASE}${text.slice(0, columns - 1)}`)
      else if (progress.finds > finds || at - shownAt >= EVERY_MS) {
        report(`${text}.\n`)
        shownAt = at
      }
      finds = progress.finds
    },
    clear(): void {
      if (isTerminal) report(ERASE)
    },
  }
}

const WORK: Readonly<Record<HuntProgress['phase'], string>> = {
  calm: 'running the command without faults',
  known: 'repeating earlier finds',
  search: 'searching',
  shrink: 'narrowing down a failure',
  confirm: 'confirming a failure',
}

function toText({ phase, runs, finds, left }: HuntProgress, elapsedMs: number): string {
  const leftMs = left < 1 ? (elapsedMs * left) / (1 - left) : 0
  const parts = [
    countOf(runs, 'run'),
    countOf(finds, 'find'),
    ...(phase === 'calm' || leftMs < 1000 ? [] : [`about ${formatMs(1000 * Math.ceil(leftMs / 1000))} left`]),
  ]
  return `${WORK[phase]} (${parts.join(', ')})`
}
