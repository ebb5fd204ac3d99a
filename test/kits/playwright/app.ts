// Serves the page of html.ts from loopback: from elsewhere Chromium blocks its requests to loopback.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { test as base, type PriceFeed } from '../../../src/testing/playwright.js'
import { HTML } from './html.js'

/** `test` of the kit, with the address of the page. The report names the session of each test. */
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

/** Opens the page for the session, or for another address. */
export async function openApp(page: Page, { baseUrl, apiKey }: Pick<PriceFeed, 'baseUrl' | 'apiKey'>): Promise<void> {
  await page.goto(`/?base=${encodeURIComponent(baseUrl)}&key=${apiKey}`)
}

/** Milliseconds since the epoch by the clock of the page. */
export function pageTime(page: Page): Promise<number> {
  return page.evaluate('Date.now()')
}
