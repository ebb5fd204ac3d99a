// The recipe of docs/ci.md for a plain shell, run against examples/ci-shell as a project of its own.
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { createShell, type Shell } from './shell.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const recipe = /```sh\n(price-feed-mock exec .* -- npm test)\n```/.exec(readFileSync(`${root}/docs/ci.md`, 'utf8'))?.[1]

const shells: Shell[] = []
afterEach(() => {
  for (const shell of shells.splice(0)) shell.end()
})

/** A shell in a copy of the example, in which this package is installed. */
function openConsumer(): Shell {
  // npm keeps quiet about newer versions of itself, and asks nobody for them.
  const shell = createShell({ NO_COLOR: '1', npm_config_update_notifier: 'false' })
  shells.push(shell)
  cpSync(join(root, 'examples/ci-shell'), shell.folder, { recursive: true })
  mkdirSync(join(shell.folder, 'node_modules'))
  symlinkSync(root, join(shell.folder, 'node_modules', 'price-feed-mock'), 'dir')
  return shell
}

it('default: the recipe passes when the tests of the consumer pass', async () => {
  expect(recipe).toBeDefined()
  const { exit, stdout, stderr } = await openConsumer().run(recipe!)
  expect(stdout + stderr).toMatch(/pass 4/)
  expect(exit).toBe('0')
})

it('error: the recipe fails when a test of the consumer fails', async () => {
  const shell = openConsumer()
  shell.write(
    'failing.test.js',
    "import { test } from 'node:test'\n\ntest('fails', () => {\n  throw new Error('as it should')\n})\n",
  )
  const { exit, stdout, stderr } = await shell.run(recipe!)
  expect(stdout + stderr).toMatch(/pass 4[\s\S]*fail 1/)
  expect(exit).toBe('1')
})
