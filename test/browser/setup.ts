// Before the tests in a browser: the ticker is built as its users build it, and served on a port of its own.
import type { TestProject } from 'vitest/node'
import { findChromium } from '../support/find-chromium.js'
import { serveTicker } from '../support/ticker.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The browser; empty when there is none, and every test in it is skipped. */
    chromium: string
    /** Address of the ticker. */
    ticker: string
    /** Why the ticker could not be built; empty when it was. */
    tickerProblem: string
  }
}

/** Fails when these tests are what was asked for and there is no browser; as a part of all tests they are skipped. */
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
