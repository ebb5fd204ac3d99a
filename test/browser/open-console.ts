// Opens the console of a server of its own in a browser. An uncaught error, a violation of the policy or a pattern that is not read fails the test.
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { type RunningServer, type ServerOptions, startServer } from '../../src/hosts/node/server.js'
import { CHROMIUM, NO_CHROMIUM } from '../support/find-chromium.js'
import { launchFirefox, NO_FIREFOX } from '../support/firefox/launch-firefox.js'
import { needs } from '../support/needs.js'

/** The virtual time of these servers. */
export const AT = '2025-07-24T10:48:25Z'
/** Pixels of the prices right of the chart. */
export const SCALE = 92
const KEY = { authorization: 'test-api-key' }

/** A server, and its console in a page. */
export interface OpenConsole {
  readonly server: RunningServer
  readonly page: Page
  /** Opens a tab of the console by its name in the navigation. */
  tab(name: string): Promise<void>
  /** Sends a request as a consumer would. */
  consume(path: string, headers?: Record<string, string>): Promise<Response>
}

/** Options of a console. */
export interface ConsoleOptions {
  readonly server?: ServerOptions
  readonly context?: BrowserContextOptions
  /** The tab to start with. */
  readonly hash?: string
}

export type Open = (options?: ConsoleOptions) => Promise<OpenConsole>

/** Runs tests with a Chromium; without one they are skipped. */
export function describeConsole(title: string, body: (open: Open) => void): void {
  describe(title, needs(NO_CHROMIUM), () => runIn(() => chromium.launch(CHROMIUM), body))
}

/** Runs tests with a Firefox; without one they are skipped. */
export function describeConsoleInFirefox(title: string, body: (open: Open) => void): void {
  describe(title, needs(NO_FIREFOX), () => runIn(launchFirefox, body))
}

function runIn(launch: () => Promise<Browser>, body: (open: Open) => void): void {
  let browser: Browser | undefined
  const contexts: BrowserContext[] = []
  const servers: RunningServer[] = []
  const problems: string[] = []

  beforeAll(async () => (browser = await launch()))
  afterAll(() => browser?.close())
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
    for (const server of servers.splice(0)) await server.stop()
    expect(problems.splice(0)).toEqual([])
  })

  body(async ({ server: serverOptions, context: contextOptions, hash = 'axis' } = {}) => {
    const server = await startServer({ port: 0, clock: { at: AT }, ...serverOptions })
    servers.push(server)
    const context = await browser!.newContext({ viewport: { width: 1440, height: 900 }, ...contextOptions })
    contexts.push(context)
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    page.on('pageerror', error => problems.push(error.message))
    page.on('console', message => {
      if (/Content.Security.Policy|Refused to|not a valid regular expression/.test(message.text()))
        problems.push(message.text())
    })
    await page.goto(`${server.url}/_mock/#/${hash}`)
    return {
      server,
      page,
      tab: async name => {
        await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
      },
      consume: (path, headers = KEY) => fetch(server.url + path, { headers }),
    }
  })
}
