// Two servers on one Redis, which take turns: a host whose every request meets the other server.
import { inject } from 'vitest'
import type { MockOptions } from '../../../src/index.js'
import { fallible, type RunningHost } from './host.js'
import { httpHost } from './over-http.js'

let stores = 0

/** The address of a store of its own in the Redis of the run. */
export const newStore = (): string => `${inject('redisUrl')}?prefix=test-${process.pid}-${++stores}`

/** Starts two servers on a new store. */
export async function startOnRedis(options: MockOptions): Promise<RunningHost> {
  const shared = { store: { url: newStore(), lazySessions: true }, publicUrl: 'http://127.0.0.1:4700' }
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
