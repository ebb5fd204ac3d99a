// The tests in a real browser: alone as `npm run test:browser`, and a part of `npm test`.
import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: Vitest reads it.
export default defineConfig({
  test: {
    name: 'browser',
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/setup/build.ts', 'test/browser/setup.ts'],
    // A browser on shared cores: a limit is there to end a hang, not to measure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
