// Builds the console into one folder of compressed files. A server sends them as they are.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const SCHEMA = fileURLToPath(new URL('../scenarios/schema.json', import.meta.url))
const FORMS = 'virtual:fault-forms'

/** The parts of the scenario schema that the form of a fault needs: the file repeats the common ones for each fault. */
const faultForms = {
  name: 'fault-forms',
  resolveId: id => (id === FORMS ? `\0${FORMS}` : undefined),
  load(id) {
    if (id !== `\0${FORMS}`) return undefined
    this.addWatchFile(SCHEMA)
    const { properties } = JSON.parse(readFileSync(SCHEMA, 'utf8'))
    const branches = properties.faults.items.allOf
    const forms = branches.map(({ if: { properties: condition }, then: { description, properties } }) => {
      const { options, fault: _, ...selectors } = properties
      return { fault: condition.fault.const, description, selectors: Object.keys(selectors), options }
    })
    const selectors = Object.assign({}, ...branches.map(({ then }) => then.properties))
    const { fault: _, options: __, ...shared } = selectors
    // Fields come from the schema, so there are no others to refuse.
    const text = value => JSON.stringify(value, (key, part) => (key === 'additionalProperties' ? undefined : part))
    return `export const FORMS = ${text(forms)}\nexport const SELECTORS = ${text(shared)}`
  },
}

/** Replaces each file by its gzip and its brotli form: the package holds no other. */
const compressed = {
  name: 'compressed',
  apply: 'build',
  writeBundle({ dir }) {
    for (const file of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      if (!file.isFile() || file.name.endsWith('.md')) continue
      const path = join(file.parentPath ?? file.path, file.name)
      const bytes = readFileSync(path)
      writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
      writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
      rmSync(path)
    }
  },
}

const mock = process.env.PRICE_FEED_BASE_URL ?? 'http://127.0.0.1:4700'

/** Passes requests on to a running mock, which refuses pages of other origins: that of Vite is the page's own. */
const toMock = {
  target: mock,
  changeOrigin: true,
  configure: proxy =>
    proxy.on('proxyReq', (passedOn, { headers: { origin, host } }) => {
      if (origin === `http://${host}`) passedOn.removeHeader('origin')
    }),
}

// biome-ignore lint/style/noDefaultExport: Vite reads it.
export default {
  root: fileURLToPath(new URL('.', import.meta.url)),
  // The page may be mounted under a prefix.
  base: './',
  logLevel: 'warn',
  publicDir: false,
  plugins: [faultForms, compressed],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // `npx vite console` beside a running mock.
  server: { proxy: Object.fromEntries(['/_mock', '/session', '/prices', '/charting'].map(path => [path, toMock])) },
  build: {
    outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
    emptyOutDir: true,
    assetsDir: 'console',
    target: 'es2023',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'LICENSES.md' },
    // Nothing as a data URL: the policy of the page allows it for images only.
    assetsInlineLimit: 0,
  },
}
