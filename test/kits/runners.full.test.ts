// The recipes of docs/runners.md as written, each in a project with the packed package and the tools that npm installs.
import { beforeAll, expect, it, type TestContext } from 'vitest'
import { LIMIT_MS, openWorkshop, readBuilt, sectionOf, type Workshop } from './recipes.js'

let workshop: Workshop
beforeAll(async () => {
  const frameworks = ['vite@8', 'vue@3', '@vitejs/plugin-vue@6', 'next@16', 'react@19', 'react-dom@19']
  workshop = await openWorkshop('runners', ['mocha@11', 'jest@30', '@babel/preset-env@7', ...frameworks])
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

// Beside each other: they mostly wait for their programs.
it.concurrent.for<Recipe>([
  { heading: 'node:test', project: 'node-test', manifest: MODULE, passed: /# pass 1\n|pass 1\n/ },
  { heading: 'Mocha', project: 'mocha', manifest: MODULE, passed: /1 passing/ },
])('default: $heading runs as written', { timeout: LIMIT_MS }, (recipe, context) => runAsWritten(context, recipe))

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
  expect(output).toMatch(/route \{"feedId":"BTCUSD","price":11008588000000/)
  expect(output).toMatch(/page [\s\S]*110085\.88/)
})

const { files: jestTest } = sectionOf('Jest')
const JEST = { project: 'jest', passed: /Tests: +1 passed, 1 total/ }

// One after the other, in one project.
it.for<Recipe>([
  { ...JEST, heading: 'Jest with ESM', more: jestTest, manifest: MODULE },
  { ...JEST, heading: 'Jest with Babel', more: jestTest, manifest: {} },
  { ...JEST, heading: 'Jest around a server', manifest: {} },
])('default: $heading runs as written', { timeout: LIMIT_MS }, (recipe, context) => runAsWritten(context, recipe))
