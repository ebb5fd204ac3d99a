// `npm run test:engines`: the golden set in every engine, byte for byte. `npm run test:engines -- node24 bun` for some of them;
// `--write` keeps the table in docs/engines.md.
import { createHash } from 'node:crypto'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConsumer } from '../support/consumer.js'
import { type Answers, toText } from './answer.js'
import { ENGINES, type Engine, NotHere, OWN } from './engines.js'

/** Where npm runs scripts. */
const ROOT = process.cwd()
const COLUMNS = ['Engine', 'Version', 'Answers', 'Same bytes'] as const
type Row = Readonly<Record<(typeof COLUMNS)[number], string>>

const args = process.argv.slice(2)
const named = args.filter(arg => arg !== '--write')
const unknown = named.filter(name => !Object.hasOwn(ENGINES, name))
if (unknown.length > 0) {
  console.error(`There is no engine ${unknown.join(', ')}: choose from ${Object.keys(ENGINES).join(', ')}.`)
  process.exit(2)
}

const consumer = createConsumer(ROOT)
const rows: Row[] = []
try {
  for (const file of ['golden-set', 'engines/answer', 'engines/program', 'engines/page'])
    cpSync(join(ROOT, '.build', 'test', `${file}.js`), join(consumer.folder, `${file}.js`))
  // What is not frozen is what this Node answers; what is frozen, it has to answer as well.
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
if (args.includes('--write')) keep(markdown)

/** Runs an engine, and says at once what came of it. */
async function toRow({ title, run }: Engine, want: Answers, earlierMs = 0): Promise<Row> {
  const started = performance.now()
  try {
    const { version, answers } = await run(consumer)
    const differing = differences(answers, want)
    const [all, seconds] = [countOf(want), ((performance.now() - started + earlierMs) / 1000).toFixed(1)]
    console.log(`${title}: ${all - differing.length} of ${all} answers are the same, ${seconds} s`)
    for (const name of differing.slice(0, 10)) console.error(`  differs: ${name}`)
    if (differing.length > 0) process.exitCode = 1
    return {
      Engine: title,
      Version: version,
      Answers: String(all),
      'Same bytes': String(all - differing.length),
    }
  } catch (error) {
    const isSkipped = error instanceof NotHere
    if (!isSkipped) process.exitCode = 1
    const why = `${isSkipped ? 'skipped' : 'failed'}: ${(error as Error).message}`
    console.log(`${title}: ${why}`)
    return { Engine: title, Version: why, Answers: '', 'Same bytes': '' }
  }
}

/** Names of the answers that are not what they should be. */
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

/** What test/golden.test.ts holds every host to. */
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

/** Puts the table in its place, under the date of today. */
function keep(lines: string): void {
  const page = join(ROOT, 'docs', 'engines.md')
  const date = new Date().toISOString().slice(0, 10)
  const text = readFileSync(page, 'utf8').replace(
    /(<!-- written: engines -->\n)[\s\S]*?(<!-- end -->)/,
    (_, open: string, close: string) => `${open}\nRun on ${date}:\n\n${lines}\n\n${close}`,
  )
  writeFileSync(page, text)
}
