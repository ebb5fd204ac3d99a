// Opens the ticker in Chromium for tests: its texts, its uncaught errors, and screenshots.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, inject } from 'vitest'
import { CHROMIUM, NO_CHROMIUM } from '../support/find-chromium.js'
import { needs } from '../support/needs.js'

/** The states of a card. */
export type State = 'fresh' | 'stale' | 'refused' | 'gap' | 'forged' | 'failed' | 'unreachable'

/** A page with the ticker in it. */
export interface Ticker {
  readonly page: Page
  /** Waits until the card of a feed has a state, a reason and a fault; returns its text in one line. */
  card(feed: string, state: State, says?: string, fault?: string): Promise<string>
  /** Waits until the chart shows candles, and returns its count of them. */
  candles(): Promise<string>
  /** Writes a screenshot into `.build/screenshots`. */
  picture(name: string): Promise<void>
}

/** The window of the screenshots. */
export const DESKTOP = { viewport: { width: 1280, height: 840 }, reducedMotion: 'reduce' } as const

/** Options of a page. */
export interface Opening {
  /** Prepares the page before the ticker is loaded. */
  readonly prepare?: ((page: Page) => Promise<unknown>) | undefined
  readonly context?: BrowserContext | undefined
  readonly options?: BrowserContextOptions | undefined
}

export type OpenTicker = (query: Readonly<Record<string, string>>, opening?: Opening) => Promise<Ticker>

/** Runs tests with a Chromium; without one they are skipped. An uncaught error in a page fails the test. */
export function describeTicker(title: string, body: (openTicker: OpenTicker) => void): void {
  describe(title, needs(NO_CHROMIUM), () => {
    let browser: Browser | undefined
    const contexts = new Set<BrowserContext>()
    const uncaught: string[] = []

    beforeAll(async () => {
      if (inject('tickerProblem') !== '') throw new Error(`The ticker was not built: ${inject('tickerProblem')}`)
      browser = await chromium.launch(CHROMIUM)
    })
    afterAll(() => browser?.close())
    afterEach(async () => {
      await Promise.all([...contexts].map(closeContext))
      contexts.clear()
      expect(uncaught.splice(0)).toEqual([])
    })

    body(async (query, { prepare, context: given, options = DESKTOP } = {}) => {
      const context = given ?? (await browser!.newContext(options))
      contexts.add(context)
      const page = await context.newPage()
      page.on('pageerror', error => uncaught.push(error.message))
      await prepare?.(page)
      await page.goto(`${inject('ticker')}/?${new URLSearchParams({ every: '250', ...query })}`)
      return createTicker(page)
    })
  })
}

/** Ends the routes of a page after their current answers: the ticker never stops polling. */
export async function endRoutes(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'wait' })
}

async function closeContext(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map(endRoutes))
  await context.close()
}

function createTicker(page: Page): Ticker {
  return {
    page,
    async card(feed, state, says = '', fault = '') {
      const card = page.locator(`[data-feed="${feed}"]`)
      await page
        .locator(`[data-feed="${feed}"][data-state="${state}"]`)
        .filter({ has: page.locator('.detail', { hasText: says }) })
        .filter({ has: page.locator('.faults', { hasText: fault }) })
        .waitFor()
      return (await card.innerText()).replace(/\s+/g, ' ')
    },
    async candles() {
      await page.locator('#candles[data-state="shown"]').waitFor()
      return page.locator('#candles .count').innerText()
    },
    async picture(name) {
      const folder = fileURLToPath(new URL('../../.build/screenshots/', import.meta.url))
      mkdirSync(folder, { recursive: true })
      await page.screenshot({ path: `${folder}${name}.png` })
    },
  }
}
