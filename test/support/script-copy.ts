// A copy of the files that `npm run mock` needs, in a temporary folder.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, writeFiles } from './folder.js'

export interface ScriptCopy {
  readonly folder: string
  /** The path of the built program. */
  readonly program: string
  run(...args: string[]): { stdout: string; stderr: string; status: number | null }
  /** Runs the `prepare` script. */
  prepare(): { stdout: string; stderr: string; status: number | null }
  /** Runs it several times at once. Resolves to the combined output and exit code of each. */
  runParallel(times: number, ...args: string[]): Promise<string[]>
  /** The modification time of the program. */
  builtAt(): number
  /** Links the dependencies of this repository. */
  linkDependencies(): void
  /** Copies the built files of this repository. They are newer than the copied sources. */
  copyBuild(): void
  remove(): void
}

/** The parts of the repository that a build reads. */
const ALL = ['package.json', 'tsconfig.json', 'scripts', 'src', 'console', 'scenarios']

/** The parts of a build that are not sources. */
const CONFIGURATION = ['package.json', 'tsconfig.json', 'scripts', 'src/tsconfig.build.json', 'console/vite.config.mjs']

/** Creates a copy without dependencies and without built files, with other sources if they are given. */
export function createScriptCopy(sources?: Readonly<Record<string, string>>): ScriptCopy {
  const folder = mkdtempSync(join(tmpdir(), 'price-feed-mock-'))
  const program = join(folder, 'dist', 'program', 'main.js')
  const copy = (name: string): void => cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  for (const name of sources === undefined ? ALL : CONFIGURATION) copy(name)
  writeFiles(folder, sources ?? {})
  const runScript = (name: string, args: readonly string[] = []) =>
    spawnSync(process.execPath, [join(folder, 'scripts', name), ...args], {
      encoding: 'utf8',
      cwd: folder,
      timeout: 60_000,
      env: { NO_COLOR: '1' },
    })
  return {
    folder,
    program,
    run: (...args) => runScript('mock.mjs', args),
    prepare: () => runScript('prepare.mjs'),
    runParallel: (times, ...args) =>
      Promise.all(
        Array.from({ length: times }, async () => {
          const script = join(folder, 'scripts', 'mock.mjs')
          const child = spawn(process.execPath, [script, ...args], { cwd: folder, env: { NO_COLOR: '1' } })
          let output = ''
          for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
          const [exitCode] = await once(child, 'close')
          return `${output}${exitCode}`
        }),
      ),
    builtAt: () => statSync(program).mtimeMs,
    linkDependencies: () => symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir'),
    copyBuild: () => copy('dist'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
