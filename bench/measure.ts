// Timing of one function, and a table of the results. Machines are shared and noisy: compare ratios of one run, not runs.

declare global {
  /** Keeps results alive, so that no engine may leave the work out. */
  var benchSink: unknown
}

/** Microseconds per call: the median of `rounds` rounds of `calls` calls each, after one round that is thrown away. */
export function microseconds(calls: number, run: (i: number) => unknown, rounds = 9): number {
  const times: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const start = performance.now()
    for (let i = 0; i < calls; i++) globalThis.benchSink = run(round * calls + i)
    if (round > 0) times.push(((performance.now() - start) / calls) * 1000)
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!
}

/** One line of a table: what was measured, its figure, and the goal that it is held against, if any. */
export interface Row {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** The largest (or, with `atLeast`, the smallest) value that is good. */
  readonly goal?: number
  readonly atLeast?: boolean
  readonly note?: string
}

/** Prints a table; a goal that is missed is marked, it fails nothing. */
export function print(title: string, rows: readonly Row[]): void {
  const cells = rows.map(({ what, value, unit, goal, atLeast, note = '' }) => {
    const met = goal === undefined || (atLeast ? value >= goal : value <= goal)
    const aim = goal === undefined ? '' : `${atLeast ? '≥' : '≤'} ${goal} ${unit}${met ? '' : '   MISSED'}`
    return [what, `${value < 10 ? value.toFixed(3) : value.toFixed(1)} ${unit}`, aim, note] as const
  })
  const widths = [0, 1, 2].map(column => Math.max(...cells.map(row => row[column]!.length)))
  console.log(`\n${title}`)
  for (const [what, value, aim, note] of cells)
    console.log(
      `  ${what.padEnd(widths[0]!)}  ${value.padStart(widths[1]!)}  ${aim.padEnd(widths[2]!)}  ${note}`.trimEnd(),
    )
}
