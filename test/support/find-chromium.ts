// Finds a Chromium on this machine, and says how tests start it.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright'
import { findPrograms } from './needs.js'

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
  const executablePath = [...findPrograms(NAMES, environment.PATH ?? ''), chromium.executablePath()].find(existsSync)
  if (executablePath !== undefined) return { executablePath }
  return {
    problem: `No Chromium found: run "npx playwright install --with-deps chromium", or set ${VARIABLE} to its path.`,
  }
}

const found = findChromium()

/** The reason to skip tests in Chromium; undefined where they run. */
export const NO_CHROMIUM = found.problem

/** How tests launch it: `--no-sandbox` because containers run as root; the rest turns off background work of Chromium. */
export const CHROMIUM = {
  executablePath: found.executablePath ?? '',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}
