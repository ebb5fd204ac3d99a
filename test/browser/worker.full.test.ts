// The ticker with the service worker and no server: long-lived, reloaded, hidden, and open twice.
import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { meetEveryFailure, type SetScenario } from './failures.js'
import { DESKTOP, describeTicker, type Opening, type Ticker } from './open-ticker.js'

const AT = '2025-07-24T10:48:25Z'
const ONE = { worker: '1', at: AT, feeds: 'BTCUSD' }

describeTicker('the ticker and a service worker', openTicker => {
  it('default: every price is fresh, and nothing went to the network', async () => {
    const outside: string[] = []
    const prepare: Opening['prepare'] = async page => {
      page.on('response', response => {
        if (response.url().includes('.example/') && !response.fromServiceWorker()) outside.push(response.url())
      })
    }
    const { card, candles, page, picture } = await openTicker({ worker: '1', at: AT, frozen: '1' }, { prepare })
    for (const feed of ['BTCUSD', 'ETHUSD', 'SOLUSD', 'DOGEUSD', 'EURUSD', 'XAUUSD'])
      expect(await card(feed, 'fresh')).toMatch(/\d+ s old · signed by test key 0$/)
    expect(await card('BTCUSD', 'fresh')).toContain('113,943.22')
    expect(await candles()).toBe('113,943.22 · 300 candles')
    expect(await page.locator('#mode').innerText()).toBe('service worker')
    expect(await page.locator('#clock').innerText()).toBe('2025-07-24 10:48:25 UTC, clock of the mock')
    expect(outside).toEqual([])
    await picture('worker-fresh')
  })

  it('behavior: a reload keeps working, also one that bypasses the worker', async () => {
    const ticker = await openTicker(ONE)
    await ticker.card('BTCUSD', 'fresh')
    await ticker.page.reload()
    await ticker.card('BTCUSD', 'fresh')
    const devtools = await ticker.page.context().newCDPSession(ticker.page)
    await devtools.send('Page.reload', { ignoreCache: true })
    await ticker.page.waitForEvent('load')
    await ticker.card('BTCUSD', 'fresh')
    await ticker.candles()
  })

  it('behavior: two tabs have separate mocks, and one may be closed', async () => {
    const first = await openTicker({ ...ONE, seed: '1' })
    await first.card('BTCUSD', 'fresh')
    const second = await openTicker({ ...ONE, seed: '2' }, { context: first.page.context() })
    await second.card('BTCUSD', 'fresh')
    const price = (ticker: Ticker) => ticker.page.locator('[data-feed="BTCUSD"] .price').innerText()
    expect(await price(first)).not.toBe(await price(second))
    await second.page.close()
    await keepsAnswering(first.page)
    await first.card('BTCUSD', 'fresh')
  })

  it('behavior: failures while the page runs are shown, and so is their end', async () => {
    const ticker = await openTicker({ ...ONE, feeds: 'BTCUSD,ETHUSD' })
    await meetEveryFailure(ticker, setScenario(ticker))
  })

  it('behavior: a scenario is selected by name, in the address or in the page', async () => {
    const { card, page } = await openTicker({ ...ONE, scenario: 'stale-btc' })
    const select = page.locator('#scenario select')
    await card('BTCUSD', 'stale', '5 min', 'market/stale')
    // The list may arrive after the first price.
    await expect.poll(() => select.inputValue()).toBe('stale-btc')
    for (const [name, state] of [
      ['unauthorized', 'refused'],
      ['price-gap', 'gap'],
      ['wrong-signer', 'forged'],
      ['calm', 'fresh'],
    ] as const) {
      await select.selectOption(name)
      await card('BTCUSD', state)
    }
  })

  it('error: the page shows an unknown scenario', async () => {
    const { page } = await openTicker({ ...ONE, scenario: 'stale-btcc' })
    await page.locator('#summary', { hasText: 'There is no scenario "stale-btcc".' }).waitFor()
  })

  it('behavior: each feed has its own state', async () => {
    const ticker = await openTicker({ worker: '1', at: AT }, { options: { ...DESKTOP, colorScheme: 'dark' } })
    const { card, candles, page, picture } = ticker
    await Promise.all([card('XAUUSD', 'fresh'), candles()])
    await setScenario(ticker)({
      faults: [
        { fault: 'market/stale', feeds: ['ETHUSD'], options: { age: '5m' } },
        { fault: 'reply/status', feeds: ['SOLUSD'], options: { status: 401 } },
        { fault: 'market/gap', feeds: ['DOGEUSD'] },
        { fault: 'signature/wrong-signer', feeds: ['EURUSD'] },
        { fault: 'wire/reset', feeds: ['XAUUSD'] },
      ],
    })
    await card('ETHUSD', 'stale')
    await card('SOLUSD', 'refused')
    await card('DOGEUSD', 'gap')
    await card('EURUSD', 'forged')
    await card('XAUUSD', 'unreachable')
    await card('BTCUSD', 'fresh')
    expect(await page.locator('#summary').innerText()).toBe('1 of 6 feeds fresh')
    await expect.poll(() => page.locator('#scenario select').inputValue()).toBe('')
    await picture('worker-every-state')
  })

  it('behavior: a tab that was hidden for six minutes shows fresh prices again', async () => {
    const { page, card } = await openTicker(ONE, { prepare: page => page.clock.install() })
    await card('BTCUSD', 'fresh')
    const before = await clockOf(page)
    // A browser notifies a hidden tab, stops its timers, and ends its worker after 30 s without requests.
    const devtools = await page.context().newCDPSession(page)
    await setVisibility(page, 'hidden')
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' })
    await devtools.send('ServiceWorker.enable')
    await devtools.send('ServiceWorker.stopAllWorkers')
    await page.clock.fastForward('06:00')
    await devtools.send('Page.setWebLifecycleState', { state: 'active' })
    await setVisibility(page, 'visible')
    await keepsAnswering(page)
    await card('BTCUSD', 'fresh')
    expect((await clockOf(page)) - before).toBeGreaterThanOrEqual(360)
  })
})

/** Changes the scenario in the page, as from its console. */
const setScenario =
  ({ page }: Ticker): SetScenario =>
  scenario =>
    page.evaluate(`priceFeedMock.mock.setScenario(${JSON.stringify(scenario)})`)

/** The second that the page shows. */
async function clockOf(page: Page): Promise<number> {
  const text = await page.locator('#clock').innerText()
  return Date.parse(text.replace(' UTC, clock of the mock', 'Z').replace(' ', 'T')) / 1000
}

/** Waits until the page shows another second. */
async function keepsAnswering(page: Page): Promise<void> {
  const shown = await page.locator('#clock').innerText()
  await page.locator('#clock').filter({ hasNotText: shown }).waitFor()
}

/** Sets the visibility that the page sees: a headless browser shows every tab. */
async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
    Object.defineProperty(document, 'hidden', { value: ${state === 'hidden'}, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`)
}
