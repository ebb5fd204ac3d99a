// The package as people have it: packed, installed in a project outside of this tree, imported, type-checked, and every example of the
// documentation run as it is written.
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { build, preview } from 'vite'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { CHROMIUM_FLAGS } from '../support/chromium-flags.js'
import { type Consumer, createConsumer, readManifest } from '../support/consumer.js'
import { findChromium } from '../support/find-chromium.js'
import { serveTicker } from '../support/ticker.js'
import { type Runner, readExamples } from './examples.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
const manifest = readManifest(ROOT)
const doors = Object.entries(manifest.exports).filter(([, target]) => typeof target !== 'string')
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const examples = readExamples(ROOT)
const of = (runner: Runner) => examples.filter(example => example.runner === runner)

let consumer: Consumer

beforeAll(() => {
  expect(inject('buildProblem')).toBe('')
  consumer = createConsumer(ROOT)
  for (const { file, code } of examples) consumer.write(file, code)
  // What a consumer of all doors has installed besides.
  consumer.link([...Object.keys(manifest.peerDependencies), 'vite', '@types/node', '@types/express'])
})
afterAll(() => consumer?.end())

describe('the tarball', () => {
  it('behavior: it holds what package.json points at, and what is for users', () => {
    const targets = Object.values(manifest.exports).flatMap(target =>
      typeof target === 'string' ? [target] : Object.values(target),
    )
    const wanted = [...targets, ...Object.values(manifest.bin)].map(path => path.replace('./', ''))
    expect(consumer.files).toEqual(expect.arrayContaining(wanted))
    const tops = new Set(consumer.files.map(file => file.split('/', 1)[0]))
    const kept = manifest.files.filter(pattern => !pattern.startsWith('!')).map(pattern => pattern.split('/', 1)[0])
    expect(tops).toEqual(new Set([...kept, 'package.json']))
    expect(consumer.files.filter(file => /^dist\/.*(\.test\.|\.tsbuildinfo$|(?<!\.d)\.ts$)/.test(file))).toEqual([])
  })

  it('behavior: it holds what its pages link to', () => {
    const pages = consumer.files.filter(file => file.endsWith('.md'))
    const targets = pages.flatMap(page => {
      const links = consumer.read(`node_modules/price-feed-mock/${page}`).matchAll(/\]\((?!\w+:|#)([^)#]+)/g)
      return [...links].map(([, path]) => posix.join(posix.dirname(page), path!))
    })
    expect(targets).toContain('docs/ci.md')
    expect(targets.filter(target => !consumer.files.some(file => `${file}/`.startsWith(`${target}/`)))).toEqual([])
  })
})

describe('the doors', () => {
  it('default: each exports these names', async () => {
    const list = `const names = {}
for (const [door, specifier] of JSON.parse(process.env.DOORS)) names[door] = Object.keys(await import(specifier)).sort()
`
    const specifiers = doors.map(([door]) => [door, door.replace('.', 'price-feed-mock')])
    // Outside of vitest, vitest cannot be imported.
    const [inVitest, inNode] = [/vitest/, /^(?!.*vitest)/].map(which =>
      JSON.stringify(specifiers.filter(([door]) => which.test(door!))),
    ) as [string, string]
    consumer.write('names.mjs', `${list}process.stdout.write(JSON.stringify(names))`)
    consumer.write(
      'names/names.test.ts',
      `${list}import { writeFileSync } from 'node:fs'
import { it } from 'vitest'
it('is imported', () => writeFileSync('names.json', JSON.stringify(names)))`,
    )
    const node = await consumer.run(process.execPath, ['names.mjs'], { DOORS: inNode })
    expect(node.status, node.output).toBe(0)
    const vitest = await runVitest('names', { DOORS: inVitest })
    expect(vitest.status, vitest.output).toBe(0)
    const names = { ...JSON.parse(node.output), ...JSON.parse(consumer.read('names.json')) }
    const lines = Object.keys(manifest.exports).map(door => `${door}: ${names[door]?.join(' ') ?? 'a file'}\n`)
    await expect(lines.join('')).toMatchFileSnapshot('exports.txt')
  })

  it('behavior: files are found by their names', async () => {
    const files = Object.keys(manifest.exports).filter(door => !doors.some(([name]) => name === door))
    consumer.write(
      'files.mjs',
      files.map(door => `import '${door.replace('.', 'price-feed-mock')}' with { type: 'json' }\n`).join(''),
    )
    expect(await consumer.run(process.execPath, ['files.mjs'])).toMatchObject({ status: 0 })
  })
})

describe('the types', () => {
  const uses = (names: readonly string[]): string =>
    names
      .map((name, i) => `import * as door${i} from '${name.replace('.', 'price-feed-mock')}'\nvoid door${i}\n`)
      .join('')
  const NODENEXT = { module: 'nodenext', moduleResolution: 'nodenext', lib: ['ES2023'], types: ['node', 'vite/client'] }
  const BUNDLER = {
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['ES2023', 'DOM'],
    types: ['node', 'vite/client'],
  }

  /** What `tsc` says of the project and of our declarations, which are checked too; those of others may want more of the platform. */
  async function check(name: string, options: object, include: readonly string[]): Promise<string[]> {
    const compilerOptions = { target: 'es2023', strict: true, skipLibCheck: false, noEmit: true, ...options }
    consumer.write(`${name}.json`, JSON.stringify({ compilerOptions, include }))
    const { output } = await consumer.run(process.execPath, [TSC, '-p', `${name}.json`])
    return output
      .split('\n')
      .filter(line => line !== '' && !/^(\s|\.\.\/|node_modules\/(?!price-feed-mock\/))/.test(line))
  }

  it.each([
    ['nodenext', NODENEXT],
    ['bundler', BUNDLER],
  ])('default: every door and every example, by moduleResolution %s', async (name, options) => {
    consumer.write('doors/all.ts', uses(doors.map(([door]) => door)))
    expect(await check(name, options, ['doors/all.ts', 'examples'])).toEqual([])
  })

  it('behavior: what may run in a page needs no types of Node', async () => {
    consumer.write('doors/page.ts', uses(['.', './fetch', './msw', './browser', './client', './verify']))
    const options = { ...BUNDLER, types: ['vite/client'] }
    expect(await check('page', options, ['doors/page.ts', 'examples/page'])).toEqual([])
  })

  it('error: a misspelt option is told', async () => {
    consumer.write('doors/wrong.ts', "import { createMock } from 'price-feed-mock'\ncreateMock({ sede: '42' })\n")
    expect(await check('wrong', NODENEXT, ['doors/wrong.ts'])).toEqual([
      expect.stringContaining("'sede' does not exist"),
    ])
  })
})

describe('the examples', () => {
  it('behavior: there are some of each kind', () => {
    for (const runner of ['node', 'page', 'vitest', 'playwright'] as const) expect(of(runner).length).toBeGreaterThan(0)
  })

  describe('in Node', () => {
    /** What is asked at the end of an example that only prepares something. */
    const ASKED: Readonly<Record<string, string>> = {
      'price-feed-mock/express': `const listener = app.listen(0, '127.0.0.1', async () => {
  const url = \`http://127.0.0.1:\${listener.address().port}/feed/prices/BTCUSD/latest\`
  const { status, headers } = await fetch(url, { headers: { authorization: 'test-api-key' } })
  console.log(status, headers.get('x-price-feed-mock'))
  listener.close()
  listener.closeAllConnections()
})
`,
    }

    beforeAll(async () => {
      const compilerOptions = {
        target: 'es2023',
        module: 'nodenext',
        types: ['node'],
        rootDir: 'examples',
        outDir: 'out',
      }
      consumer.write('emit.json', JSON.stringify({ compilerOptions, include: ['examples/node'] }))
      await consumer.run(process.execPath, [TSC, '-p', 'emit.json'])
    })

    it.each(of('node'))('default: $title runs as written', async ({ file, code }) => {
      const script = file.replace('examples', 'out').replace('.ts', '.js')
      const [door] = Object.keys(ASKED).filter(name => code.includes(`'${name}'`))
      if (door !== undefined) consumer.write(script, consumer.read(script) + ASKED[door])
      const { status, output } = await consumer.run(process.execPath, [script])
      expect(status, output).toBe(0)
      expect(output).toMatch(door === undefined ? /^$/ : /^200 session="default"/)
    })
  })

  it('default: those for vitest run as written', async () => {
    const { status, output } = await runVitest('examples/vitest')
    expect(status, output).toBe(0)
    expect(output).toContain(`Test Files  ${of('vitest').length} passed`)
  })

  it('default: those for Playwright run as written', async context => {
    const { executablePath, problem } = findChromium()
    if (problem !== undefined) return context.skip(problem)
    const ticker = await serveTicker('ticker-of-package')
    context.onTestFinished(() => ticker.close())
    const config = {
      testDir: 'examples/playwright',
      timeout: 60_000,
      expect: { timeout: 20_000 },
      reporter: 'line',
      use: { baseURL: ticker.url, launchOptions: { executablePath, args: [...CHROMIUM_FLAGS] } },
    }
    consumer.write('playwright.config.js', `export default ${JSON.stringify(config)}`)
    const cli = join('node_modules', '@playwright', 'test', 'cli.js')
    const { status, output } = await consumer.run(process.execPath, [cli, 'test'])
    expect(status, output).toBe(0)
    expect(output).toContain(`${of('playwright').length} passed`)
  })

  it('default: those for pages run as written', async context => {
    const { executablePath, problem } = findChromium()
    if (problem !== undefined) return context.skip(problem)
    const root = join(consumer.folder, 'examples', 'page')
    const init = await consumer.run(process.execPath, ['node_modules/msw/cli/index.js', 'init', `${root}/public`])
    expect(init.status, init.output).toBe(0)
    const pages = of('page').map(({ file, code }) => {
      const name = file.replace(/.*\//, '').replace('.ts', '')
      consumer.write(`examples/page/${name}.ts`, `${code}\nObject.assign(globalThis, { isReady: true })\n`)
      consumer.write(`examples/page/${name}.html`, `<!doctype html><script type="module" src="./${name}.ts"></script>`)
      return name
    })
    // As in development, where the examples start the worker.
    const define = { 'import.meta.env.DEV': 'true' }
    const options = { root, configFile: false, logLevel: 'error', define } as const
    const input = pages.map(name => join(root, `${name}.html`))
    await build({ ...options, build: { target: 'es2023', rolldownOptions: { input } } })
    const site = await preview({ ...options, preview: { host: '127.0.0.1', port: 0 } })
    const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] })
    try {
      const { port } = site.httpServer.address() as AddressInfo
      for (const name of pages) {
        const page = await (await browser.newContext()).newPage()
        await page.goto(`http://localhost:${port}/${name}.html`)
        await page.waitForFunction('globalThis.isReady')
        const answer = await page.evaluate<string>(`fetch('https://api.example/prices/BTCUSD/latest', {
          headers: { authorization: 'test-api-key' }
        }).then(({ status, headers }) => status + ' ' + headers.get('x-price-feed-mock'))`)
        expect(answer, name).toMatch(/^200 session="default"/)
      }
    } finally {
      await browser.close()
      await site.close()
    }
  })

  it('default: the command for CI runs as written', async () => {
    const [, command] = /```sh\n(npx price-feed-mock exec .* -- npm test)\n```/.exec(readme)!
    const test =
      'test "$PRICE_FEED_API_KEY" = test-api-key && node -e "fetch(process.env.PRICE_FEED_BASE_URL).then(r => r.ok || process.exit(3))"'
    consumer.write(
      'package.json',
      JSON.stringify({ name: 'consumer', private: true, type: 'module', scripts: { test } }),
    )
    const passed = await consumer.run('/bin/sh', ['-c', command!])
    expect(passed.status, passed.output).toBe(0)
    consumer.write('package.json', JSON.stringify({ type: 'module', scripts: { test: `${test} && exit 7` } }))
    const failed = await consumer.run('/bin/sh', ['-c', command!])
    expect(failed.status, failed.output).not.toBe(0)
  })
})

