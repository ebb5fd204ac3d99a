// The tab Report of the console in a browser: checks as they fail, links to the journal, copies, and verdicts.
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

  it('behavior: it is copied as JSON and as JUnit, with verdicts', async () => {
    const opened = await open({ hash: 'report', context: { permissions: ['clipboard-read', 'clipboard-write'] } })
    const { page, server } = opened
    const session = server.mock.sessions.default
    session.addVerdict({ case: 'stale-btc', ok: false, why: 'traded <at once>' }, Date.now())
    await page.locator('.report-list li', { hasText: 'traded <at once>' }).waitFor()
    const copied = async (label: string): Promise<string> => {
      await page.getByRole('button', { name: label }).click()
      await page.getByText('Copied').waitFor()
      const text = await page.evaluate<string>('navigator.clipboard.readText()')
      await page.getByRole('button', { name: label }).waitFor()
      return text
    }
    expect(JSON.parse(await copied('Copy JSON'))).toMatchObject({ session: 'default', failed: 1 })
    expect(await copied('Copy JUnit')).toContain('<failure message="traded &lt;at once&gt;" type="verdict">')
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.locator('.report-list li', { hasText: 'traded' }).waitFor({ state: 'detached' })
    expect(session.verdicts).toEqual([])
  })
})
