// Before tests of the worker host: builds and serves its page, and starts one Chromium for all of them.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { build, type Rolldown } from 'vite'
import type { TestProject } from 'vitest/node'
import { CHROMIUM, NO_CHROMIUM } from '../support/find-chromium.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The worker host, in the browser project; other projects have the hosts of Node. */
    workerHost: {
      /** The reason to skip its tests. */
      readonly missing?: string
      /** Address of the page. */
      readonly url: string
      /** Address of the browser. */
      readonly browser: string
    }
  }
}

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (NO_CHROMIUM !== undefined) {
    project.provide('workerHost', { missing: NO_CHROMIUM, url: '', browser: '' })
    return undefined
  }
  const server = await servePage()
  const browser = await chromium.launchServer(CHROMIUM)
  // A worker needs a secure context: a page from a loopback has one.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  project.provide('workerHost', { url, browser: browser.wsEndpoint() })
  return async () => {
    await browser.close()
    server.close()
  }
}

async function servePage() {
  const result = await build({
    root: fileURLToPath(new URL('.', import.meta.url)),
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2023',
      chunkSizeWarningLimit: 2000,
      rolldownOptions: { input: fileURLToPath(new URL('page.ts', import.meta.url)) },
    },
  })
  const chunks = (result as Rolldown.RolldownOutput).output.filter(one => one.type === 'chunk')
  const files = new Map(chunks.map(({ fileName, code }) => [`/${fileName}`, code]))
  const entry = chunks.find(({ isEntry }) => isEntry)!.fileName
  const script = createRequire(import.meta.url).resolve('msw/mockServiceWorker.js')
  files.set('/mockServiceWorker.js', readFileSync(script, 'utf8'))
  const html = `<!doctype html><link rel="icon" href="data:,"><script type="module" src="/${entry}"></script>`

  const server = createServer(({ url }, response) => {
    const text = url === '/' ? html : files.get(url!)
    if (text === undefined) response.writeHead(404).end()
    else response.setHeader('content-type', url === '/' ? 'text/html' : 'text/javascript').end(text)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return server
}
