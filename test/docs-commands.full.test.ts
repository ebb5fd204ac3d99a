// Every command of README.md and docs is run: here, by the test that this file names, or the page says why not, in a comment
// `<!-- not run: … -->` before it.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { parsePlainCommand, runPlainCommand, startPlainCommand } from './cli/plain-command.js'
import { createShell, type Running } from './cli/shell.js'
import { ROOT } from './support/folder.js'

/** The blocks that another test runs, by the page or the text of the block. */
const ELSEWHERE: readonly (readonly [RegExp, test: string])[] = [
  [/^docs\/runners\.md/, 'test/kits/runners.release.test.ts'],
  [/^docs\/tutorial\.md/, 'test/tutorial.release.test.ts'],
  [/^\S+ (# .*\n)?curl /, 'test/docs.test.ts'],
  [/^\S+ npm (ci && npm pack|install --save-dev (git|\.\.))/, 'test/package/consumer.full.test.ts'],
  [/^README\.md npm ci && npm run mock/, 'test/mock-script.full.test.ts'],
  [/^docs\/hunt\.md/, 'test/cli/hunt.full.test.ts'],
  [/^docs\/compare\.md npx price-feed-mock compare .*--against/, 'test/compare/cli.release.test.ts'],
  [/^docs\/ci\.md node_modules\/\.bin/, 'test/cli/ci-recipe.full.test.ts'],
]

/** The blocks of all pages, and the single commands of their workflows. */
const BLOCKS = ['README.md', ...readdirSync(join(ROOT, 'docs')).map(name => `docs/${name}`)]
  .filter(name => name.endsWith('.md'))
  .flatMap(page => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    const blocks = [...text.matchAll(/(?:<!-- not run: (.+) -->\n)?^```sh\n([\s\S]*?)^```$/gm)]
    const steps = [...text.matchAll(/^ +- (?:run: )?()(npx price-feed-mock .*)$/gm)]
    return [...blocks, ...steps].map(([, notRun, block]) => ({ page, notRun, block: block!.trim() }))
  })
const MINE = BLOCKS.filter(
  ({ page, notRun, block }) => !notRun && !ELSEWHERE.some(([pattern]) => pattern.test(`${page} ${block}`)),
)

/** The code of a page that begins with a text, for the files that its commands name. */
function codeOf(page: string, start: string): string {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const begin = text.indexOf(`\n${start}`)
  if (begin < 0) throw new Error(`${page} has no code "${start}"`)
  return text.slice(begin + 1, text.indexOf('\n```', begin))
}

const environment = { PRICE_FEED_MOCK_PORT: '0' }
const shell = createShell({ NO_COLOR: '1', npm_config_update_notifier: 'false', ...environment })
afterAll(() => shell.end())
cpSync(join(ROOT, 'examples/ci-shell'), shell.folder, { recursive: true })
mkdirSync(join(shell.folder, 'node_modules'))
symlinkSync(ROOT, join(shell.folder, 'node_modules', 'price-feed-mock'), 'dir')
shell.write('mine.json', codeOf('docs/scenarios.md', '{\n  "$schema": "./node_modules'))
shell.write('reply.json', codeOf('README.md', '{"feedId"'))
shell.write('btc.csv', 'ts,price\n1753354104,110085.88\n1753354105,110086\n')

it('behavior: the commands that are run are most of those of the program', () => {
  expect(MINE.length).toBeGreaterThan(12)
  for (const [pattern, test] of ELSEWHERE) {
    expect(
      BLOCKS.some(({ page, block }) => pattern.test(`${page} ${block}`)),
      String(pattern),
    ).toBe(true)
    expect(existsSync(join(ROOT, test)), test).toBe(true)
  }
})

/** Commands of the program that end by themselves; the others serve until a signal. */
const ENDS = /^npx price-feed-mock (exec|keys|verify|tape|scenarios|check)\b/

it.each([...new Map(MINE.map(one => [one.block, one])).values()])('behavior: $page: $block', async ({ block }) => {
  const lines = block
    .replaceAll(/ +#.*$/gm, '')
    .replaceAll('\\\n', '')
    .split('\n')
  const servers: Running[] = []
  for (const line of lines) {
    // In this process if it needs no shell, which takes less than a process.
    const parsed = parsePlainCommand(line.replace(/^npx /, ''))
    const plain = parsed && { ...parsed, environment: { ...environment, ...parsed.environment } }
    if (line.startsWith('npx price-feed-mock') && !ENDS.test(line)) {
      servers.push(await (plain ? startPlainCommand(plain, shell.folder) : shell.start(line)))
      continue
    }
    const url = servers[0]?.firstLine
    const command = url ? line.replace(/https?:\/\/127\.0\.0\.1:4700/, url) : line
    const { exit, stdout, stderr } = await (plain ? runPlainCommand(plain, shell.folder) : shell.run(command))
    expect(exit, `${line}\n${stdout}${stderr}`).toBe('0')
  }
  for (const server of servers) expect((await server.kill('SIGTERM')).exit).toBe('0')
})
