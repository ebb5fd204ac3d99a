// The bundle of `price-feed-mock/browser` without msw, which pages load anyway. `size-limit` in package.json sets its limit.
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Copies the chunks of the first load into a separate folder, without those loaded on demand. */
const firstLoad = {
  name: 'first-load',
  writeBundle({ dir }, bundle) {
    const needed = new Set(Object.values(bundle).filter(({ isEntry }) => isEntry))
    for (const { imports } of needed) for (const file of imports) if (bundle[file]) needed.add(bundle[file])
    mkdirSync(join(dir, 'first-load'))
    for (const { fileName } of needed) copyFileSync(join(dir, fileName), join(dir, 'first-load', fileName))
  },
}

// biome-ignore lint/style/noDefaultExport: Vite reads it.
export default {
  root,
  logLevel: 'error',
  publicDir: false,
  plugins: [firstLoad],
  build: {
    outDir: join(root, '.build', 'browser'),
    emptyOutDir: true,
    target: 'es2023',
    rolldownOptions: {
      input: join(root, 'src', 'hosts', 'browser.ts'),
      preserveEntrySignatures: 'strict',
      external: /^msw(\/|$)/,
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
}
