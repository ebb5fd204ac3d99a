// The Playwright kit in a project that has the package installed: two workers, a Chromium, a page that reads its clock.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, inject, it } from 'vitest'
import { CHROMIUM, NO_CHROMIUM } from '../support/find-chromium.js'
import { needs } from '../support/needs.js'
import { asConsumer, createConsumer } from './consumer.js'

const FILES = new URL('playwright/', import.meta.url)

const CONFIG = `import { defineConfig } from '@playwright/test'
export default defineConfig({
  testMatch: '*.spec.ts',
  fullyParallel: true,
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 20_000 },
  reporter: [['json', { outputFile: 'report.json' }], ['line']],
  use: { launchOptions: ${JSON.stringify(CHROMIUM)} },
})
`

/** The used part of a Playwright report. */
interface Suite {
  readonly suites?: readonly Suite[]
  readonly specs: readonly {
    readonly title: string
    readonly ok: boolean
    readonly tests: readonly {
      readonly annotations: readonly { readonly type: string; readonly description?: string }[]
      readonly results: readonly { readonly workerIndex: number }[]
    }[]
  }[]
}

it(
  'behavior: a page and its session share a time, parallel tests share nothing',
  needs(NO_CHROMIUM),
  async ({ signal }) => {
    expect(inject('buildProblem')).toBe('')
    const files = readdirSync(FILES).map(file => [file, asConsumer(readFileSync(new URL(file, FILES), 'utf8'))])
    const { run, folder } = createConsumer('kits-playwright', {
      ...Object.fromEntries(files),
      'playwright.config.ts': CONFIG,
    })
    const { status, output } = await run('@playwright/test/cli.js', ['test'], { signal })
    expect(status, output).toBe(0)

    const { suites } = JSON.parse(readFileSync(`${folder}/report.json`, 'utf8')) as { suites: Suite[] }
    const specs = suites.flatMap(specsOf)
    expect(specs.filter(({ ok }) => !ok)).toEqual([])
    const runs = specs.flatMap(({ tests }) => tests)
    expect(new Set(runs.flatMap(({ results }) => results.map(({ workerIndex }) => workerIndex))).size).toBe(2)
    const sessions = runs.flatMap(({ annotations }) => annotations.filter(({ type }) => type === 'session'))
    expect(sessions).toHaveLength(specs.length)
    expect(new Set(sessions.map(({ description }) => description)).size).toBe(specs.length)
  },
)

function specsOf({ suites = [], specs }: Suite): Suite['specs'] {
  return [...specs, ...suites.flatMap(specsOf)]
}
