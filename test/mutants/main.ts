// `npm run test:mutants`: tries every mutant of the list, and fails when the nearest tests kill fewer than 90 % of them.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { MUTANTS } from './list/index.js'
import { type Mutant, mutate, nearestTests, titleOf } from './mutant.js'
import { sample } from './sample.js'
import { createWorkTree, type Verdict, type WorkTree } from './work-tree.js'

const GOAL = 0.9
const HELP = `npm run test:mutants -- [options]
  --only PATTERN   mutants whose file or reason matches this regular expression
  --sample N       so many of them, chosen by --seed
  --seed TEXT      another order and another sample (default: 42)
  --jobs N         so many at once (default: 1)`

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '42' },
    jobs: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})

const root = process.cwd()
const write = (line: string): void => void process.stdout.write(`${line}\n`)

async function main(): Promise<number> {
  if (values.help) {
    write(HELP)
    return 0
  }
  if (!existsSync('src/index.ts')) throw new Error('Run it in the root folder of the repository: npm run test:mutants')
  const pattern = new RegExp(values.only)
  const chosen = sample(
    MUTANTS.filter(mutant => pattern.test(titleOf(mutant))),
    values.seed,
    values.sample === undefined ? undefined : Number(values.sample),
  )
  for (const mutant of chosen) mutate(root, mutant)
  write(`${chosen.length} of ${MUTANTS.length} mutants, seed ${values.seed}`)

  const trees = Array.from({ length: Math.max(1, Number(values.jobs)) }, () => createWorkTree(root))
  try {
    const failing = await trees[0]!.baseline([...new Set(chosen.flatMap(mutant => nearestTests(root, mutant)))])
    if (failing.length === 0) return report(await attemptAll(chosen, trees))
    write(`Without a mutant, these tests fail already:\n${failing.join('\n')}`)
    return 1
  } finally {
    for (const tree of trees) tree.remove()
  }
}

/** Tries mutants, one at a time in each tree, and writes each verdict. */
async function attemptAll(mutants: readonly Mutant[], trees: readonly WorkTree[]): Promise<Map<Mutant, Verdict>> {
  const verdicts = new Map<Mutant, Verdict>()
  const waiting = [...mutants]
  await Promise.all(
    trees.map(async tree => {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const verdict = await tree.attempt(mutant)
        verdicts.set(mutant, verdict)
        write(`${String(verdicts.size).padStart(4)}  ${verdict.kind.padEnd(8)}  ${titleOf(mutant)}`)
        if (verdict.kind === 'killed') write(`${' '.repeat(16)}${verdict.by}`)
        if (verdict.kind === 'invalid') write(`${' '.repeat(16)}${verdict.reason}`)
      }
    }),
  )
  return verdicts
}

/** Writes the score of each folder and of the whole, and the mutants that are not killed. */
function report(verdicts: ReadonlyMap<Mutant, Verdict>): number {
  const all = [...verdicts]
  const folders = new Set(all.map(([{ file }]) => dirname(file)).sort())
  const count = (kind: Verdict['kind'], some = all): number =>
    some.filter(([, verdict]) => verdict.kind === kind).length
  write('')
  for (const folder of folders) {
    const some = all.filter(([{ file }]) => dirname(file) === folder)
    write(`${folder.padEnd(20)} ${count('killed', some)} of ${some.length}`)
  }
  for (const kind of ['survived', 'invalid'] as const)
    for (const [mutant, verdict] of all) if (verdict.kind === kind) write(`${kind}: ${titleOf(mutant)}`)
  const killed = count('killed')
  const score = all.length === 0 ? 0 : killed / all.length
  write(
    `${killed} killed, ${count('survived')} survived, ${count('invalid')} invalid: ${(100 * score).toFixed(1)} % (goal: ${100 * GOAL} %)`,
  )
  return score >= GOAL ? 0 : 1
}

process.exitCode = await main()
