// Runs of the consumer: counted, within a budget, several at a time.
import type { HuntOptions, HuntProgress, HuntRun, HuntScenario } from './types.js'

/** Runs that make a find smaller beyond the budget, and the part of its time. */
const EXTRA = { runs: 37, time: 0.5 }

/** Runs scenarios. */
export type Runner = ReturnType<typeof createRunner>

/** Creates a runner. */
export function createRunner({ run, budget, parallel = 1, signal, onProgress }: HuntOptions, countFinds: () => number) {
  const startedAt = 'ms' in budget ? budget.now() : 0
  let begun = 0
  let finished = 0
  let active = 0
  const waiting: (() => void)[] = []
  const usedOf = (): number => ('runs' in budget ? begun / budget.runs : (budget.now() - startedAt) / budget.ms)
  /** Only making a find smaller ends with the budget: what is tried is tried in full, and a find is repeated. */
  const isOver = (phase: HuntProgress['phase']): boolean => {
    if (signal?.aborted === true) return true
    if (phase !== 'shrink') return false
    return 'ms' in budget ? usedOf() >= 1 + EXTRA.time : begun >= budget.runs + EXTRA.runs
  }

  return {
    /** Runs that have ended. */
    get runs() {
      return finished
    },
    /** Whether the signal has ended the hunt. */
    get isCut() {
      return signal?.aborted === true
    },
    /** Whether the budget has room for a new scenario. */
    hasBudget: (): boolean => signal?.aborted !== true && usedOf() < 1,
    /**
     * Runs a scenario once.
     * @returns undefined if the signal ended the hunt, or where a find is made smaller if the budget is used up with its extra
     */
    async run(phase: HuntProgress['phase'], label: string, scenario: HuntScenario): Promise<HuntRun | undefined> {
      if (active >= parallel) await new Promise<void>(resolve => waiting.push(resolve))
      else active++
      try {
        if (isOver(phase)) return undefined
        begun++
        onProgress?.({ phase, label, runs: finished, finds: countFinds(), left: Math.max(0, 1 - usedOf()) })
        const result = await run(scenario, { label, ...(signal === undefined ? {} : { signal }) })
        if (signal?.aborted === true) return undefined
        finished++
        return result
      } finally {
        // The place goes to the next one, if there is one.
        const next = waiting.shift()
        if (next === undefined) active--
        else next()
      }
    },
  }
}
