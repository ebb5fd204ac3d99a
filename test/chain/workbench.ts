// The folder of an example with the packages that it needs, linked from this repository so that nothing is downloaded.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../support/folder.js'
import { outerEnvironment, type Ran } from '../support/run-program.js'

const MODULES = fileURLToPath(new URL('node_modules', import.meta.url))

/** The reason to skip tests on a chain; undefined where they run. */
export const NO_CHAINS = existsSync(MODULES) ? undefined : 'No chains found: run "npm ci --prefix test/chain".'

/** The path of a program of the chains, such as anvil. */
export const chainProgram = (name: string): string => join(MODULES, '.bin', name)

/** A copy of an example. */
export interface Workbench {
  readonly folder: string
  /** Runs a command in it. */
  run(command: string, args: readonly string[]): Ran
  /** Removes it. */
  end(): void
}

/** Copies a folder of examples/ and links its packages. */
export function openExample(name: string): Workbench {
  const folder = mkdtempSync(join(tmpdir(), `price-feed-${name}-`))
  cpSync(join(ROOT, 'examples', name), folder, {
    recursive: true,
    filter: file => !/node_modules|__pycache__|\/out$|\/cache$/.test(file.slice(ROOT.length)),
  })
  const modules = join(folder, 'node_modules')
  const link = (from: string, to: string): void => {
    mkdirSync(to)
    for (const name of existsSync(from) ? readdirSync(from) : []) symlinkSync(join(from, name), join(to, name))
  }
  link(MODULES, modules)
  rmSync(join(modules, '.bin'), { force: true })
  link(join(MODULES, '.bin'), join(modules, '.bin'))
  symlinkSync(ROOT, join(modules, 'price-feed-mock'))
  const program = join(ROOT, 'dist', 'program', 'main.js')
  writeFileSync(join(modules, '.bin', 'price-feed-mock'), `#!/bin/sh\nexec node '${program}' "$@"\n`, { mode: 0o755 })
  return {
    folder,
    run(command, args) {
      const options = { cwd: folder, encoding: 'utf8', env: outerEnvironment(), timeout: 110_000 } as const
      const { status, stdout, stderr } = spawnSync(command, args, options)
      return { status, output: stdout + stderr }
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  }
}
