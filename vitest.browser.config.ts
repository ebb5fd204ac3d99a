// The tests in a real browser: alone as `npm run test:browser`, and a part of `npm test`.
import { defineConfig } from 'vitest/config'

/** The project of these tests. */
export const browserTests = {
  name: 'browser',
  // The tests that every host has to pass, here with the service worker as the host. A page has no second port.
  include: [
    'test/browser/**/*.test.ts',
    'test/conformance/**/*.test.ts',
    'test/golden.test.ts',
    'test/golden.full.test.ts',
  ],
  exclude: ['test/conformance/history-port.test.ts'],
  globalSetup: [
    'test/setup/build.ts',
    'test/browser/setup.ts',
    'test/worker-host/setup.ts',
    'test/support/hosts/table.ts',
  ],
  isolate: false,
  // A browser on shared cores: a limit is there to end a hang, not to measure.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
}

// biome-ignore lint/style/noDefaultExport: Vitest reads it.
export default defineConfig({
  test: { maxWorkers: '100%', ...browserTests },
})
