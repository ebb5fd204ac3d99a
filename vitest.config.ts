// All tests: in Node, and again in a real browser. `npm test` leaves out `*.full.test.ts`, which CI runs: files of several seconds,
// as those that search by thousands of examples, attack sockets, or follow a program or page through its life. And it leaves out
// `*.release.test.ts`, which are for a release. `npm run test:full` (mode "full") has everything. Mode "rest", which `.ci/run` uses
// after `npm test`, has what that has left out or shortened, but for the tests of a release.
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/setup/longest-first.js'
import { browserTests } from './vitest.browser.config.js'

/** Tests of several seconds: they are left out of `npm test`. */
const SLOW = '{src,test}/**/*.full.test.ts'
/** Tests that take minutes, or install from a registry. */
const OF_RELEASE = '{src,test}/**/*.release.test.ts'

/** Tests that replace a module or the timers for all their users, or that count the connections of their process. */
const ISOLATED = [
  'src/hosts/node/metrics.test.ts',
  'src/cli/log-colours.test.ts',
  'src/cli/watch-folders.test.ts',
  'src/hosts/answer.test.ts',
  'src/hosts/browser.test.ts',
  'src/hosts/fetch.test.ts',
  'src/hosts/node/tls.test.ts',
  'src/hosts/node/write.test.ts',
  'src/testing/http-fetch-timers.test.ts',
  'test/conformance/scenarios.test.ts',
  'src/faults/wire/dribble.test.ts',
  'src/faults/wire/timeout.test.ts',
  'src/hosts/node/lifecycle.test.ts',
  'test/hostile/body-problems.test.ts',
  'test/hostile/fuzz.full.test.ts',
  'test/hostile/named-connection.full.test.ts',
  'test/hostile/sockets.full.test.ts',
]

/** Tests of every host of which `npm test` runs a part, or nothing, in the worker. */
const SHORTENED_IN_PAGES = ['test/conformance/scenarios.test.ts', 'test/golden.full.test.ts']

/**
 * Optimizes only what runs for long: a quarter of the time went into functions that a few tests call. Later versions of V8 have
 * other flags, and wait longer of their own.
 */
const COMPILE_LESS = process.versions.v8.startsWith('11.')
  ? ['--interrupt-budget=250000', '--max-inlined-bytecode-size-cumulative=300']
  : []

export default defineConfig(({ mode }) => {
  const isRest = mode === 'rest'
  const leftOut = { full: [], rest: [OF_RELEASE] }[mode] ?? [SLOW, OF_RELEASE]
  // `npm run test:full` repeats slow properties more often, and has every scenario on a chain.
  const env = { FULL_RUN: mode === 'full' ? '1' : '' }
  const inNode = {
    globalSetup: ['test/setup/build.ts', 'test/setup/redis.ts', 'test/support/hosts/table.ts'],
    // A larger nursery: with the usual one, a tenth of the time goes into copying what is still referenced.
    execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64', ...COMPILE_LESS],
    // Real servers and thousands of properties on shared cores: a limit is there to end a hang, not to measure.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    env,
  }
  // Signing is half of the time of a reply.
  const resolve = {
    alias: { '@noble/secp256k1': fileURLToPath(new URL('test/support/secp256k1.mjs', import.meta.url)) },
  }
  return {
    test: {
      // One more than there are cores, since many tests wait for a page or a program. Vitest would leave one core free.
      maxWorkers: availableParallelism() + 1,
      sequence: { sequencer: LongestFirst },
      // `npm run coverage`: without code that runs in processes of its own, and in pages.
      coverage: {
        provider: 'v8',
        include: ['src/**/*.ts'],
        exclude: ['**/*.test.ts', '**/*.d.ts'],
        reporter: ['text-summary', 'html'],
        reportsDirectory: '.build/coverage',
      },
      projects: [
        {
          resolve,
          test: {
            ...inNode,
            name: 'node',
            include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
            exclude: ['**/node_modules/**', 'test/browser/**', ...ISOLATED, ...leftOut],
            // The test files of a worker share their imports: loading them anew for each took most of the time.
            isolate: false,
          },
        },
        { resolve, test: { ...inNode, name: 'isolated', include: ISOLATED, exclude: leftOut } },
        // Without Chromium these tests are skipped, with the reason.
        {
          test: {
            ...browserTests,
            include: [...browserTests.include, 'test/golden.full.test.ts'],
            env,
            ...(isRest && { include: ['test/browser/**/*.full.test.ts', ...SHORTENED_IN_PAGES] }),
            exclude: [...browserTests.exclude, ...leftOut],
          },
        },
      ],
    },
  }
})
