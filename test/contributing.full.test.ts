// The additions of CONTRIBUTING.md, applied to a copy of the tree as printed: one by one, and all together.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { ROOT } from './support/folder.js'
import { applyDiff, type Step, stepsOf } from './support/guide.js'
import { IS_FULL_RUN } from './support/seed.js'

// The quick loop alone takes more than a minute.
vi.setConfig({ testTimeout: 900_000 })

const COPY = join(ROOT, '.build', 'contributing')
const LEFT_OUT = new Set(['.build', '.git', 'dist', 'node_modules'])

const guide = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
/** The steps of each addition, by its heading. */
const additions = guide
  .split(/^## Add /m)
  .slice(1)
  .map(section => ({ name: section.split('\n', 1)[0]!, steps: stepsOf(section) }))

/** The tests that a contributor writes, by the heading of the addition. */
const OWN_TESTS: Readonly<Record<string, readonly [file: string, body: string]>> = {
  'an endpoint': [
    'src/endpoints/ping.test.ts',
    `expect(await (await ask('/prices/ping')).json()).toEqual({ now: 1_753_354_105 })
    expect((await ask('/prices/ping', 'wrong')).status).toBe(401)`,
  ],
  'a fault': [
    'src/faults/reply/server-header.test.ts',
    `mock.setScenario({ faults: [{ fault: 'reply/server-header', endpoints: ['latest'] }] })
    const { headers } = await ask('/prices/BTCUSD/latest')
    expect(headers.get('server')).toBe('nginx')
    expect(headers.get('x-price-feed-mock')).toContain('faults=("reply/server-header")')`,
  ],
  'an admin route': [
    'src/admin/time.test.ts',
    `expect(await (await ask('/_mock/time')).json()).toEqual({ receivedAt: expect.any(Number) })`,
  ],
  'an assumption or a flag': [
    'src/cli/title.test.ts',
    `expect(await program('--title', 'hello', '--port', '0')).toMatch(/^ {2}hello$/m)
    expect(await program('--title', '', '--port', '0')).toContain('letters, digits, blanks and dashes')`,
  ],
  'a command': [
    'src/cli/signer-command.test.ts',
    `expect(await program('signer', '--signer', '3')).toBe('0xaf947047e3a3459bb172f3efc13d4d81ad1e5e91\\n')`,
  ],
  'a feed': ['src/market/wld.test.ts', `expect((await ask('/prices/wldusd/latest')).status).toBe(200)`],
}

/** A test beside the addition, with what it needs: a way to ask the service, and one to run the program. */
function toTest(file: string, body: string): string {
  const src = '../'.repeat(file.split('/').length - 2)
  return `import { expect, it } from 'vitest'
import { run } from '${src}cli/run.js'
import { createFetch } from '${src}hosts/fetch.js'
import { createMock } from '${src}index.js'

export const mock = createMock({ clock: { at: '2025-07-24T10:48:25Z', frozen: true } })
export const ask = (path: string, key = 'test-api-key') =>
  createFetch(mock)(\`http://mock\${path}\`, { headers: { authorization: key } })

/** Runs the program until it ends or serves. Returns all that it writes. */
export async function program(...args: readonly string[]): Promise<string> {
  let written = ''
  let stop: ((signal: NodeJS.Signals) => Promise<number>) | undefined
  const write = (text: string): void => void (written += text)
  await run({ args, environment: {}, print: write, report: write, onServing: end => (stop = end) })
  await stop?.('SIGTERM')
  return written
}

it('default: the addition does it', async () => {
    ${body}
})
`
}

const read = (file: string): string => readFileSync(join(COPY, file), 'utf8')

function write(file: string, text: string): void {
  mkdirSync(dirname(join(COPY, file)), { recursive: true })
  writeFileSync(join(COPY, file), text)
}

function apply(steps: readonly Step[]): void {
  for (const { kind, file, text } of steps) {
    expect(existsSync(join(COPY, file)), file).toBe(kind === 'diff')
    write(file, kind === 'diff' ? applyDiff(read(file), text) : text)
  }
}

function undo(files: readonly string[]): void {
  for (const file of files) {
    if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(COPY, file))
    else rmSync(join(COPY, file), { force: true })
  }
}

/** Runs a program of node_modules in the copy, and expects that it succeeds. Returns its output. */
function run(program: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): string {
  // A test runner inside another one would behave differently.
  const environment = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST$|MODE$|NODE_ENV$|CI$|FULL_RUN$)/.test(name),
  )
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'node_modules', program), ...args], {
    cwd: COPY,
    encoding: 'utf8',
    env: { ...Object.fromEntries(environment), NO_COLOR: '1', ...more },
  })
  expect(status, stdout + stderr).toBe(0)
  return stdout
}

