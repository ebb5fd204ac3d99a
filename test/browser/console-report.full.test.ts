// The copies of the report in the console, and its verdicts.
import { expect, it } from 'vitest'
import { judged } from '../../src/service/changes.js'
import { describeConsole } from './open-console.js'

describeConsole('the report in the console, in depth', open => {
  it('behavior: it is copied as JSON and as JUnit, with verdicts', async () => {
    const opened = await open({ hash: 'report', context: { permissions: ['clipboard-read', 'clipboard-write'] } })
    const { page, server } = opened
    const session = server.mock.sessions.default
    session.run(judged({ case: 'stale-btc', ok: false, why: 'traded <at once>' }, Date.now()))
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
    expect(session.record.setup.verdicts).toEqual([])
  })
})
