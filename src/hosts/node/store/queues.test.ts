// Requests whose session others change or delete before each attempt to commit: they are made again, but not for ever.
import { expect, it } from 'vitest'
import { createCalls } from '../../../../test/support/calls.js'
import { cleared } from '../../../service/changes.js'
import { createQueues } from './queues.js'
import type { Write, Written } from './store.js'
import { createStoredSessions } from './stored-sessions.js'

/** The replies to some requests, while a store without sessions replies so to the first attempts of each. */
async function serveAfter(kind: Written['kind'], attempts: number, requests = 1): Promise<readonly number[]> {
  let rest = 0
  let revisions = 0
  const replyTo = ({ from }: Write) => {
    if (from === undefined || rest-- <= 0) return { kind: 'done' }
    return { kind, texts: { ...from, rev: `${from.rev}+` } }
  }
  const store = {
    offsetMs: () => 0,
    nextRev: (setup = 'setup') => `${setup}.${++revisions}`,
    load: async () => 'unknown',
    commit: async (writes: readonly Write[]) => writes.map(replyTo),
  } as never
  const queues = createQueues(store, createStoredSessions(store, createCalls().mock.sessions.parts, false))
  const target = '/prices/BTCUSD/latest'
  const statuses: number[] = []
  while (statuses.length < requests) {
    rest = attempts
    const served = await queues.serve({ method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 })
    statuses.push(served!.entry.status)
  }
  return statuses
}

it('behavior: all attempts of a change have one turn, and it is not that of the requests of its server', async () => {
  const turns: (string | undefined)[] = []
  let texts: unknown
  const commit = async ([{ next }]: [Write], turn?: string) => {
    texts = next
    turns.push(turn)
    return [turns.length < 4 && turn !== undefined ? { kind: 'changed', texts } : { kind: 'done' }]
  }
  const load = async () => (texts === undefined ? 'unknown' : { texts })
  const store = { offsetMs: () => 0, nextRev: (setup = 'setup') => `${setup}.${turns.length}`, load, commit } as never
  const queues = createQueues(store, createStoredSessions(store, createCalls().mock.sessions.parts, false))
  await queues.serve({ method: 'GET', target: '/prices/BTCUSD/latest', authorization: undefined, receivedAt: 0 })
  await queues.run('default', cleared())
  const own = expect.any(String)
  expect(turns).toEqual([undefined, undefined, own, own])
  expect(turns[2]).toBe(turns[3])
})

it.each(['absent', 'changed'] as const)('error: a session that is %s more than 199 times', async kind => {
  // The attempts of one request are not those of the next.
  expect(await serveAfter(kind, 199, 2)).toEqual([200, 200])
  const tooFast = { code: 'STORE_UNAVAILABLE', shortMessage: 'The session default changes too fast.' }
  await expect(serveAfter(kind, 200)).rejects.toMatchObject(tooFast)
})
