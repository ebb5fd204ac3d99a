// The Vitest kit under fake timers on a shared server, on other versions of Node: their `fetch` uses other timers.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, it } from 'vitest'
import { ROOT } from '../support/folder.js'
import { asConsumer, createConsumer } from './consumer.js'
import { FILES } from './docs-page.js'

const read = (name: string) => asConsumer(readFileSync(new URL(`vitest/${name}`, import.meta.url), 'utf8'))

/** Installs a version of Node from npm, unless it is this one. Returns its program, or undefined where there is no registry. */
async function installNode(version: string): Promise<string | undefined> {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath
  const home = join(ROOT, '.build', `node-${version}`)
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), '{ "private": true }')
  const args = ['install', '--no-audit', '--no-fund', '--silent', `node@${version}`]
  const failed = await promisify(execFile)('npm', args, { cwd: home }).then(
    () => undefined,
    (error: { stderr?: string }) => error.stderr ?? '',
  )
  if (failed !== undefined && /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(failed)) return undefined
  expect(failed).toBeUndefined()
  return join(home, 'node_modules', 'node', 'bin', 'node')
}

it.for(['22', '24'])(
  'behavior: nothing hangs on Node %s, and the documented example runs',
  async (version, context) => {
    expect(inject('buildProblem')).toBe('')
    const node = await installNode(version)
    if (node === undefined) return context.skip('the registry cannot be reached')
    const { run } = createConsumer(`kits-node-${version}`, {
      ...FILES,
      'fake-timers.test.ts': read('fake-timers.test.ts'),
    })
    const args = ['run', '--config', 'vitest.config.ts', 'fake-timers.test.ts', 'polling.test.ts']
    const { status, output } = await run('vitest/vitest.mjs', args, { signal: context.signal, node })
    expect(output).toMatch(/Test Files {2}2 passed/)
    expect(status, output).toBe(0)
  },
)
