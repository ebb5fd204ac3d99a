// Two servers on one Redis, which take turns: a host whose every request meets the other server.
import type { MockOptions } from '../../../src/index.js'
import { startRedis, type TestRedis } from '../redis.js'
import { fallible, type RunningHost } from './host.js'
import { httpHost } from './over-http.js'

let redis: Promise<TestRedis> | undefined
let stores = 0

/** The address of a store of its own in the Redis of this process. */
export async function newStore(): Promise<string> {
  redis ??= startRedis()
  return `${(await redis).url}?prefix=test-${++stores}`
}

/** Starts two servers on a new store. */
export async function startOnRedis(options: MockOptions): Promise<RunningHost> {
  const shared = { store: { url: await newStore(), lazySessions: true }, publicUrl: 'http://127.0.0.1:4700' }
  const servers = [await httpHost({ ...options, ...shared }), await httpHost({ ...options, ...shared })]
  let turn = 0
  return {
    ...fallible(async (path, asked) => {
      const seen = await servers[turn++ % 2]!.experience(path, asked)
      // The only difference to other hosts: sessions in a store expire.
      return 'body' in seen ? { ...seen, body: seen.body.replace(/,"expiresAt":"[^"]*"/g, '') } : seen
    }),
    async stop() {
      for (const server of servers) await server.stop()
    },
  }
}
