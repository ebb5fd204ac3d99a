// A copy of the repository in which one mutant at a time is tried; the developer's own tree is never written to.
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Mutant } from './operators.js'
import type { Failure, Order } from './vitest-process.js'

/** Which tests are tried: those nearest to the source, or all. */
export type Reach = 'nearest' | 'all'

/** A copy in which mutants are tried. */
export interface WorkTree {
  /** Runs tests against a mutant. Returns the title of the first that fails; undefined where it survives. */
  attempt(mutant: Mutant, reach: Reach): Promise<string | undefined>
  /** Runs tests without a mutant, and leaves the files that fail out of every attempt. Returns them. */
  baseline(mutants: readonly Mutant[], reach: Reach): Promise<string[]>
  remove(): void
}

const LEFT_OUT = new Set(['.build', '.git', 'node_modules'])
/** A mutant that loops for ever is killed by this limit. */
const LIMITS_MS = { nearest: 120_000, all: 1_800_000 }

/** In Node only; with the slow tests of the folder, and a Redis for them. Programs are built before the runs that need them. */
const CONFIG = `import config from './vitest.config.js'
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
  // The tests on chains have packages of their own, if they are installed.
  for (const path of ['node_modules', 'test/chain/node_modules'])
    if (existsSync(join(root, path))) symlinkSync(join(root, path), join(folder, path), 'junction')
  writeFileSync(join(folder, 'mutants.config.ts'), CONFIG)
  const failing = new Set<string>()
  const runner = createRunner(folder)
  const testsFor = (file: string, reach: Reach): string[] => {
    const nearest = nearestTests(folder, file)
    const all = reach === 'all' ? testsOf(folder).filter(test => !test.endsWith('.release.test.ts')) : []
    return [...new Set([...nearest, ...all])].filter(test => !failing.has(test))
  }
  return {
    async attempt(mutant, reach) {
      const files = testsFor(mutant.file, reach)
      const path = join(folder, 'src', mutant.file)
      const original = readFileSync(path, 'utf8')
      writeFileSync(path, mutant.text)
      try {
        if (reach === 'all') build(folder)
        // The first file alone notices most mutants, and tests that take seconds most of the others.
        const quick = files.slice(1).filter(test => !isSlow(test))
        for (const group of [files.slice(0, 1), quick, files.slice(1).filter(isSlow)]) {
          const [failure] = await runner.run(group, path, LIMITS_MS[reach])
          if (failure !== undefined) return `${failure.file} › ${failure.title}`
        }
        return undefined
      } finally {
        writeFileSync(path, original)
      }
    },
    async baseline(mutants, reach) {
      // Some of the nearest tests start the program, though not that of a mutant.
      build(folder)
      const tests = new Set(mutants.flatMap(({ file }) => testsFor(file, reach)))
      for (const { file, title } of await runner.run([...tests], undefined, LIMITS_MS.all)) {
        // Every mutant would count as noticed.
        if (file === '') throw new Error(`Without a mutant: ${title}`)
        failing.add(file)
      }
      return [...failing]
    },
    remove() {
      runner.end()
      // Tests that have just been ended may still write.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Compiles the program of the copy, which some tests start. */
function build(folder: string): void {
  spawnSync(process.execPath, [join('scripts', 'mock.mjs'), '--version'], { cwd: folder })
}

const isSlow = (test: string): boolean => /\.(full|release)\.test\.ts$/.test(test)
const testsOf = (root: string): string[] =>
  ['src', 'test']
    .flatMap(top => readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).map(name => join(top, name)))
    .filter(name => name.endsWith('.test.ts') && !name.startsWith(join('test', 'browser')))

/** The tests of a source file: the one beside it, those that import it, and those of its folder. */
function nearestTests(root: string, file: string): string[] {
  const source = join('src', file)
  const beside = source.replace(/\.ts$/, '.test.ts')
  // Those of several folders that are slow are for the second attempt.
  const tests = testsOf(root).filter(name => name.startsWith('src') || !isSlow(name))
  const imports = (test: string): boolean =>
    [...readFileSync(join(root, test), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)\.js'/g)].some(
      ([, path]) => `${relative(root, resolve(root, dirname(test), path!))}.ts` === source,
    )
  const others = tests.filter(test => test !== beside && (dirname(test) === dirname(source) || imports(test)))
  return [...tests.filter(test => test === beside), ...others]
}

/** Runs tests in a process that stays. */
interface Runner {
  /** Returns the first that fails, or without a changed file all that do. */
  run(tests: readonly string[], changed: string | undefined, limitMs: number): Promise<readonly Failure[]>
  end(): void
}

function createRunner(folder: string): Runner {
  const program = fileURLToPath(new URL('vitest-process.js', import.meta.url))
  // A group of its own: a worker of Vitest that loops for ever has to end as well.
  const detached = process.platform !== 'win32'
  let child: ChildProcess | undefined
  const end = (): void => {
    if (child?.exitCode === null && child.signalCode === null)
      detached ? process.kill(-child.pid!, 'SIGKILL') : child.kill('SIGKILL')
    child = undefined
  }
  async function start(): Promise<ChildProcess> {
    child = fork(program, { cwd: folder, stdio: 'ignore', detached })
    await Promise.race([once(child, 'message'), once(child, 'exit')])
    return child
  }
  return {
    async run(tests, changed, limitMs) {
      if (tests.length === 0) return []
      const running = child ?? (await start())
      const problem = (title: string): Failure[] => [{ file: '', title }]
      let timer: NodeJS.Timeout | undefined
      const answer = new Promise<readonly Failure[]>(resolve => {
        running.once('message', resolve)
        running.once('exit', () => resolve(problem('the run fails as a whole')))
        timer = setTimeout(() => resolve(problem(`no end after ${limitMs / 1000} s`)), limitMs)
      })
      const order: Order = { tests: tests.map(test => join(folder, test)), changed }
      running.send(order)
      const failures = await answer
      clearTimeout(timer)
      running.removeAllListeners()
      if (failures[0]?.file === '') end()
      return failures
    },
    end,
  }
}
