// Finds a Firefox on this machine and starts it for Playwright.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, firefox } from 'playwright'
import { findPrograms } from '../needs.js'

const VARIABLE = 'PRICE_FEED_MOCK_FIREFOX'
const NAMES = ['firefox-esr', 'firefox']
const STARTER = fileURLToPath(new URL('for-playwright.mjs', import.meta.url))

// That of the environment, or of the system. Playwright's own needs a download.
const named = process.env[VARIABLE] ?? ''
const path = (named === '' ? findPrograms(NAMES) : [named]).find(existsSync)

/** The reason to skip tests in Firefox; undefined where they run. */
export const NO_FIREFOX =
  path === undefined ? `No Firefox found: install firefox-esr or firefox, or set ${VARIABLE} to its path.` : undefined

/** Starts a Firefox without a window. */
export function launchFirefox(): Promise<Browser> {
  return firefox.launch({
    channel: 'moz-firefox',
    executablePath: STARTER,
    env: { ...process.env, [VARIABLE]: path } as Record<string, string>,
  })
}
