// The recipes of docs/runners.md that run in pages: Storybook and `setupWorker` in a Chromium, and Cypress as far as npm has it.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium } from 'playwright'
import { createServer, preview } from 'vite'
import { beforeAll, expect, it, type TestContext } from 'vitest'
import { CHROMIUM, NO_CHROMIUM } from '../support/find-chromium.js'
import { needs } from '../support/needs.js'
import { LIMIT_MS, openWorkshop, readBuilt, sectionOf, type Workshop } from './recipes.js'

let workshop: Workshop
beforeAll(async () => {
  const storybook = ['storybook@10', '@storybook/html-vite@10', 'vite@8', 'msw-storybook-addon@3']
  workshop = await openWorkshop('pages', [...storybook, 'msw@2', 'cypress@15', 'typescript@7'])
}, LIMIT_MS)

/** Opens a Chromium. */
async function openBrowser(context: TestContext): Promise<Browser> {
  const browser = await chromium.launch(CHROMIUM)
  context.onTestFinished(() => browser.close())
  return browser
}

/** The URL of a server of Vite, closed at the end. A service worker needs a secure context: a page from localhost has one. */
function urlOf(
  context: TestContext,
  server: Pick<Awaited<ReturnType<typeof preview>>, 'close' | 'resolvedUrls'>,
): string {
  context.onTestFinished(() => server.close())
  return server.resolvedUrls!.local[0]!
}

const IN_CHROMIUM = { ...needs(NO_CHROMIUM), timeout: LIMIT_MS }
const ON_FREE_PORT = { host: 'localhost', port: 0 }

