// The recipes of docs/runners.md as written, each in a project with the packed package and the tools that npm installs.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, inject, it, type TestContext } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const HOME = join(ROOT, '.build', 'runners')
const page = readFileSync(join(ROOT, 'docs', 'runners.md'), 'utf8')

interface Section {
  /** Files by the path in their first line. */
  readonly files: Readonly<Record<string, string>>
  /** The command. */
  readonly command: string | undefined
}

/** The code below a heading. */
function sectionOf(heading: string): Section {
  const [, text = ''] = page.split(new RegExp(`^#+ ${heading}\n`, 'm'))
  const [own = ''] = text.split(/^#/m)
  const files = [...own.matchAll(/```\w+\n(?:\/\/|<!--) (\S+)(?: -->)?\n([\s\S]*?)```/g)]
  const [, command] = /```sh\n(.*)\n```/.exec(own) ?? []
  return { files: Object.fromEntries(files.map(([, file, code]) => [file!, code!])), command }
}

/** Variables that change a runner inside another one. */
const OUTER = /^(VITEST|TEST|MODE|NODE_ENV|NODE_OPTIONS|JEST|PW_|CI$|npm_)/

/** Runs a shell command. */
async function run(folder: string, command: string, signal: AbortSignal): Promise<{ status: number; output: string }> {
  const inherited = Object.entries(process.env).filter(([key]) => !OUTER.test(key))
  const env = { ...Object.fromEntries(inherited), NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1' }
  const done = promisify(execFile)('/bin/sh', ['-c', command], { cwd: folder, env, signal, maxBuffer: 1e8 })
  return done.then(
    ({ stdout, stderr }) => ({ status: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ status: Number(code), output: `${stdout}${stderr}` }),
  )
}

let tarball: string
beforeAll(async () => {
  expect(inject('buildProblem')).toBe('')
  rmSync(HOME, { recursive: true, force: true })
  mkdirSync(HOME, { recursive: true })
  const { output } = await run(
    ROOT,
    `npm pack --silent --ignore-scripts --pack-destination '${HOME}'`,
    AbortSignal.timeout(60_000),
  )
  tarball = join(HOME, output.trim().split('\n').at(-1)!)
  expect(existsSync(tarball), output).toBe(true)
})

/** Creates a project with files and installs packages. Skips the test where there is no registry. */
async function createProject(
  context: TestContext,
  name: string,
  packages: readonly string[],
  files: Readonly<Record<string, string>>,
  manifest: object = { type: 'module' },
): Promise<string> {
  const folder = join(HOME, name)
  for (const [file, text] of Object.entries({
    'package.json': JSON.stringify({ private: true, ...manifest }),
    ...files,
  })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const names = [tarball, ...packages].join(' ')
  const installed = await run(folder, `npm install --save-dev --no-audit --no-fund ${names}`, context.signal)
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(installed.output))
    context.skip('the registry cannot be reached')
  expect(installed.status, installed.output).toBe(0)
  return folder
}

const LIMIT_MS = 400_000
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
    const folder = await createProject(context, heading.replace(/\W+/g, '-'), packages, { ...files, ...more }, manifest)
    const { status, output } = await run(folder, command!, context.signal)
    expect(output).toMatch(passed)
    expect(status, output).toBe(0)
  },
)

it('default: Vue and Vite build below exec, with the addresses of the server', { timeout: LIMIT_MS }, async context => {
  const vite = sectionOf('Vite').files
  const config = vite['vite.config.js']!.replace('defineConfig({', 'defineConfig({ plugins: [vue()],')
  const folder = await createProject(context, 'vue', ['vite@8', 'vue@3', '@vitejs/plugin-vue@6'], {
    ...sectionOf('Vue').files,
    'vite.config.js': `import vue from '@vitejs/plugin-vue'\n${config}`,
    'index.html': '<div id="app"></div><script type="module" src="/src/main.js"></script>',
    'src/main.js': "import { createApp } from 'vue'\nimport Price from './Price.vue'\ncreateApp(Price).mount('#app')\n",
  })
  const { status, output } = await run(
    folder,
    'npx price-feed-mock exec -- npx vite build --minify=false',
    context.signal,
  )
  expect(status, output).toBe(0)
  const { output: built } = await run(folder, 'cat dist/assets/*.js', context.signal)
  expect(built).toMatch(/PRICE_FEED_BASE_URL": "http:\/\/127\.0\.0\.1:\d+"|http:\/\/127\.0\.0\.1:\d+/)
})

it('default: Next builds and serves prices of the mock', { timeout: LIMIT_MS }, async context => {
  const folder = await createProject(context, 'next', ['next@16', 'react@19', 'react-dom@19'], {
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
  const built = await run(folder, 'npx next build', context.signal)
  expect(built.status, built.output).toBe(0)
  const { output } = await run(
    folder,
    'npx price-feed-mock exec --at 2025-07-24T10:48:25Z --frozen -- node ask.mjs',
    context.signal,
  )
  expect(output).toMatch(/route \{"feedId":"BTCUSD","price":11138375000000/)
  expect(output).toMatch(/page [\s\S]*111383\.75/)
})
