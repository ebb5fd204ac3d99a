// A copy of the repository in which one mutant at a time is tried; the developer's own tree is never written to.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { Mutant } from './operators.js'

/** A copy in which mutants are tried. */
export interface WorkTree {
  /** Runs the nearest tests, or all, against a mutant. Returns the title of the first that fails; undefined where it survives. */
  attempt(mutant: Mutant, reach: 'nearest' | 'all'): Promise<string | undefined>
  /** Runs tests without a mutant, and leaves the files that fail out of every attempt. Returns them. */
  baseline(mutants: readonly Mutant[], reach: 'nearest' | 'all'): Promise<string[]>
  remove(): void
}

const LEFT_OUT = new Set(['.build', '.git', 'node_modules'])
/** A mutant that loops for ever is killed by this limit. */
const LIMITS_MS = { nearest: 300_000, all: 1_800_000 }

/** The nearest tests need no build, but the slow ones of the folder, and a Redis for them. */
const NEAREST = `import config from './vitest.config.js'
const { test, ...others } = await config({ mode: 'full', command: 'serve' })
const projects = test.projects.slice(0, 2).map(each => ({
  ...each,
  test: {
    ...each.test,
    globalSetup: each.test.globalSetup.filter(file => !file.endsWith('build.ts')),
    provide: { buildProblem: '' },
    env: {},
  },
}))
export default { ...others, test: { ...test, projects } }
`

/** Makes the copy in `.build/mutants`; runs beside each other have copies of their own. */
export function createWorkTree(root: string): WorkTree {
  mkdirSync(join(root, '.build', 'mutants'), { recursive: true })
  const folder = mkdtempSync(join(root, '.build', 'mutants', 'tree-'))
  for (const name of readdirSync(root).filter(name => !LEFT_OUT.has(name)))
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      preserveTimestamps: true,
      filter: path => !path.endsWith('node_modules'),
    })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  writeFileSync(join(folder, 'nearest.config.ts'), NEAREST)
  const failing = new Set<string>()
  const tests = (mutant: Mutant): string[] => nearestTests(folder, mutant.file).filter(test => !failing.has(test))
  const argsFor = (reach: 'nearest' | 'all', files: readonly string[]): string[] => {
    if (reach === 'nearest') return ['--config', 'nearest.config.ts', '--mode', 'full', ...files]
    const leftOut = ['**/*.release.test.ts', ...failing].flatMap(file => ['--exclude', file])
    return ['--mode', 'full', '--project', 'node', '--project', 'isolated', ...leftOut]
  }
  return {
    async attempt(mutant, reach) {
      const files = tests(mutant)
      // The first file alone notices most mutants.
      const groups = reach === 'all' ? [[]] : [files.slice(0, 1), files.slice(1)].filter(({ length }) => length > 0)
      const path = join(folder, 'src', mutant.file)
      const original = readFileSync(path, 'utf8')
      writeFileSync(path, mutant.text)
      try {
        for (const group of groups) {
          const [first] = await runTests(folder, [...argsFor(reach, group), '--bail=1'], LIMITS_MS[reach])
          if (first !== undefined) return `${first.file} › ${first.title}`
        }
        return undefined
      } finally {
        writeFileSync(path, original)
      }
    },
    async baseline(mutants, reach) {
      const files = [...new Set(mutants.flatMap(tests))]
      if (reach === 'nearest' && files.length === 0) return []
      const failed = await runTests(folder, argsFor(reach, files), LIMITS_MS.all)
      for (const { file, title } of failed) {
        // Every mutant would count as noticed.
        if (file === '') throw new Error(`Without a mutant: ${title}`)
        failing.add(file)
      }
      return [...failing]
    },
    // Tests that have just been ended may still write.
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}

/** The tests of a source file: the one beside it, those that import it, and those of its folder. */
function nearestTests(root: string, file: string): string[] {
  const source = join('src', file)
  const beside = source.replace(/\.ts$/, '.test.ts')
  const tests = ['src', 'test']
    .flatMap(top => readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).map(name => join(top, name)))
    // Those of several folders that are slow are for the second attempt.
    .filter(name => name.endsWith('.test.ts') && (name.startsWith('src') || !/\.(full|release)\.test\.ts$/.test(name)))
  const imports = (test: string): boolean =>
    [...readFileSync(join(root, test), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)\.js'/g)].some(
      ([, path]) => `${relative(root, resolve(root, dirname(test), path!))}.ts` === source,
    )
  const others = tests.filter(test => test !== beside && (dirname(test) === dirname(source) || imports(test)))
  return [...tests.filter(test => test === beside), ...others]
}

type Failure = { readonly file: string; readonly title: string }

/** Runs Vitest, and returns the tests that failed. */
async function runTests(folder: string, args: readonly string[], limitMs: number): Promise<Failure[]> {
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs')
  // A group of its own: a worker of Vitest that loops for ever has to end as well.
  const detached = process.platform !== 'win32'
  const command = [vitest, 'run', ...args, '--reporter=json', `--outputFile=${report}`]
  const child = spawn(process.execPath, command, { cwd: folder, stdio: 'ignore', detached })
  let isLate = false
  const end = (): void => void (detached ? process.kill(-child.pid!, 'SIGKILL') : child.kill('SIGKILL'))
  const timer = setTimeout(() => {
    isLate = true
    end()
  }, limitMs)
  process.once('exit', end)
  const status = await new Promise(resolve => child.once('close', resolve))
  clearTimeout(timer)
  process.off('exit', end)
  if (isLate) return [{ file: '', title: `no end after ${limitMs / 1000} s` }]
  const failures = readReport(report).flatMap(({ name, status, message, assertionResults }) => {
    const titles = assertionResults.filter(one => one.status === 'failed').map(({ fullName }) => fullName)
    // A file can fail as a whole: the mutant throws while it is imported.
    const whole = status === 'failed' && titles.length === 0 ? [message.split('\n', 1)[0]!] : []
    return [...titles, ...whole].map(title => ({ file: relative(folder, name), title }))
  })
  return status === 0 || failures.length > 0 ? failures : [{ file: '', title: 'the run fails as a whole' }]
}

interface FileReport {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
}

function readReport(file: string): readonly FileReport[] {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { testResults: FileReport[] }).testResults
  } catch {
    return []
  }
}
