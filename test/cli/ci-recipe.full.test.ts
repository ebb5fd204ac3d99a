// Runs the plain shell recipes of docs/ci.md in a copy of examples/ci-shell.
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, it } from 'vitest'
import { ROOT } from '../support/folder.js'
import { freePort } from '../support/free-port.js'
import { createShell, type Shell } from './shell.js'

const page = readFileSync(`${ROOT}/docs/ci.md`, 'utf8')
const recipe = /```sh\n(npx price-feed-mock exec .* -- npm test)\n```/.exec(page)?.[1]
const background = /```sh\n(.* &\nmock=[^`]*npm test)\n```/.exec(page)?.[1]

const shells: Shell[] = []
afterAll(() => {
  for (const shell of shells) shell.end()
})

/** A shell in a copy of the example, with this package installed. */
function openConsumer(environment: Readonly<Record<string, string>> = {}): Shell {
  // npm must not look for newer versions of itself.
  const shell = createShell({ NO_COLOR: '1', npm_config_update_notifier: 'false', ...environment })
  shells.push(shell)
  cpSync(join(ROOT, 'examples/ci-shell'), shell.folder, { recursive: true })
  mkdirSync(join(shell.folder, 'node_modules', '.bin'), { recursive: true })
  symlinkSync(ROOT, join(shell.folder, 'node_modules', 'price-feed-mock'), 'dir')
  symlinkSync('../../../bin/price-feed-mock', join(shell.folder, 'node_modules', '.bin', 'price-feed-mock'))
  return shell
}

it.concurrent('default: the recipe passes when the tests of the consumer pass', async ({ expect }) => {
  expect(recipe).toBeDefined()
  const { exit, stdout, stderr } = await openConsumer().run(recipe!)
  expect(stdout + stderr).toMatch(/pass 7/)
  expect(exit).toBe('0')
})

it.concurrent('error: the recipe fails when a test of the consumer fails', async ({ expect }) => {
  const shell = openConsumer()
  shell.write(
    'failing.test.js',
    "import { test } from 'node:test'\n\ntest('fails', () => {\n  throw new Error('as it should')\n})\n",
  )
  const { exit, stdout, stderr } = await shell.run(recipe!)
  expect(stdout + stderr).toMatch(/pass 7[\s\S]*fail 1/)
  expect(exit).toBe('1')
})

it.concurrent('behavior: the server in the background ends with the recipe', async ({ expect }) => {
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  const shell = openConsumer({
    PRICE_FEED_BASE_URL: url,
    PRICE_FEED_HISTORY_URL: url,
    PRICE_FEED_API_KEY: 'test-api-key',
    PRICE_FEED_SIGNER: '0xad3784aa29be2b36f5873e248de7a8e28f441f55',
  })
  const recipe = background!.replaceAll('4700', port)
  const { exit, stdout } = await shell.run(recipe)
  expect(stdout).toMatch(/pass 7/)
  expect(exit).toBe('0')
  await expect.poll(() => fetch(`${url}/_mock/health`).catch(() => 'ended')).toBe('ended')
})
