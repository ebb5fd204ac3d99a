// The ticker in both of its forms, served by Vite in development and built: colours on the canvas, and the menu of a server.
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright'
import { createServer } from 'vite'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type RunningServer, startServer } from '../../src/hosts/node/server.js'
import { changed } from '../../src/service/changes.js'
import { CHROMIUM, NO_CHROMIUM } from '../support/find-chromium.js'
import { needs } from '../support/needs.js'

const ROOT = fileURLToPath(new URL('../../examples/ticker', import.meta.url))
/** The colours of rising and falling candles. */
const CANDLES = { dark: ['53,199,138', '240,97,109'], light: ['16,147,90', '207,50,64'] } as const

describe('the ticker', needs(NO_CHROMIUM), () => {
  let browser: Browser
  let mock: RunningServer
  const forms: Record<string, string> = {}
  const closing: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    browser = await chromium.launch(CHROMIUM)
    const development = await createServer({ root: ROOT, logLevel: 'warn', server: { host: '127.0.0.1', port: 0 } })
    await development.listen()
    closing.push(() => development.close())
    forms.development = `http://localhost:${(development.httpServer!.address() as AddressInfo).port}`
    forms.built = inject('ticker')
    mock = await startServer({
      port: 0,
      clock: { at: '2025-07-24T10:48:25Z' },
      allowOrigins: Object.values(forms).map(url => new URL(url).origin),
    })
    closing.push(
      () => mock.stop(),
      () => browser.close(),
    )
  })
  afterAll(async () => {
    for (const close of closing) await close()
  })

  const open = async (form: string, colorScheme: 'dark' | 'light', base = mock.url): Promise<Page> => {
    const page = await browser.newPage({ colorScheme })
    await page.goto(`${forms[form]}/?every=250&base=${encodeURIComponent(base)}`)
    await page.locator('#candles[data-state="shown"]').waitFor()
    return page
  }

  for (const form of ['development', 'built'])
    for (const theme of ['dark', 'light'] as const)
      it(`behavior: the candles have the colours of the theme: ${form}, ${theme}`, async () => {
        const page = await open(form, theme)
        const counts = await countColours(page)
        for (const colour of CANDLES[theme]) expect(counts[colour] ?? 0).toBeGreaterThan(200)
        await page.close()
      })

  it('behavior: the menu shows and changes the scenario of the server', async () => {
    const page = await open('built', 'dark', `${mock.url}/session/menu`)
    const select = page.locator('#scenario select')
    await select.selectOption('stale-btc')
    await page.locator('[data-feed="BTCUSD"][data-state="stale"]').waitFor()
    expect(mock.mock.sessions.get('menu').runtime.scenario.definition.name).toBe('stale-btc')
    expect(mock.mock.sessions.default.runtime.scenario.definition.name).toBe('calm')
    mock.mock.sessions.get('menu').run(changed({ scenario: 'price-gap' }, Date.now()))
    await expect.poll(() => select.inputValue()).toBe('price-gap')
    await page.close()
  })
})

/** The number of opaque pixels of each colour on the canvases of the chart. */
async function countColours(page: Page): Promise<Record<string, number>> {
  return page.evaluate(
    `new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => {
      const counts = {}
      for (const canvas of document.querySelectorAll('#candles .canvas canvas')) {
        if (canvas.width === 0 || canvas.height === 0) continue
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
        for (let i = 0; i < data.length; i += 4) {
          if (data[i + 3] !== 255) continue
          const colour = data[i] + ',' + data[i + 1] + ',' + data[i + 2]
          counts[colour] = (counts[colour] ?? 0) + 1
        }
      }
      resolve(counts)
    })))`,
  )
}
