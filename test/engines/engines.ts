// The engines to choose from, and how to get each: from this machine, or from npm into a temporary folder.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright'
import { build, preview } from 'vite'
import type { Consumer } from '../support/consumer.js'
import { CHROMIUM, NO_CHROMIUM } from '../support/find-chromium.js'
import { launchWebKit, NO_WEBKIT } from '../support/launch-webkit.js'
import type { Answers } from './answer.js'
import type { Report } from './program.js'

/** The engine is not available: it is skipped, not failed. */
export class EngineUnavailable extends Error {}

/** An engine that runs the golden set. */
export interface Engine {
  /** As the table names it. */
  readonly title: string
  /**
   * Answers the golden set in a consumer.
   * @throws EngineUnavailable
   */
  run(consumer: Consumer): Promise<Report>
}

/** The Node that runs this. */
export const OWN: Engine = {
  title: `Node ${majorOf(process.versions.node)}`,
  run: async ({ folder }) => readReport(call(process.execPath, [PROGRAM], folder)),
}

/** Engines by the names that the command line takes. */
export const ENGINES: Readonly<Record<string, Engine>> = {
  node20: node('20'),
  node22: node('22'),
  node24: node('24'),
  node26: node('26'),
  bun: { title: 'bun', run: async consumer => runFromNpm(consumer, 'bun@1', ['bun']) },
  deno: { title: 'deno', run: async consumer => runFromNpm(consumer, 'deno@2', ['deno', 'run', '--allow-all']) },
  chromium: { title: 'Chromium', run: runInChromium },
  firefox: { title: 'Firefox', run: runInFirefox },
  webkit: { title: 'WebKit', run: runInWebKit },
  msw3: { title: 'Node 22, through msw 3', run: runThroughMsw3 },
}

/** Path of the compiled program in a consumer. */
const PROGRAM = 'engines/program.js'
/** Ends a hang; not a measure. */
const LIMIT_MS = 300_000
const FIREFOX = 'PRICE_FEED_MOCK_FIREFOX'

function node(version: string): Engine {
  if (version === majorOf(process.versions.node)) return OWN
  return { title: `Node ${version}`, run: async consumer => runFromNpm(consumer, `node@${version}`, ['node']) }
}

function majorOf(version: string): string {
  return version.split('.', 1)[0]!
}

/** Runs the program by a command of an npm package. */
function runFromNpm({ folder }: Consumer, name: string, [command, ...args]: readonly string[], host = 'fetch'): Report {
  // Its path in the cache of npx: asked once, since npm takes a second for each start.
  const asked = call(
    'npx',
    ['--yes', `--package=${name}`, '--', 'sh', '-c', `${command} --version && command -v ${command}`],
    folder,
  )
  const path = asked.stdout.trim().split('\n').at(-1)
  if (asked.status !== 0 || !path) throw new EngineUnavailable(`${name} cannot be installed: ${reasonOf(asked)}`)
  return readReport(call(path, [...args, PROGRAM, host], folder))
}

/** The same program in a consumer that has msw 3. */
async function runThroughMsw3(consumer: Consumer): Promise<Report> {
  return withInstalled('msw@3', async home => {
    consumer.link(['msw'], home)
    const { version } = createRequire(join(home, 'x.js'))('msw/package.json') as { version: string }
    const report =
      majorOf(process.versions.node) === '22'
        ? readReport(call(process.execPath, [PROGRAM, 'msw'], consumer.folder))
        : runFromNpm(consumer, 'node@22', ['node'], 'msw')
    return { ...report, version: `${report.version.replace(/ \(.*/, '')}, msw ${version}` }
  })
}

async function runInChromium(consumer: Consumer): Promise<Report> {
  if (NO_CHROMIUM !== undefined) throw new EngineUnavailable(NO_CHROMIUM)
  const browser = await chromium.launch(CHROMIUM)
  try {
    const page = await browser.newPage()
    return await withPage(consumer, async url => {
      await page.goto(url)
      return { version: `Chromium ${browser.version()} (V8)`, answers: await page.evaluate<Answers>('answers') }
    })
  } finally {
    await browser.close()
  }
}

