// A project outside of this repository with the package installed as npm would: the files that it packs, with the packages that it
// declares beside it. These are linked from this repository, so that nothing is downloaded.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { writeFiles } from './folder.js'
import { outerEnvironment, type Ran, runProgram } from './run-program.js'

/** The part of package.json that tests read. */
export interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly files: readonly string[]
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>
  readonly devDependencies: Readonly<Record<string, string>>
}

export interface Consumer {
  readonly folder: string
  /** The packed files. */
  readonly files: readonly string[]
  read(file: string): string
  write(file: string, text: string): void
  /** Installs packages of this repository, or of another folder, for the consumer. */
  link(packages: readonly string[], from?: string): void
  /** Runs a command in the folder. */
  run(command: string, args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ran>
  /** Removes the folder. */
  end(): void
}

/** package.json of the repository at `root`. */
export function readManifest(root: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
}

/** Creates a consumer of the package at `root`, which must be built. */
export function createConsumer(root: string): Consumer {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'price-feed-consumer-')))
  try {
    return createConsumerIn(folder, root)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

function createConsumerIn(folder: string, root: string): Consumer {
  const modules = join(folder, 'node_modules')
  const home = join(modules, 'price-feed-mock')
  mkdirSync(home, { recursive: true })

  // Without scripts: `prepack` would build again.
  const packed = call('npm', ['pack', '--json', '--ignore-scripts', '--dry-run'], root)
  const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }]
  for (const { path } of files) cpSync(join(root, path), join(home, path))

  const consumer: Consumer = {
    folder,
    files: files.map(({ path }) => path),
    read: file => readFileSync(join(folder, file), 'utf8'),
    write: (file, text) => writeFiles(folder, { [file]: text }),
    link(packages, from = root) {
      for (const name of packages) {
        mkdirSync(dirname(join(modules, name)), { recursive: true })
        symlinkSync(join(from, 'node_modules', name), join(modules, name), 'dir')
      }
    },
    run: (command, args, environment) => runProgram(command, args, { cwd: folder, env: outerEnvironment(environment) }),
    end: () => rmSync(folder, { recursive: true, force: true }),
  }
  consumer.write('package.json', '{ "name": "consumer", "private": true, "type": "module" }\n')
  const { dependencies, bin } = readManifest(root)
  consumer.link(Object.keys(dependencies))
  mkdirSync(join(modules, '.bin'))
  for (const [name, file] of Object.entries(bin)) {
    chmodSync(join(home, file), 0o755)
    symlinkSync(join(home, file), join(modules, '.bin', name))
  }
  return consumer
}

function call(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1e8 })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${error?.message ?? stderr}`)
  return stdout
}
