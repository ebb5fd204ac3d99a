// The worker host: a mock in a page of a real Chromium, called by the `fetch` of that page.
import type { Browser, Page } from 'playwright'
import { inject } from 'vitest'
import type { MockOptions } from '../../src/index.js'
import { type Asked, type Experience, fallible, type RunningHost } from '../support/hosts/host.js'
import { waited } from '../support/hosts/waited.js'
import type { MockPage } from './page.js'

/** One page for all hosts that a test file has at a time. */
const shared: { opened: Promise<Opened> | undefined; running: number } = { opened: undefined, running: 0 }
let started = 0
let asked = 0

interface Opened {
  readonly browser: Browser
  readonly page: Page
  /** Uncaught errors of the page. */
  readonly uncaught: string[]
}

export async function startWorkerHost(options: MockOptions): Promise<RunningHost> {
  shared.running++
  shared.opened ??= open()
  const { browser, page, uncaught } = await shared.opened
  const baseUrl = `https://mock-${++started}.example`
  await page.evaluate(([baseUrl, options]) => mockPage.start(baseUrl, options), [baseUrl, options] as const)
  return {
    ...fallible((path, init) => ask(page, `${baseUrl}${path}`, init)),
    async stop() {
      if (--shared.running > 0) return
      shared.opened = undefined
      await browser.close()
      if (uncaught.length > 0) throw new Error(`Uncaught in the page: ${uncaught.join('; ')}`)
    },
  }
}

/** In the page, where `evaluate` runs its function. */
declare const mockPage: MockPage

async function open(): Promise<Opened> {
  const { chromium } = await import('playwright')
  const { url, browser: address } = inject('workerHost')
  const browser = await chromium.connect(address)
  const page = await browser.newPage()
  const uncaught: string[] = []
  page.on('pageerror', error => uncaught.push(String(error)))
  await page.goto(url)
  return { browser, page, uncaught }
}

async function ask(page: Page, url: string, { signal, ...init }: Asked = {}): Promise<Experience> {
  const caller = ++asked
  const giveUp = () => page.evaluate(caller => mockPage.giveUp(caller), caller)
  signal?.addEventListener('abort', giveUp)
  const { seen, waits } = await page.evaluate(([url, init, caller]) => mockPage.ask(url, init, caller), [
    url,
    init,
    caller,
  ] as const)
  signal?.removeEventListener('abort', giveUp)
  waited.push(...waits)
  return seen
}