describe('docs/dependencies.md', () => {
  const page = readFileSync(join(ROOT, 'docs', 'dependencies.md'), 'utf8')
  const [dependencies = '', peers = ''] = page.split('\nOptional peer dependencies')
  /** The packages of a table, each with the text beside it. */
  const rowsOf = (text: string): (readonly [name: string, purpose: string])[] =>
    [...text.matchAll(/^\| (`.*?) \| (.*) \|$/gm)].flatMap(([, packages, purpose]) =>
      [...packages!.matchAll(/`([^`]+)`/g)].map(([, name]) => [name!, purpose!] as const),
    )

  it.each([
    ['dependency', dependencies, manifest.dependencies],
    ['peer dependency', peers, manifest.peerDependencies],
  ])('behavior: it gives the purpose of each %s', (_, text, packages) => {
    const rows = rowsOf(text)
    expect(rows.map(([name]) => name).sort()).toEqual(Object.keys(packages).sort())
    for (const [name, purpose] of rows) expect(purpose.length, name).toBeGreaterThan(8)
  })

  it('behavior: every peer is optional, and a development dependency', () => {
    for (const name of Object.keys(manifest.peerDependencies)) {
      expect(manifest.peerDependenciesMeta[name], name).toEqual({ optional: true })
      expect(manifest.devDependencies).toHaveProperty([name])
    }
  })
})

/** Runs vitest in a folder of the consumer. */
function runVitest(folder: string, environment: Readonly<Record<string, string>> = {}) {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--dir', folder, '--maxWorkers=1']
  return consumer.run(process.execPath, args, environment)
}
