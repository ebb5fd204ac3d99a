// The flows of the console, for every browser: each runs against a server of its own.
import type { Locator } from 'playwright'
import { expect, it, vi } from 'vitest'
import { testSigners } from '../../src/signing/verify.js'
import { AT, type Open, type OpenConsole, SCALE } from './open-console.js'

const BEARER = { authorization: 'Bearer test-api-key' }

/** The item of a check. */
const check = ({ page }: OpenConsole, id: string) => page.locator(`[data-check="${id}"]`)

/** A consumer that sends its key after a scheme, asks on after each 401, and for a feed that does not exist. */
async function misbehave({ consume }: OpenConsole): Promise<void> {
  for (let i = 0; i < 5; i++) await consume('/prices/BTCUSD/latest', BEARER)
  await consume('/prices/BTC-USD/latest')
}

/** The market, the faults, the clock, and the journal with a token. */
export function testMainFlows(open: Open): void {
  it('default: the market, the chart, and one press that breaks a feed', async () => {
    const { page, server, consume } = await open()
    const row = page.getByRole('row', { name: /^ETHUSD/ })
    await row.click()
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    expect(await page.getByLabel('Feed', { exact: true }).inputValue()).toBe('ETHUSD')
    expect(await row.innerText()).toMatch(/ETHUSD\s+[\d,.]+\s+[+−][\d.]+ %\s+\d+ s/)
    // The page itself sends no request to the service.
    expect(server.mock.sessions.default.record.counters.n).toBe(0)

    await page.getByRole('button', { name: 'Make it stale' }).click()
    await row.filter({ hasText: 'stale 5 min' }).waitFor()
    await page.locator('.axis-fault-names', { hasText: 'stale' }).waitFor()
    await page.locator('.reply-panel', { hasText: 'applied' }).waitFor()
    expect(server.mock.sessions.default.runtime.scenario.faults.map(({ fault }) => fault.name)).toEqual([
      'market/stale',
    ])

    await consume('/prices/ETHUSD/latest')
    await page.locator('.axis-legend', { hasText: /stale\s+1/ }).waitFor()

    await page.getByRole('button', { name: 'Stop all faults' }).click()
    await row.filter({ hasNotText: 'stale' }).waitFor()
    expect(server.mock.sessions.default.runtime.scenario.definition.name).toBe('calm')
  })

  it('behavior: a price that is set, a key that is refused, and a scenario with its reason', async () => {
    const { page, server, consume } = await open()
    await page.getByLabel('Set the price of BTCUSD').fill('50000')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await page.getByRole('row', { name: /^BTCUSD ◆ set\s+(50|49),/ }).waitFor()
    // The price is seen wherever the feed is, with one list to clear it.
    for (const part of ['.scenario-status', '.axis-prices', '.reply-panel'])
      await page.locator(part, { hasText: /◆ (set to (50|49),|1 set)/ }).waitFor()
    await page.getByLabel('Set the price of BTCUSD').fill('1')
    await page.getByRole('row', { name: /^ETHUSD/ }).click()
    expect(await page.getByLabel('Set the price of ETHUSD').inputValue()).toBe('')
    await page.getByRole('row', { name: /^BTCUSD/ }).click()
    await page.getByRole('button', { name: 'Clear the price of BTCUSD' }).click()
    await page.locator('.set-mark').first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Refuse my key' }).click()
    await page.locator('.reply-panel', { hasText: '401' }).waitFor()
    expect((await consume('/prices/BTCUSD/latest')).status).toBe(401)
    await page.getByRole('button', { name: 'Refuse my key', pressed: true }).click()
    await page.locator('.reply-panel', { hasText: '200' }).waitFor()
    await page.getByLabel('Scenario', { exact: true }).selectOption('price-gap')
    await page.locator('.why', { hasText: server.mock.scenarios.get('price-gap').why }).waitFor()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('row', { name: /^BTCUSD\s+no price/ }).waitFor()
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await page.locator('.scenario-status', { hasText: 'ended at' }).waitFor()
    expect(server.mock.sessions.default.runtime.scenario).toMatchObject({
      definition: { name: 'price-gap' },
      endedAt: expect.any(Number),
    })
  })

  it('behavior: the mark of a request is on the line of its sentence, and a reason shows its code', async () => {
    const { page, tab } = await open({ server: { scenario: 'stale-btc' } })
    // An empty box stands on the baseline of its line.
    const apart = await page.locator('.reply-panel .got').evaluate(mark => {
      const [inside, outside] = [mark.ownerDocument.createElement('i'), mark.ownerDocument.createElement('i')]
      for (const box of [inside, outside]) box.style.display = 'inline-block'
      mark.append(inside)
      mark.after(outside)
      return Math.abs(inside.getBoundingClientRect().bottom - outside.getBoundingClientRect().bottom)
    })
    expect(apart).toBeLessThan(0.6)
    await tab('Faults')
    await page.locator('.scenario-list code', { hasText: 'ts | 0' }).waitFor()
  })

  it('behavior: the clock freezes, steps, jumps and resets', async () => {
    const { page, server, consume } = await open({ server: { clock: { at: '2025-07-24T10:48:25Z', frozen: true } } })
    const time = page.locator('.clock-time')
    const shows = (text: string) => time.filter({ hasText: text }).waitFor()
    await shows('2025-07-24 10:48:25')
    await page.getByRole('button', { name: '+1 s' }).click()
    await shows('2025-07-24 10:48:26')
    await page.getByRole('button', { name: '+1 min' }).click()
    await page.getByRole('button', { name: '+1 h' }).click()
    await shows('2025-07-24 11:49:26')
    await page.getByLabel('Time to jump to, in UTC').fill('2030-01-02T03:04:05')
    await page.getByRole('button', { name: 'Jump' }).click()
    await shows('2030-01-02 03:04:05')
    await page.getByLabel('Speed').selectOption('60')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.locator('.clock-state', { hasText: 'running 60×' }).waitFor()
    await page.getByRole('button', { name: 'Freeze' }).click()
    await page.locator('.clock-state', { hasText: 'frozen' }).waitFor()
    expect(server.mock.sessions.default.record.counters.clock).toMatchObject({ frozen: true, speed: 60 })
    const before = await time.innerText()
    await page.getByRole('button', { name: 'Reset' }).click()
    await shows('2025-07-24 10:48:25')
    await page.getByRole('button', { name: 'Undo' }).click()
    await shows(before)
    // With requests it says first what is lost.
    await consume('/prices/BTCUSD/latest')
    const reset = page.getByRole('button', { name: 'Reset', exact: true })
    const dialog = page.getByRole('dialog')
    await reset.click()
    await dialog.waitFor()
    expect(await dialog.innerText()).toContain('The journal loses 1 request')
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await time.innerText()).toBe(before)
  })

  it('behavior: with a token, the page asks for it, and the journal is live', async () => {
    const { page, tab, consume } = await open({ server: { adminToken: 'correct-horse' }, hash: 'journal' })
    // No header can have the first.
    await page.getByLabel('Admin token').fill('€uro-token')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'The server refused this token.' }).waitFor()
    await page.getByLabel('Admin token').fill('wrong')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('alert').filter({ hasText: 'The server refused this token.' }).waitFor()
    await page.getByLabel('Admin token').fill('correct-horse')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.locator('.live[data-live="true"]').waitFor()
    await consume('/prices/BTCUSD/latest')
    await page.getByRole('row', { name: /latest \/prices\/BTCUSD\/latest 200/ }).click()
    const detail = page.locator('.detail')
    // The signature is checked and the command asked for one after the other.
    await detail.getByText('valid', { exact: true }).waitFor()
    await detail.getByText('npx price-feed-mock --seed 42 --at 2025-07-24T').waitFor()
    const text = await detail.innerText()
    expect(text).toContain(testSigners()[0]!.address)
    expect(text).toContain('curl -i -H "authorization: test-api-key"')
    expect(text).toContain('x-price-feed-mock: session="default"')
    // Only this tab keeps the token.
    expect(await page.evaluate('JSON.stringify([localStorage.length, document.cookie])')).toBe('[0,""]')
    // A command to copy has a place for it.
    await tab('Report')
    await page.getByText("/verdicts -H 'authorization: Bearer YOUR_TOKEN'").waitFor()
  })
}

