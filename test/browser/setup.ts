// Before the tests in a browser: builds the ticker the way its users do and serves it.
import type { TestProject } from 'vitest/node'
import { findChromium } from '../support/find-chromium.js'
import { serveTicker } from '../support/ticker.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the browser; empty when there is none, so that its tests are skipped. */
    chromium: string
    /** Address of the ticker. */
    ticker: string
    /** The build error of the ticker; empty without one. */
    tickerProblem: string
  }
}

/** Without a browser the tests are skipped, and a run of these tests alone fails. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { executablePath = '', problem } = findChromium()
  project.provide('chromium', executablePath)
  project.provide('ticker', '')
  project.provide('tickerProblem', '')
  if (problem !== undefined) {
    const isAskedFor = project.isRootProject()
    process.stderr.write(`\n${isAskedFor ? '' : 'test/browser is skipped. '}${problem}\n\n`)
    if (isAskedFor) process.exitCode = 1
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
