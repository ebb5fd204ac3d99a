// A session for each test: scenarios, requests and faults as in the Vitest kit, seen by a page.
import { createAdminClient } from '../../../src/client/index.js'
import { expect, type PriceFeed } from '../../../src/testing/playwright.js'
import { openApp, test } from './app.js'

const AT = '2025-07-24T10:48:25Z'
test.use({ priceFeedOptions: { seed: '42', clock: { at: AT, frozen: true } } })

test('default: a scenario is applied while the page is open, and its faults take effect', async ({
  page,
  priceFeed,
}) => {
  await openApp(page, priceFeed)
  await expect(page.locator('#state')).toHaveText('fresh')
  await priceFeed.setScenario('stale-btc')
  await expect(page.locator('#state')).toHaveText('stale')
  await priceFeed.expectFaultsFired()
  await priceFeed.setScenario('calm')
  await expect(page.locator('#state')).toHaveText('fresh')
})

test('behavior: a page that loses its connection shows it', async ({ page, priceFeed }) => {
  await openApp(page, priceFeed)
  await priceFeed.setScenario({ faults: [{ fault: 'wire/reset', endpoints: ['latest'] }] })
  await expect(page.locator('#state')).toHaveText('failed')
  await priceFeed.expectFaultsFired()
})

test('error: a fault that never applied', async ({ page, priceFeed }) => {
  await openApp(page, priceFeed)
  await priceFeed.setScenario({ faults: [{ fault: 'reply/status', endpoints: ['batch'], options: { status: 503 } }] })
  await priceFeed.waitForRequests(2)
  await expect(priceFeed.expectFaultsFired()).rejects.toThrow(
    '1 of 1 planned fault never fired.\n  fault  reply/status  batch: 0 hits   no endpoint that it acts on was asked',
  )
})

for (const price of [50_000, 60_000, 70_000, 80_000])
  test(`behavior: a page at ${price} sees no other session`, async ({ page, priceFeed }) => {
    await priceFeed.setPrices({ BTCUSD: price })
    await openApp(page, priceFeed)
    await priceFeed.waitForRequests(3)
    await expect(page.locator('#prices')).toHaveText(String(price))
  })

test('behavior: a page with a fixed address is routed to the session', async ({ page, priceFeed }) => {
  await page.route('https://api.example/**', async route => {
    const { pathname, search } = new URL(route.request().url())
    const response = await route.fetch({ url: priceFeed.baseUrl + pathname + search }).catch(() => undefined)
    await (response === undefined ? route.abort() : route.fulfill({ response }))
  })
  await openApp(page, { baseUrl: 'https://api.example', apiKey: 'test-api-key' })
  await expect(page.locator('#state')).toHaveText('fresh')
  await priceFeed.setScenario({ faults: [{ fault: 'wire/reset' }] })
  await expect(page.locator('#state')).toHaveText('failed')
  await priceFeed.expectFaultsFired()
  // A polling page sends requests until it is closed.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test.describe('afterwards', () => {
  test.describe.configure({ mode: 'serial' })
  let ended: PriceFeed

  test('behavior: a test fails', async ({ priceFeed }) => {
    test.fail()
    ended = priceFeed
    expect(await priceFeed.requests()).toHaveLength(1)
  })

  test('behavior: its session is gone as well', async () => {
    const admin = createAdminClient({ url: new URL(ended.baseUrl).origin })
    await expect(admin.getSession({ id: ended.id })).rejects.toThrow('SESSION_UNKNOWN')
  })
})

test.describe('with a series', () => {
  const rows = 'ts,price\n1753354080,100.5\n'
  test.use({ priceFeedOptions: { series: [{ as: 'BTCUSD', rows }], clock: { frozen: true } } })

  test('behavior: the clock starts at its first row, and the price grows old after the last one', async ({
    page,
    priceFeed,
  }) => {
    await openApp(page, priceFeed)
    await expect(page.locator('#state')).toHaveText('fresh')
    await priceFeed.clock.advance('10m')
    await expect(page.locator('#state')).toHaveText('stale')
  })
})
