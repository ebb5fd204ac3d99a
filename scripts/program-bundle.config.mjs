// Bundles the program into dist/program: loading two files instead of two hundred halves the time until it is ready.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

// biome-ignore lint/style/noDefaultExport: Vite reads it.
export default {
  root,
  logLevel: 'error',
  publicDir: false,
  ssr: {
    noExternal: true,
    // These load on demand and stay packages: not every run needs them, and msw must be the user's own copy.
    external: ['@faker-js/faker', '@mswjs/http-middleware', '@redis/client', 'express', 'msw'],
  },
  build: {
    ssr: join(root, 'src', 'cli', 'main.ts'),
    outDir: join(root, 'dist', 'program'),
    emptyOutDir: true,
    target: 'es2023',
    // Readable stack traces matter more than the size.
    minify: false,
    license: { fileName: 'LICENSES.md' },
    rolldownOptions: {
      output: {
        // A sixth of the text; the licences have a file of their own.
        comments: false,
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        // One file for everything that a start needs, and one for each part that loads on demand.
        codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] },
      },
    },
  },
}
