// Builds and serves examples/ticker for tests in a browser.
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build, preview } from 'vite'

const root = fileURLToPath(new URL('../../examples/ticker', import.meta.url))

/** Builds the ticker into a folder of `.build` and serves it on a free port. */
export async function serveTicker(folder: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const outDir = fileURLToPath(new URL(`../../.build/${folder}`, import.meta.url))
  const options = { root, logLevel: 'warn', build: { outDir, emptyOutDir: true } } as const
  await build(options)
  const site = await preview({ ...options, preview: { host: '127.0.0.1', port: 0 } })
  const { port } = site.httpServer.address() as AddressInfo
  // A worker needs a secure context: a page from localhost has one.
  return { url: `http://localhost:${port}`, close: () => site.close() }
}
