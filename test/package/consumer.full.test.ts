// The package in a project of a user: packed, installed outside of this repository, imported and type-checked. Every example of the
// documentation runs as written.
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { build, preview } from 'vite'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Consumer, createConsumer, readManifest } from '../support/consumer.js'
import { CHROMIUM, NO_CHROMIUM } from '../support/find-chromium.js'
import { ROOT } from '../support/folder.js'
import { needs } from '../support/needs.js'
import { serveTicker } from '../support/ticker.js'
import { type Runner, readExamples, requestOf } from './examples.js'

const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
const manifest = readManifest(ROOT)
const entryPoints = Object.entries(manifest.exports).filter(([, target]) => typeof target !== 'string')
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const examples = readExamples(ROOT)
const of = (runner: Runner) => examples.filter(example => example.runner === runner)

let consumer: Consumer

beforeAll(() => {
  expect(inject('buildProblem')).toBe('')
  consumer = createConsumer(ROOT)
  for (const { file, code } of examples) consumer.write(file, code)
  // The other packages of a consumer that uses all entry points.
  consumer.link([...Object.keys(manifest.peerDependenciesMeta), 'vite', '@types/node', '@types/express'])
})
afterAll(() => consumer?.end())

describe('entry points', () => {
  it('behavior: files can be imported by their names', async () => {
    const files = Object.keys(manifest.exports).filter(file => !entryPoints.some(([name]) => name === file))
    consumer.write(
      'files.mjs',
      files.map(file => `import '${file.replace('.', 'price-feed-mock')}' with { type: 'json' }\n`).join(''),
    )
    expect(await consumer.run(process.execPath, ['files.mjs'])).toMatchObject({ status: 0 })
  })
})

describe('the types', () => {
  const uses = (names: readonly string[]): string =>
    names
      .map((name, i) => `import * as entry${i} from '${name.replace('.', 'price-feed-mock')}'\nvoid entry${i}\n`)
      .join('')
  const NODENEXT = { module: 'nodenext', moduleResolution: 'nodenext', lib: ['ES2023'], types: ['node', 'vite/client'] }
  const BUNDLER = {
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['ES2023', 'DOM'],
    types: ['node', 'vite/client'],
  }

  /** The errors of `tsc` in the project and in our declarations. Declarations of other packages may need more of the platform. */
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
  ])('default, and error on a misspelt option: every entry point and example, by %s', async (name, options) => {
    consumer.write('uses/all.ts', uses(entryPoints.map(([name]) => name)))
    consumer.write('uses/wrong.ts', "import { createMock } from 'price-feed-mock'\ncreateMock({ sede: '42' })\n")
    expect(await check(name, options, ['uses/all.ts', 'uses/wrong.ts', 'examples'])).toEqual([
      expect.stringMatching(/^uses\/wrong\.ts\(2,14\).*'sede' does not exist/),
    ])
  })

  it('behavior: entry points for pages need no types of Node', async () => {
    consumer.write('uses/page.ts', uses(['.', './fetch', './msw', './browser', './client', './verify']))
    const options = { ...BUNDLER, types: ['vite/client'] }
    expect(await check('page', options, ['uses/page.ts', 'examples/page'])).toEqual([])
  })
})

describe('the examples', () => {
  it('behavior: the documentation has examples of each kind', () => {
    for (const runner of ['node', 'page', 'vitest', 'playwright'] as const) expect(of(runner).length).toBeGreaterThan(0)
  })

  // A row of the matrix, which CI runs beside this, has installed the package and runs these as well.
  describe.skipIf(inject('isRest'))('in Node', () => {
    beforeAll(async () => {
      const compilerOptions = {
        target: 'es2023',
        module: 'nodenext',
        types: ['node'],
        rootDir: 'examples',
        outDir: 'out',
        // Type errors have a test of their own.
        noCheck: true,
      }
      consumer.write('emit.json', JSON.stringify({ compilerOptions, include: ['examples/node'] }))
      await consumer.run(process.execPath, [TSC, '-p', 'emit.json'])
    })

    it.concurrent.each(of('node'))('default: $title runs as written', async ({ file, code }) => {
      const script = file.replace('examples', 'out').replace('.ts', '.js')
      const request = requestOf(code)
      consumer.write(script, consumer.read(script) + request)
      const { status, output } = await consumer.run(process.execPath, [script])
      expect(status, output).toBe(0)
      expect(output).toMatch(request === '' ? /^$/ : /^200 session="default"/)
    })
  })

  it.skipIf(inject('isRest'))('default: the examples for vitest run as written', async () => {
    const { status, output } = await runVitest('examples/vitest')
    expect(status, output).toBe(0)
    expect(output).toContain(`Test Files  ${of('vitest').length} passed`)
  })

  it('default: the examples for Playwright run as written', needs(NO_CHROMIUM), async context => {
    const ticker = await serveTicker('ticker-of-package')
    context.onTestFinished(() => ticker.close())
    const config = {
      testDir: 'examples/playwright',
      timeout: 60_000,
      expect: { timeout: 20_000 },
      reporter: 'line',
      use: { baseURL: ticker.url, launchOptions: CHROMIUM },
    }
    consumer.write('playwright.config.js', `export default ${JSON.stringify(config)}`)
    const cli = join('node_modules', '@playwright', 'test', 'cli.js')
    const { status, output } = await consumer.run(process.execPath, [cli, 'test'])
    expect(status, output).toBe(0)
    expect(output).toContain(`${of('playwright').length} passed`)
  })

  it('default: the examples for pages run as written', needs(NO_CHROMIUM), async () => {
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
    const browser = await chromium.launch(CHROMIUM)
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

  it('default: the CI command runs as written', async () => {
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

/** Runs vitest in a folder of the consumer. */
function runVitest(folder: string, environment: Readonly<Record<string, string>> = {}) {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--dir', folder, '--maxWorkers=1']
  return consumer.run(process.execPath, args, environment)
}
