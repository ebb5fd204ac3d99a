// The axis as one picture: the market, the faults and the requests of a second stand below each other, in every window and browser.
import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { startServer } from '../../src/hosts/node/server.js'
import { AT, describeConsole, SCALE } from './open-console.js'

const START = Date.parse(AT) / 1000
/** Pixels by which things of one second may be apart. */
const APART = 1.5

/**
 * The pixels from the left at which a colour begins and ends, on a canvas of the axis.
 * @param below the part of the height that is left out
 */
async function edgesOf(page: Page, part: string, name: string, below = 0): Promise<{ left: number; right: number }> {
  return page.evaluate(
    `new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => {
      const root = document.querySelector('.axis-page')
      const probe = root.appendChild(document.createElement('span'))
      probe.style.color = 'var(${name})'
      const wanted = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(Number)
      probe.remove()
      const canvas = root.querySelector('.axis-${part} canvas')
      const { width, height } = canvas
      const { data } = canvas.getContext('2d').getImageData(0, 0, width - ${SCALE}, height)
      const columns = []
      for (let i = 0; i < data.length; i += 4)
        if (i > data.length * ${below} && data[i + 3] > 99 && wanted.every((value, j) => Math.abs(data[i + j] - value) < 9))
          columns.push((i / 4) % (width - ${SCALE}))
      resolve({ left: Math.min(...columns), right: Math.max(...columns) + 1 })
    })))`,
  )
}

