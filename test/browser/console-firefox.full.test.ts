// The console in Firefox: market, chart, a fault, the clock, and the journal with a signature.
import { expect, it } from 'vitest'
import { describeConsole } from './open-console.js'

describeConsole(
  'the console in Firefox',
  open => {
    it('default: a feed is broken, and the journal shows it', async () => {
      const { page, server, tab, consume } = await open()
      await page.locator('.canvas[data-drawn="true"]').waitFor()
      const row = page.getByRole('row', { name: /^ETHUSD/ })
      await row.click()
      await page.getByRole('button', { name: 'Make it stale' }).click()
      await row.filter({ hasText: 'stale 5 min' }).waitFor()
      await tab('Journal')
      await page.locator('.live[data-live="true"]').waitFor()
      await consume('/prices/ETHUSD/latest')
      await page.locator('.grid-space .request-row', { hasText: 'market/stale' }).click()
      await page.locator('.detail').getByText('valid', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Freeze' }).click()
      await page.locator('.clock-state', { hasText: 'frozen' }).waitFor()
      expect(server.mock.sessions.default.context.clock.frozen).toBe(true)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    })
  },
  'firefox',
)
