// Finds a Firefox on this machine and starts it for Playwright.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, firefox } from 'playwright'

const VARIABLE = 'PRICE_FEED_MOCK_FIREFOX'
const NAMES = ['firefox-esr', 'firefox']
const STARTER = fileURLToPath(new URL('for-playwright.mjs', import.meta.url))

/** The sentence of a skipped test. */
export const NO_FIREFOX = `No Firefox found: install firefox-esr or firefox, or set ${VARIABLE} to its path.`

/** Finds a Firefox: that of the environment, or of the system. Playwright's own needs a download. */
export function findFirefox(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = (environment.PATH ?? '').split(delimiter).filter(Boolean)
  const named = environment[VARIABLE] ?? ''
  const candidates = named === '' ? NAMES.flatMap(name => folders.map(folder => join(folder, name))) : [named]
  return candidates.find(existsSync)
}

/** Starts a Firefox without a window. */
export function launchFirefox(path: string): Promise<Browser> {
  return firefox.launch({
    channel: 'moz-firefox',
    executablePath: STARTER,
    env: { ...process.env, [VARIABLE]: path } as Record<string, string>,
  })
}