/** The place of a second on the axis, in pixels of the page. */
const placeOf = async ({ page }: OpenConsole, line: string): Promise<number> =>
  (await page.locator(`.axis-line[data-line="${line}"]`).boundingBox())!.x

/** The sessions, the filters of the journal, the API page, and the axis. */
export function testOtherFlows(open: Open): void {
  it('behavior: sessions are created, used and deleted', async () => {
    const { page, server } = await open({ hash: 'sessions' })
    const id = page.getByLabel('Id', { exact: true })
    await id.fill('bad id!')
    // The browser shows the title beside its own message.
    expect(await page.locator('input:invalid').and(id).getAttribute('title')).toContain('Letters, digits')
    await id.fill('checkout')
    await page.getByLabel('Seed').fill('7')
    await page.getByRole('button', { name: 'Create and switch' }).click()
    await page.getByRole('heading', { name: 'Connect your app to checkout' }).waitFor()
    expect(await page.locator('.snippet', { hasText: '.env' }).innerText()).toContain(
      `PRICE_FEED_BASE_URL=${server.url}/session/checkout`,
    )
    expect(await page.locator('.copy-list').innerText()).toContain('session.checkout')
    await page.getByRole('link', { name: 'Axis' }).click()
    await page.getByRole('button', { name: 'Remove its price' }).click()
    await page.getByRole('row', { name: /^BTCUSD\s+no price/ }).waitFor()
    expect(server.mock.sessions.default.runtime.scenario.definition.name).toBe('calm')
    await page.getByRole('link', { name: 'Sessions' }).click()
    const refused: string[] = []
    page.on('response', response => response.ok() || refused.push(response.url()))
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('check')
    await page.locator('.session-list li').nth(1).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Delete checkout' }).click()
    await page.getByText('Delete checkout? Its 0 requests').waitFor()
    await page.getByRole('button', { name: 'Delete now' }).click()
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('')
    await page.getByRole('heading', { name: 'Connect your app to default' }).waitFor()
    const notice = page.locator('.notice')
    await notice.filter({ hasText: 'Deleted checkout.' }).waitFor()
    expect(server.mock.sessions.size).toBe(1)
    // A poll of every part of the page.
    await page.locator('.session-list li').nth(1).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Axis' }).click()
    await notice.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /^BTCUSD\s+[\d,.]+/ }).waitFor()
    expect(refused).toEqual([])
  })

  it('behavior: the journal filters, pauses, and names a forged signature', async () => {
    const { page, server, consume } = await open({ hash: 'journal' })
    await page.locator('.live[data-live="true"]').waitFor()
    await consume('/prices/BTCUSD/latest', {})
    server.mock.setScenario('wrong-signer')
    await consume('/prices/ETHUSD/latest')
    const rows = page.locator('.grid-space .request-row')
    await rows.nth(1).waitFor()
    await page.getByLabel('Status').selectOption('4xx')
    expect(await rows.count()).toBe(1)
    await page.getByLabel('Status').selectOption('all')
    await page.getByLabel('Filter by path or fault').fill('wrong-signer')
    await rows.filter({ hasText: 'ETHUSD' }).click()
    await page.locator('.detail').getByText('wrong-signer', { exact: true }).first().waitFor()
    await page.getByLabel('Filter by path or fault').fill('')
    await page.getByRole('button', { name: 'Pause' }).click()
    await consume('/prices/SOLUSD/latest')
    await page.getByRole('button', { name: 'Resume (1 new)' }).click()
    await rows.filter({ hasText: 'SOLUSD' }).waitFor()
    // The command sends the same: curl would wait for the body of a HEAD, and take braces for two addresses.
    const detail = page.locator('.detail')
    await fetch(`${server.url}/prices/batch?feedIds={a,b}`, { method: 'HEAD' })
    await rows.filter({ hasText: 'HEAD' }).click()
    await detail.getByText(`curl -gi -I "${server.url}/prices/batch?feedIds={a,b}"`).waitFor()
    // There is none for a target of which only the start is kept.
    await consume(`/prices/batch?feedIds=${'A'.repeat(3000)}`)
    await rows.filter({ hasText: 'AAA' }).click()
    await detail.getByText('AA… (3022 characters)').waitFor()
    expect(await detail.getByText('curl', { exact: true }).count()).toBe(0)
    // A link to another request is followed, also from this page.
    await page.goto(`${server.url}/_mock/#/journal/1`)
    await detail.getByRole('heading', { name: 'Request 1', exact: true }).waitFor()
    // One that is not kept says so, and shows no other.
    await page.goto(`${server.url}/_mock/#/journal/99`)
    await page.getByText('Request 99 is not in the journal').waitFor()
    expect(await page.locator('.detail').count()).toBe(0)
  })

  it('behavior: the journal is the one of the session, whoever resets, rewinds or clears it', async () => {
    const { page, server, consume } = await open({ server: { clock: { at: AT, frozen: true } }, hash: 'journal' })
    await page.locator('.live[data-live="true"]').waitFor()
    const rows = page.locator('.grid-space .request-row')
    const ask = async (feed: string, count: number) => {
      for (let i = 0; i < count; i++) await consume(`/prices/${feed}/latest`)
    }
    await ask('ETHUSD', 3)
    await rows.nth(2).waitFor()
    const session = server.mock.sessions.default
    const { snapshot } = JSON.parse(
      await fetch(`${server.url}/_mock/sessions/default/snapshot`, { method: 'POST' }).then(reply => reply.text()),
    )
    await ask('BTCUSD', 1)
    await rows.filter({ hasText: 'BTCUSD' }).waitFor()
    await fetch(`${server.url}/_mock/sessions/default/restore`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ snapshot }),
    })
    await expect.poll(() => rows.count()).toBe(3)
    await page.getByRole('button', { name: 'Reset', exact: true }).click()
    await page.getByRole('button', { name: 'Reset now' }).click()
    await expect.poll(() => rows.count()).toBe(0)
    await ask('SOLUSD', 2)
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.filter({ hasText: 'SOLUSD' }).count()).toBe(2)
    session.journal.clear()
    await expect.poll(() => rows.count()).toBe(0)
  })

  it('behavior: a paused journal goes on with another session, and when it is cleared', async () => {
    const { page, server, consume } = await open({ hash: 'journal' })
    server.mock.sessions.create({ id: 'other' }, Date.now())
    await consume('/prices/BTCUSD/latest')
    await consume('/session/other/prices/ETHUSD/latest')
    const rows = page.locator('.grid-space .request-row')
    const pause = async () => {
      await rows.first().click()
      await page.locator('.detail').waitFor()
      await page.getByRole('button', { name: 'Pause' }).click()
    }
    await rows.filter({ hasText: 'BTCUSD' }).waitFor()
    await pause()
    await page.getByRole('banner').getByRole('combobox', { name: 'Session' }).selectOption('other')
    await rows.filter({ hasText: 'ETHUSD' }).waitFor()
    expect(await rows.count()).toBe(1)
    expect(await page.locator('.detail').count()).toBe(0)
    await pause()
    server.mock.sessions.get('other').journal.clear()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await expect.poll(() => rows.count()).toBe(0)
  })

  it('behavior: a jump to before the scenario, and a price, are taken back as they were', async () => {
    const fault = { fault: 'reply/status', from: '60s', for: '60s' } as const
    const { page, server } = await open({ server: { clock: { at: AT, frozen: true }, scenario: { faults: [fault] } } })
    server.mock.change({ prices: { BTCUSD: { price: 50_000, alone: true } } })
    const { runtime } = server.mock.sessions.default
    const command = async (text: string) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: /^Find/ }).fill(text)
      await page
        .getByRole('option', { name: /^(Price|Time)/ })
        .first()
        .waitFor()
    }
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    await command('set 60000')
    await page.keyboard.press('Enter')
    await page.getByText(/^BTCUSD is 60.?000\S* from now on\./).waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText(/^Undone: BTCUSD is 60/).waitFor()
    const { overrides } = server.mock.sessions.default.record.setup
    expect(overrides.BTCUSD!.at(-1)).toMatchObject({ alone: true, factor: runtime.overrides.BTCUSD!.at(-1)!.factor })
    await command('09:00')
    await page.getByRole('option', { name: 'Set the clock to 2025-07-24T09:00:00Z' }).click()
    await page.locator('.clock-time', { hasText: '09:00:00' }).waitFor()
    await expect
      .poll(() => server.mock.sessions.default.runtime.scenario.appliedAt)
      .toBeLessThan(runtime.scenario.appliedAt)
    await page.keyboard.press('Control+z')
    await page.locator('.clock-time', { hasText: '10:48:25' }).waitFor()
    expect(server.mock.sessions.default.runtime.scenario.appliedAt).toBe(runtime.scenario.appliedAt)
    // A time that is looked at is on the axis, whatever page is open.
    await page.goto(`${server.url}/_mock/#/journal`)
    await command('08:00')
    await page.keyboard.press('Enter')
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    await expect.poll(() => page.url()).toContain('t=2025-07-24T08:00:00Z')
  })

  it('behavior: a set price that has moved on, and a scenario that had ended, are taken back as they were', async () => {
    const fault = { fault: 'market/price', feeds: ['BTCUSD'], options: { price: 77_777 } } as const
    const { page, server, consume } = await open({
      server: { clock: { at: AT, frozen: true }, scenario: { faults: [fault] } },
    })
    const { mock } = server
    mock.clock.advance('3m')
    mock.change({ scenario: null })
    mock.change({ prices: { BTCUSD: { price: 50_000, alone: true } } })
    mock.clock.advance('10m')
    const known = () => {
      const { scenario, overrides } = mock.sessions.default.record.setup
      return { scenario, overrides }
    }
    const before = known()
    expect(before.scenario.endedAt).toBeDefined()
    await page.locator('.clock-time', { hasText: '11:01:25' }).waitFor()
    const type = async (text: string) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: /^Find/ }).fill(text)
      await page
        .getByRole('option', { name: /^(Price|Scenarios|Session)/ })
        .first()
        .waitFor()
      await page.keyboard.press('Enter')
    }
    const takeBack = async (done: string) => {
      await page.getByText(done, { exact: true }).waitFor()
      expect(known()).not.toEqual(before)
      await page.keyboard.press('Control+z')
      await page.getByText(`Undone: ${done}`).waitFor()
      expect(known()).toEqual(before)
    }
    await type('set 60000')
    await page.getByText(/^BTCUSD is 60/).waitFor()
    // A request after the change stays in the journal.
    await consume('/prices/BTCUSD/latest')
    await takeBack('BTCUSD is 60,000.00 from now on.')
    expect(mock.sessions.default.journal.entries()).toHaveLength(1)
    await page.keyboard.press('Control+Shift+z')
    await takeBack('BTCUSD is 60,000.00 from now on.')
    await page.getByRole('button', { name: 'Clear the price of BTCUSD' }).click()
    await takeBack('BTCUSD: own path again.')
    await type('price-gap')
    await takeBack('Started price-gap.')
    await type('stop all')
    await takeBack('Stopped. The service works normally.')
    // Not the scenarios that speak of it.
    await type('reset')
    await takeBack('Reset to the start.')
  })

  it('behavior: a scenario that sets the clock is taken back with it, to the present of a server in real time', async () => {
    const { page, server } = await open({ server: { clock: {} } })
    const state = () => {
      const session = server.mock.sessions.default
      const isPresent = Math.abs(session.nowMs(Date.now()) - Date.now()) < 10_000
      return `${session.runtime.scenario.definition.name} ${isPresent ? 'now' : 'then'}`
    }
    const becomes = (wanted: string) => expect.poll(state).toBe(wanted)
    const start = async (name: string) => {
      await page.getByLabel('Scenario', { exact: true }).selectOption(name)
      await page.getByRole('button', { name: /^(Start|Restart)$/ }).click()
      await page.getByText(`Started ${name}.`, { exact: true }).waitFor()
      expect(state()).toBe(`${name} then`)
    }
    await start('quiet-sunday')
    await page.keyboard.press('Control+z')
    await becomes('calm now')
    await page.keyboard.press('Control+Shift+z')
    await becomes('quiet-sunday then')
    await start('quiet-sunday')
    await page.keyboard.press('Control+z')
    await page.getByText('Undone: Started quiet-sunday.').waitFor()
    expect(state()).toBe('quiet-sunday then')
    await page.keyboard.press('Control+z')
    await becomes('calm now')
    // With a snapshot.
    server.mock.change({ prices: { BTCUSD: 50_000 } })
    await page.getByLabel('Clear the set price').waitFor()
    await start('year-2038')
    await page.keyboard.press('Control+z')
    await becomes('calm now')
    // A change that the server refuses to take back does not keep those before it.
    await start('quiet-sunday')
    await start('year-2038')
    await page.route(/restore$/, route => route.fulfill({ status: 400, json: { code: '', detail: 'It is gone.' } }))
    await page.keyboard.press('Control+z')
    await page.getByText('It is gone.').waitFor()
    await page.unroute(/restore$/)
    await page.keyboard.press('Control+z')
    await becomes('calm now')
  })

  it('behavior: a price that is set under a fault is not said to be served', async () => {
    const fault = (name: string, options = {}) => ({ faults: [{ fault: name, feeds: ['BTCUSD'], options }] }) as never
    const scenario = fault('market/price', { price: 77_777 })
    const { page, server } = await open({ server: { clock: { at: AT, frozen: true }, scenario } })
    const field = page.getByLabel('Set the price of BTCUSD')
    const type = async (price: string): Promise<void> => {
      // Playwright's driver of Firefox adds to a number that is there.
      await field.clear()
      await field.fill(price)
      await field.press('Enter')
    }
    await type('70000')
    const notice = page.locator('.notice')
    await notice
      .filter({ hasText: 'BTCUSD is set to 70,000.00, but a fault serves 77,777.00 until it ends.' })
      .waitFor()
    // Until the page has read its own change, that of another counts as a part of it.
    await vi.waitFor(async () => {
      server.mock.change({ clock: { advance: '1s' }, scenario: fault('market/gap') })
      await page.getByText('The session was changed from elsewhere').waitFor({ timeout: 3000 })
    }, 30_000)
    await type('71000')
    await notice.filter({ hasText: 'BTCUSD is set to 71,000.00, but a fault serves no price until it ends.' }).waitFor()
    await page.getByRole('button', { name: 'Stop all faults' }).click()
    await notice.filter({ hasText: 'Stopped.' }).waitFor()
    await type('72000')
    await notice.filter({ hasText: 'BTCUSD is 72,000.00 from now on.' }).waitFor()
    // It has two decimals.
    await page.getByRole('row', { name: /^LTCUSD/ }).click()
    await page.getByLabel('Set the price of LTCUSD').fill('0.655')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await notice.filter({ hasText: 'LTCUSD is 0.65500 from now on.' }).waitFor()
  })

  it('behavior: the axis shows what a fault did, explains a request, and has an address', async () => {
    const opened = await open({ server: { clock: { at: AT, frozen: true } }, hash: 'axis?w=2m' })
    const { page, server, consume } = opened
    await page.getByText('No requests yet.').waitFor()
    server.mock.change({
      scenario: { faults: [{ fault: 'signature/wrong-signer', from: '10s', for: '10s', repeat: '25s' }] },
    })
    for (let i = 0; i < 3; i++) {
      await consume('/prices/BTCUSD/latest')
      server.mock.clock.advance(10)
    }
    const inspector = page.getByLabel('Inspector')
    await page
      .getByRole('group', { name: 'What your app got' })
      .filter({ hasText: /forged\s+1/ })
      .waitFor()
    /** The name of the part of a grid that keys have chosen. */
    const active = async (grid: Locator) => {
      const one = page.locator(`[id="${await grid.getAttribute('aria-activedescendant')}"]`)
      return (await one.getAttribute('aria-label')) ?? (await one.textContent())
    }
    const faults = page.getByRole('grid', { name: /^Faults/ })
    await page.getByRole('row', { name: /^signature\/wrong-signer .*, 10:49:00 to 10:49:10, 1 hit$/ }).waitFor()
    for (const [key, window] of [
      ['ArrowRight', '10:49:00 to 10:49:10'],
      ['ArrowLeft', '10:48:35 to 10:48:45'],
      ['End', '10:49:25 to 10:49:35'],
      ['Home', '10:48:35 to 10:48:45'],
    ] as const) {
      await faults.press(key)
      await expect.poll(() => active(faults)).toBe(`signature/wrong-signer, ${window}`)
    }
    await faults.press('ArrowDown')
    await expect.poll(() => active(faults)).toBe('+ fault')
    await faults.press('ArrowUp')
    await faults.press('Enter')
    await inspector.getByRole('heading', { name: 'signature/wrong-signer' }).waitFor()
    await inspector.filter({ hasText: '10:48:35 to 10:48:45' }).waitFor()
    await page.keyboard.press('n')
    await inspector.getByRole('heading', { name: 'Request 2' }).waitFor()
    await inspector.filter({ hasText: 'answered again: the same bytes' }).waitFor()
    await page.locator('.axis-line[data-line="cursor"]', { hasText: '10:48:35' }).waitFor()
    // 20 seconds are a sixth of two minutes.
    const width = (await page.locator('.axis-chart canvas').boundingBox())!.width - SCALE
    const distance = (await placeOf(opened, 'now')) - (await placeOf(opened, 'cursor'))
    expect(Math.abs(distance - width / 6)).toBeLessThan(1.5)
    await inspector.filter({ hasText: 'Another key signed: the data is that of the session.' }).waitFor()
    // The clock, and the lane of an endpoint.
    await page.keyboard.press('Space')
    await page.locator('.axis-line[data-line="now"]', { hasText: 'now' }).waitFor()
    await page.keyboard.press('Space')
    await page.locator('.axis-line[data-line="now"]', { hasText: 'frozen' }).waitFor()
    await page.getByRole('button', { name: 'evm', exact: true }).click()
    await expect.poll(() => page.url()).toContain('&e=evm')
    await page.getByRole('row', { name: 'latest: 0 requests', exact: true }).waitFor()
    await page.getByRole('button', { name: 'evm', exact: true }).click()
    // By keys, and in words.
    const lanes = page.getByRole('grid', { name: /^Requests/ })
    await page.getByRole('row', { name: 'latest: 3 requests, 1 forged', exact: true }).waitFor()
    await lanes.press('ArrowRight')
    await inspector.getByRole('heading', { name: 'Request 3' }).waitFor()
    await lanes.press('Home')
    await inspector.getByRole('heading', { name: 'Request 1' }).waitFor()
    await lanes.press('ArrowRight')
    await inspector.getByRole('heading', { name: 'Request 2' }).waitFor()
    await expect.poll(() => active(lanes)).toBe('request 2, latest, forged, 10:48:35')
    await lanes.press('ArrowDown')
    await expect.poll(() => active(lanes)).toBe('batch: 0 requests')
    await lanes.press('ArrowUp')
    // A reload, or another browser, shows the same; its reply is made again.
    await page.clock.install()
    await page.reload()
    await inspector.filter({ hasText: 'answered again: the same reply' }).waitFor()
    // Requests that were there are no news.
    const news = page.getByRole('status', { name: 'New requests' })
    await page.clock.fastForward(10_000)
    await consume('/prices/BTCUSD/latest', {})
    await page.getByRole('row', { name: 'latest: 4 requests, 1 refused, 1 forged', exact: true }).waitFor()
    expect(await news.innerText()).toBe('')
    await page.clock.fastForward(10_000)
    await news.filter({ hasText: '1 new request, 1 refused' }).waitFor()
    expect(await inspector.innerText()).toContain('the signature does not fit: signature/wrong-signer')
    // A slow page still has its axis laid out.
    await expect
      .poll(async () => (await placeOf(opened, 'now')) - (await placeOf(opened, 'cursor')))
      .toBeCloseTo(distance, 0)
    await page.keyboard.press('Escape')
    await page.locator('.axis-line[data-line="cursor"]').waitFor({ state: 'hidden' })
    await page.goBack()
    await inspector.getByRole('heading', { name: 'Request 2' }).waitFor()
    // The past is not redrawn when another scenario starts.
    server.mock.change({ scenario: 'calm' })
    await page.locator('.axis-fault-names s', { hasText: 'wrong-signer' }).waitFor()
  })

  it('behavior: windows, prices and courses are edited on the axis, and taken back', async () => {
    const { page, server } = await open({ server: { clock: { at: AT, frozen: true } }, hash: 'axis?w=2m' })
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    interface Runs {
      readonly overrides: readonly { readonly feed: string }[]
      readonly scenario: { readonly source: { readonly faults: { fault: string; from?: string; for?: string }[] } }
    }
    const runs = async () => (await (await fetch(`${server.url}/_mock/sessions/default/inspect`)).json()) as Runs
    const faultsNow = async () => (await runs()).scenario.source.faults
    const drag = async (from: number, to: number, row: number) => {
      const box = (await page.locator('.axis-faults').boundingBox())!
      // Now lies at three quarters of the time in sight.
      const xAt = (seconds: number) => box.x + (box.width - SCALE) * (0.75 + seconds / 120)
      await page.mouse.move(xAt(from), box.y + 26 * row + 13)
      await page.mouse.down()
      await page.mouse.move(xAt(to), box.y + 26 * row + 13, { steps: 3 })
      await page.mouse.up()
    }
    await drag(5, 15, 0)
    await page.locator('.axis-fault-names', { hasText: 'stale' }).waitFor()
    const before = (await runs()).scenario
    const [planned] = await faultsNow()
    expect(planned).toMatchObject({ fault: 'market/stale', feeds: ['BTCUSD'] })
    const [from, length] = [planned!.from!, planned!.for!].map(text => Number.parseInt(text, 10)) as [number, number]
    expect(Math.abs(from - 5)).toBeLessThanOrEqual(1)
    expect(Math.abs(length - 10)).toBeLessThanOrEqual(1)
    // Its end, and only that; taken back, the JSON is the same.
    await drag(from + length, from + length + 6, 0)
    await expect.poll(async () => (await faultsNow())[0]!.for).toBe(`${length + 6}s`)
    const { source: _, ...same } = before
    expect((await runs()).scenario).toMatchObject(same)
    await page.keyboard.press('Control+z')
    await expect.poll(async () => (await runs()).scenario).toEqual(before)
    await page.keyboard.press('Control+Shift+z')
    await expect.poll(async () => (await faultsNow())[0]!.for).toBe(`${length + 6}s`)
    // By keys: the whole window, then a second fault, a price and a course.
    await page.locator('.axis-fault-names', { hasText: `for ${length + 6}s` }).waitFor()
    const grid = page.getByRole('grid', { name: /^Faults/ })
    await grid.focus()
    // Fast presses are one change.
    const press = `new KeyboardEvent('keydown', { key: 'ArrowRight', altKey: true, bubbles: true, cancelable: true })`
    await page.evaluate(`for (let i = 0; i < 4; i++) document.activeElement.dispatchEvent(${press})`)
    await expect.poll(async () => (await faultsNow())[0]).toMatchObject({ from: `${from + 4}s`, for: `${length + 6}s` })
    await page.getByRole('row', { name: `for ${length + 6}s, 10:48:` }).waitFor()
    // Faster than the server: no press is lost, each change knows of those before it, and is taken back alone.
    let arrive = () => {}
    let pressed = Promise.resolve()
    let held = 'GET'
    const isSession = (url: URL) => url.pathname === '/_mock/sessions/default'
    const hold = () => (pressed = new Promise<void>(resolve => (arrive = resolve)))
    await page.route(isSession, async route => {
      if (route.request().method() === held) await pressed
      await route.continue()
    })
    void hold()
    await page.keyboard.press('Control+z')
    await expect.poll(async () => (await faultsNow())[0]!.from).toBe(`${from}s`)
    held = 'PATCH'
    const sent = page.waitForRequest(request => request.method() === 'PATCH')
    // The first comes before the page has read what was taken back.
    await grid.press('Alt+ArrowRight')
    arrive()
    void hold()
    await sent
    for (let i = 0; i < 3; i++) await grid.press('Alt+ArrowRight')
    arrive()
    await expect.poll(async () => (await faultsNow())[0]!.from).toBe(`${from + 4}s`)
    void hold()
    const more = page.getByRole('button', { name: '+ fault' })
    for (const key of ['Enter', 'Enter', 'Control+z']) await more.press(key)
    arrive()
    await page.getByText(/^Undone: Added/).waitFor()
    expect(await faultsNow()).toHaveLength(2)
    await page.unroute(isSession)
    const handle = page.getByRole('slider', { name: 'Price of BTCUSD' })
    await handle.focus()
    for (const name of ['ArrowUp', 'ArrowUp', 'Enter']) await page.keyboard.press(name)
    await expect.poll(async () => (await runs()).overrides.map(({ feed }) => feed)).toEqual(['BTCUSD'])
    await page.getByRole('button', { name: 'Clear the price of BTCUSD' }).first().click()
    await expect.poll(async () => (await runs()).overrides).toEqual([])
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Find/ }).fill('path 10s 45000, 20s 47000')
    await page.getByRole('option', { name: 'Set BTCUSD to this path' }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await faultsNow()).at(-1)?.fault).toBe('market/path')
    // The page has read its own change.
    await page.locator('.axis-fault-names', { hasText: 'path' }).waitFor()
    // A change from elsewhere ends what can be undone.
    server.mock.change({ scenario: 'calm' })
    await page.getByText('The session was changed from elsewhere').waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('Nothing to undo.').waitFor()
    expect(await faultsNow()).toEqual([])
  })

  it('behavior: a session that is deleted elsewhere stays in sight, with a way to another one', async () => {
    const { page, server } = await open()
    server.mock.sessions.create({ id: 'short', clock: { at: Date.parse(AT), frozen: true } }, Date.now())
    await page.goto(`${server.url}/_mock/?again#/axis?s=short&t=2025-07-24T10:48:20Z`)
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    await page.locator('.axis-line[data-line="now"]', { hasText: 'frozen' }).waitFor()
    server.mock.sessions.delete('short')
    const banner = page
      .getByRole('alert')
      .filter({ hasText: 'The session short no longer exists. The page shows 2025-07-24 10:48:25 UTC.' })
    await banner.waitFor()
    await page.locator('.axis-line[data-line="cursor"]', { hasText: '10:48:20' }).waitFor()
    await banner.getByRole('button').click()
    await page.locator('.axis-line[data-line="now"]', { hasText: 'now' }).waitFor()
    await banner.waitFor({ state: 'detached' })
  })

  it('behavior: a request of the API page is answered by the session', async () => {
    const { page, server } = await open({ hash: 'api' })
    await page.locator('.operation summary', { hasText: '/prices/{feedId}/latest' }).click()
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.answer', { hasText: '"feedId":"BTCUSD"' }).waitFor()
    expect(server.mock.sessions.default.journal.entries()).toHaveLength(1)
  })

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
    await page.getByRole('dialog').filter({ hasText: '6 requests and all verdicts are gone' }).waitFor()
    await page.getByRole('button', { name: 'Clear now' }).click()
    await opened.tab('Report')
    await page.getByText('✓ nothing failed').waitFor()
  })
}
