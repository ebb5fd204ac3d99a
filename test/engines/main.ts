// `npm run test:engines`: the golden set in every engine, byte for byte. `npm run test:engines -- node24 bun` for some of them.
// `--write` updates the table in docs/engines.md, `--report FILE` writes counts of passed and failed engines.
import { createHash } from 'node:crypto'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createConsumer } from '../support/consumer.js'
import { type Answers, toText } from './answer.js'
import { ENGINES, type Engine, EngineUnavailable, OWN } from './engines.js'

/** Where npm runs scripts. */
const ROOT = process.cwd()
const COLUMNS = ['Engine', 'Version', 'Answers', 'Same bytes'] as const
type Row = Readonly<Record<(typeof COLUMNS)[number], string>>

const { values: flags, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' }, report: { type: 'string' } },
})
const unknown = named.filter(name => !Object.hasOwn(ENGINES, name))
if (unknown.length > 0) {
  console.error(`There is no engine ${unknown.join(', ')}: choose from ${Object.keys(ENGINES).join(', ')}.`)
  process.exit(2)
}

const consumer = createConsumer(ROOT)
const rows: Row[] = []
try {
  for (const file of ['support/golden-set', 'engines/answer', 'engines/program', 'engines/page'])
    cpSync(join(ROOT, '.build', 'test', `${file}.js`), join(consumer.folder, `${file}.js`))
  // This Node has to answer the frozen responses too, and sets the rest.
  const started = performance.now()
  const own = await OWN.run(consumer)
  const ownMs = performance.now() - started
  const want = { ...own.answers, ...readFrozen(Object.keys(own.answers.golden)) }
  const chosen = new Set([OWN, ...(named.length > 0 ? named : Object.keys(ENGINES)).map(name => ENGINES[name]!)])
  for (const engine of chosen)
    rows.push(await (engine === OWN ? toRow({ ...OWN, run: async () => own }, want, ownMs) : toRow(engine, want)))
} finally {
  consumer.end()
}

const table = [COLUMNS, COLUMNS.map(() => '---'), ...rows.map(row => COLUMNS.map(column => row[column]))]
const markdown = table.map(cells => `| ${cells.join(' | ')} |`).join('\n')
console.log(`\n${markdown}\n`)
if (flags.write) updateRecord(markdown)
if (flags.report !== undefined) writeReport(flags.report)

/** Runs an engine and prints the result at once. */
async function toRow({ title, run }: Engine, want: Answers, earlierMs = 0): Promise<Row> {
  const started = performance.now()
  try {
    const { version, answers } = await run(consumer)
    const differing = differences(answers, want)
    const [all, seconds] = [countOf(want), ((performance.now() - started + earlierMs) / 1000).toFixed(1)]
    console.log(`${title}: ${all - differing.length} of ${all} answers are the same, ${seconds} s`)
    for (const name of differing.slice(0, 10)) console.error(`  differs: ${name}`)
    if (differing.length > 0) process.exitCode = 1
    return { Engine: title, Version: version, Answers: String(all), 'Same bytes': String(all - differing.length) }
  } catch (error) {
    const isSkipped = error instanceof EngineUnavailable
    if (!isSkipped) process.exitCode = 1
    const why = `${isSkipped ? 'skipped' : 'failed'}: ${(error as Error).message}`
    console.log(`${title}: ${why}`)
    return { Engine: title, Version: why, Answers: '', 'Same bytes': '' }
  }
}

/** Names of the answers that differ from the expected ones. */
function differences(got: Answers, want: Answers): string[] {
  return groupsOf(want).flatMap(([group, answers]) =>
    Object.keys({ ...answers, ...got[group] })
      .filter(name => got[group][name] !== answers[name])
      .map(name => `${group}: ${name}`),
  )
}

function countOf(answers: Answers): number {
  return groupsOf(answers).reduce((sum, [, group]) => sum + Object.keys(group).length, 0)
}

function groupsOf(answers: Answers): [keyof Answers, Readonly<Record<string, string>>][] {
  return Object.entries(answers) as [keyof Answers, Readonly<Record<string, string>>][]
}

/** The hashes of the frozen responses in fixtures/golden. */
function readFrozen(files: readonly string[]): Pick<Answers, 'golden' | 'kinds'> {
  const read = (name: string) => JSON.parse(readFileSync(join(ROOT, 'fixtures', 'golden', `${name}.json`), 'utf8'))
  const golden = files.map(name => {
    const { status, headers, text } = read(name)
    return [name, sha256(toText(status, headers, text))]
  })
  return { golden: Object.fromEntries(golden), kinds: read('all-feeds').byKind }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Writes the table into docs/engines.md, under the date of today. */
function updateRecord(lines: string): void {
  const page = join(ROOT, 'docs', 'engines.md')
  const date = new Date().toISOString().slice(0, 10)
  const text = readFileSync(page, 'utf8').replace(
    /(<!-- written: engines -->\n)[\s\S]*?(<!-- end -->)/,
    (_, open: string, close: string) => `${open}\nRun on ${date}:\n\n${lines}\n\n${close}`,
  )
  writeFileSync(page, text)
}

/** Writes counts in the form of a Vitest report. Skipped engines count as neither. */
function writeReport(file: string): void {
  const compared = rows.filter(row => row.Answers !== '')
  const numPassedTests = compared.filter(row => row.Answers === row['Same bytes']).length
  const failures = rows.filter(row => row.Version.startsWith('failed: ')).length
  writeFileSync(file, JSON.stringify({ numPassedTests, numFailedTests: compared.length - numPassedTests + failures }))
}
