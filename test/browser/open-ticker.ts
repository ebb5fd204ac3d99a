// The ticker in a Chromium, as tests meet it: what it shows, what it was not meant to say, and a picture of it.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, inject } from 'vitest'
import { CHROMIUM_FLAGS } from '../support/chromium-flags.js'

/** What a card can say. */
export type State = 'fresh' | 'stale' | 'refused' | 'gap' | 'forged' | 'failed' | 'unreachable'

/** A page with the ticker in it. */
export interface Ticker {
  readonly page: Page
  /** Waits until the card of a feed is so, and why, and by which fault; returns all its text in one line. */
  card(feed: string, state: State, says?: string, fault?: string): Promise<string>
  /** Waits until the chart shows candles, and returns how many it says there are. */
  candles(): Promise<string>
  /** Writes a picture into `.build/screenshots`, to look at. */
  picture(name: string): Promise<void>
}

/** The window that pictures are taken of. */
export const DESKTOP = { viewport: { width: 1280, height: 840 }, reducedMotion: 'reduce' } as const

/** How a page is opened. */
export interface Opening {
  /** Prepares the page before the ticker is loaded. */
  readonly prepare?: ((page: Page) => Promise<unknown>) | undefined
  readonly context?: BrowserContext | undefined
  readonly options?: BrowserContextOptions | undefined
}

export type OpenTicker = (query: Readonly<Record<string, string>>, opening?: Opening) => Promise<Ticker>

/** Runs tests with a Chromium; without one they are skipped. After each, no page may have had an error that nobody caught. */
export function describeTicker(title: string, body: (openTicker: OpenTicker) => void): void {
  describe.skipIf(inject('chromium') === '')(title, () => {
    let browser: Browser | undefined
    const contexts = new Set<BrowserContext>()
    const uncaught: string[] = []

    beforeAll(async () => {
      if (inject('tickerProblem') !== '') throw new Error(`The ticker was not built: ${inject('tickerProblem')}`)
      browser = await chromium.launch({ executablePath: inject('chromium'), args: [...CHROMIUM_FLAGS] })
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

/** Ends the routes of a page, once what they are just answering is answered: the ticker never stops asking. */
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
