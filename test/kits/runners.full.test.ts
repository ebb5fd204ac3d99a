// The recipes of docs/runners.md as written, each in a project with the packed package and the tools that npm installs.
import { beforeAll, expect, it } from 'vitest'
import { LIMIT_MS, openWorkshop, sectionOf, type Workshop } from './recipes.js'

let workshop: Workshop
beforeAll(async () => {
  workshop = await openWorkshop('runners')
})

const { files: jestTest } = sectionOf('Jest')

it.for([
  ['node:test', [], {}, { type: 'module' }, /# pass 1\n|pass 1\n/],
  ['Mocha', ['mocha@11'], {}, { type: 'module' }, /1 passing/],
  ['Jest with ESM', ['jest@30'], jestTest, { type: 'module' }, /Tests: +1 passed, 1 total/],
  ['Jest with Babel', ['jest@30', '@babel/preset-env@7'], jestTest, {}, /Tests: +1 passed, 1 total/],
  ['Jest around a server', ['jest@30'], {}, {}, /Tests: +1 passed, 1 total/],
] as const)(
  'default: %s runs as written',
  { timeout: LIMIT_MS },
  async ([heading, packages, more, manifest, passed], context) => {
    const { files, command } = sectionOf(heading)
    expect(Object.keys({ ...files, ...more })).not.toEqual([])
    const folder = await workshop.createProject(
      context,
      heading.replace(/\W+/g, '-'),
      packages,
      { ...files, ...more },
      manifest,
    )
    const { status, output } = await workshop.run(folder, command!, context.signal)
    expect(output).toMatch(passed)
    expect(status, output).toBe(0)
  },
)

it('default: Vue and Vite build below exec, with the addresses of the server', { timeout: LIMIT_MS }, async context => {
  const vite = sectionOf('Vite').files
  const config = vite['vite.config.js']!.replace('defineConfig({', 'defineConfig({ plugins: [vue()],')
  const folder = await workshop.createProject(context, 'vue', ['vite@8', 'vue@3', '@vitejs/plugin-vue@6'], {
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
  const { output: built } = await workshop.run(folder, 'cat dist/assets/*.js', context.signal)
  expect(built).toMatch(/PRICE_FEED_BASE_URL": "http:\/\/127\.0\.0\.1:\d+"|http:\/\/127\.0\.0\.1:\d+/)
})

it('default: Next builds and serves prices of the mock', { timeout: LIMIT_MS }, async context => {
  const folder = await workshop.createProject(context, 'next', ['next@16', 'react@19', 'react-dom@19'], {
    ...sectionOf('Next').files,
    'app/layout.jsx': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>',
    'ask.mjs': `import { spawn } from 'node:child_process'
const next = spawn('node', ['node_modules/next/dist/bin/next', 'start', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
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
