// After a run, prints how many tests of each file every host passed and skipped, and what was missing; once for all projects.
import { relative } from 'node:path'
import type { TestCase, TestModule, TestProject, TestSuite, Vitest } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether tests are selected by name, so that others are skipped. */
    isPartial: boolean
    /** Whether this is `npm run test:full`, which repeats the tests of the service on every host. */
    isFull: boolean
    /** Whether `npm test` has just run, so that a full run leaves out what has passed there. */
    isRest: boolean
  }
}

const HOST_NAMES = ['in process', 'http', 'express', 'fetch', 'msw', 'worker', 'redis']
const NO_REASON = 'no reason given'

type Counts = { passed: number; failed: number; skipped: number }

export function setup(project: TestProject): () => void {
  const { vitest } = project
  project.provide('isPartial', vitest.config.testNamePattern !== undefined)
  const { mode } = vitest.vite.config
  project.provide('isFull', mode === 'full' || mode === 'rest')
  project.provide('isRest', mode === 'rest')
  return () => {
    if (project !== vitest.projects.at(-1)) return
    for (const text of [describeHosts(vitest), describeMissing(vitest)])
      if (text !== '') process.stdout.write(`\n${text}\n`)
  }
}

/** The table of results with the reasons of skips below; empty without tests of hosts. */
function describeHosts({ state, config }: Vitest): string {
  const cells = new Map<string, Map<string, Counts>>()
  const reasons = new Map<string, number>()
  for (const module of state.getTestModules())
    for (const { host, suite } of blocksOf(module)) {
      const file = relative(config.root, module.moduleId).replace(/^test\/|\.test\.ts$/g, '')
      const row = cells.get(file) ?? new Map<string, Counts>()
      cells.set(file, row)
      for (const test of suite.children.allTests()) {
        if (config.testNamePattern?.test(test.fullName) === false) continue
        const reason = count(row, host, test)
        if (test.meta().missing !== undefined) continue
        if (reason !== undefined) reasons.set(`${host}: ${reason}`, (reasons.get(`${host}: ${reason}`) ?? 0) + 1)
      }
    }
  const rows = [...cells].filter(([, row]) => row.size > 0).sort(([a], [b]) => (a < b ? -1 : 1))
  if (rows.length === 0) return ''
  const sums = new Map(HOST_NAMES.flatMap(host => sumOf(rows, host) ?? []))
  const hosts = HOST_NAMES.filter(host => sums.has(host))
  const lines = [
    ['passed', ...hosts],
    ...rows.map(([file, row]) => [file, ...hosts.map(host => format(row.get(host)))]),
    ['all', ...hosts.map(host => format(sums.get(host)))],
  ]
  const widths = lines[0]!.map((_, i) => Math.max(...lines.map(line => line[i]!.length)))
  const table = lines.map(line => ` ${line.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')}`.trimEnd())
  return [...table, ...[...reasons].sort().map(([reason, times]) => ` ${times} skipped, ${reason}`)].join('\n')
}

/** Counts the skipped tests by what is missing, with how to get it; empty where nothing is. */
function describeMissing({ state, config }: Vitest): string {
  const counts = new Map<string, number>()
  for (const module of state.getTestModules())
    for (const test of module.children.allTests()) {
      const { missing } = test.meta()
      if (missing === undefined || config.testNamePattern?.test(test.fullName) === false) continue
      counts.set(missing, (counts.get(missing) ?? 0) + 1)
    }
  const lines = [...counts].map(([missing, times]) => ` ${String(times).padStart(5)}  ${missing}`)
  return lines.length === 0 ? '' : ['Skipped, since this machine lacks what they need:', ...lines, ''].join('\n')
}

/** The blocks that `describeHosts` has made: their titles end with the host. */
function blocksOf(module: TestModule): { host: string; suite: TestSuite }[] {
  return [...module.children.suites()].flatMap(suite => {
    const host = / \(([^()]+)\)$/.exec(suite.name)?.[1]
    return host !== undefined && HOST_NAMES.includes(host) ? [{ host, suite }] : []
  })
}

/** Counts a test; returns the reason of a skip. */
function count(row: Map<string, Counts>, host: string, test: TestCase): string | undefined {
  const counts = row.get(host) ?? { passed: 0, failed: 0, skipped: 0 }
  row.set(host, counts)
  const result = test.result()
  if (result.state === 'passed') counts.passed++
  else if (result.state === 'failed') counts.failed++
  else {
    counts.skipped++
    return (result.state === 'skipped' && result.note) || NO_REASON
  }
  return undefined
}

function sumOf(
  rows: readonly (readonly [string, Map<string, Counts>])[],
  host: string,
): [[string, Counts]] | undefined {
  const all = rows.flatMap(([, row]) => row.get(host) ?? [])
  const sum = (name: keyof Counts) => all.reduce((total, counts) => total + counts[name], 0)
  return all.length === 0
    ? undefined
    : [[host, { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }]]
}

function format(counts: Counts | undefined): string {
  if (counts === undefined) return '–'
  const { passed, failed, skipped } = counts
  return [`${passed}`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`].filter(Boolean).join(', ')
}
