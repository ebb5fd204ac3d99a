// Before the tests in a browser: the ticker is built as its users build it, and served on a port of its own.
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build, preview } from 'vite'
import type { TestProject } from 'vitest/node'
import { findChromium } from './find-chromium.js'

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

const root = fileURLToPath(new URL('../../examples/ticker', import.meta.url))
const outDir = fileURLToPath(new URL('../../.build/ticker', import.meta.url))

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
  const options = { root, logLevel: 'warn', build: { outDir, emptyOutDir: true } } as const
  try {
    await build(options)
  } catch (error) {
    project.provide('tickerProblem', String(error))
    return undefined
  }
  const site = await preview({ ...options, preview: { host: '127.0.0.1', port: 0 } })
  // A worker needs a secure context: a page from localhost has one.
  const { port } = site.httpServer.address() as AddressInfo
  project.provide('ticker', `http://localhost:${port}`)
  return () => site.close()
}
