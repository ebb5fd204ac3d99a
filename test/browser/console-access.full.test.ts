// The console for everybody: what axe finds, how large its targets are, and how wide its pages, in all that opens on them.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { IS_FULL_RUN } from '../support/seed.js'
import { AT, describeConsole, type OpenConsole, SCALE } from './open-console.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** The sizes of a desk, a phone and a tablet. */
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
  { width: 1024, height: 768 },
] as const
const WIDTHS = [320, 360, 390, 768, 1024, 1280, 1440, 1920]
/** Every size in both themes, in the full run: colours do not depend on the size. Pages of the phone are also made wider. */
const TABLE = SIZES.slice(0, IS_FULL_RUN ? 3 : 2).flatMap((viewport, i) =>
  (['dark', 'light'] as const)
    .filter((_, j) => IS_FULL_RUN || i % 2 === j)
    .map(colorScheme => ({ width: viewport.width, viewport, colorScheme, widths: viewport.width < 400 ? WIDTHS : [] })),
)
/** Pixels that a finger hits: WCAG 2.2, 2.5.8. */
const TARGET = 24
const FAULTS = [
  { fault: 'market/stale', feeds: ['ETHUSD'], options: { age: '5m' } },
  { fault: 'market/gap', feeds: ['SOLUSD'] },
  { fault: 'reply/latency', from: '10m', for: '5m', options: { ms: 1 } },
] as const
const SERVER = { scenario: { faults: FAULTS }, adminToken: 'correct-horse' }
const LONG_ID = 'w'.repeat(64)

/** Opens every page, and on it what can be opened, one after the other. */
async function* visit(opened: OpenConsole): AsyncGenerator<string> {
  const { page, server, tab, consume } = opened
  server.mock.sessions.create({ id: LONG_ID }, Date.now())
  const inspector = page.getByLabel('Inspector')
  await page.getByLabel('Admin token').fill('wrong')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  yield 'Token refused'
  await page.getByLabel('Admin token').fill(SERVER.adminToken)
  await page.keyboard.press('Enter')
  await page.locator('.axis-page[data-ready="true"]').waitFor()
  await page.getByText('No requests yet.').waitFor()
  yield 'Axis without requests'
  const body = await (await consume('/prices/BTCUSD/latest')).text()
  await consume('/prices/ETHUSD/latest')
  await page.locator('.axis-legend', { hasText: /stale\s+1/ }).waitFor()
  yield 'Axis'
  await page.keyboard.press('n')
  await inspector.getByRole('heading', { name: 'Signatures' }).waitFor()
  yield 'Axis with a request'
  await page.keyboard.press('Escape')
  await page.locator('.axis-fault-names').getByText('latency').click()
  await inspector.getByRole('heading', { name: 'Edit' }).waitFor()
  await inspector.getByLabel(/^from/).waitFor()
  yield 'Axis with a fault'
  await inspector.getByRole('button', { name: 'Close' }).click()
  await page.keyboard.press('Control+k')
  await page.getByRole('option').first().waitFor()
  yield 'Find'
  await page.keyboard.type('set 50000')
  await page.keyboard.press('Enter')
  await page.locator('.notice').waitFor()
  yield 'Axis with a message'
  const clock = page.getByRole('button', { name: 'Clock', exact: true })
  if (await clock.isVisible()) await clock.click()
  await page.getByRole('button', { name: 'Reset', exact: true }).click()
  await page.getByRole('button', { name: 'Reset now' }).waitFor()
  yield 'Reset'
  await page.getByRole('button', { name: 'Cancel' }).click()

  await tab('Faults')
  await page.locator('.scenario-list li').first().waitFor()
  yield 'Faults'
  await tab('Journal')
  await page
    .getByRole('row', { name: /latest/ })
    .first()
    .click()
  await page.locator('.detail').getByRole('heading', { name: 'Signatures' }).waitFor()
  yield 'Journal with a request'
  await tab('Report')
  await page.locator('.report-list li').first().waitFor()
  yield 'Report'
  await tab('Signatures')
  await page.getByLabel('Response body').fill(body)
  await page.getByText('valid', { exact: true }).waitFor()
  yield 'Signatures'
  await tab('Sessions')
  await page.locator('.session-list li', { hasText: LONG_ID }).waitFor()
  yield 'Sessions'
  await page.getByLabel('Search sessions').fill(LONG_ID.repeat(5))
  await page.getByText('No session matches').waitFor()
  yield 'Sessions, none found'
  await tab('API')
  await page.locator('.operation summary').first().click()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('.answer').waitFor()
  yield 'API'
}

