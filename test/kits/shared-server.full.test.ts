// The Vitest kit in a project that has the package installed: tests in process, and on a shared server.
import { readFileSync } from 'node:fs'
import { expect, inject, it } from 'vitest'
import { asConsumer, createConsumer } from './consumer.js'

const read = (name: string) => asConsumer(readFileSync(new URL(`vitest/${name}`, import.meta.url), 'utf8'))

const CONFIG = `import { defineConfig } from 'vitest/config'
export default defineConfig({
  test: {
    pool: 'threads',
    testTimeout: 60_000,
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'in process' } },
      { extends: true, test: { name: 'shared server', globalSetup: ['price-feed.setup.js'] } },
    ],
  },
})
`

/** `sharedServer`, with a record of created and remaining sessions. */
const SETUP = `import { writeFileSync } from 'node:fs'
import { createAdminClient } from 'price-feed-mock/client'
import { sharedServer } from 'price-feed-mock/vitest'
let made = 0
const start = sharedServer({
  onExchange: ({ method, target, status }) => {
    if (method === 'POST' && target === '/_mock/sessions' && status === 201) made++
  },
})
export async function setup(project) {
  const stop = await start(project)
  const url = project.getProvidedContext().priceFeedMockUrl
  return async () => {
    const { sessions } = await createAdminClient({ url }).listSessions()
    await stop()
    const refused = await fetch(url).then(() => false, () => true)
    writeFileSync('noted.json', JSON.stringify({ made, left: sessions.map(({ id }) => id), refused }))
  }
}
`

/** The used part of a Vitest report. */
type Report = { readonly success: boolean; readonly numFailedTests: number; readonly numPassedTests: number }

it('behavior: parallel files share a server, never a session, and leave none behind', async ({ signal }) => {
  expect(inject('buildProblem')).toBe('')
  const copies = ['one', 'two', 'three'].map(copy => [`${copy}.test.ts`, read('session.test.ts')])
  const { run, folder } = createConsumer('kits-vitest', {
    'vitest.config.js': CONFIG,
    'price-feed.setup.js': SETUP,
    'fake-timers.test.ts': read('fake-timers.test.ts'),
    ...Object.fromEntries(copies),
  })
  const { status, output } = await run('vitest/vitest.mjs', ['run', '--reporter=json', '--outputFile=report.json'], {
    signal,
  })
  expect(status, output).toBe(0)
  const { success, numFailedTests, numPassedTests } = JSON.parse(
    readFileSync(`${folder}/report.json`, 'utf8'),
  ) as Report
  expect({ success, numFailedTests }).toEqual({ success: true, numFailedTests: 0 })
  const { made, left, refused } = JSON.parse(readFileSync(`${folder}/noted.json`, 'utf8'))
  expect({ left, refused }).toEqual({ left: ['default'], refused: true })
  // One test of each copy has no session: it looks at those of others.
  expect(made).toBe(numPassedTests / 2 - copies.length)
})
