// The steps of CONTRIBUTING.md, applied to a copy of the tree: they compile, their tests pass, and documentation follows.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Below the tree, so that its packages are found. */
const COPY = join(ROOT, '.build', 'contributing')
const LEFT_OUT = new Set(['.build', '.git', 'dist', 'node_modules'])

const guide = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
const steps = [...guide.matchAll(/^```(ts|json|diff) (\S+)\n([\s\S]*?)^```$/gm)].map(([, kind, file, text]) => ({
  kind: kind!,
  file: file!,
  text: text!,
}))

/** Replaces the lines of a hunk, which must occur once. */
function applyHunk(source: string, hunk: string): string {
  const lines = hunk.split('\n').filter(line => line !== '')
  const side = (dropped: string): string =>
    lines.flatMap(line => (line.startsWith(dropped) ? [] : [`${line.slice(1)}\n`])).join('')
  const [before, after] = [side('+'), side('-')]
  const first = `\n${source}`.indexOf(`\n${before}`)
  if (before === '' || first < 0) throw new Error(`Lines not found:\n${before}`)
  return source.slice(0, first) + after + source.slice(first + before.length)
}

const read = (file: string): string => readFileSync(join(COPY, file), 'utf8')

function write(file: string, text: string): void {
  mkdirSync(dirname(join(COPY, file)), { recursive: true })
  writeFileSync(join(COPY, file), text)
}

/** Runs a program of node_modules in the copy. */
function run(program: string, ...args: readonly string[]): { status: number | null; output: string } {
  // A test runner inside another one would behave differently.
  const environment = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|MODE$|NODE_ENV$|CI$)/.test(name))
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'node_modules', program), ...args], {
    cwd: COPY,
    encoding: 'utf8',
    env: { ...Object.fromEntries(environment), NO_COLOR: '1' },
  })
  return { status, output: stdout + stderr }
}

const vitest = (...args: readonly string[]) => run('vitest/vitest.mjs', 'run', '--config', 'guide.config.js', ...args)

/** The tests that a contributor writes for the steps. */
const OWN_TESTS: Readonly<Record<string, string>> = {
  'src/endpoints/ping.test.ts': `import { expect, it } from 'vitest'
import { createFetch } from '../hosts/fetch.js'
import { createMock } from '../index.js'

const mock = createMock({ clock: { at: '2025-07-24T10:48:25Z', frozen: true } })
const ask = (path: string, key = 'test-api-key') =>
  createFetch(mock)(\`http://mock\${path}\`, { headers: { authorization: key } })

it('default: the endpoint replies and wants a key', async () => {
  expect(await (await ask('/prices/ping')).json()).toEqual({ now: 1_753_354_105 })
  expect((await ask('/prices/ping', 'wrong')).status).toBe(401)
})

it('default: the fault adds its header and is named', async () => {
  mock.setScenario({ faults: [{ fault: 'reply/server-header', endpoints: ['ping'] }] })
  const { headers } = await ask('/prices/ping')
  expect(headers.get('server')).toBe('nginx')
  expect(headers.get('x-price-feed-mock')).toContain('faults=("reply/server-header")')
})

it('default: the admin route replies', async () => {
  expect(await (await ask('/_mock/time')).json()).toEqual({ receivedAt: expect.any(Number) })
})

it('default: the feed has a price', async () => {
  mock.setScenario('calm')
  expect((await ask('/prices/acmeusd/latest')).status).toBe(200)
})
`,
  'src/cli/title-flag.test.ts': `import { expect, it } from 'vitest'
import { readCommandLine } from './command.js'

it('default: the flag is read', () => {
  expect(readCommandLine(['--title', 'Mine'], {})).toMatchObject({ config: { title: 'Mine' } })
})
`,
}

beforeAll(() => {
  rmSync(COPY, { recursive: true, force: true })
  for (const part of readdirSync(ROOT).filter(name => !LEFT_OUT.has(name)))
    cpSync(join(ROOT, part), join(COPY, part), { recursive: true })
  for (const { kind, file, text } of steps) {
    expect(existsSync(join(COPY, file)), file).toBe(kind === 'diff')
    write(file, kind === 'diff' ? text.split(/^@@\n/m).reduce(applyHunk, read(file)) : text)
  }
  for (const [file, text] of Object.entries(OWN_TESTS)) write(file, text)
  write('guide.config.js', 'export default { test: { testTimeout: 60_000 } }')
})

describe('the steps', () => {
  it('behavior: there is one for each kind of addition', () => {
    expect(guide.match(/^## Add .*/gm)).toEqual([
      '## Add an endpoint',
      '## Add a fault',
      '## Add an admin route',
      '## Add a feed, an assumption or a flag',
      '## Add a scenario',
    ])
    expect(steps).toHaveLength(guide.match(/^```\w/gm)!.length)
  })

  it('default: they compile and are formatted', () => {
    expect(run('typescript/bin/tsc', '--noEmit', '-p', 'src/tsconfig.pure.json')).toEqual({ status: 0, output: '' })
    expect(run('typescript/bin/tsc', '--noEmit')).toEqual({ status: 0, output: '' })
    const lint = run('@biomejs/biome/bin/biome', 'check', ...steps.map(({ file }) => file))
    expect(lint.status, lint.output).toBe(0)
  })

  it('default: documentation follows', () => {
    // As `npm run docs` does: the tables read what the first of them writes.
    for (const pages of ['test/generated.test.ts', 'test/docs.test.ts']) {
      const { status, output } = vitest(pages, '-u')
      expect(status, output).toBe(0)
    }
    expect(read('README.md')).toContain('| `GET /prices/ping` |')
    expect(read('docs/faults.md')).toContain('| `reply/server-header` | A proxy adds a `server` header. |')
    expect(read('docs/scenarios.md')).toContain('| `stale-eth` | ETH is two minutes old |')
    expect(read('docs/options.md')).toContain('`PRICE_FEED_MOCK_TITLE`')
    expect(read('scenarios/schema.json')).toContain('"reply/server-header"')
    expect(read('src/endpoints/reply-schemas.ts')).toMatch(/^ {2}ping: \{/m)
  })

  it('default: their tests pass, and so do the tests of their lists', () => {
    const lists = ['src/cli/options.test.ts', 'src/market/catalogue.test.ts']
    const tests = vitest(...Object.keys(OWN_TESTS), ...lists)
    expect(tests.status, tests.output).toBe(0)
    const chosen = ['-t', '^(imports|purity|files)|stale-eth', '--reporter=verbose']
    const { status, output } = vitest('test/house.test.ts', 'test/scenarios/built-in.test.ts', ...chosen)
    expect(status, output).toBe(0)
    expect(output).toMatch(/✓ test\/scenarios\/built-in\.test\.ts > .*stale-eth/)
    expect(output).toMatch(/✓ test\/house\.test\.ts > imports/)
  })
})
