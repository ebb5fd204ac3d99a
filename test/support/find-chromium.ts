// Finds a Chromium on this machine.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright'

/** A Chromium, or a message with the way to get one. */
export type FoundChromium =
  | { readonly executablePath: string; readonly problem?: undefined }
  | { readonly executablePath?: undefined; readonly problem: string }

const VARIABLE = 'PRICE_FEED_MOCK_CHROMIUM'
// The same engine without windows, as Playwright's own, takes half of the time.
const NAMES = ['chromium-headless-shell', 'chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser']

/** Finds a Chromium: that of the environment, of the system, or of Playwright. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): FoundChromium {
  const named = environment[VARIABLE]
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return { executablePath: named }
    return { problem: `${VARIABLE} is "${named}", but there is no Chromium: correct or unset it.` }
  }
  const folders = (environment.PATH ?? '').split(delimiter).filter(Boolean)
  const candidates = [...NAMES.flatMap(name => folders.map(folder => join(folder, name))), chromium.executablePath()]
  const executablePath = candidates.find(existsSync)
  if (executablePath !== undefined) return { executablePath }
  return {
    problem: `No Chromium found: run "npx playwright install --with-deps chromium", or set ${VARIABLE} to its path.`,
  }
}