describeConsole('the axis', open => {
  it.each([1440, 1024, 390])(
    'behavior: candle, window, request and line of a second share a column: %i px',
    async width => {
      const { page, server, consume } = await open({
        context: { viewport: { width, height: 900 }, colorScheme: 'dark' },
        server: { clock: { at: AT, frozen: true } },
      })
      // One price that falls by a half for a candle, one window, and a request at its start.
      const [from, length] = [20, 5]
      const scenario = {
        faults: [
          { fault: 'market/shock', feeds: ['BTCUSD'], from: `${from}s`, for: `${length}s`, options: { change: -0.5 } },
        ],
      }
      server.mock.change({ scenario: scenario as never })
      server.mock.clock.advance(from)
      await consume('/prices/BTCUSD/latest', {})
      server.mock.clock.advance(40)
      const at = START + from
      for (const [seconds, place] of [
        ['2m', at - 60],
        ['1m', at - 20],
        ['5m', at - 200],
      ] as const) {
        const start = new Date(place * 1000).toISOString()
        const cursor = new Date(at * 1000).toISOString()
        await page.goto(`${server.url}/_mock/?${seconds}#/axis?v=${start}~${seconds}&t=${cursor}`)
        await page.locator('.axis-page[data-ready="true"]').waitFor()
        await page.locator('.axis-fault-names', { hasText: 'shock' }).waitFor()
        await page.locator('.axis-legend', { hasText: /refused\s+1/ }).waitFor()
        const box = (await page.locator('.axis-chart canvas').boundingBox())!
        const wanted = ((at - place) / (60 * Number.parseInt(seconds, 10))) * (box.width - SCALE)
        const line = (await page.locator('.axis-line[data-line="cursor"]').boundingBox())!
        // A narrow one has no edges of their own.
        const window = Math.min(
          ...[await edgesOf(page, 'faults', '--edge'), await edgesOf(page, 'faults', '--lane')].map(one => one.left),
        )
        const cross = await edgesOf(page, 'requests', '--got-refused')
        // It alone stands in the lower half of the chart.
        const candles = [await edgesOf(page, 'chart', '--down', 0.6), await edgesOf(page, 'chart', '--up', 0.6)]
        const [left, right] = [Math.min(...candles.map(one => one.left)), Math.max(...candles.map(one => one.right))]
        const half = (length / 2 / (60 * Number.parseInt(seconds, 10))) * (box.width - SCALE)
        const found = {
          line: line.x - box.x,
          window,
          request: (cross.left + cross.right) / 2,
          candle: (left + right) / 2 - half,
        }
        for (const [name, x] of Object.entries(found))
          expect({ name, seconds, isNear: Math.abs(x - wanted) <= APART, x, wanted }).toMatchObject({ isNear: true })
      }
    },
  )

  it('behavior: an address shows the same to another browser, pixel by pixel', async () => {
    const { page, server, consume } = await open({
      server: { clock: { at: AT, frozen: true }, scenario: 'chaos' },
      hash: 'axis?w=2m',
    })
    for (let i = 0; i < 20; i++) {
      await consume('/prices/BTCUSD/latest').catch(() => undefined)
      server.mock.clock.advance(2)
    }
    await page.locator('.axis-legend', { hasText: /fresh\s+[1-9]/ }).waitFor()
    await page.keyboard.press('n')
    const heading = page.getByLabel('Inspector').getByRole('heading', { name: /^Request \d+$/ })
    await heading.waitFor()
    await page.keyboard.press('-')
    await page.keyboard.press('PageUp')
    await expect.poll(() => page.url()).toContain('~4m')
    const picturesOf = (one: Page): Promise<string[]> =>
      one.evaluate(`[...document.querySelectorAll('.axis canvas')].map(canvas => canvas.toDataURL())`)
    const context = await page
      .context()
      .browser()!
      .newContext({ viewport: { width: 1440, height: 900 } })
    const other = await context.newPage()
    await other.goto(page.url())
    await other.getByRole('heading', { name: await heading.innerText() }).waitFor()
    await expect
      .poll(async () => {
        const [own, theirs] = [await picturesOf(page), await picturesOf(other)]
        return own.map((picture, i) => picture === theirs[i])
      })
      .toEqual([true, true, true, true])
    expect(other.url()).toBe(page.url())
    await context.close()
  })

  it('behavior: an address holds its session, and another session closes what is open', async () => {
    const { page, server, consume } = await open({ server: { clock: { at: AT, frozen: true } }, hash: 'axis?w=2m&r=1' })
    server.mock.sessions.create({ id: 'other', clock: { at: Date.parse(AT), frozen: true } }, Date.now())
    await consume('/prices/BTCUSD/latest')
    await expect.poll(() => new URL(page.url()).hash).toBe('#/axis?s=default&f=BTCUSD&w=2m&r=1')
    const own = page.url()
    const picker = page.getByRole('banner').getByRole('combobox', { name: 'Session' })
    await picker.selectOption('other')
    await expect.poll(() => new URL(page.url()).hash).toBe('#/axis?s=other&f=BTCUSD&w=2m')
    await page.goto(own)
    await expect.poll(() => picker.inputValue()).toBe('default')
    expect(page.url()).toBe(own)
    // Neither a feed nor a session that is none.
    await page.goto(`${server.url}/_mock/?again#/axis?s=&f=NOPE&w=2m`)
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    await expect.poll(() => new URL(page.url()).hash).toBe('#/axis?s=default&f=BTCUSD&w=2m')
    // Without another document, the catalogue is not read again.
    await page.goto(`${server.url}/_mock/?again#/axis?f=NOPE&w=1m`)
    await expect.poll(() => new URL(page.url()).hash).toBe('#/axis?s=default&f=BTCUSD&w=1m')
  })

  it('error: an id that no session can have is that of a session that is gone', async () => {
    const { page } = await open({ hash: 'axis?s=..' })
    const banner = page.getByRole('alert').filter({ hasText: 'The session .. no longer exists.' })
    await banner.getByRole('button', { name: 'Go to default' }).click()
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    await banner.waitFor({ state: 'detached' })
  })

  it('behavior: the axis reaches beyond the last second of the clock', async () => {
    const { page } = await open({ server: { clock: { at: '2105-12-31T23:58:30Z', frozen: true } } })
    await page.locator('.clock-time', { hasText: '2105-12-31 23:58:30' }).waitFor()
    await page.locator('.axis-page[data-ready="true"]').waitFor()
  })

  it('behavior: keys change nothing before the session is read, and the cursor stays within the supported years', async () => {
    const { page, server } = await open({ server: { clock: { at: '1970-01-01T00:00:02Z', frozen: true } } })
    let answer = () => {}
    const held = new Promise<void>(resolve => (answer = resolve))
    await page.route(/sessions\/default$/, route => held.then(() => route.continue()))
    await page.goto(`${server.url}/_mock/?again#/axis?w=2m`)
    await page.locator('.axis-page').waitFor()
    for (const key of ['ArrowLeft', 'PageDown']) await page.keyboard.press(key)
    answer()
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    expect(new URL(page.url()).hash).toBe('#/axis?s=default&f=BTCUSD&w=2m')
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft')
    const ruler = page.getByRole('slider', { name: 'Time' })
    await expect.poll(() => ruler.getAttribute('aria-valuetext')).toBe('1970-01-01 00:00:00 UTC, 2 s before now')
  })

  it('error: a key pressed while the axis is being left does nothing', async () => {
    const { page, server } = await open({ server: { clock: { at: AT, frozen: true } } })
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    await page.evaluate(`new Promise(resolve => {
      new MutationObserver((_, observer) => {
        if (document.querySelector('.axis-page') !== null) return
        observer.disconnect()
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true }))
        resolve()
      }).observe(document.body, { childList: true, subtree: true })
      location.hash = '#/sessions'
    })`)
    await page.getByRole('button', { name: 'Create and switch' }).waitFor()
    expect(server.mock.sessions.default.record.counters.clock.frozen).toBe(true)
  })

  it('behavior: after the journal was cleared, requests of a frozen second are counted once', async () => {
    const { page, server, consume } = await open({ server: { clock: { at: AT, frozen: true } } })
    const count = page.locator('.axis-requests .axis-counts li').first()
    await consume('/prices/BTCUSD/latest')
    await count.filter({ hasText: /^1$/ }).waitFor()
    server.mock.sessions.default.journal.clear()
    await count.filter({ hasText: /^0$/ }).waitFor()
    // The counts of the server come before the requests that they contain.
    const bins = [{ endpoint: 'latest', from: START, until: START + 3, got: { fresh: 4 } }]
    await page.route(/requests\/summary/, route =>
      route.fulfill({ json: { requests: 4, endpoints: [], bins, faults: [] } }),
    )
    await consume('/prices/BTCUSD/latest')
    await count.filter({ hasText: /^4$/ }).waitFor()
    // Nothing else is read meanwhile.
    await page.route(/sessions\/default$/, () => {})
    await page.waitForRequest(/sessions\/default$/)
    for (let i = 0; i < 3; i++) await consume('/prices/BTCUSD/latest')
    await page.locator('#request-5').waitFor({ state: 'attached' })
    expect(await count.innerText()).toBe('4')
  })

  it('behavior: the cursor, the view and the filter follow the keys', async () => {
    const { page, consume } = await open({ server: { clock: { at: AT, frozen: true } }, hash: 'axis?w=2m' })
    await consume('/prices/BTCUSD/latest', {})
    await page.locator('.axis-legend', { hasText: /refused\s+1/ }).waitFor()
    const ruler = page.getByRole('slider', { name: 'Time' })
    await ruler.focus()
    for (const [key, words] of [
      ['ArrowLeft', '2025-07-24 10:48:24 UTC, 1 s before now'],
      ['Shift+ArrowLeft', '2025-07-24 10:47:54 UTC, 31 s before now'],
      ['ArrowRight', '2025-07-24 10:47:55 UTC, 30 s before now'],
      ['Shift+ArrowRight', '2025-07-24 10:48:25 UTC, now'],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(() => ruler.getAttribute('aria-valuetext')).toBe(words)
    }
    const range = async () =>
      Number(await ruler.getAttribute('aria-valuemax')) - Number(await ruler.getAttribute('aria-valuemin'))
    const least = async () => Number(await ruler.getAttribute('aria-valuemin')) - START
    for (const [key, span, from] of [
      ['+', 60, -45],
      ['-', 120, -90],
      ['PageUp', 120, -150],
      ['PageDown', 120, -90],
      ['l', 120, -90],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(async () => [key, await range(), await least()]).toEqual([key, span, from])
    }
    expect(new URL(page.url()).hash).toBe('#/axis?s=default&f=BTCUSD&w=2m')
    const refused = page.getByRole('group', { name: 'What your app got' }).getByRole('button', { name: /refused/ })
    await refused.focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('&got=refused')
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: 'Journal', level: 2 }).waitFor()
    await page.goBack()
    await expect.poll(() => page.url()).toContain('&got=refused')
  })

  it('behavior: a cursor out of sight has the faults of its second, without those of close ones', async () => {
    const faults = [
      { fault: 'market/stale', from: '10m', for: '10m' },
      { fault: 'market/gap', from: '999s', for: '1s', repeat: '2s' },
    ] as const
    const { page } = await open({
      server: { clock: { at: AT, frozen: true }, scenario: { faults } },
      hash: 'axis?w=8m&t=2025-07-24T11:05:03Z',
    })
    const inspector = page.getByLabel('Inspector')
    const listed = inspector.locator('.axis-inline li')
    await expect.poll(() => listed.allInnerTexts()).toEqual(['market/stale'])
    await page.goto(`${new URL(page.url()).origin}/_mock/?again#/axis?w=1d&t=2025-07-24T11:05:04Z`)
    await expect.poll(() => listed.allInnerTexts()).toEqual(['market/stale', 'market/gap'])
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => listed.allInnerTexts()).toEqual(['market/stale'])
  })

  it('behavior: nothing is drawn while the clock is frozen and nothing is asked', async () => {
    const { page, server, consume } = await open({ server: { clock: { at: AT, frozen: true } } })
    await consume('/prices/BTCUSD/latest')
    await page.locator('.axis-legend', { hasText: /fresh\s+1/ }).waitFor()
    await page.evaluate(`globalThis.draws = 0; const { prototype } = CanvasRenderingContext2D, { clearRect } = prototype
      prototype.clearRect = function (...box) { globalThis.draws++; return clearRect.apply(this, box) }`)
    const reads = async (count: number) => {
      for (let i = 0; i < count; i++) await page.waitForResponse(response => response.url().includes('/inspect?'))
    }
    // A drawing on its way is let through first.
    await reads(2)
    const before = await page.evaluate('draws')
    await reads(3)
    expect(await page.evaluate('draws')).toBe(before)
    server.mock.clock.advance(1)
    await expect.poll(() => page.evaluate('draws')).toBeGreaterThan(before as number)
  })

  it('behavior: prices of many digits fit beside the chart', async () => {
    const feeds = { feeds: [{ id: 'TINY', base: 1e-9, expo: -16, drivers: { crypto: 0.5 } }] }
    const { page } = await open({ server: { clock: { at: AT, frozen: true }, feeds }, hash: 'axis?f=TINY' })
    await page.locator('.axis-price', { hasText: '0.00000000' }).waitFor()
    await page.locator('.axis-handle').waitFor()
    const beyond = await page.evaluate(`(canvas => canvas.getContext('2d')
      .getImageData(canvas.width - 1, 0, 1, canvas.height).data.some(value => value > 0)
    )(document.querySelector('.axis-chart canvas'))`)
    expect(beyond).toBe(false)
  })

  it('error: a server that is started again is found by itself, and the cursor and the request stay', async () => {
    const { page, server, consume } = await open({ server: { clock: { at: AT, frozen: true } } })
    await consume('/prices/BTCUSD/latest', {})
    await page.locator('.axis-legend', { hasText: /refused\s+1/ }).waitFor()
    await page.keyboard.press('n')
    const cursor = page.locator('.axis-line[data-line="cursor"]', { hasText: '10:48:25' })
    const inspector = page.getByLabel('Inspector').getByRole('heading', { name: 'Request 1' })
    await cursor.waitFor()
    await inspector.waitFor()
    await server.stop()
    const banner = page.getByRole('alert').filter({ hasText: 'The page shows 2025-07-24 10:48:25 UTC.' })
    await banner.waitFor({ timeout: 3000 })
    expect([await cursor.isVisible(), await inspector.isVisible()]).toEqual([true, true])
    const again = await startServer({ port: Number(new URL(server.url).port), clock: { at: AT, frozen: true } })
    await banner.waitFor({ state: 'detached' })
    expect(await cursor.isVisible()).toBe(true)
    await again.stop()
  })

  it('behavior: an address without a page holds the view as well, and the palette leads back to it', async () => {
    const { page, server, tab } = await open()
    await page.goto('about:blank')
    await page.goto(`${server.url}/_mock/`)
    await page.locator('.axis-page[data-ready="true"]').waitFor()
    await page.getByLabel('Feed', { exact: true }).selectOption('SOLUSD')
    await page.reload()
    await page.getByRole('heading', { name: 'Axis of SOLUSD' }).waitFor()
    await tab('Journal')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('axis')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Axis', exact: true }).waitFor()
    // Of the scenarios that speak of an axis, none has started.
    expect(server.mock.sessions.default.runtime.scenario.definition.name).toBe('calm')
  })
})
