// The folder of an example with the packages that it needs, linked from this repository so that nothing is downloaded.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MODULES = fileURLToPath(new URL('node_modules', import.meta.url))

/** The reason to skip tests on a chain; undefined where they run. */
export const NO_CHAINS = existsSync(MODULES) ? undefined : 'No chains found: run "npm ci --prefix test/chain".'

/** The path of a program of the chains, such as anvil. */
export const chainProgram = (name: string): string => join(MODULES, '.bin', name)

/** A copy of an example. */
export interface Workbench {
  readonly folder: string
  /** Runs a command in it. */
  run(command: string, args: readonly string[]): { readonly status: number | null; readonly output: string }
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
      // A runner of tests inside another one behaves differently.
      const inherited = Object.entries(process.env).filter(
        ([key]) => !/^(VITEST|TEST|MODE|NODE_ENV|NODE_TEST)/.test(key),
      )
      const env = { ...Object.fromEntries(inherited), NO_COLOR: '1', npm_config_update_notifier: 'false' }
      const { status, stdout, stderr } = spawnSync(command, args, {
        cwd: folder,
        encoding: 'utf8',
        env,
        timeout: 110_000,
      })
      return { status, output: stdout + stderr }
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  }
}
