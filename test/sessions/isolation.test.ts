// Each of sixty-four sessions of one mock answers exactly as it does alone.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { MockOptions } from '../../src/index.js'
import { ALL_TARGETS, adminRoute, askWith, digest } from '../support/admin.js'
import type { RunningHost } from '../support/hosts/host.js'
import { type Host, httpHost, REFERENCE } from '../support/hosts.js'
import { PROPERTY_SEED } from '../support/seed.js'

const COUNT = 64
/** The requests to each session: two rounds of the five endpoints and of two errors. */
const ROUND = [...ALL_TARGETS, '/prices/NOPEUSD/latest', '/prices/batch?feedIds=BTCUSD,NOPEUSD']
const REQUESTS = [...ROUND, ...ROUND]
/** The request before which the session of the second test is reset. */
const RESET_AT = 9

interface TestSession {
  readonly body: { readonly id: string; readonly apiKeys?: readonly string[] } & Record<string, unknown>
  /** Reached by its path and a known key, or by its own key alone. */
  readonly by: 'path' | 'key'
}

/** All different: combinations of few seeds, times, policies, signers and keys. */
const SESSIONS: readonly TestSession[] = Array.from({ length: COUNT }, (_, i) => ({
  body: {
    id: `session-${i}`,
    seed: String(i % 32),
    // Around four times, close enough to each other that many sessions need the same candles.
    clock: { at: 1_600_000_000 + (i % 4) * 33_333_333 + i * 97, frozen: true },
    policy: {
      candles: 5 + (i % 7),
      unknownFeed: i % 2 === 0 ? 'reject' : 'omit',
      batchFeedId: i % 3 === 0 ? 'integer' : 'symbol',
      missingParameter: 400 + (i % 5),
    },
    signer: i % 10,
    ...(i % 4 === 0 ? { apiKeys: [`own-key-${i}`] } : {}),
    ...(i % 5 === 0 ? { prices: { BTCUSD: 20_000 + i * 1000 } } : {}),
  },
  by: i % 2 === 0 ? 'path' : 'key',
}))

function send(host: Host, { body: { id, apiKeys }, by }: TestSession, target: string) {
  if (by === 'key') return askWith(host, `session.${id}`, target)
  return askWith(host, apiKeys?.[0] ?? 'test-api-key', `/session/${id}${target}`)
}

const create = (host: Host, { body }: TestSession) => adminRoute(host, 'POST', '/_mock/sessions', body)
const reset = (host: Host, { body }: TestSession) => adminRoute(host, 'POST', `/_mock/sessions/${body.id}/reset`)

/** Hashes of every answer of a session, in the order of its requests. */
type Trace = string[]
const hash = (trace: Trace): string => createHash('sha256').update(trace.join()).digest('hex')

/** Answers of a session that is alone in a mock, with a reset before one of its requests if asked for. */
async function alone(session: TestSession, resetAt?: number): Promise<Trace> {
  const host = await REFERENCE.start({ seed: 'of the server' })
  await create(host, session)
  const trace: Trace = []
  for (const [i, target] of REQUESTS.entries()) {
    if (i === resetAt) await reset(host, session)
    trace.push(digest(await send(host, session, target)))
  }
  return trace
}

/** All pairs of session and request in seeded order, those of one session in their own order. */
function interleaved(seed: number): [session: number, request: number][] {
  const turns = SESSIONS.flatMap((_, session) => REQUESTS.map(() => session))
  const all = fc.shuffledSubarray(turns, { minLength: turns.length, maxLength: turns.length })
  const [order] = fc.sample(all, { seed, numRuns: 1 })
  const next = SESSIONS.map(() => 0)
  return order!.map(session => [session, next[session]!++])
}

const expected: string[] = []
let host: RunningHost
beforeAll(async () => {
  for (const session of SESSIONS) expected.push(hash(await alone(session)))
})
afterAll(() => host?.stop())

/** Starts a mock with all sessions: over HTTP where requests run at the same time. */
const startShared = async (start: (options: MockOptions) => Promise<RunningHost>) => {
  await host?.stop()
  host = await start({ seed: 'of the server' })
  for (const session of SESSIONS) await create(host, session)
}
const expectDefaultUnchanged = async () =>
  expect(await adminRoute(host, 'GET', '/_mock/sessions/default')).toMatchObject({
    requests: 0,
    seed: 'of the server',
  })

it('default: no two sessions answer alike', () => expect(new Set(expected).size).toBe(COUNT))

it('behavior: requests one by one, in seeded order, with a reset of one session', async () => {
  await startShared(REFERENCE.start)
  const resetSession = 21
  const traces: Trace[] = SESSIONS.map(() => [])
  for (const [session, request] of interleaved(PROPERTY_SEED)) {
    if (session === resetSession && request === RESET_AT) await reset(host, SESSIONS[session]!)
    traces[session]!.push(digest(await send(host, SESSIONS[session]!, REQUESTS[request]!)))
  }
  const wanted = [...expected]
  wanted[resetSession] = hash(await alone(SESSIONS[resetSession]!, RESET_AT))
  expect(wanted[resetSession]).not.toBe(expected[resetSession])
  expect(traces.map(hash)).toEqual(wanted)
  await expectDefaultUnchanged()
})

it('behavior: at the same time, changing, resetting and deleting a session affects no other one', async () => {
  await startShared(httpHost)
  const isUnchanged = (i: number): boolean => i % 2 === 0
  const traces = await Promise.all(
    SESSIONS.map(async (session, i) => {
      const trace: Trace = []
      for (const [n, target] of REQUESTS.entries()) {
        trace.push(digest(await send(host, session, target)))
        if (isUnchanged(i)) continue
        const path = `/_mock/sessions/${session.body.id}`
        if (n % 5 === 1)
          await adminRoute(host, 'PATCH', path, { clock: { advance: '1h' }, seed: `x${n}`, prices: { ETHUSD: 5 } })
        if (n % 5 === 3) await reset(host, session)
        if (n === 11) await adminRoute(host, 'DELETE', path)
        if (n === 11) await create(host, session)
      }
      return trace
    }),
  )
  expect(traces.map(hash).filter((_, i) => isUnchanged(i))).toEqual(expected.filter((_, i) => isUnchanged(i)))
  await expectDefaultUnchanged()
})
