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

/** A server with a store, in which others change the session before the third commit. Also the turn and the result of each commit. */
async function startServer() {
  const commits: [kind: string, turn?: string | undefined][] = []
  let texts: Write['next']
  const commit = async ([{ from, next }]: [Write], turn?: string) => {
    if (commits.length === 2) texts = { ...texts!, rev: `${texts!.rev}+` }
    const kind = from?.rev === texts?.rev ? 'done' : 'changed'
    if (kind === 'done') texts = next
    commits.push([kind, turn])
    return [{ kind, texts }]
  }
  let revisions = 0
  const nextRev = (setup = `setup${++revisions}`) => `${setup}.${++revisions}`
  const load = async () => (texts === undefined ? 'unknown' : { texts })
  const store = { offsetMs: () => 0, nextRev, load, commit } as never
  const queues = createQueues(store, createStoredSessions(store, createCalls().mock.sessions.parts, false))
  await queues.serve({ method: 'GET', target: '/prices/BTCUSD/latest', authorization: undefined, receivedAt: 0 })
  expect(commits.splice(0)).toEqual(Array(2).fill(['done', undefined]))
  return { run: () => queues.run('default', cleared()), commits }
}

it('behavior: the attempts of a change have one turn, which no other has; changes at one server do not meet', async () => {
  const { run, commits } = await startServer()
  await Promise.all([run(), run(), run()])
  expect(commits.map(([kind]) => kind)).toEqual(['done', 'done', 'changed', 'done'])
  const [first, second, third, again] = commits.map(([, turn]) => turn)
  expect(new Set([first, second, third, undefined]).size).toBe(4)
  expect(again).toBe(third)
})

it.each(['absent', 'changed'] as const)('error: a session that is %s more than 199 times', async kind => {
  // The attempts of one request are not those of the next.
  expect(await serveAfter(kind, 199, 2)).toEqual([200, 200])
  const tooFast = { code: 'STORE_UNAVAILABLE', shortMessage: 'The session default changes too fast.' }
  await expect(serveAfter(kind, 200)).rejects.toMatchObject(tooFast)
})
