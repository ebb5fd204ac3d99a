// The package as a dependency from git: npm clones the repository, builds it and installs the result.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../support/folder.js'
import { missingProgram, needs } from '../support/needs.js'
import { outerEnvironment } from '../support/run-program.js'

let folder: string

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'price-feed-from-git-')))
  const clone = join(folder, 'clone')
  // The tracked files as they are now, also without a commit.
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean)
  for (const file of files.filter(name => existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(clone, file)), { recursive: true })
    cpSync(join(ROOT, file), join(clone, file))
  }
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: clone, stdio: 'ignore' })
  git('init')
  git('add', '--all')
  const settings = ['user.name=test', 'user.email=test@example.test', 'commit.gpgsign=false']
  git(...settings.flatMap(setting => ['-c', setting]), 'commit', '-m', 'test')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// npm installs all packages of the clone and builds it.
const OPTIONS = { timeout: 300_000, ...needs(missingProgram('git')) }

it('default: it is built, its program runs and its entry points load', OPTIONS, context => {
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  const call = (command: string, ...args: readonly string[]) =>
    spawnSync(command, args, { cwd: project, env: outerEnvironment(), encoding: 'utf8' })

  const url = `git+${pathToFileURL(join(folder, 'clone')).href}`
  const installed = call('npm', 'install', '--save-dev', '--prefer-offline', '--no-audit', '--no-fund', url)
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED/.test(installed.stderr)) return context.skip('the registry cannot be reached')
  expect(installed.status, installed.stderr).toBe(0)
  const version = call('npx', '--no', '--', 'price-feed-mock', '--version')
  expect(version.stdout, version.stderr).toMatch(/^\d+\.\d+\.\d+\n$/)
  const script = "await import('price-feed-mock'); await import('price-feed-mock/node'); console.log('loaded')"
  expect(call('node', '--input-type=module', '-e', script).stdout).toBe('loaded\n')
})
