// The list of hosts, and functions that run the same cases over them.
import { afterAll, describe, expect, inject, type RunnerTestSuite, type TestContext } from 'vitest'
import type { MockOptions } from '../../src/index.js'
import { startWorkerHost } from '../worker-host/worker-host.js'
import type { Ability, FallibleHost, HostKind, RunningHost } from './hosts/host.js'
import { startInProcess } from './hosts/in-process.js'
import { startOnRedis } from './hosts/on-redis.js'
import { httpHost, startExpress } from './hosts/over-http.js'
import { ADMITTED } from './hosts/skips.js'
import { startFetch, startMsw } from './hosts/through-fetch.js'
import { needs } from './needs.js'
import { NO_REDIS } from './redis.js'

export type { Host, HostReply } from './hosts/host.js'
export { httpHost }

/** Abilities that no page has whose requests a worker, or msw in its place, intercepts. */
const OF_MSW = {
  'the Host header': 'it is the address that is intercepted: there is no connection that could be rebound',
  'the Accept header': 'a worker does not intercept navigations: no page is opened through it',
  'every method': 'fetch refuses TRACE',
}

/** Every host of Node. The first is the reference. */
const NODE_HOSTS: readonly HostKind[] = [
  {
    name: 'in process',
    lacks: {
      'the Host header': 'a call has no Host header: there is no connection that could be rebound',
      'the Accept header': 'a page is never opened through a call',
    },
    start: startInProcess,
  },
  { name: 'http', lacks: {}, start: httpHost },
  { name: 'express', lacks: {}, start: startExpress },
  {
    name: 'fetch',
    lacks: {
      'the Host header': 'a Request has no Host header: there is no connection that could be rebound',
      'the Accept header': 'a page is never opened through a function',
      'every method': 'a Request cannot be made with TRACE',
    },
    start: startFetch,
  },
  {
    name: 'msw',
    lacks: OF_MSW,
    start: startMsw,
  },
]

/** The service worker in Chromium. The project `browser` runs the same files with this host alone. */
const WORKER_HOST: HostKind = {
  name: 'worker',
  lacks: OF_MSW,
  missing: inject('workerHost')?.missing,
  start: startWorkerHost,
}

/** Two servers on one Redis. They change how sessions are kept, and no reply: only tests of the service run on them. */
const REDIS_HOST: HostKind = { name: 'redis', lacks: {}, missing: NO_REDIS, start: startOnRedis }

/** The hosts of this run. */
export const HOSTS: readonly HostKind[] = inject('workerHost') !== undefined ? [WORKER_HOST] : NODE_HOSTS

/** The host to which all others are compared. */
export const REFERENCE = NODE_HOSTS[0]!

/** The instant of the published samples, and the default time of every host. */
export const AT = '2025-07-24T10:48:25Z'
export const NOW = 1_753_354_105

/** A host that starts on its first request and stops after the tests of its block. */
export type Start = (options?: MockOptions) => FallibleHost

/** Cases of a block, run once for each host. */
export type HostCases = (start: Start, kind: HostKind) => void

/** Runs cases over every host. */
export function describeHosts(title: string, body: HostCases): void {
  describeEach(HOSTS, title, body)
}

/**
 * Runs cases that depend on no host on one of them. The full run repeats them over HTTP, and on servers with a store; the rest of
 * a run only on these, which are servers over HTTP as well.
 */
export function describeService(title: string, body: HostCases): void {
  const isRepeated = inject('isFull') && inject('workerHost') === undefined
  const repeated = inject('isRest') ? [REDIS_HOST] : [...HOSTS.slice(0, 2), REDIS_HOST]
  describeEach(isRepeated ? repeated : HOSTS.slice(0, 1), title, body)
}

/** Runs cases that depend on the engine only: on the first host of Node, and in Chromium. */
export function describeEngine(title: string, body: HostCases): void {
  describeEach(HOSTS.slice(0, 1), title, body)
}

function describeEach(kinds: readonly HostKind[], title: string, body: HostCases): void {
  for (const kind of kinds)
    describe(`${title} (${kind.name})`, needs(kind.missing), () => {
      const running: Promise<RunningHost>[] = []
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from the pattern.
      afterAll(async ({}, suite) => {
        for (const host of await Promise.all(running)) await host.stop()
        // Counted here since tests run in any order. A selection by name skips other tests as well.
        if (inject('isPartial')) return
        expect(countSkipped(suite), 'test/support/hosts/skips.ts').toBe(ADMITTED[kind.name]?.[title] ?? 0)
      })
      const start: Start = options => {
        let host: Promise<RunningHost> | undefined
        const started = () => {
          host = kind.start({ clock: { at: AT, frozen: true }, ...options })
          running.push(host)
          return host
        }
        return {
          request: async (path, asked) => (await (host ?? started())).request(path, asked),
          experience: async (path, asked) => (await (host ?? started())).experience(path, asked),
        }
      }
      body(start, kind)
    })
}

function countSkipped({ tasks }: RunnerTestSuite): number {
  return tasks.reduce((sum, task) => {
    if (task.type === 'suite') return sum + countSkipped(task)
    return sum + (task.mode === 'skip' || task.mode === 'todo' ? 1 : 0)
  }, 0)
}

/** Skips a test, with the reason, on a host without an ability. */
export function need({ lacks }: HostKind, ability: Ability, context: TestContext): void {
  const reason = lacks[ability]
  if (reason !== undefined) context.skip(reason)
}