// A dozen runs transform the same modules but for those of the addition.
const vitest = (args: readonly string[], more?: Readonly<Record<string, string>>) =>
  run('vitest/vitest.mjs', ['run', '--project', 'node', '--experimental.fsModuleCache', ...args], more)
/** Each of these runs would build the program anew, and uses none. */
const UNBUILT = { WITHOUT_BUILD: '1' }

beforeAll(() => {
  rmSync(COPY, { recursive: true, force: true })
  for (const part of readdirSync(ROOT).filter(name => !LEFT_OUT.has(name)))
    cpSync(join(ROOT, part), join(COPY, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(COPY, 'node_modules'), 'junction')
})

it('behavior: each text of the guide is a step', () => {
  expect(additions.flatMap(({ steps }) => steps)).toHaveLength(guide.match(/^```\w/gm)!.length)
  expect(Object.keys(OWN_TESTS).filter(name => !additions.some(addition => addition.name === name))).toEqual([])
})

describe('alone', () => {
  it.each(additions)('default: $name is formatted, and does it in the full run', ({ name, steps }) => {
    const files = steps.map(({ file }) => file)
    const [test, body] = OWN_TESTS[name] ?? []
    try {
      apply(steps)
      if (files.some(file => file.startsWith('console/')))
        run('typescript/bin/tsc', ['-p', 'console', '--checkers', '1'])
      run('@biomejs/biome/bin/biome', ['check', ...files])
      if (test === undefined || !IS_FULL_RUN) return
      write(test, toTest(test, body!))
      vitest([test], UNBUILT)
    } finally {
      undo([...files, ...(test === undefined ? [] : [test])])
    }
  })
})

describe('all together', () => {
  /** The arguments of both commands of `npm run docs`. */
  const [schemas, documents] = manifest.scripts.docs.split(' && ').map(command => command.split(' ').slice(2)) as [
    string[],
    string[],
  ]

  beforeAll(() => {
    for (const { steps } of additions) apply(steps)
    for (const [file, body] of Object.values(OWN_TESTS)) write(file, toTest(file, body))
    vitest(schemas, UNBUILT)
  })

  it.runIf(IS_FULL_RUN)('default: documentation follows', () => {
    vitest(documents)
    expect(read('docs/responses.md')).toContain('| `GET /prices/ping` |')
    expect(read('docs/faults.md')).toContain('### reply/server-header\n\nA proxy adds a `server` header.')
    expect(read('docs/scenarios.md')).toContain('### stale-eth\n\nETH is two minutes old.')
    expect(read('docs/options.md')).toContain('`PRICE_FEED_MOCK_TITLE`')
    expect(read('scenarios/schema.json')).toContain('"reply/server-header"')
    expect(read('src/endpoints/reply-schemas.ts')).toMatch(/^ {2}ping: \{/m)
  })

  it('default: the program starts with all of them', async ({ onTestFinished }) => {
    const args = ['--port', '0', '--title', 'hello', '--scenario', '{"faults":[{"fault":"reply/server-header"}]}']
    const child = spawn(process.execPath, ['scripts/mock.mjs', ...args], { cwd: COPY })
    onTestFinished(() => void child.kill())
    let stderr = ''
    child.stderr.on('data', chunk => (stderr += chunk))
    const [url] = await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
    const get = (path: string) =>
      fetch(String(url).trim() + path, { headers: { authorization: 'test-api-key' } }).then(reply => {
        expect(reply.status, `${path} ${stderr}`).toBe(200)
        return reply
      })
    expect((await get('/prices/ping')).headers.get('server')).toBe('nginx')
    for (const path of ['/prices/WLDUSD/latest', '/_mock/time', '/scenario/stale-eth/prices/ETHUSD/latest'])
      await get(path)
    expect(stderr).toMatch(/^ {2}hello$/m)
    const bundle = readdirSync(join(COPY, 'dist/console'), { recursive: true, encoding: 'utf8' })
    const scripts = bundle
      .filter(file => file.endsWith('.js.gz'))
      .map(file => gunzipSync(readFileSync(join(COPY, 'dist/console', file))))
    expect(scripts.some(script => script.includes('Start it again'))).toBe(true)
  })

  it('default: they compile, below the hosts and elsewhere, and their tests pass', () => {
    for (const project of ['src/tsconfig.pure.json', 'tsconfig.json', 'console'])
      run('typescript/bin/tsc', ['--noEmit', '--checkers', '1', '-p', project])
    vitest(['test/house.test.ts', ...Object.values(OWN_TESTS).map(([file]) => file)], UNBUILT)
    const stale = ['test/scenarios/built-in.test.ts', '-t', 'stale-eth', '--reporter=verbose']
    expect(vitest(stale, UNBUILT)).toMatch(/✓ .*stale-eth/)
  })

  it.runIf(IS_FULL_RUN)('default: the quick loop passes', () => vitest(['src']))
})
