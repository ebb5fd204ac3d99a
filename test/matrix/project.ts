// A project of a user, outside of this repository, with the packed package installed by a real package manager under a real Node.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { outerEnvironment, type Ran, runProgram } from '../support/run-program.js'
import { packagesOf, type Row } from './rows.js'

/** A tool cannot be downloaded: the row is skipped, not failed. */
export class ToolUnavailable extends Error {}

/** An installed project. */
export interface Project {
  readonly folder: string
  read(file: string): string
  write(file: string, text: string): void
  /** Runs a command of the project's own packages, as its users do. */
  runBin(name: string, ...args: readonly string[]): Promise<Ran>
  /** Runs a command with the row's Node first in PATH. */
  run(command: string, ...args: readonly string[]): Promise<Ran>
  /** Removes the folder. */
  end(): void
}

/** Ends a hang; not a measure. */
const LIMIT_MS = 180_000

/** Packs the package at `root`, which must be built. Returns the path of the tarball, in a folder of its own. */
export function pack(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'price-feed-packed-'))
  const npm = (cwd: string, ...args: readonly string[]): string =>
    outputOf(spawnSync('npm', args, { cwd, encoding: 'utf8' }))
  // `prepack` would build again: this does the rest of it, in a copy.
  const pack = ['pack', '--json', '--ignore-scripts']
  const [{ files }] = JSON.parse(npm(root, ...pack, '--dry-run')) as [{ files: readonly { path: string }[] }]
  const copy = join(folder, 'copy')
  for (const { path } of files) cpSync(join(root, path), join(copy, path))
  npm(copy, 'pkg', 'delete', 'scripts.prepare')
  const [{ filename }] = JSON.parse(npm(copy, ...pack, '--pack-destination', folder)) as [{ filename: string }]
  return join(folder, filename)
}

/** The folder with `node` of a major version: of this process, or of the npm package `node`, kept in `tools`. */
function nodeFolder(version: string, tools: string): string {
  if (process.versions.node.startsWith(`${version}.`)) return dirname(process.execPath)
  return join(installTool(`node@${version}`, tools), 'node', 'bin')
}

/** The node_modules folder with a tool, kept between runs. */
function installTool(name: string, tools: string): string {
  const home = join(tools, name.replace('@', '-'))
  const modules = join(home, 'node_modules')
  if (existsSync(join(home, 'installed'))) return modules
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), '{ "private": true }')
  const args = ['install', '--no-audit', '--no-fund', '--silent', name]
  const { status, stderr } = spawnSync('npm', args, { cwd: home, encoding: 'utf8' })
  if (status !== 0) throw new ToolUnavailable(`${name} cannot be installed: ${stderr.trim().split('\n')[0]}`)
  // Written last, so that an interrupted installation starts again.
  writeFileSync(join(home, 'installed'), '')
  return modules
}

/** The commands of a package manager that install packages and run their programs, and the files that it needs. */
export interface Manager {
  readonly add: readonly string[]
  readonly exec: readonly string[]
  readonly files: Readonly<Record<string, string>>
}

/** The commands of a package manager, which is kept in `tools`. `registry` is by default that of npm here. */
export function managerOf(manager: Row['manager'], tools: string, registry?: string): Manager {
  const [name] = manager.split('@')
  if (name === 'npm') {
    const bin = join(installTool(manager, tools), 'npm', 'bin')
    const add = ['node', join(bin, 'npm-cli.js'), 'install', '--save-dev', '--no-audit', '--no-fund']
    return { add, exec: ['node', join(bin, 'npx-cli.js'), '--no', '--'], files: {} }
  }
  if (name === 'yarn') {
    const yarn = ['node', join(installTool('@yarnpkg/cli-dist@4', tools), '@yarnpkg', 'cli-dist', 'bin', 'yarn.js')]
    // It does not read the settings of npm.
    const rc = `nodeLinker: node-modules\nunsafeHttpWhitelist: [127.0.0.1]\nnpmRegistryServer: ${registry ?? npmRegistry()}\n`
    const files = { '.yarnrc.yml': rc, 'yarn.lock': '' }
    return { add: [...yarn, 'add', '--dev'], exec: [...yarn, 'run'], files }
  }
  if (name === 'bun') {
    const bun = join(installTool(manager, tools), '.bin', 'bun')
    return { add: [bun, 'add', '--dev'], exec: [bun, 'run'], files: {} }
  }
  // The program of pnpm 12 is a binary, that of pnpm 10 a script.
  const home = join(installTool(manager, tools), 'pnpm')
  const pnpm = existsSync(join(home, 'pnpm')) ? [join(home, 'pnpm')] : ['node', join(home, 'bin', 'pnpm.cjs')]
  // pnpm 11 and later fail when a package has a script that is neither allowed nor denied.
  const files = { 'pnpm-workspace.yaml': 'allowBuilds:\n  msw: false\n  esbuild: false\n' }
  return { add: [...pnpm, 'add', '--save-dev'], exec: [...pnpm, 'exec'], files }
}

/** The registry of npm on this machine. */
export const npmRegistry = (): string =>
  outputOf(spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' })).trim()

/** Installs a tarball in a new project. */
export async function install(row: Row, tarball: string, tools: string): Promise<Project> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'price-feed-matrix-')))
  const path = [nodeFolder(row.node, tools), process.env.PATH ?? ''].join(delimiter)
  const { add, exec, files } = managerOf(row.manager, tools)

  const project: Project = {
    folder,
    read: file => readFileSync(join(folder, file), 'utf8'),
    write(file, text) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    },
    runBin: (name, ...args) => run([...exec, name, ...args]),
    run: (...words) => run(words),
    end: () => rmSync(folder, { recursive: true, force: true }),
  }

  const run = ([command, ...args]: readonly string[]): Promise<Ran> =>
    runProgram(command!, args, { cwd: folder, env: outerEnvironment({ PATH: path }), timeout: LIMIT_MS })

  try {
    project.write('package.json', '{ "name": "consumer", "private": true, "type": "module" }\n')
    for (const [file, text] of Object.entries(files)) project.write(file, text)
    // The package last, as into an existing project: a peer that is older than its range would stop npm.
    for (const names of [packagesOf(row), [`price-feed-mock@file:${tarball}`]]) {
      const { status, output } = await run([...add, ...names])
      if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(output))
        throw new ToolUnavailable('the registry cannot be reached')
      if (status !== 0) throw new Error(`The installation failed.\n${output}`)
      if (/price-feed-mock@\S* \(/.test(output)) throw new Error(`The installation warns.\n${output}`)
    }
    return project
  } catch (error) {
    project.end()
    throw error
  }
}

function outputOf({ status, stdout, stderr }: SpawnSyncReturns<string>): string {
  if (status !== 0) throw new Error(stderr)
  return stdout
}
