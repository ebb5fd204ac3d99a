// The recipes of docs/runners.md as written, each in a project with the packed package and the tools that npm installs.
import { beforeAll, expect, it, type TestContext } from 'vitest'
import { LIMIT_MS, openWorkshop, readBuilt, sectionOf, type Workshop } from './recipes.js'

let workshop: Workshop
beforeAll(async () => {
  const frameworks = ['vite@8', 'vue@3', '@vitejs/plugin-vue@6', 'next@16', 'react@19', 'react-dom@19']
  workshop = await openWorkshop('runners', [
    'mocha@11',
    'sinon@22',
    'jest@30',
    '@babel/preset-env@7',
    'msw@2',
    ...frameworks,
  ])
}, LIMIT_MS)

/** Runs the command of a recipe in a project with its files. */
async function runAsWritten(
  context: TestContext,
  { heading, project, more = {}, manifest, passed }: Recipe,
): Promise<void> {
  const { files, command } = sectionOf(heading)
  expect(Object.keys({ ...files, ...more })).not.toEqual([])
  const folder = await workshop.createProject(context, project, { ...files, ...more }, manifest)
  const { status, output } = await workshop.run(folder, command!, context.signal)
  expect(output).toMatch(passed)
  expect(status, output).toBe(0)
}

interface Recipe {
  readonly heading: string
  readonly project: string
  /** Files beside those of the recipe. */
  readonly more?: Readonly<Record<string, string>>
  readonly manifest: object
  readonly passed: RegExp
}

const MODULE = { type: 'module' }
/** The limits of the runners are there for a machine that does nothing else. */
const PATIENCE_MS = 60_000
const MOCHARC = { '.mocharc.json': JSON.stringify({ timeout: PATIENCE_MS }) }

