// The console in a browser, in depth: colours on the canvas, hundreds of feeds, and the remaining pages.
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import type { Page } from 'playwright'
import { createServer } from 'vite'
import { expect, it } from 'vitest'
import { formatPrice } from '../../console/src/format.js'
import { checkScenarios } from '../../src/cli/input-files.js'
import { startServer } from '../../src/hosts/node/server.js'
import { IS_FULL_RUN, PROPERTY_SEED } from '../support/seed.js'
import { testOtherFlows } from './console-flows.js'
import { AT, describeConsole } from './open-console.js'

const THEMES = ['dark', 'light'] as const
/** The colours of rising and falling candles. */
const CANDLES = {
  dark: [
    [53, 199, 138],
    [240, 97, 109],
  ],
  light: [
    [16, 147, 90],
    [207, 50, 64],
  ],
} as const

describeConsole('the console, in depth', open => {
  testOtherFlows(open)

  it('behavior: requests that are no longer kept are counted in their time', async () => {
    const { page, server, consume } = await open({ server: { clock: { at: AT, frozen: true } }, hash: 'axis?w=2m' })
    for (let i = 0; i < 1200; i++) {
      await consume(`/prices/BTCUSD/latest`, i % 10 === 0 ? {} : undefined)
      if (i % 100 === 99) server.mock.clock.advance(2)
    }
    const legend = page.getByRole('group', { name: 'What your app got' })
    await legend
      .filter({ hasText: /fresh\s+1080/ })
      .filter({ hasText: /refused\s+120/ })
      .waitFor()
    await page.locator('.axis-requests .axis-counts li').first().filter({ hasText: '1200' }).waitFor()
    // The first two seconds are counts alone; in a view without them they are not counted.
    await page.goto(`${server.url}/_mock/#/axis?v=2025-07-24T10:48:31Z~1m`)
    await legend.filter({ hasText: /fresh\s+810/ }).waitFor()
  })

  it('behavior: requests that have left the tree of the axis leave the memory of the page', async () => {
    const { page, consume } = await open()
    await page.clock.install()
    for (let round = 1; round <= 4; round++) {
      for (let i = 0; i < 200; i++) await consume('/prices/BTCUSD/latest')
      const counted = page.getByRole('row', { name: `latest: ${round * 200} requests` })
      // The tree follows every two seconds.
      await expect
        .poll(async () => {
          await page.clock.fastForward(2000)
          return await counted.count()
        })
        .toBe(1)
    }
    const devtools = await page.context().newCDPSession(page)
    const evaluate = async (expression: string) => (await devtools.send('Runtime.evaluate', { expression })).result
    await devtools.send('HeapProfiler.collectGarbage')
    const { objects } = await devtools.send('Runtime.queryObjects', {
      prototypeObjectId: (await evaluate('HTMLSpanElement.prototype')).objectId!,
    })
    const functionDeclaration = `function () {
      return this.filter(span => span.role === 'gridcell' && !span.isConnected).length
    }`
    const found = { objectId: objects.objectId!, functionDeclaration }
    // Those of the last change may still be held.
    expect((await devtools.send('Runtime.callFunctionOn', found)).result.value).toBeLessThanOrEqual(200)
  })

  it.each(THEMES)('behavior: the canvas has candles in the colours of the theme, %s', async colorScheme => {
    const { page } = await open({ context: { colorScheme } })
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    const wanted = CANDLES[colorScheme]
    expect(await countPixels(page, wanted)).toSatisfy(counts => (counts as number[]).every(count => count > 200))
    // The other theme, chosen in the page, repaints the canvas.
    const other = colorScheme === 'dark' ? 'light' : 'dark'
    await page.getByLabel('Theme').selectOption(other)
    expect(await countPixels(page, wanted)).toEqual([0, 0])
    // So does a system with colours of its own, in which the others differ.
    await page.emulateMedia({ forcedColors: 'active' })
    await page.getByLabel('Theme').selectOption('auto')
    expect(await countPixels(page, wanted)).toSatisfy(counts => (counts as number[]).every(count => count > 200))
    // They mark a pressed button and a chosen row as well.
    const grounds = `['.grid-space .feed-row', 'nav a', '.axis-tools button'].map(each => new Set(
      [...document.querySelectorAll(each)].map(one => getComputedStyle(one).backgroundColor)).size)`
    expect(await page.evaluate(grounds)).toEqual([2, 2, 2])
  })

  it('behavior: in development, the canvas has the colours of both themes, and a press breaks a feed', async () => {
    const { page, server } = await open()
    const development = await createServer({
      configFile: fileURLToPath(new URL('../../console/vite.config.mjs', import.meta.url)),
      server: { host: '127.0.0.1', port: 0, proxy: { '/_mock': { target: server.url } } },
    })
    await development.listen()
    const { port } = development.httpServer!.address() as AddressInfo
    await page.goto(`http://127.0.0.1:${port}/`)
    for (const theme of THEMES) {
      await page.getByLabel('Theme').selectOption(theme)
      await page.locator('.axis-page[data-ready="true"]').waitFor()
      expect(await countPixels(page, CANDLES[theme])).toSatisfy(counts =>
        (counts as number[]).every(count => count > 200),
      )
    }
    await page.getByRole('button', { name: 'Make it stale' }).click()
    await page.locator('.axis-fault-names', { hasText: 'stale' }).waitFor()
    await page.goto('about:blank')
    await development.close()
  })

  it('behavior: 500 synthetic feeds tick, scroll and are found, with the rows in sight only and without a shift', async () => {
    const { page } = await open({ server: { syntheticFeeds: 500 } })
    const count = page.locator('.market-table .count')
    await count.filter({ hasText: /^5\d\d feeds$/ }).waitFor()
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    await sumShifts(page)
    // Rows in sight, and a few before and after them.
    const most = Number(await page.evaluate('Math.ceil(document.querySelector(".grid").clientHeight / 36) + 9'))
    const rendered = () => page.locator('.grid-space .feed-row').count()
    const first = page.locator('.grid-space .price').first()
    const before = await first.innerText()
    await first.filter({ hasNotText: before }).waitFor()
    expect(await rendered()).toBeLessThanOrEqual(most)
    // An animation of a price would paint every frame.
    expect(await page.evaluate('document.getAnimations().length')).toBe(0)

    await page.locator('.grid').hover()
    await page.mouse.wheel(0, 6000)
    await page.locator('.feed-row[aria-rowindex="180"]').waitFor()
    expect(await rendered()).toBeLessThanOrEqual(most)
    // Half a second after a key the browser counts what moves for it: a slow one would count the search below.
    expect(await page.evaluate('globalThis.shift')).toBe(0)
    await page.locator('.grid').focus()
    await page.keyboard.press('End')
    await page.locator('[role="row"][aria-selected="true"]').waitFor()
    const last = await page.locator('[role="row"][aria-selected="true"]').innerText()
    await expect.poll(() => page.getByLabel('Feed', { exact: true }).inputValue()).toBe(last.split(/\s/)[0])
    await page.getByLabel('Search feeds').fill('btcusd')
    await count.filter({ hasText: /^\d feeds?$/ }).waitFor()
  })

  it('behavior: lines of the last hour stay until those of the new time arrive', async () => {
    const { page } = await open({ server: { clock: { at: AT, frozen: true } } })
    await page.locator('.feed-row .sparkline path[d^="M"]').nth(5).waitFor()
    await page.evaluate(`globalThis.emptied = 0; new MutationObserver(changes => {
      for (const { target } of changes) if (target.getAttribute('d') === '') globalThis.emptied++
    }).observe(document.querySelector('.grid-space'), { subtree: true, attributeFilter: ['d'] })`)
    const line = page.locator('.feed-row .sparkline path').first()
    for (const step of ['+1 h', '+1 min']) {
      const before = await line.getAttribute('d')
      await page.getByRole('button', { name: step }).click()
      await page.locator(`.feed-row:first-child .sparkline path:not([d="${before}"])`).waitFor()
    }
    expect(await page.evaluate('globalThis.emptied')).toBe(0)
  })

  it('behavior: rows keep their place while prices tick', async () => {
    const { page } = await open({ server: { clock: { at: '2025-07-24T10:48:25Z', speed: 60 } } })
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    await sumShifts(page)
    const price = page.locator('.grid-space .price').first()
    for (let i = 0; i < 3; i++) {
      const before = await price.innerText()
      await price.filter({ hasNotText: before }).waitFor()
    }
    expect(await page.evaluate('globalThis.shift')).toBe(0)
  })

  it.each([
    { way: 'jumps', clock: { frozen: true } },
    { way: 'runs 60 times as fast', clock: { speed: 60 } },
  ])(
    'behavior: header, row, scale and reply show the price of the API everywhere, while the clock $way',
    async ({ clock }) => {
      const { page, server, consume } = await open({ server: { clock: { at: AT, ...clock } } })
      await page.locator('.axis-page[data-ready="true"]').waitFor()
      const read = async (path: string) => (await fetch(`${server.url}/_mock/${path}`)).json()
      const { scenarios } = (await read('scenarios')) as { scenarios: { name: string; stages: readonly string[] }[] }
      const ofMarket = scenarios.filter(({ stages }) => stages.every(stage => stage === 'market'))
      const rows = await page.locator('.feed-row .name').allInnerTexts()
      const places = fc.sample(
        fc.record({
          scenario: fc.constantFrom(...ofMarket.map(({ name }) => name)),
          advance: fc.integer({ min: 1, max: 7 * 86_400 }),
          feed: fc.constantFrom(...rows.slice(0, 6)),
        }),
        { seed: PROPERTY_SEED, numRuns: IS_FULL_RUN ? 100 : 12 },
      )
      for (const place of places) {
        const { scenario, advance, feed } = place
        server.mock.change({ scenario: scenario as never, clock: { advance } })
        await page.getByLabel('Feed', { exact: true }).selectOption(feed)
        const { clock: since } = (await read('sessions/default')) as { clock: { now: number } }
        // The page reads anew when it comes into sight. Some scenarios have a time of their own, so the clock goes back as well.
        await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
        const ofPage = `(() => {
        const at = Date.parse(document.querySelector('.clock-time').dateTime) / 1000
        const header = document.querySelector('.axis-price')?.textContent
        const reply = [...document.querySelectorAll('.reply-panel dt')].find(one => one.textContent === 'Price')
        if (at < ${since.now} || at > ${since.now + (clock.frozen ? 0 : 3600)} || header === undefined || reply === undefined) return undefined
        const row = document.querySelector('.feed-row[aria-selected="true"] .price').textContent
        const scale = document.querySelector('.axis-handle')?.getAttribute('aria-valuetext') ?? 'no price'
        return { at, header, row, scale, reply: reply.nextElementSibling.textContent }
      })()`
        let shown: { at: number } | undefined
        await expect.poll(async () => (shown = await page.evaluate(ofPage))).toBeDefined()
        const { at } = shown!
        const market = (await read(`sessions/default/market?feeds=${feed}&at=${at}`)) as { feeds: [{ price: number }] }
        const [{ price }] = market.feeds
        const path = `/prices/${feed}/latest`
        const { outcome } = (await read(`explain?at=${at}&url=${path}`)) as {
          outcome: { status: number; body: string }
        }
        const text = price === null ? 'no price' : formatPrice(price)
        const reply = price === null ? 'none in the reply' : text
        expect({ place, ...shown }).toEqual({ place, at, header: text, row: text, scale: text, reply })
        expect(outcome.status).toBe(price === null ? 404 : 200)
        const served = JSON.parse(outcome.body)
        if (price !== null) expect(served.price * 10 ** served.expo).toBeCloseTo(price, 8)
        if (clock.frozen) expect(await (await consume(path)).text()).toBe(outcome.body)
      }
    },
  )

  it('behavior: a fault of the form runs, is listed, and is removed; its JSON is that of the server', async () => {
    const { page, server, tab } = await open()
    // As soon as it is there.
    await page.evaluate(`
      new MutationObserver((_, observer) => {
        const select = document.querySelector('[aria-label="Fault"]')
        if (select === null) return
        observer.disconnect()
        select.value = 'market/shock'
        select.dispatchEvent(new Event('change', { bubbles: true }))
      }).observe(document, { childList: true, subtree: true })`)
    await tab('Faults')
    await page.getByLabel(/^change/).fill('-0.5')
    await page.getByLabel(/^from/).fill('nonsense')
    await page.getByText('Nothing to copy yet: from: nonsense has the wrong form: write it like 10s.').waitFor()
    expect(await page.locator('.snippet').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Add to the running scenario' }).isDisabled()).toBe(true)
    await page.getByLabel(/^from/).fill('10s')
    await page.getByRole('button', { name: 'Add to the running scenario' }).click()
    await page.locator('.fault-list li', { hasText: 'market/shock' }).waitFor()
    const { source } = server.mock.sessions.default.runtime.scenario.definition
    expect(source.faults).toEqual([
      { fault: 'market/shock', feeds: ['BTCUSD'], from: '10s', options: { change: -0.5 } },
    ])
    const shown = page.locator('.snippet', { hasText: 'Scenario file' }).first().locator('pre')
    const copied = await shown.innerText()
    expect(JSON.parse(copied)).toEqual({ title: 'market/shock', why: expect.any(String), ...source })
    const file = join(mkdtempSync(join(tmpdir(), 'price-feed-mock-')), 'copied.json')
    writeFileSync(file, copied)
    expect(checkScenarios([file], undefined)).toEqual({ lines: [`${file}: valid. market/shock: 1 fault.`], errors: [] })
    await page.getByRole('button', { name: 'Remove market/shock' }).click()
    await page.getByText('No faults. The service works normally.').waitFor()
  })

  it('behavior: a fault that is far ahead is not over, whatever the axis shows', async () => {
    const faults = [
      { fault: 'market/stale', from: '3h', for: '10m' },
      { fault: 'market/gap', for: '10s' },
      { fault: 'market/flatline', from: '60s', for: '60s', repeat: '10m' },
    ] as const
    const opened = await open({ server: { clock: { at: AT, frozen: true }, scenario: { faults } }, hash: 'faults' })
    const { page, server, tab } = opened
    const badges = () => page.locator('.fault-list li .badge').allInnerTexts()
    await expect.poll(badges).toEqual(['in 3 h', 'active', 'in 1 min'])
    server.mock.clock.advance('2m')
    await tab('Axis')
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    await page.locator('.reply-panel summary', { hasText: '3 faults did nothing' }).waitFor()
    await tab('Faults')
    await expect.poll(badges).toEqual(['in 2 h 58 min', 'over', 'in 9 min'])
    server.mock.change({ scenario: null })
    await expect.poll(badges).toEqual(['over', 'over', 'over'])
  })

  it('behavior: a request of the journal is reproduced as it was, not as it would be now', async () => {
    const { page, server, consume } = await open({ server: { scenario: 'chaos' }, hash: 'journal' })
    for (let i = 0; i < 3; i++) await consume('/prices/BTCUSD/latest').catch(() => undefined)
    server.mock.setScenario('calm')
    await page
      .getByRole('row', { name: /latest/ })
      .last()
      .click()
    const n = Number(/\d+/.exec(await page.getByRole('heading', { name: /^Request / }).innerText())![0])
    const shown = page.locator('.snippet', { hasText: 'Reproduce on a fresh server' }).locator('pre')
    const { reproduce } = (await (await fetch(`${server.url}/_mock/sessions/default/requests/${n}`)).json()) as {
      reproduce: string
    }
    expect(reproduce).toContain(`/snapshot?before=${n}"`)
    expect(await shown.innerText()).toBe(reproduce)
  })

  it('behavior: every fault of the form is accepted with its defaults', async () => {
    const { page, server } = await open({ hash: 'faults' })
    const select = page.getByLabel('Fault', { exact: true })
    await select.waitFor()
    const names = await select.locator('option').allInnerTexts()
    expect(names.length).toBeGreaterThan(50)
    const required: Record<string, readonly [label: RegExp, text: string]> = {
      'market/price': [/^price/, '100'],
      'market/path': [/^points/, '[{"at":"1m","price":45000}]'],
    }
    for (const name of names) {
      await select.selectOption(name)
      const [label, text] = required[name] ?? []
      if (label !== undefined) await page.getByLabel(label).fill(text!)
      // Reads every pattern, which a browser says only then.
      await page.evaluate(`[...document.querySelectorAll('[pattern]')].map(one => one.matches(':invalid'))`)
      const file = page.locator('.snippet', { hasText: '"title"' }).locator('pre')
      const scenario = JSON.parse(await file.innerText())
      expect(scenario.faults[0].fault).toBe(name)
      expect(() => server.mock.scenarios.get(scenario)).not.toThrow()
    }
  })

  it('behavior: the keyboard alone breaks a feed', async () => {
    const { page } = await open()
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    for (let i = 0; i < 3; i++) await page.keyboard.press('Tab')
    const focused = () =>
      page.evaluate('document.activeElement.textContent + (document.activeElement.getAttribute("role") ?? "")')
    for (let i = 0; i < 60 && (await focused()) !== 'Make it stale'; i++) await page.keyboard.press('Tab')
    expect(await focused()).toBe('Make it stale')
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Make it stale', pressed: true }).waitFor()
    // Keys act in the palette from its first press on.
    await page.keyboard.press('Control+k')
    await page.keyboard.type('set 50000')
    await page.keyboard.press('Enter')
    await page.getByText('BTCUSD is set to 50,000.00').waitFor()
    // A name is found by its words.
    await page.keyboard.press('Control+k')
    await page.keyboard.type('wrong signer')
    await page.keyboard.press('Enter')
    await page.getByText('Started wrong-signer.').waitFor()
  })

  it('error: a server that stops is reported, and the page recovers', async () => {
    const { page, server, consume } = await open({ server: { port: 0 } })
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    await consume('/prices/BTCUSD/latest')
    await page.locator('.axis-requests .axis-counts li').first().filter({ hasText: '1' }).waitFor()
    await server.stop()
    const alert = page.getByRole('alert').filter({ hasText: 'The server does not answer.' })
    await alert.waitFor()
    // The last reply stays in sight.
    expect(await page.locator('.axis-requests .axis-counts li').first().innerText()).toContain('1')
    const restarted = await startServer({ port: Number(new URL(server.url).port), clock: { at: AT } })
    await alert.waitFor({ state: 'detached' })
    // A proxy that has lost the server answers for it, as does a server without its store; or somebody asks for a login.
    for (const reply of [
      { status: 502, body: '<h1>Bad Gateway</h1>' },
      { status: 503, body: '{"code":"STORE_UNAVAILABLE","detail":"The store does not answer."}' },
      { status: 200, body: '<h1>Login</h1>' },
    ]) {
      await page.route('**/_mock/sessions/**', route => route.fulfill(reply))
      await alert.waitFor()
      await page.unroute('**/_mock/sessions/**')
      await alert.waitFor({ state: 'detached' })
    }
    await restarted.stop()
  })

  it('error: a session that a server has lost by its restart leads to another one', async () => {
    const { page, server } = await open({ server: { port: 0 } })
    server.mock.sessions.create({ id: 'short' }, Date.now())
    await page.goto(`${server.url}/_mock/?again#/axis?s=short`)
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    await server.stop()
    const alert = page.getByRole('alert')
    await alert.filter({ hasText: 'The server does not answer.' }).waitFor()
    const definition = { id: 'ACMEUSD', base: 5, drivers: { crypto: 1 } }
    const restarted = await startServer({
      port: Number(new URL(server.url).port),
      clock: { at: AT },
      feeds: { extends: 'none', feeds: [definition] },
    })
    await alert.filter({ hasText: 'The session short no longer exists.' }).waitFor()
    await alert.getByRole('button').click()
    await alert.waitFor({ state: 'detached' })
    // Its feeds are those of the page.
    await page.getByLabel('Price of ACMEUSD', { exact: true }).waitFor()
    expect(await page.locator('#axis-feed').inputValue()).toBe('ACMEUSD')
    await restarted.stop()
  })

  it('behavior: a server that starts anew at once has its own requests in the page', async () => {
    const { page, server, consume } = await open({ hash: 'journal' })
    await page.locator('.live[data-live="true"]').waitFor()
    const rows = page.locator('.grid-space .request-row')
    for (let i = 0; i < 5; i++) await consume('/prices/ETHUSD/latest')
    await rows.nth(4).waitFor()
    const port = Number(new URL(server.url).port)
    await server.stop()
    const restarted = await startServer({ port, clock: { at: AT } })
    for (let i = 0; i < 2; i++) await consume('/prices/SOLUSD/latest')
    await expect.poll(() => rows.filter({ hasText: 'SOLUSD' }).count()).toBe(2)
    expect(await rows.count()).toBe(2)
    await restarted.stop()
  })

  it('behavior: an open request stays in sight when the stream is cut', async () => {
    const { page, server, consume } = await open({ hash: 'journal/1' })
    await consume('/prices/ETHUSD/latest')
    await page.locator('.detail', { hasText: '✓ answered again' }).waitFor()
    await page.evaluate(`globalThis.lost = 0; new MutationObserver(() => {
      if (document.querySelector('.detail') === null) globalThis.lost++
    }).observe(document.body, { childList: true, subtree: true })`)
    const events = await (await fetch(`${server.url}/_mock/sessions/default/requests`)).json()
    const data = JSON.stringify((events as { requests: object[] }).requests[0])
    let streams = 0
    await page.route('**/events?*', route => {
      streams++
      // It ends at once, and is asked for again.
      return route.fulfill({ contentType: 'text/event-stream', body: `id: 1\nevent: request\ndata: ${data}\n\n` })
    })
    server.mock.sessions.default.journal.close()
    await expect.poll(() => streams, { timeout: 15_000 }).toBeGreaterThan(2)
    expect(await page.evaluate('globalThis.lost')).toBe(0)
  })
})

/** Adds up the layout shifts that no input explains, in `globalThis.shift`. */
async function sumShifts(page: Page): Promise<void> {
  await page.evaluate(`globalThis.shift = 0; new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value
  }).observe({ type: 'layout-shift' })`)
}

/** The number of pixels of each colour on the canvases of the chart, once a frame has been drawn. */
async function countPixels(page: Page, colours: readonly (readonly number[])[], tolerance = 0): Promise<number[]> {
  return page.evaluate(
    `new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => {
      const wanted = ${JSON.stringify(colours)}
      const counts = wanted.map(() => 0)
      for (const canvas of document.querySelectorAll('.axis-chart canvas')) {
        if (canvas.width === 0 || canvas.height === 0) continue
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
        for (let i = 0; i < data.length; i += 4)
          wanted.forEach((colour, at) => {
            if ([...colour, 255].slice(0, 4).every((value, j) => Math.abs(data[i + j] - value) <= ${tolerance})) counts[at]++
          })
      }
      resolve(counts)
    })))`,
  )
}