/** The problems that axe finds, as one line each. */
async function findProblems(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the policy of the page does not concern.
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(AXE)
  return page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target).join(' | ')))`,
  )
}

/** Everything that can be pressed and is too small, but for links within a text. The label of a box belongs to it. */
async function findSmall(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll(
      'a[href], button, input, select, textarea, summary, [role="slider"], [role="option"], [role="row"], [tabindex="0"]'
    )].flatMap(one => {
      if (!one.checkVisibility({ visibilityProperty: true })) return []
      const isInText = one.matches('a') && getComputedStyle(one).display === 'inline' &&
        one.parentElement.textContent.trim() !== one.textContent.trim()
      if (isInText) return []
      const target = one.matches('[type="checkbox"]') ? one.closest('label') ?? one : one
      const { width, height } = target.getBoundingClientRect()
      if (Math.min(width, height) > ${TARGET} - 0.01) return []
      const name = one.getAttribute('aria-label') ?? (one.textContent || one.outerHTML)
      return [one.tagName + ' ' + name.slice(0, 60) + ': ' + width.toFixed(1) + ' × ' + height.toFixed(1)]
    })`)
}

/** The pixels by which the page is wider than a window of this width, once it is resized and a frame has been drawn. */
async function excessAt(page: Page, width: number): Promise<number> {
  await page.waitForFunction(`innerWidth === ${width}`)
  return page.evaluate(`new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() =>
    resolve(document.documentElement.scrollWidth - innerWidth))))`)
}

describeConsole('the console, for everybody', open => {
  it.each(TABLE)(
    'behavior: axe finds nothing, no target is small, and no page is wider than its window: $width px, $colorScheme',
    async ({ viewport, colorScheme, widths }) => {
      const opened = await open({ context: { viewport, colorScheme }, server: SERVER })
      const found: object[] = []
      for await (const place of visit(opened)) {
        const [problems, small] = [await findProblems(opened.page), await findSmall(opened.page)]
        const wide: object[] = []
        for (const width of widths) {
          await opened.page.setViewportSize({ ...viewport, width })
          const excess = await excessAt(opened.page, width)
          if (excess > 0) wide.push({ width, excess })
        }
        if (widths.length > 0) await opened.page.setViewportSize(viewport)
        if (problems.length + small.length + wide.length > 0) found.push({ place, problems, small, wide })
      }
      expect(found).toEqual([])
    },
  )

  it('behavior: on a phone the inspector is a sheet, which takes the focus and gives it back', async () => {
    const viewport = { width: 390, height: 844 }
    const { page, consume } = await open({
      context: { viewport },
      server: { clock: { at: AT, frozen: true }, scenario: { faults: FAULTS } },
    })
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label").split(":")[0]')
    const inspector = page.getByLabel('Inspector')
    const sheet = page.locator('[data-open="true"] > .axis-inspector')
    // The command that sends a first one, too long for the lanes, begins in them, and is copied there.
    const first = page.getByText('No requests yet.')
    await first.waitFor()
    const bounds = (await page.locator('.axis-requests').boundingBox())!
    expect((await first.boundingBox())!.y).toBeGreaterThanOrEqual(bounds.y)
    const copy = (await page.locator('.axis-none button').boundingBox())!
    expect(copy.y + copy.height).toBeLessThanOrEqual(bounds.y + bounds.height)
    await consume('/prices/ETHUSD/latest')
    await page.locator('.axis-legend', { hasText: /stale\s+1/ }).waitFor()

    await page.locator('.axis-fault-names').getByText('latency').click()
    await inspector.getByRole('heading', { name: 'reply/latency' }).waitFor()
    expect(await focused()).toBe('Inspector')
    const { x, y, width, height } = (await sheet.boundingBox())!
    expect([x, width, Math.round(y + height)]).toEqual([0, viewport.width, viewport.height])
    expect(height / viewport.height).toBeCloseTo(0.54, 1)
    expect(await excessAt(page, viewport.width)).toBe(0)
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    expect(await focused()).toBe('Faults')

    // The request stands at now: three quarters of the time in sight. The lanes stay above the sheet.
    const lanes = page.locator('.axis-requests')
    const tap = async () => {
      const box = (await lanes.boundingBox())!
      await lanes.click({ position: { x: (box.width - SCALE) * 0.75, y: 13 } })
      await inspector.getByRole('heading', { name: 'Request 1' }).waitFor()
      const below = (await lanes.boundingBox())!
      expect(below.y + below.height).toBeLessThanOrEqual(y)
      // The chart above them makes room: it is in sight as well.
      const chart = (await page.locator('.axis-chart').boundingBox())!
      const bar = (await page.locator('header').first().boundingBox())!
      expect(chart.y).toBeGreaterThanOrEqual(bar.y + bar.height)
      expect(chart.height).toBeGreaterThanOrEqual(90)
      expect(await focused()).toBe('Inspector')
    }
    await tap()
    await page.goBack()
    await sheet.waitFor({ state: 'detached' })
    expect(await focused()).toBe('Requests')
    await tap()
    await inspector.getByRole('button', { name: 'Close' }).click()
    await sheet.waitFor({ state: 'detached' })
    expect(await focused()).toBe('Requests')

    // Arrow keys go on from request to request, until Enter.
    await page.keyboard.press('Home')
    await inspector.getByRole('heading', { name: 'Request 1' }).waitFor()
    expect(await focused()).toBe('Requests')
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('Inspector')
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    expect(await focused()).toBe('Requests')
  })
})
