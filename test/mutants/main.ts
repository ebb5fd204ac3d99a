// `npm run test:mutants`: puts small mistakes into the sources, one at a time, and counts those that the tests notice.
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Mutant } from './operators.js'
import { sample, titleOf } from './sample.js'
import { createWorkTree, type Reach, type WorkTree } from './work-tree.js'

/** The least shares that the nearest tests and all tests have to notice. */
const GOALS = { nearest: 0.8, all: 0.92 }
const HELP = `npm run test:mutants -- [options]
  --sample N       so many mutants (default: 300)
  --seed TEXT      another sample (default: 42)
  --only PATTERN   mutants of the files below src that match this regular expression
  --part K/N       the Kth of N parts of the sample
  --nearest        only the tests beside and around each file
  --list           only names the mutants`

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '42' },
    only: { type: 'string', default: '' },
    part: { type: 'string', default: '1/1' },
    nearest: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const root = process.cwd()
const write = (line: string): void => void process.stdout.write(`${line}\n`)
const show = (mutant: Mutant, kind: string): void =>
  write(`${kind}  src/${mutant.file}:${mutant.line}  ${mutant.operator}\n    - ${mutant.before}\n    + ${mutant.after}`)

async function main(): Promise<number> {
  if (values.help) {
    write(HELP)
    return 0
  }
  if (!existsSync('src/index.ts')) throw new Error('Run it in the root folder of the repository: npm run test:mutants')
  const equivalents = readFileSync('test/mutants/equivalents.txt', 'utf8')
  const [part, parts] = values.part.split('/').map(Number) as [number, number]
  const chosen = sample(root, values.seed, new RegExp(values.only), { size: Number(values.sample), part, parts })
  const mutants = chosen.filter(mutant => !equivalents.includes(titleOf(mutant)))
  write(`${chosen.length} mutants, seed ${values.seed}; ${chosen.length - mutants.length} of them equivalent`)
  if (values.list) {
    for (const mutant of mutants) show(mutant, 'mutant')
    return 0
  }
  const tree = createWorkTree(root)
  process.once('exit', tree.remove)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  try {
    const unnoticed = await attemptAll(tree, mutants, 'nearest')
    const survivors = values.nearest ? unnoticed : await attemptAll(tree, unnoticed, 'all')
    for (const mutant of survivors) show(mutant, 'survived')
    const isEnough = [report(mutants, unnoticed, 'nearest'), values.nearest || report(mutants, survivors, 'all')]
    return isEnough.includes(false) ? 1 : 0
  } finally {
    tree.remove()
  }
}

/** Tries mutants one after the other, and returns those that survive. */
async function attemptAll(tree: WorkTree, mutants: readonly Mutant[], reach: Reach): Promise<readonly Mutant[]> {
  if (mutants.length === 0) return []
  const failing = await tree.baseline(mutants, reach)
  if (failing.length > 0) write(`left out, since they fail without a mutant: ${failing.join(', ')}`)
  const survivors: Mutant[] = []
  for (const mutant of mutants) {
    const killer = await tree.attempt(mutant, reach)
    if (killer === undefined) survivors.push(mutant)
    show(mutant, killer === undefined ? 'unnoticed' : `killed by ${killer}\n   `)
  }
  return survivors
}

/** Writes the share of mutants that were noticed, and returns whether it reaches its goal. */
function report(mutants: readonly Mutant[], survivors: readonly Mutant[], reach: Reach): boolean {
  const killed = mutants.length - survivors.length
  const share = killed / Math.max(1, mutants.length)
  write(
    `killed by ${reach}: ${killed} of ${mutants.length}, ${(100 * share).toFixed(1)} % (goal: ${100 * GOALS[reach]} %)`,
  )
  return share >= GOALS[reach]
}

process.exitCode = await main()
