// The recipes of docs/runners.md, and projects with the packed package in which they run.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, type TestContext } from 'vitest'
import { ROOT, writeFiles } from '../support/folder.js'
import { outerEnvironment, type Ran, runProgram } from '../support/run-program.js'

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

/** The scripts that Vite has built in a project. */
export function readBuilt(folder: string): string {
  const assets = join(folder, 'dist', 'assets')
  const names = readdirSync(assets).filter(name => name.endsWith('.js'))
  return names.map(name => readFileSync(join(assets, name), 'utf8')).join('')
}

/** A folder for projects. */
export interface Workshop {
  /** Creates a project with files. Skips the test where there is no registry. */
  createProject(
    context: TestContext,
    name: string,
    files: Readonly<Record<string, string>>,
    manifest?: object,
  ): Promise<string>
  /** Runs a shell command. */
  run(folder: string, command: string, signal: AbortSignal): Promise<Ran>
}

/**
 * Packs the package, and installs it with the packages of all projects in an empty folder below `.build`: projects find them there, as
 * those of a workspace do. One installation each took most of the time.
 */
export async function openWorkshop(name: string, packages: readonly string[]): Promise<Workshop> {
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
  writeFileSync(join(home, 'package.json'), '{ "private": true }')
  const names = [tarball, ...packages].join(' ')
  const installed = await run(
    home,
    `npm install --save-dev --prefer-offline --no-audit --no-fund ${names}`,
    AbortSignal.timeout(LIMIT_MS),
  )
  const isOffline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(installed.output)
  if (!isOffline) expect(installed.status, installed.output).toBe(0)

  return {
    run,
    async createProject(context, project, files, manifest = { type: 'module' }) {
      if (isOffline) context.skip('the registry cannot be reached')
      const folder = join(home, project)
      rmSync(folder, { recursive: true, force: true })
      writeFiles(folder, { 'package.json': JSON.stringify({ private: true, ...manifest }), ...files })
      return folder
    },
  }
}

function run(folder: string, command: string, signal: AbortSignal): Promise<Ran> {
  // Without programs that packages download from elsewhere.
  const own = { NEXT_TELEMETRY_DISABLED: '1', STORYBOOK_DISABLE_TELEMETRY: '1', CYPRESS_INSTALL_BINARY: '0' }
  return runProgram('/bin/sh', ['-c', command], { cwd: folder, env: outerEnvironment(own), signal })
}
