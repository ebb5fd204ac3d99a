// The tab Report of the console in a browser: checks as they fail, and links to the journal.
import { expect, it } from 'vitest'
import { describeConsole, type OpenConsole } from './open-console.js'

const BEARER = { authorization: 'Bearer test-api-key' }

/** The item of a check. */
const check = ({ page }: OpenConsole, id: string) => page.locator(`[data-check="${id}"]`)

/** A consumer that sends its key after a scheme, asks on after each 401, and for a feed that does not exist. */
async function misbehave({ consume }: OpenConsole): Promise<void> {
  for (let i = 0; i < 5; i++) await consume('/prices/BTCUSD/latest', BEARER)
  await consume('/prices/BTC-USD/latest')
}

describeConsole('the report in the console', open => {
  it('default: checks fail while the page is open, and link to the journal', async () => {
    const opened = await open({ hash: 'report' })
    const { page } = opened
    await page.getByText('✓ nothing failed').waitFor()
    await check(opened, 'key-form').filter({ hasText: 'not seen' }).waitFor()
    await misbehave(opened)
    await page.getByText('✗ 3 failed').waitFor()
    await check(opened, 'key-form').filter({ hasText: 'failed' }).filter({ hasText: 'after a scheme' }).waitFor()
    await check(opened, 'retries-after-401').filter({ hasText: '5 requests got 401' }).waitFor()
    await check(opened, 'unknown-feeds').filter({ hasText: '"BTC-USD" (nearest: BTCUSD)' }).waitFor()
    // Failed checks come first.
    expect(await page.locator('[data-check]').first().getAttribute('data-check')).toBe('key-form')
    await page.getByRole('link', { name: 'Request 6 in the journal' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.detail', { hasText: '/prices/BTC-USD/latest' }).waitFor()
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await opened.tab('Report')
    await page.getByText('✓ nothing failed').waitFor()
  })
})
