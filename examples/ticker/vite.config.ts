// Serves and builds the ticker: the path of price-feed-mock, and the worker script of msw.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type AliasOptions, defineConfig, type Plugin } from 'vite'

// biome-ignore lint/style/noDefaultExport: Vite reads it.
export default defineConfig({
  resolve: { alias: whereTheMockIs() },
  plugins: [workerScript()],
  // `price-feed-mock exec -- npm run dev` sets the address of the mock. Not every PRICE_FEED_ name: some hold keys.
  envPrefix: ['VITE_', 'PRICE_FEED_BASE_URL', 'PRICE_FEED_HISTORY_URL', 'PRICE_FEED_API_KEY', 'PRICE_FEED_SIGNER'],
  // Only a page with a worker loads the mock and msw.
  build: { target: 'es2023', chunkSizeWarningLimit: 800 },
})

/** The package: the folder above inside its own repository, the installed one elsewhere. */
function whereTheMockIs(): AliasOptions {
  const root = new URL('../../', import.meta.url)
  const file = new URL('package.json', root)
  const { name, exports } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  if (name !== 'price-feed-mock') return []
  return Object.entries<{ default?: string }>(exports)
    .filter(([, target]) => target.default !== undefined)
    .map(([door, target]) => ({
      find: new RegExp(`^price-feed-mock${door.slice(1)}$`),
      replacement: fileURLToPath(new URL(target.default!, root)),
    }))
}

/** Serves the worker script of the installed msw: a copy in `public/` would be outdated after an upgrade. */
function workerScript(): Plugin {
  const fileName = 'mockServiceWorker.js'
  const read = () => readFileSync(createRequire(import.meta.url).resolve(`msw/${fileName}`), 'utf8')
  return {
    name: 'msw-worker-script',
    configureServer: ({ middlewares }) => {
      middlewares.use(`/${fileName}`, (_, response) =>
        response.setHeader('content-type', 'text/javascript').end(read()),
      )
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source: read() })
    },
  }
}
