// A project that uses the package: a folder with the package in its node_modules, as npm installs it, so that exports, types and
// the handling of dependencies by test runners are real.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, writeFiles } from '../support/folder.js'
import { outerEnvironment, type Ran, runProgram } from '../support/run-program.js'

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
  writeFiles(folder, { 'package.json': '{ "type": "module", "private": true }', ...files })
  return {
    folder,
    run: (program, args, { signal, environment, node = process.execPath }) =>
      runProgram(node, [join(ROOT, 'node_modules', program), ...args], {
        cwd: folder,
        env: outerEnvironment(environment),
        signal,
      }),
  }
}

/** Rewrites imports of the sources to imports of the package. */
export function asConsumer(code: string): string {
  return code
    .replace(/'(?:\.\.\/)+src\/testing\/(vitest|playwright)\.js'/g, "'price-feed-mock/$1'")
    .replace(/'(?:\.\.\/)+src\/client\/index\.js'/g, "'price-feed-mock/client'")
}
