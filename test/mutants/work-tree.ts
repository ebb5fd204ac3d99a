// A copy of the sources and tests in which one mutant at a time is tried; the developer's own tree is never written to.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Mutant, mutate, nearestTests } from './mutant.js'

/** How the tests met a mutant; `invalid` where no test could run. */
export type Verdict =
  | { readonly kind: 'killed'; readonly by: string }
  | { readonly kind: 'survived' }
  | { readonly kind: 'invalid'; readonly reason: string }

/** A copy in which mutants are tried. */
export interface WorkTree {
  /** Tries one mutant: the test beside its file first, then all of the folder. */
  attempt(mutant: Mutant): Promise<Verdict>
  /** Runs tests without a mutant; returns the titles of those that fail. */
  baseline(tests: readonly string[]): Promise<string[]>
  remove(): void
}

/** `dist` for tests that run the program: it is without the mutant, which others have to notice. */
const COPIED = ['src', 'dist', 'test', 'scenarios', 'fixtures', 'scripts', 'docs', 'package.json', 'tsconfig.json']

/** A mutant that loops for ever is killed by this limit: the nearest tests take a few seconds. */
const LIMIT_MS = 90_000
/** All tests of the list at once take longer. */
const BASELINE_LIMIT_MS = 900_000

/** Makes the copy in `.build/mutants`; runs beside each other have copies of their own. */
export function createWorkTree(root: string): WorkTree {
  mkdirSync(join(root, '.build', 'mutants'), { recursive: true })
  const folder = mkdtempSync(join(root, '.build', 'mutants', 'tree-'))
  for (const one of COPIED) cpSync(join(root, one), join(folder, one), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    "export default { cacheDir: '.vite', test: { include: ['src/**/*.test.ts'], testTimeout: 60000, provide: { buildProblem: '' } } }\n",
  )
  return {
    async attempt(mutant) {
      const path = join(folder, 'src', mutant.file)
      const original = readFileSync(path, 'utf8')
      writeFileSync(path, mutate(folder, mutant))
      try {
        const [first, ...others] = nearestTests(folder, mutant)
        if (first === undefined) return { kind: 'survived' }
        const verdict = await run(folder, [first])
        return verdict.kind === 'survived' && others.length > 0 ? await run(folder, others) : verdict
      } finally {
        writeFileSync(path, original)
      }
    },
    async baseline(tests) {
      const { failed } = await runTests(folder, tests, 0, BASELINE_LIMIT_MS)
      return failed
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function run(folder: string, tests: readonly string[]): Promise<Verdict> {
  const { failed, passed, output } = await runTests(folder, tests, 1, LIMIT_MS)
  if (failed.length > 0) return { kind: 'killed', by: failed[0]! }
  return passed > 0 ? { kind: 'survived' } : { kind: 'invalid', reason: output.slice(0, 300) }
}

interface Report {
  readonly numPassedTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

/** Runs test files; with `bail` until that many have failed. */
async function runTests(folder: string, tests: readonly string[], bail: number, limitMs: number) {
  const file = join(folder, 'report.json')
  rmSync(file, { force: true })
  const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs')
  const args = ['run', '--mode', 'full', ...tests, '--bail', String(bail), '--reporter=json', `--outputFile=${file}`]
  // A group of its own: a worker of Vitest that loops for ever has to end as well.
  const detached = process.platform !== 'win32'
  const child = spawn(process.execPath, [vitest, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached })
  let output = ''
  child.stdout.on('data', chunk => (output += chunk))
  child.stderr.on('data', chunk => (output += chunk))
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    if (detached) process.kill(-child.pid!, 'SIGKILL')
    else child.kill('SIGKILL')
  }, limitMs)
  await new Promise(resolve => child.once('close', resolve))
  clearTimeout(timer)
  if (isLate) return { failed: [`no end after ${limitMs / 1000} s`], passed: 0, output }
  const { numPassedTests: passed, testResults } = readReport(file)
  const failed = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const titles = assertionResults.filter(one => one.status === 'failed').map(({ fullName }) => fullName)
    // A file can fail as a whole: the mutant throws while it is imported.
    const whole = status === 'failed' && titles.length === 0 ? [message.split('\n', 1)[0]!] : []
    return [...titles, ...whole].map(title => `${name.slice(folder.length + 1)} › ${title}`)
  })
  return { failed, passed, output }
}

function readReport(file: string): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return { numPassedTests: 0, testResults: [] }
  }
}
