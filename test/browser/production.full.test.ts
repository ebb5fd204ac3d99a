// The mock and production: the snippet of docs/how-to.md adds nothing to a production build, and without its condition nothing starts.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { NO_CHROMIUM } from '../support/find-chromium.js'
import { listen } from '../support/listen.js'
import { needs } from '../support/needs.js'

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const APP = "document.body.textContent = 'prices'\n"
const [, SNIPPET] = /```ts\n(if \(import\.meta\.env\.DEV\)[\s\S]*?)```/.exec(
  readFileSync(pathOf('docs/how-to.md'), 'utf8'),
)!

/** The files of an application, built by Vite as users build it. */
async function buildApp(code: string, mode: 'production' | 'development' = 'production') {
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = mode
  try {
    const result = await build({
      root: pathOf('test/browser'),
      mode,
      configFile: false,
      publicDir: false,
      logLevel: 'error',
      resolve: { alias: { 'price-feed-mock/browser': pathOf('dist/hosts/browser.js') } },
      plugins: [{ name: 'app', resolveId: id => (id === 'app' ? id : null), load: id => (id === 'app' ? code : null) }],
      build: { write: false, target: 'es2023', chunkSizeWarningLimit: 2000, rolldownOptions: { input: 'app' } },
    })
    return (result as Rolldown.RolldownOutput).output.filter(one => one.type === 'chunk')
  } finally {
    process.env.NODE_ENV = before
  }
}

describe('the snippet of docs/how-to.md', () => {
  it('default: a production build with it is byte-equal to one without it', async () => {
    const [without, guarded] = [await buildApp(APP), await buildApp(SNIPPET + APP)]
    expect(guarded.map(({ code }) => code)).toEqual(without.map(({ code }) => code))
    expect(guarded).toHaveLength(1)
  })

  it('behavior: a development build contains the mock', async () => {
    const chunks = await buildApp(SNIPPET + APP, 'development')
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.map(({ code }) => code).join('')).toContain('x-price-feed-mock')
  })
})

describe('startWorker in a page', needs(NO_CHROMIUM), () => {
  let browser: Browser
  beforeAll(async () => (browser = await chromium.connect(inject('workerHost').browser)))
  afterAll(() => browser?.close())

  /** Opens a page that loads the module `/app.js` among some files. */
  async function open(files: ReadonlyMap<string, string>): Promise<Page> {
    const server = createServer(({ url }, response) => {
      const text = url === '/' ? '<!doctype html><link rel="icon" href="data:,"><body>' : files.get(url!)
      if (text === undefined) response.writeHead(404).end()
      else response.setHeader('content-type', url === '/' ? 'text/html' : 'text/javascript').end(text)
    })
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    await page.goto(`http://127.0.0.1:${await listen(server)}/`)
    return page
  }

  const CODE = `import { startWorker } from 'price-feed-mock/browser'
    globalThis.starting = startWorker(globalThis.options).then(() => 'started', ({ message }) => message)`
  const apps = new Map<string, ReturnType<typeof buildApp>>()

  async function openApp(options: string, mode: 'production' | 'development' = 'production'): Promise<Page> {
    const app = apps.get(mode) ?? buildApp(CODE, mode)
    apps.set(mode, app)
    const chunks = await app
    const files = new Map(chunks.map(chunk => [`/${chunk.fileName}`, chunk.code]))
    const script = createRequire(import.meta.url).resolve('msw/mockServiceWorker.js')
    files.set('/mockServiceWorker.js', readFileSync(script, 'utf8'))
    const page = await open(files)
    await page.evaluate(`globalThis.options = ${options}`)
    await page.addScriptTag({ type: 'module', url: `/${chunks.find(({ isEntry }) => isEntry)!.fileName}` })
    return page
  }

  const statusOf = (page: Page): Promise<unknown> =>
    page.evaluate("fetch('https://api.example/_mock/health').then(({ status }) => status, String)")

  it('error: a production build without the condition: nothing is answered', async () => {
    const page = await openApp("{ baseUrl: 'https://api.example' }")
    expect(await page.evaluate('starting')).toMatchInlineSnapshot(`
      "startWorker does not start in a production build.
        fix   import it only in development; a demo may set allowProductionUnsafe: true
        code  PRODUCTION_BUILD"
    `)
    expect(await statusOf(page)).toBe('TypeError: Failed to fetch')
    expect(await page.evaluate('navigator.serviceWorker.getRegistrations().then(({ length }) => length)')).toBe(0)
  })

  it.each(['undefined', "{ baseUrl: 'https://api.example', allowProductionUnsafe: 'yes' }"])(
    'error: a production build: %s',
    async options => {
      const page = await openApp(options)
      expect(await page.evaluate('starting')).toContain('PRODUCTION_BUILD')
    },
  )

  it('args: allowProductionUnsafe', async () => {
    const page = await openApp("{ baseUrl: 'https://api.example', allowProductionUnsafe: true }")
    expect(await page.evaluate('starting')).toBe('started')
    expect(await statusOf(page)).toBe(200)
  })

  it('behavior: a development build', async () => {
    const page = await openApp("{ baseUrl: 'https://api.example' }", 'development')
    expect(await page.evaluate('starting')).toBe('started')
  })

  // Each bundler replaces one of the expressions, or none, in the file as it is published.
  it.each([
    ['no bundler', (code: string) => code, false],
    ['webpack, development', (code: string) => toWebpack(code, 'development'), false],
    ['webpack, production', (code: string) => toWebpack(code, 'production'), true],
    ['Vite, production', (code: string) => code.replace('import.meta.env', '({ PROD: true })'), true],
    ['Vite, development', (code: string) => code.replace('import.meta.env', '({ PROD: false })'), false],
  ])('behavior: the check with %s', async (_title, bundle, expected) => {
    const code = readFileSync(pathOf('dist/hosts/production.js'), 'utf8')
    const page = await open(new Map([['/app.js', bundle(code)]]))
    expect(await page.evaluate("import('/app.js').then(({ isProductionBuild }) => isProductionBuild())")).toBe(expected)
  })
})

const toWebpack = (code: string, mode: string): string =>
  code.replace('process.env.NODE_ENV', JSON.stringify(mode)).replace('import.meta.env', 'undefined')
