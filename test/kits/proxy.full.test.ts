// Broken connections behind the proxy of a development server, which docs/runners.md tells.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { KEY } from '../support/ask.js'
import { ROOT } from '../support/folder.js'
import { startMock } from '../support/listen.js'
import { sectionOf } from './recipes.js'

it('behavior: the proxy of the recipe passes replies on, and hides that a connection broke', async () => {
  const mock = await startMock()
  vi.stubEnv('PRICE_FEED_BASE_URL', mock.url)
  onTestFinished(() => void vi.unstubAllEnvs())
  // Below the root of the repository, where the file finds Vite.
  const root = join(ROOT, '.build', 'proxy')
  mkdirSync(root, { recursive: true })
  const configFile = join(root, 'vite.config.js')
  writeFileSync(configFile, sectionOf("Vite's proxy").files['vite.config.js']!)
  const { createServer } = await import('vite')
  const vite = await createServer({ configFile, root, logLevel: 'silent', server: { host: '127.0.0.1', port: 0 } })
  onTestFinished(() => vite.close())
  await vite.listen()
  const ask = async (fault?: 'wire/reset' | 'wire/refused' | 'wire/truncate'): Promise<number> => {
    mock.mock.setScenario({ faults: fault === undefined ? [] : [{ fault }] })
    const signal = AbortSignal.timeout(2000)
    const reply = await fetch(`${vite.resolvedUrls!.local[0]}feed/prices/BTCUSD/latest`, { headers: KEY, signal })
    await reply.text()
    return reply.status
  }
  expect(await ask()).toBe(200)
  for (const fault of ['wire/reset', 'wire/refused'] as const) expect(await ask(fault)).toBeGreaterThanOrEqual(500)
  await expect(ask('wire/truncate')).rejects.toThrow()
})
