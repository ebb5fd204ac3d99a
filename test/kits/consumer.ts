// A project that uses the package: a folder with the package in its node_modules, as npm installs it, so that exports, types and
// the handling of dependencies by test runners are real.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The output and the status of a program. */
export interface Ran {
  readonly status: number | null
  /** Both streams in order of arrival, without colours. */
  readonly output: string
}

/** Options of a program run. */
export interface RunOptions {
  /** Ends the program. */
  readonly signal: AbortSignal
  readonly environment?: Readonly<Record<string, string>>
  /** The program of Node, by default that of this process. */
  readonly node?: string | undefined
}

/** A project in which programs can run. */
export interface Consumer {
  readonly folder: string
  /** Runs a program by its path in node_modules. */
  run(program: string, args: readonly string[], options: RunOptions): Promise<Ran>
}

/** Creates an empty project below `.build` and writes files into it. */
export function createConsumer(name: string, files: Readonly<Record<string, string>>): Consumer {
  const folder = join(ROOT, '.build', name)
  rmSync(folder, { recursive: true, force: true })
  const installed = join(folder, 'node_modules', 'price-feed-mock')
  for (const part of ['package.json', 'dist', 'scenarios'])
    cpSync(join(ROOT, part), join(installed, part), { recursive: true })
  const all = { 'package.json': '{ "type": "module", "private": true }', ...files }
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return {
    folder,
    run: (program, args, { signal, environment = {}, node = process.execPath }) =>
      new Promise<Ran>((resolve, reject) => {
        // Test runners behave differently when they run inside another one.
        const inherited = Object.entries(process.env).filter(
          ([key]) => !/^(VITEST|TEST|MODE|NODE_ENV|PW_|CI$)/.test(key),
        )
        const child = spawn(node, [join(ROOT, 'node_modules', program), ...args], {
          cwd: folder,
          env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...environment },
          signal,
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        let output = ''
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (piece: string) => (output += piece))
        child.on('error', reject)
        child.on('close', status => resolve({ status, output }))
      }),
  }
}

/** Rewrites imports of the sources to imports of the package. */
export function asConsumer(code: string): string {
  return code
    .replace(/'(?:\.\.\/)+src\/testing\/(vitest|playwright)\.js'/g, "'price-feed-mock/$1'")
    .replace(/'(?:\.\.\/)+src\/client\/index\.js'/g, "'price-feed-mock/client'")
}
