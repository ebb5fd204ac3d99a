// A page that knows only its own URL and key, whose requests are routed to the session of the test, in a real browser.
import type { Page } from '@playwright/test'
import { expect } from '../../../src/testing/playwright.js'
import { test } from './app.js'

const API = 'https://api.example'
const ORIGINS = [
  ['another origin', 'https://app.example'],
  ['the same origin', API],
] as const

test.use({ priceFeedOptions: { clock: { at: '2025-07-24T10:48:25Z', frozen: true }, prices: { BTCUSD: 50_000 } } })
/** Opens a page without content. */
async function open(page: Page, origin: string): Promise<void> {
  await page.route(`${origin}/page`, route => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await page.goto(`${origin}/page`)
}

/** Asks for a price in the page. */
const ask = (page: Page): Promise<string> =>
  page.evaluate<string>(`fetch('${API}/prices/BTCUSD/latest', { headers: { authorization: 'live-key' } })
    .then(reply => reply.text(), error => String(error))`)

for (const [name, origin] of ORIGINS)
  test(`default: a page of ${name} gets the price of the session`, async ({ page, priceFeed }) => {
    await priceFeed.route(page, { baseUrl: API })
    await open(page, origin)
    expect(await ask(page)).toContain('"price":5000000000000')
    expect(await priceFeed.requests({ endpoint: 'latest' })).toHaveLength(1)
    const preflights = await priceFeed.requests({ method: 'OPTIONS' })
    expect(preflights).toHaveLength(origin === API ? 0 : 1)
  })

for (const fault of ['reply/no-cors', 'wire/reset'] as const)
  test(`behavior: ${fault} fails the call of a page of another origin`, async ({ page, priceFeed }) => {
    await priceFeed.route(page, { baseUrl: API })
    await open(page, 'https://app.example')
    await priceFeed.setScenario({ faults: [{ fault }] })
    expect(await ask(page)).toBe('TypeError: Failed to fetch')
    await priceFeed.expectFaultsFired()
  })

test('error: a reply in pieces cannot be shown', async ({ page, priceFeed }) => {
  await priceFeed.route(page, { baseUrl: API })
  await open(page, 'https://app.example')
  await priceFeed.setScenario({ faults: [{ fault: 'wire/dribble', options: { pieces: 2, everyMs: 1 } }] })
  expect(await ask(page)).toContain('"price":5000000000000')
  await expect(priceFeed.expectFaultsFired()).rejects.toThrow('not shown: page.route sends a body at once')
})
