// `npm run test:matrix`: packs the package, installs it in projects with different versions of the tools around it, and runs the
// documented examples there. `npm run test:matrix -- node20-npm10` for some rows. `--report FILE` writes counts of passed and failed
// checks. Tools are kept in .build/matrix.
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { CHECKS } from './checks.js'
import { install, type Project, pack, ToolUnavailable } from './project.js'
import { ROWS, type Row } from './rows.js'

/** Where npm runs scripts. */
const HOME = join(process.cwd(), '.build', 'matrix')
const COLUMNS = ['Row', 'Node', 'Manager', 'vitest', 'msw', 'TypeScript', ...CHECKS.map(({ name }) => name), 'Seconds']

const { values: flags, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { report: { type: 'string' } },
})
const unknown = named.filter(name => !ROWS.some(row => row.name === name))
if (unknown.length > 0) {
  console.error(`There is no row ${unknown.join(', ')}: choose from ${ROWS.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}

const counts = { numPassedTests: 0, numFailedTests: 0 }
const tarball = pack(process.cwd())
const table: string[][] = []
for (const row of ROWS.filter(({ name }) => named.length === 0 || named.includes(name))) table.push(await runRow(row))
rmSync(dirname(tarball), { recursive: true })

const cells = [COLUMNS, COLUMNS.map(() => '---'), ...table]
console.log(`\n${cells.map(line => `| ${line.join(' | ')} |`).join('\n')}\n`)
if (flags.report !== undefined) writeFileSync(flags.report, JSON.stringify(counts))
if (counts.numFailedTests > 0) process.exitCode = 1

/** Installs and checks a row. Failures are printed at once. */
async function runRow(row: Row): Promise<string[]> {
  const started = performance.now()
  const fail = (subject: string, error: unknown) => {
    counts.numFailedTests++
    console.error(`${row.name}, ${subject}: ${(error as Error).message}`)
  }
  const toLine = (results: readonly string[]) => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`${row.name}: ${results.join(', ')}, ${seconds} s`)
    return [row.name, row.node, row.manager, row.vitest, row.msw, row.typescript, ...results, seconds]
  }

  let project: Project
  try {
    project = await install(row, tarball, HOME)
  } catch (error) {
    const isSkipped = error instanceof ToolUnavailable
    if (isSkipped) console.log(`${row.name}: skipped: ${error.message}`)
    else fail('installation', error)
    return toLine(CHECKS.map(() => (isSkipped ? 'skipped' : 'not installed')))
  }
  try {
    const results: string[] = []
    for (const check of CHECKS) {
      const result = await check.run(project, row).then(
        () => 'passed',
        (error: unknown) => {
          fail(check.name, error)
          return 'FAILED'
        },
      )
      if (result === 'passed') counts.numPassedTests++
      results.push(result)
    }
    return toLine(results)
  } finally {
    project.end()
  }
}