// Beside each other: they mostly wait for their programs.
it.concurrent('default: Storybook shows each story a reply of its own mock', IN_CHROMIUM, async context => {
  const browser = await openBrowser(context)
  const { files, command } = sectionOf('Storybook')
  const folder = await workshop.createProject(context, 'storybook', {
    ...files,
    'src/Ticker.js': `export function Ticker() {
        const output = document.createElement('output')
        fetch('https://api.example/prices/BTCUSD/latest', { headers: { authorization: 'test-api-key' } })
          .then(async reply => (output.textContent = reply.headers.get('x-price-feed-mock') + ' ' + (await reply.text())))
        return output
      }`,
  })
  const built = await workshop.run(folder, `${command} && npx storybook build --quiet`, context.signal)
  expect(built.status, built.output).toBe(0)
  const build = { outDir: 'storybook-static' }
  const url = urlOf(
    context,
    await preview({ root: folder, configFile: false, logLevel: 'warn', build, preview: ON_FREE_PORT }),
  )

  const page = await browser.newPage()
  for (const [story, shown] of [
    ['fresh', /^session="default", now=\d+, n=1 \{"feedId":"BTCUSD","price":\d+,/],
    ['stale', /^session="default", now=\d+, n=1, faults=\("market\/stale"\) \{"feedId":"BTCUSD","price":\d+,/],
    ['fresh', /^session="default", now=\d+, n=1 \{/],
  ] as const) {
    await page.goto(`${url}iframe.html?viewMode=story&id=ticker--${story}`)
    const output = page.locator('output:not(:empty)')
    await output.waitFor()
    expect(await output.textContent()).toMatch(shown)
  }
})

it.concurrent('default: a worker of an app gets the handlers of the mock', IN_CHROMIUM, async context => {
  const browser = await openBrowser(context)
  const folder = await workshop.createProject(context, 'worker', {
    ...sectionOf('Your own setupWorker').files,
    'handlers.js': `import { http, HttpResponse } from 'msw'
      export const appHandlers = [http.get('/own', () => HttpResponse.text('of the app'))]`,
    'public/passed-on.txt': 'of the server',
    'index.html': '<script type="module">import "./main.js"; document.title = "started"</script>',
  })
  const copied = await workshop.run(folder, 'npx msw init public --save', context.signal)
  expect(copied.status, copied.output).toBe(0)
  const server = await createServer({
    root: folder,
    configFile: false,
    logLevel: 'warn',
    server: ON_FREE_PORT,
    // Found before the first page, which would load anew otherwise.
    optimizeDeps: { include: ['msw', 'msw/browser', 'price-feed-mock', 'price-feed-mock/msw'] },
  })
  await server.listen()
  const page = await browser.newPage()
  await page.goto(urlOf(context, server))
  await page.waitForFunction(`document.title === 'started'`)

  // As text, since Vitest rewrites the imports of a function.
  const seen = await page.evaluate(`(async () => {
    const { mock, stop } = await import('/mocks.js')
    const askPrice = () =>
      fetch('https://api.example/prices/BTCUSD/latest', { headers: { authorization: 'test-api-key' } })
    const reply = await askPrice()
    const price = { status: reply.status, header: reply.headers.get('x-price-feed-mock'), body: await reply.json() }
    const own = await (await fetch('/own')).text()
    const passed = await (await fetch('/passed-on.txt')).text()

    mock.setScenario({ faults: [{ fault: 'wire/timeout' }] })
    const waiting = askPrice().then(() => 'answered', () => 'failed')
    await stop()
    return { price, own, passed, timeout: await waiting }
  })()`)
  expect(seen).toEqual({
    price: {
      status: 200,
      header: expect.stringMatching(/^session="default", now=\d+, n=1$/),
      body: expect.objectContaining({ feedId: 'BTCUSD', price: expect.any(Number), signature: expect.any(String) }),
    },
    own: 'of the app',
    passed: 'of the server',
    timeout: 'failed',
  })

  // A build for production contains nothing of it.
  const built = await workshop.run(folder, 'npx vite build', context.signal)
  expect(built.status, built.output).toBe(0)
  expect(readBuilt(folder)).not.toMatch(/api\.example|mockServiceWorker/)
})

// The program of Cypress is a download outside of npm, so a test cannot run it everywhere. The package has the types.
it.concurrent('default: the tasks of Cypress run, and its spec has the right types', {
  timeout: LIMIT_MS,
}, async context => {
  const { files } = sectionOf('Cypress')
  const folder = await workshop.createProject(context, 'cypress', {
    ...files,
    // An error that must be found, so that an empty output means something.
    'cypress/e2e/wrong.cy.js': "cy.taks('advance', '1m')\n",
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        target: 'es2023',
        module: 'nodenext',
        lib: ['ES2023', 'DOM'],
        types: ['cypress'],
        strict: false,
        allowJs: true,
        checkJs: true,
        noEmit: true,
        skipLibCheck: true,
      },
      include: ['cypress.config.js', 'cypress'],
    }),
  })
  const { output } = await workshop.run(folder, 'npx tsc', context.signal)
  const problems = output.split('\n').filter(line => line.includes('error TS'))
  expect(problems, output).toEqual([expect.stringMatching(/^cypress\/e2e\/wrong\.cy\.js\(1,4\).*'taks'/)])

  type Task = (value?: unknown) => Promise<unknown>
  const events: Record<string, unknown> = {}
  const config = (await import(pathToFileURL(join(folder, 'cypress.config.js')).href)) as {
    default: { e2e: { setupNodeEvents(on: (event: string, value: unknown) => void): void } }
  }
  config.default.e2e.setupNodeEvents((event, value) => (events[event] = value))
  const tasks = events.task as Record<'openPriceFeed' | 'setScenario' | 'advance' | 'expectFaultsFired', Task>
  // Every task that the spec calls exists.
  const called = [...files['cypress/e2e/ticker.cy.js']!.matchAll(/cy\.task\('(\w+)'/g)].map(([, name]) => name!)
  expect(called).toEqual(['openPriceFeed', 'setScenario', 'expectFaultsFired'])
  expect(Object.keys(tasks)).toEqual(expect.arrayContaining(called))

  const opened = (await tasks.openPriceFeed({ seed: '42' })) as { baseUrl: string; historyUrl: string; apiKey: string }
  context.onTestFinished(() => (events['after:run'] as () => Promise<void>)())
  // Cypress passes what a task returns as JSON, and refuses undefined.
  expect(JSON.parse(JSON.stringify(opened))).toEqual(opened)
  const ask = async () => {
    const reply = await fetch(`${opened.baseUrl}/prices/BTCUSD/latest`, { headers: { authorization: opened.apiKey } })
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    return reply.headers.get('x-price-feed-mock')
  }
  expect(await ask()).toMatch(/n=1$/)
  expect(await tasks.setScenario('stale-btc')).toBeNull()
  await expect(tasks.expectFaultsFired()).rejects.toThrow('1 of 1 planned fault never fired')
  expect(await tasks.advance('1m')).toBeNull()
  expect(await ask()).toMatch(/n=2, faults=\("market\/stale"\)$/)
  expect(await tasks.expectFaultsFired()).toBeNull()
  // A second test of a spec opens a new session.
  const again = (await tasks.openPriceFeed({ scenario: 'calm' })) as typeof opened
  await expect(ask()).rejects.toThrow('fetch failed')
  Object.assign(opened, again)
  expect(await ask()).toMatch(/n=1$/)
  await (events['after:run'] as () => Promise<void>)()
  await expect(ask()).rejects.toThrow('fetch failed')
})
