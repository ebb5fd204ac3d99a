// Before the tests in a browser: builds the ticker the way its users do and serves it.
import type { TestProject } from 'vitest/node'
import { NO_CHROMIUM } from '../support/find-chromium.js'
import { serveTicker } from '../support/ticker.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the ticker. */
    ticker: string
    /** The build error of the ticker; empty without one. */
    tickerProblem: string
  }
}

/** Without a browser the tests are skipped, and a run of these tests alone fails. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('ticker', '')
  project.provide('tickerProblem', '')
  if (NO_CHROMIUM !== undefined) {
    if (project.isRootProject()) process.exitCode = 1
    return undefined
  }
  try {
    const { url, close } = await serveTicker('ticker')
    project.provide('ticker', url)
    return close
  } catch (error) {
    project.provide('tickerProblem', String(error))
    return undefined
  }
}