// Beside each other: they mostly wait for their programs.
it.concurrent.for<Recipe>([
  { heading: 'node:test', project: 'node-test', manifest: MODULE, passed: /# pass 1\n|pass 1\n/ },
  { heading: 'Mocha', project: 'mocha', more: MOCHARC, manifest: MODULE, passed: /1 passing/ },
  { heading: 'Mocha with sinon', project: 'mocha-sinon', more: MOCHARC, manifest: MODULE, passed: /1 passing/ },
  {
    heading: 'node:test with mock timers',
    project: 'node-test-timers',
    manifest: MODULE,
    passed: /# pass 1\n|pass 1\n/,
  },
])('default: $heading runs as written', { timeout: LIMIT_MS }, (recipe, context) => runAsWritten(context, recipe))

const SINON = `import assert from 'node:assert/strict'
import { createMock } from 'price-feed-mock'
import { startServer } from 'price-feed-mock/node'
import { openPriceFeed } from 'price-feed-mock/testing'
import sinon from 'sinon'

const { now } = Date
const isNear = ms => assert.ok(Math.abs(ms - now()) < 60_000, String(ms))
const isPresent = async priceFeed => {
  assert.equal(Date.now(), 1000)
  isNear(await priceFeed.clock.now())
  isNear((await priceFeed.client.latest({ feedId: 'BTCUSD' })).ts * 1000)
}
afterEach(() => sinon.restore())

for (const [name, options] of [['Date', { toFake: ['Date'] }], ['all timers', {}]])
  it(name + ' in process', async () => {
    sinon.useFakeTimers({ now: 1000, ...options })
    const priceFeed = await openPriceFeed()
    await isPresent(priceFeed)
    await priceFeed.setScenario({ faults: [{ fault: 'reply/latency', options: { ms: 20 } }] })
    await isPresent(priceFeed)
    await priceFeed.close()
    isNear(createMock().clock.now())
  })

it('Date on servers', async () => {
  sinon.useFakeTimers({ now: 1000, toFake: ['Date'] })
  const priceFeed = await openPriceFeed({ server: true })
  await isPresent(priceFeed)
  await priceFeed.close()
})

it('all timers on servers: an error, before and after the start', async () => {
  const priceFeed = await openPriceFeed({ server: true })
  sinon.useFakeTimers()
  const expected = { code: 'TIMERS_FAKED', message: /sinon\\.useFakeTimers\\(\\{ toFake: / }
  await assert.rejects(priceFeed.client.latest({ feedId: 'BTCUSD' }), expected)
  await assert.rejects(startServer({ port: 0 }), expected)
  // Its sockets are closed: this process ends by itself.
  await assert.rejects(priceFeed.close(), expected)
})
`

const JEST_TIMERS = `import { jest } from '@jest/globals'
import { openPriceFeed } from 'price-feed-mock/testing'

const { now } = Date
const ALL = ['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout']
test.each([['Date', ALL], ['all timers', []]])('%s', async (_, doNotFake) => {
  jest.useFakeTimers({ now: 1000, doNotFake })
  for (const options of [{}, { server: true }]) {
    const priceFeed = await openPriceFeed(options)
    expect(Date.now()).toBe(1000)
    expect(Math.abs((await priceFeed.clock.now()) - now())).toBeLessThan(60_000)
    expect((await priceFeed.client.latest({ feedId: 'BTCUSD' })).ts).toBeGreaterThan(now() / 1000 - 60)
    await priceFeed.close()
  }
  jest.useRealTimers()
})
`

const JEST_GLOBAL = `import { openPriceFeed } from 'price-feed-mock/testing'

test('timers that are fake from the start', async () => {
  const priceFeed = await openPriceFeed({ server: true })
  expect(Math.abs((await priceFeed.clock.now()) - Number(process.env.NOW_S) * 1000)).toBeLessThan(600_000)
  await expect(priceFeed.waitForRequests(1, { timeoutMs: 30 })).rejects.toThrow('REQUESTS_NOT_SEEN')
  await priceFeed.close()
})
`

it.concurrent('behavior: fake timers of sinon and Jest neither move nor stop the mock', {
  timeout: LIMIT_MS,
}, async context => {
  const folder = await workshop.createProject(context, 'fake-timers', {
    'sinon.spec.js': SINON,
    'some/all.test.js': JEST_TIMERS,
    'global/global.test.js': JEST_GLOBAL,
    ...MOCHARC,
    'jest.config.js': `export default { transform: {}, testTimeout: ${PATIENCE_MS} }`,
    'global.config.js': `export default { transform: {}, testTimeout: ${PATIENCE_MS}, fakeTimers: { enableGlobally: true, now: 1000 } }`,
  })
  const ran = async (command: string) => (await workshop.run(folder, command, context.signal)).output
  expect(await ran('npx mocha sinon.spec.js; echo status $?')).toMatch(/4 passing[\s\S]*status 0/)
  const jest = 'NOW_S=$(date +%s) NODE_OPTIONS=--experimental-vm-modules npx jest'
  expect(await ran(`${jest} some`)).toMatch(/Tests: +2 passed, 2 total/)
  expect(await ran(`${jest} -c global.config.js global`)).toMatch(/Tests: +1 passed, 1 total/)
})

const JEST_MSW = `import { setupServer } from 'msw/node'
import { openPriceFeed } from 'price-feed-mock/testing'

test('an address of the app', async () => {
  const priceFeed = await openPriceFeed()
  const server = setupServer(...priceFeed.handlers({ baseUrl: 'https://api.example' }))
  server.listen({ onUnhandledRequest: 'error' })
  const reply = await fetch('https://api.example/prices/BTCUSD/latest', { headers: { authorization: 'live-key' } })
  expect(reply.status).toBe(200)
  server.close()
  await priceFeed.close()
})
`

it.concurrent('behavior: Jest with ESM, which cannot require msw, gets handlers of it', {
  timeout: LIMIT_MS,
}, async context => {
  const folder = await workshop.createProject(context, 'jest-msw', {
    'handlers.test.js': JEST_MSW,
    'jest.config.js': 'export default { transform: {} }',
  })
  const { output } = await workshop.run(folder, 'NODE_OPTIONS=--experimental-vm-modules npx jest', context.signal)
  expect(output).toMatch(/Tests: +1 passed, 1 total/)
})

it.concurrent('default: Vue and Vite build below exec, with the addresses of the server', {
  timeout: LIMIT_MS,
}, async context => {
  const vite = sectionOf('Vite').files
  const config = vite['vite.config.js']!.replace('defineConfig({', 'defineConfig({ plugins: [vue()],')
  const folder = await workshop.createProject(context, 'vue', {
    ...sectionOf('Vue').files,
    'vite.config.js': `import vue from '@vitejs/plugin-vue'\n${config}`,
    'index.html': '<div id="app"></div><script type="module" src="/src/main.js"></script>',
    'src/main.js': "import { createApp } from 'vue'\nimport Price from './Price.vue'\ncreateApp(Price).mount('#app')\n",
  })
  const { status, output } = await workshop.run(
    folder,
    'npx price-feed-mock exec -- npx vite build --minify=false',
    context.signal,
  )
  expect(status, output).toBe(0)
  expect(readBuilt(folder)).toMatch(/PRICE_FEED_BASE_URL": "http:\/\/127\.0\.0\.1:\d+"|http:\/\/127\.0\.0\.1:\d+/)
})

it.concurrent('default: Next builds and serves prices of the mock', { timeout: LIMIT_MS }, async context => {
  const folder = await workshop.createProject(context, 'next', {
    ...sectionOf('Next').files,
    'app/layout.jsx': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>',
    'ask.mjs': `import { spawn } from 'node:child_process'
const next = spawn('node', ['../node_modules/next/dist/bin/next', 'start', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
let output = ''
next.stdout.on('data', async piece => {
  output += piece
  const url = /http:\\/\\/localhost:\\d+/.exec(output)?.[0]
  if (url === undefined || !output.includes('Ready')) return
  output = ''
  next.stdout.removeAllListeners('data')
  console.log('route', await (await fetch(url + '/api/price')).text())
  console.log('page', await (await fetch(url)).text())
  next.kill()
})
`,
  })
  const built = await workshop.run(folder, 'npx next build', context.signal)
  expect(built.status, built.output).toBe(0)
  const { output } = await workshop.run(
    folder,
    'npx price-feed-mock exec --at 2025-07-24T10:48:25Z --frozen -- node ask.mjs',
    context.signal,
  )
  expect(output).toMatch(/route \{"feedId":"BTCUSD","price":11394322000000/)
  expect(output).toMatch(/page [\s\S]*113943\.22/)
})

const { files: jestTest } = sectionOf('Jest')
const JEST = { project: 'jest', passed: /Tests: +1 passed, 1 total/ }

// One after the other, in one project.
it.for<Recipe>([
  { ...JEST, heading: 'Jest with ESM', more: jestTest, manifest: MODULE },
  { ...JEST, heading: 'Jest with Babel', more: jestTest, manifest: {} },
  { ...JEST, heading: 'Jest around a server', manifest: {} },
  { ...JEST, heading: 'Jest with fake timers', manifest: MODULE },
])('default: $heading runs as written', { timeout: LIMIT_MS }, (recipe, context) => runAsWritten(context, recipe))
