// The places where Chromium is searched, and the errors without one.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { expect, it, vi } from 'vitest'
import { findChromium } from '../support/find-chromium.js'
import { createFolder } from '../support/folder.js'

const folder = createFolder()
const [first, second] = [join(folder, 'google-chrome'), join(folder, 'mine')]
for (const file of [first, second]) writeFileSync(file, '')

it('default: the one of the environment, else the one on the path', () => {
  expect(findChromium({ PATH: folder, PRICE_FEED_MOCK_CHROMIUM: second })).toEqual({ executablePath: second })
  expect(findChromium({ PATH: folder })).toEqual({ executablePath: first })
})

it("behavior: without either it is Playwright's own", () => {
  vi.spyOn(chromium, 'executablePath').mockReturnValueOnce(second)
  expect(findChromium({})).toEqual({ executablePath: second })
})

it('error: message with a remedy', () => {
  vi.spyOn(chromium, 'executablePath').mockReturnValueOnce(join(folder, 'missing'))
  expect(findChromium({}).problem).toMatchInlineSnapshot(
    `"No Chromium found: run "npx playwright install --with-deps chromium", or set PRICE_FEED_MOCK_CHROMIUM to its path."`,
  )
  expect(findChromium({ PRICE_FEED_MOCK_CHROMIUM: '/missing' }).problem).toMatchInlineSnapshot(
    `"PRICE_FEED_MOCK_CHROMIUM is "/missing", but there is no Chromium: correct or unset it."`,
  )
})
