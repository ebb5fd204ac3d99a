// Where a Chromium is on this machine.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright'

/** A Chromium, or one sentence that says how to get it. */
export type FoundChromium =
  | { readonly executablePath: string; readonly problem?: undefined }
  | { readonly executablePath?: undefined; readonly problem: string }

const VARIABLE = 'PRICE_FEED_MOCK_CHROMIUM'
const NAMES = ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser']

/** Finds a Chromium: the one that the environment names, the system's, Playwright's own. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): FoundChromium {
  const named = environment[VARIABLE]
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return { executablePath: named }
    return { problem: `${VARIABLE} is "${named}", where there is no Chromium: correct it, or unset it.` }
  }
  const folders = (environment.PATH ?? '').split(delimiter).filter(Boolean)
  const candidates = [...NAMES.flatMap(name => folders.map(folder => join(folder, name))), chromium.executablePath()]
  const executablePath = candidates.find(existsSync)
  if (executablePath !== undefined) return { executablePath }
  return {
    problem: `There is no Chromium here: "npx playwright install --with-deps chromium" gets one, or ${VARIABLE} names one.`,
  }
}