/** The used part of puppeteer, which is installed for Firefox: the installed Playwright cannot drive it. */
interface Puppeteer {
  launch(options: { browser: 'firefox'; executablePath: string; headless: true }): Promise<{
    version(): Promise<string>
    newPage(): Promise<{ goto(url: string): Promise<unknown>; evaluate(code: string): Promise<unknown> }>
    close(): Promise<void>
  }>
}

async function runInFirefox(consumer: Consumer): Promise<Report> {
  const executablePath = findFirefox()
  return withInstalled('puppeteer-core@24', async home => {
    const module = createRequire(join(home, 'x.js')).resolve('puppeteer-core')
    const { default: puppeteer } = (await import(pathToFileURL(module).href)) as { default: Puppeteer }
    const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true })
    try {
      const page = await browser.newPage()
      return await withPage(consumer, async url => {
        await page.goto(url)
        const version = (await browser.version()).replace('/', ' ').replace(/^f/, 'F')
        return { version: `${version} (SpiderMonkey)`, answers: (await page.evaluate('answers')) as Answers }
      })
    } finally {
      await browser.close()
    }
  })
}

function findFirefox(environment: NodeJS.ProcessEnv = process.env): string {
  const folders = (environment.PATH ?? '').split(delimiter).filter(Boolean)
  const candidates = ['firefox-esr', 'firefox'].flatMap(name => folders.map(folder => join(folder, name)))
  const found = [environment[FIREFOX] ?? '', ...candidates].find(existsSync)
  if (found === undefined)
    throw new EngineUnavailable(`There is no Firefox here: install it, or name one in ${FIREFOX}.`)
  return found
}

async function runInWebKit(consumer: Consumer): Promise<Report> {
  if (NO_WEBKIT !== undefined) throw new EngineUnavailable(NO_WEBKIT)
  const browser = await launchWebKit()
  try {
    return await withPage(consumer, async url => {
      await browser.goto(url)
      return { version: `WebKitGTK ${browser.version} (JavaScriptCore)`, answers: await browser.evaluate('answers') }
    })
  } finally {
    await browser.close()
  }
}

/** Bundles the page as a consumer would, and serves it while it is used. */
async function withPage<T>({ folder }: Consumer, use: (url: string) => Promise<T>): Promise<T> {
  const root = join(folder, 'engines')
  writeFileSync(
    join(root, 'index.html'),
    '<!doctype html><title>x</title><script type="module" src="page.js"></script>',
  )
  const options = { root, configFile: false, logLevel: 'error' } as const
  await build({ ...options, build: { target: 'es2023', emptyOutDir: true } })
  const site = await preview({ ...options, preview: { host: '127.0.0.1', port: 0 } })
  try {
    return await use(`http://127.0.0.1:${(site.httpServer.address() as AddressInfo).port}/`)
  } finally {
    await site.close()
  }
}

/** Installs a package outside of this tree while it is used. */
async function withInstalled<T>(name: string, use: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'price-feed-engines-'))
  try {
    writeFileSync(join(home, 'package.json'), '{}')
    const installed = call('npm', ['install', '--no-audit', '--no-fund', name], home)
    if (installed.status !== 0) throw new EngineUnavailable(`${name} cannot be installed: ${reasonOf(installed)}`)
    return await use(home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function call(command: string, args: readonly string[], cwd: string): SpawnSyncReturns<string> {
  const env = { ...process.env, NO_COLOR: '1', npm_config_update_notifier: 'false' }
  return spawnSync(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 1e8, timeout: LIMIT_MS })
}

function readReport(called: SpawnSyncReturns<string>): Report {
  if (called.status !== 0) throw new Error(`The program failed: ${reasonOf(called)}`)
  return JSON.parse(called.stdout) as Report
}

/** The most useful line: the first error that was printed. */
function reasonOf({ error, stderr }: SpawnSyncReturns<string>): string {
  const lines = (stderr ?? '').split('\n').filter(line => /\S/.test(line) && !/\bwarn\b/i.test(line))
  return error?.message ?? lines.find(line => /error/i.test(line)) ?? lines.at(-1) ?? 'no output'
}
