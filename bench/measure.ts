// Times a function and prints tables of results. On a shared machine only ratios within one run can be compared.

declare global {
  /** Keeps results alive, so that the engine cannot skip the work. */
  var benchSink: unknown
}

/** Microseconds per call: the median of `rounds` rounds of `calls` calls each, after one warm-up round. */
export function microseconds(calls: number, run: (i: number) => unknown, rounds = 9): number {
  const times: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const start = performance.now()
    for (let i = 0; i < calls; i++) globalThis.benchSink = run(round * calls + i)
    if (round > 0) times.push(((performance.now() - start) / calls) * 1000)
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!
}

/** One line of a table: a figure and its goal, if there is one. */
export interface Row {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The largest good value; with `atLeast` the smallest. */
  readonly goal?: number
  readonly atLeast?: boolean
  readonly note?: string
}

/** Prints a table. A missed goal is marked, but is not an error. */
export function print(title: string, rows: readonly Row[]): void {
  const cells = rows.map(({ name, value, unit, goal, atLeast, note = '' }) => {
    const met = goal === undefined || (atLeast ? value >= goal : value <= goal)
    const aim = goal === undefined ? '' : `${atLeast ? '≥' : '≤'} ${goal} ${unit}${met ? '' : '   MISSED'}`
    return [
      name,
      `${Number.isInteger(value) ? value : value < 10 ? value.toFixed(3) : value.toFixed(1)} ${unit}`,
      aim,
      note,
    ] as const
  })
  const widths = [0, 1, 2].map(column => Math.max(...cells.map(row => row[column]!.length)))
  console.log(`\n${title}`)
  for (const [name, value, aim, note] of cells)
    console.log(
      `  ${name.padEnd(widths[0]!)}  ${value.padStart(widths[1]!)}  ${aim.padEnd(widths[2]!)}  ${note}`.trimEnd(),
    )
}
