// The page of html.ts, served as a dev server would: from loopback, or Chromium would not let it ask an address on loopback.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { test as base, type PriceFeed } from '../../../src/testing/playwright.js'
import { HTML } from './html.js'

/** `test` of the kit with the address of the page; the report names the session of each test. */
export const test = base.extend<{ session: undefined }, { app: string }>({
  app: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(HTML))
      await once(server.listen(0, '127.0.0.1'), 'listening')
      await use(`http://localhost:${(server.address() as AddressInfo).port}`)
      server.close()
      server.closeAllConnections()
    },
    { scope: 'worker' },
  ],
  baseURL: ({ app }, use) => use(app),
  session: [
    async ({ priceFeed }, use, info) => {
      info.annotations.push({ type: 'session', description: priceFeed.baseUrl })
      await use(undefined)
    },
    { auto: true },
  ],
})

/** Opens the page, which asks the session, or the address that it is told to ask. */
export async function openApp(page: Page, { baseUrl, apiKey }: Pick<PriceFeed, 'baseUrl' | 'apiKey'>): Promise<void> {
  await page.goto(`/?base=${encodeURIComponent(baseUrl)}&key=${apiKey}`)
}

/** Milliseconds since the epoch by the clock of the page. */
export function pageTime(page: Page): Promise<number> {
  return page.evaluate('Date.now()')
}
