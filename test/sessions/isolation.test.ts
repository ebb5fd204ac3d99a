// Sixty-four sessions on one server answer, byte for byte, as each does when it is alone.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_TARGETS, adminRoute, askWith, digest } from '../support/admin.js'
import { type Host, httpHost } from '../support/hosts.js'
import { PROPERTY_SEED } from '../support/seed.js'

const COUNT = 64
/** Requests that each session is sent: two rounds of the five endpoints, and what an endpoint refuses. */
const ROUND = [...ALL_TARGETS, '/prices/NOPEUSD/latest', '/prices/batch?feedIds=BTCUSD,NOPEUSD']
const REQUESTS = [...ROUND, ...ROUND]
/** The request before which the session of the second test is reset. */
const RESET_AT = 9

interface SessionContext {
  readonly body: { readonly id: string; readonly apiKeys?: readonly string[] } & Record<string, unknown>
  /** How it is reached: by its path and a key that the server knows, or by its own key alone. */
  readonly by: 'path' | 'key'
}

/** No two sessions alike: seeds, times, policies, signers and keys, in every combination of few. */
const WORLDS: readonly SessionContext[] = Array.from({ length: COUNT }, (_, i) => ({
  body: {
    id: `world-${i}`,
    seed: String(i % 32),
    // Near each other, so that many ask for the same candles, and in four places.
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

function send(host: Host, { body: { id, apiKeys }, by }: SessionContext, target: string) {
  if (by === 'key') return askWith(host, `session.${id}`, target)
  return askWith(host, apiKeys?.[0] ?? 'test-api-key', `/session/${id}${target}`)
}

const create = (host: Host, { body }: SessionContext) => adminRoute(host, 'POST', '/_mock/sessions', body)
const reset = (host: Host, { body }: SessionContext) => adminRoute(host, 'POST', `/_mock/sessions/${body.id}/reset`)

/** Hashes of every answer of a session, in the order of its requests. */
type Trace = string[]
const hash = (trace: Trace): string => createHash('sha256').update(trace.join()).digest('hex')

/** What a session answers on a server of its own, once as it is and once with a reset. */
async function alone(world: SessionContext, resetAt?: number): Promise<Trace> {
  const host = await httpHost({ seed: 'of the server' })
  try {
    await create(host, world)
    const trace: Trace = []
    for (const [i, target] of REQUESTS.entries()) {
      if (i === resetAt) await reset(host, world)
      trace.push(digest(await send(host, world, target)))
    }
    return trace
  } finally {
    await host.stop()
  }
}

/** Every (session, number of its request), shuffled by the common seed; each session's own stay in order. */
function interleaved(seed: number): [world: number, request: number][] {
  const turns = WORLDS.flatMap((_, world) => REQUESTS.map(() => world))
  const all = fc.shuffledSubarray(turns, { minLength: turns.length, maxLength: turns.length })
  const [order] = fc.sample(all, { seed, numRuns: 1 })
  const next = WORLDS.map(() => 0)
  return order!.map(world => [world, next[world]!++])
}

describe('isolation', () => {
  const expected: string[] = []
  let host: Awaited<ReturnType<typeof httpHost>>
  beforeAll(async () => {
    for (const world of WORLDS) expected.push(hash(await alone(world)))
  })
  afterAll(() => host?.stop())

  const shared = async () => {
    await host?.stop()
    host = await httpHost({ seed: 'of the server' })
    for (const world of WORLDS) await create(host, world)
  }

  it('default: no two sessions answer alike', () => {
    expect(new Set(expected).size).toBe(COUNT)
  })

  it('behavior: one after the other, in seeded order', async () => {
    await shared()
    const traces: Trace[] = WORLDS.map(() => [])
    for (const [world, request] of interleaved(PROPERTY_SEED))
      traces[world]!.push(digest(await send(host, WORLDS[world]!, REQUESTS[request]!)))
    expect(traces.map(hash)).toEqual(expected)
  })

  it('behavior: one session reset midway, the others do not notice', async () => {
    await shared()
    const again = 21
    const traces: Trace[] = WORLDS.map(() => [])
    for (const [world, request] of interleaved(PROPERTY_SEED + 1)) {
      if (world === again && request === RESET_AT) await reset(host, WORLDS[world]!)
      traces[world]!.push(digest(await send(host, WORLDS[world]!, REQUESTS[request]!)))
    }
    const wanted = [...expected]
    wanted[again] = hash(await alone(WORLDS[again]!, RESET_AT))
    expect(wanted[again]).not.toBe(expected[again])
    expect(traces.map(hash)).toEqual(wanted)
  })

  it('behavior: all at once', async () => {
    await shared()
    const traces = await Promise.all(
      WORLDS.map(async world => {
        const trace: Trace = []
        for (const target of REQUESTS) trace.push(digest(await send(host, world, target)))
        return trace
      }),
    )
    expect(traces.map(hash)).toEqual(expected)
  })

  it('behavior: sessions changed, reset and deleted at the same time disturb nobody', async () => {
    await shared()
    const isQuiet = (i: number): boolean => i % 2 === 0
    const traces = await Promise.all(
      WORLDS.map(async (world, i) => {
        const trace: Trace = []
        for (const [n, target] of REQUESTS.entries()) {
          trace.push(digest(await send(host, world, target)))
          if (isQuiet(i)) continue
          const path = `/_mock/sessions/${world.body.id}`
          if (n % 5 === 1)
            await adminRoute(host, 'PATCH', path, { clock: { advance: '1h' }, seed: `x${n}`, prices: { ETHUSD: 5 } })
          if (n % 5 === 3) await reset(host, world)
          if (n === 11) await adminRoute(host, 'DELETE', path)
          if (n === 11) await create(host, world)
        }
        return trace
      }),
    )
    expect(traces.map(hash).filter((_, i) => isQuiet(i))).toEqual(expected.filter((_, i) => isQuiet(i)))
  })

  it('behavior: the session default has not been touched', async () => {
    const { requests, seed } = await adminRoute(host, 'GET', '/_mock/sessions/default')
    expect({ requests, seed }).toEqual({ requests: 0, seed: 'of the server' })
  })
})
