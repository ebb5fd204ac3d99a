// Before the tests of the full run: starts the Redis that hosts on a store share, and stops it after them.
import type { TestProject } from 'vitest/node'
import { NO_REDIS, startRedis } from '../support/redis.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a Redis; empty in `npm test`, and where there is none. */
    redisUrl: string
  }
}

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const isUsed = /^(full|rest)$/.test(project.vitest.vite.config.mode) && NO_REDIS === undefined
  const redis = isUsed ? await startRedis() : undefined
  project.provide('redisUrl', redis?.url ?? '')
  return redis?.stop
}
