import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'node',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['test/browser/**'],
          globalSetup: ['test/setup/build.ts', 'test/support/hosts/table.ts'],
          // Real servers and thousands of properties on shared cores: a limit is there to end a hang, not to measure.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      // Where there is no Chromium, it says so and skips its tests.
      'vitest.browser.config.ts',
    ],
  },
})
