// The page and the session share one time, however it is moved.
import { expect } from '@playwright/test'
import { openApp, pageTime, test } from './app.js'

const AT = '2025-07-24T10:48:25Z'
const NOW = Date.parse(AT)
/** A running page lags behind a running session by the time of both calls. */
const ROUND_TRIP = 5000

test.describe('frozen', () => {
  test.use({ priceFeedOptions: { clock: { at: AT, frozen: true } } })

  test('default: the page stays fresh, though the market is in another year', async ({ page, priceFeed }) => {
    await openApp(page, priceFeed)
    await priceFeed.waitForRequests(3, { endpoint: 'latest' })
    await expect(page.locator('#state')).toHaveText('fresh')
    await expect(page.locator('#now')).toHaveText('2025-07-24T10:48:25.000Z')
    expect(await pageTime(page)).toBe(NOW)
  })

  test('behavior: both are advanced, and timers fire at the new time', async ({ page, priceFeed }) => {
    await openApp(page, priceFeed)
    await expect(page.locator('#state')).toHaveText('fresh')
    await priceFeed.clock.advance('2m')
    await expect(page.locator('#minute')).toHaveText('a minute has passed at 2025-07-24T10:50:25.000Z')
    await expect(page.locator('#now')).toHaveText('2025-07-24T10:50:25.000Z')
    await expect(page.locator('#state')).toHaveText('fresh')
    expect([await pageTime(page), await priceFeed.clock.now()]).toEqual([NOW + 120_000, NOW + 120_000])
  })

  test('behavior: both go back, and the page keeps polling', async ({ page, priceFeed }) => {
    await openApp(page, priceFeed)
    await priceFeed.clock.set('2024-01-01T00:00:00Z')
    await expect(page.locator('#now')).toHaveText('2024-01-01T00:00:00.000Z')
    await expect(page.locator('#state')).toHaveText('fresh')
    await priceFeed.waitForRequests((await priceFeed.requests()).length + 2)
    await priceFeed.clock.advance(-3600)
    await expect(page.locator('#now')).toHaveText('2023-12-31T23:00:00.000Z')
    await expect(page.locator('#state')).toHaveText('fresh')
  })

  test('behavior: a reloaded page and another one have the same time', async ({ page, priceFeed }) => {
    await openApp(page, priceFeed)
    await priceFeed.clock.advance('1h')
    await page.reload()
    expect(await pageTime(page)).toBe(NOW + 3_600_000)
    const other = await page.context().newPage()
    await openApp(other, priceFeed)
    await expect(other.locator('#now')).toHaveText('2025-07-24T11:48:25.000Z')
    await expect(other.locator('#state')).toHaveText('fresh')
  })

  test('behavior: both start to run, and stop again', async ({ page, priceFeed: { clock, ...priceFeed } }) => {
    await openApp(page, priceFeed)
    await clock.run()
    await expect.poll(() => pageTime(page)).toBeGreaterThan(NOW + 1000)
    expect(Math.abs((await pageTime(page)) - (await clock.now()))).toBeLessThan(ROUND_TRIP)
    await clock.freeze()
    expect(await pageTime(page)).toBe(await clock.now())
    await expect(page.locator('#state')).toHaveText('fresh')
  })

  test('behavior: a scenario that sets the clock also moves the page', async ({ page, priceFeed }) => {
    await openApp(page, priceFeed)
    await priceFeed.setScenario({ clock: { at: '2025-08-01T00:00:00Z' }, faults: [] })
    await expect(page.locator('#now')).toHaveText('2025-08-01T00:00:00.000Z')
    await expect(page.locator('#state')).toHaveText('fresh')
  })
})

test.describe('running', () => {
  test.use({ priceFeedOptions: { clock: { at: AT } } })

  test('default: the page runs with the session', async ({ page, priceFeed }) => {
    await openApp(page, priceFeed)
    await priceFeed.waitForRequests(3, { endpoint: 'latest' })
    await expect(page.locator('#state')).toHaveText('fresh')
    expect(await pageTime(page)).toBeGreaterThan(NOW + 1000)
    expect(Math.abs((await pageTime(page)) - (await priceFeed.clock.now()))).toBeLessThan(ROUND_TRIP)
  })

  test('behavior: both are advanced and set back', async ({ page, priceFeed }) => {
    await openApp(page, priceFeed)
    await priceFeed.clock.advance('1h')
    await expect(page.locator('#minute')).toHaveText(/^a minute has passed at 2025-07-24T11:4/)
    await expect(page.locator('#state')).toHaveText('fresh')
    await priceFeed.clock.set('2024-01-01T00:00:00Z')
    await expect(page.locator('#now')).toHaveText(/^2024-01-01T00:00/)
    await priceFeed.waitForRequests((await priceFeed.requests()).length + 2)
    await expect(page.locator('#state')).toHaveText('fresh')
    expect(Math.abs((await pageTime(page)) - (await priceFeed.clock.now()))).toBeLessThan(ROUND_TRIP)
  })

  test('error: a speed that pages do not support', async ({ priceFeed: { clock } }) => {
    await expect(clock.run(60)).rejects.toThrow(
      [
        'Pages cannot run at the speed of this session.',
        '  at    clock.speed',
        '  got   60',
        '  want  1, or a frozen clock that the test advances',
        '  code  OPTIONS_INVALID',
      ].join('\n'),
    )
    expect((await clock.now()) - NOW).toBeLessThan(60_000)
  })
})
