// The recipes of docs/runners.md, and projects with the packed package in which they run.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, inject, type TestContext } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(ROOT, 'docs', 'runners.md'), 'utf8')

/** Ends a hang; not a measure. */
export const LIMIT_MS = 400_000

/** A recipe. */
export interface Section {
  /** Files by the path in their first line. */
  readonly files: Readonly<Record<string, string>>
  /** The command. */
  readonly command: string | undefined
}

/** The code below a heading. */
export function sectionOf(heading: string): Section {
  const [, text = ''] = page.split(new RegExp(`^#+ ${heading}\n`, 'm'))
  const [own = ''] = text.split(/^#/m)
  const files = [...own.matchAll(/```\w+\n(?:\/\/|<!--) (\S+)(?: -->)?\n([\s\S]*?)```/g)]
  const [, command] = /```sh\n(.*)\n```/.exec(own) ?? []
  return { files: Object.fromEntries(files.map(([, file, code]) => [file!, code!])), command }
}

/** The exit status of a command and its output. */
export interface Ran {
  readonly status: number
  readonly output: string
}

/** A folder for projects. */
export interface Workshop {
  /**
   * Creates a project with files and installs packages. Skips the test where there is no registry. A project that exists keeps its
   * packages and gets other files.
   */
  createProject(
    context: TestContext,
    name: string,
    packages: readonly string[],
    files: Readonly<Record<string, string>>,
    manifest?: object,
  ): Promise<string>
  /** Runs a shell command. */
  run(folder: string, command: string, signal: AbortSignal): Promise<Ran>
}

/** Variables that change a runner inside another one. */
const OUTER = /^(VITEST|TEST|MODE|NODE_ENV|NODE_OPTIONS|JEST|PW_|CI$|npm_)/

/** Packs the package into an empty folder below `.build`. */
export async function openWorkshop(name: string): Promise<Workshop> {
  expect(inject('buildProblem')).toBe('')
  const home = join(ROOT, '.build', name)
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  const { output } = await run(
    ROOT,
    `npm pack --silent --ignore-scripts --pack-destination '${home}'`,
    AbortSignal.timeout(60_000),
  )
  const tarball = join(home, output.trim().split('\n').at(-1)!)
  expect(existsSync(tarball), output).toBe(true)

  return {
    run,
    async createProject(context, project, packages, files, manifest = { type: 'module' }) {
      const folder = join(home, project)
      const isInstalled = existsSync(join(folder, 'node_modules'))
      if (isInstalled)
        for (const name of readdirSync(folder).filter(each => each !== 'node_modules'))
          rmSync(join(folder, name), { recursive: true })
      const all = { 'package.json': JSON.stringify({ private: true, ...manifest }), ...files }
      for (const [file, text] of Object.entries(all)) {
        mkdirSync(dirname(join(folder, file)), { recursive: true })
        writeFileSync(join(folder, file), text)
      }
      if (isInstalled) return folder
      const names = [tarball, ...packages].join(' ')
      const installed = await run(folder, `npm install --save-dev --no-audit --no-fund ${names}`, context.signal)
      if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(installed.output))
        context.skip('the registry cannot be reached')
      expect(installed.status, installed.output).toBe(0)
      return folder
    },
  }
}

async function run(folder: string, command: string, signal: AbortSignal): Promise<Ran> {
  const inherited = Object.entries(process.env).filter(([key]) => !OUTER.test(key))
  // Without programs that packages download from elsewhere.
  const own = {
    NO_COLOR: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    STORYBOOK_DISABLE_TELEMETRY: '1',
    CYPRESS_INSTALL_BINARY: '0',
  }
  const env = { ...Object.fromEntries(inherited), ...own }
  const done = promisify(execFile)('/bin/sh', ['-c', command], { cwd: folder, env, signal, maxBuffer: 1e8 })
  return done.then(
    ({ stdout, stderr }) => ({ status: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ status: Number(code), output: `${stdout}${stderr}` }),
  )
}
