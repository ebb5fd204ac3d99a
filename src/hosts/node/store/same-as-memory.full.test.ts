// Two servers on one Redis give, step by step, the replies of one mock in memory: under every built-in scenario, through changes,
// resets, snapshots and journals.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FILES } from '../../../../test/scenarios/built-in.js'
import { needs } from '../../../../test/support/needs.js'
import { NO_REDIS, startRedis, type TestRedis } from '../../../../test/support/redis.js'
import { IS_FULL_RUN } from '../../../../test/support/seed.js'
import { createMock, type Mock } from '../../../index.js'
import type { Outcome } from '../../../outcome.js'
import { joinStore, type Replica } from './replica.js'

const AT = '2025-07-24T10:48:25Z'
const OPTIONS = { clock: { at: AT, frozen: true }, startedAt: Date.parse(AT) }
const ADDRESSES = { baseUrl: 'http://mock.example', historyUrl: 'http://mock.example' }
const NAMES = FILES.map(([name]) => name)
/** A push tries every third one: a store keeps what a scenario counts, and knows no scenario by its name. */
const TRIED = NAMES.filter((_, i) => IS_FULL_RUN || i % 3 === 0)
/** Faults that count requests in windows and loops, at a pace, beside those of the market. */
const WINDOWED = {
  pace: 2,
  loop: '4m',
  faults: [
    { fault: 'market/bad-tick', feeds: ['BTCUSD'], from: '20s', for: '2m', options: { hold: '1m' } },
    {
      fault: 'reply/status',
      from: '10s',
      for: '30s',
      repeat: '1m',
      requests: '1,3',
      options: { retryAfterForm: 'date' },
    },
    { fault: 'signature/batch-duplicate', requests: { every: 2 } },
  ],
}
const STEPS = 30

const TARGETS = [
  '/prices/BTCUSD/latest',
  '/prices/ETHUSD/latest',
  '/prices/batch?feedIds=BTCUSD,ETHUSD,USDCUSD',
  '/prices/queryHistory?feedIds=BTCUSD,SOLUSD&minutes=5',
  '/prices/evm/crypto?feedIds=BTCUSD,ETHUSD',
  '/prices/NOPE/latest',
  // Nothing is there: a path selects one session.
  '/session/default/session/default/prices/BTCUSD/latest',
  '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h',
]
const KEYS = ['test-api-key', 'test-api-key', 'test-api-key', 'wrong', 'session.nobody', undefined]

/** One request to a mock, whatever keeps its sessions. */
type Ask = (method: string, target: string, authorization?: string, body?: unknown) => Promise<unknown>

const inMemory =
  (mock: Mock): Ask =>
  async (method, target, authorization, body) => {
    const request = { method, target, authorization, receivedAt: Date.now(), body: toText(body) }
    const served = mock.serve(request)
    if (served === undefined) return toComparable(await mock.administer(request, ADDRESSES))
    mock.record(served, 1)
    return toComparable(served.outcome)
  }
const onStore =
  ({ serve, mock }: Replica): Ask =>
  async (method, target, authorization, body) => {
    const request = { method, target, authorization, receivedAt: Date.now(), body: toText(body) }
    return toComparable((await serve(request))?.outcome ?? (await mock.administer(request, ADDRESSES)))
  }

const toText = (body: unknown): string | undefined => (body === undefined ? undefined : JSON.stringify(body))

/** An outcome without real times, which differ from request to request. Sessions in a store expire. */
function toComparable(outcome: Outcome): unknown {
  const text = JSON.stringify(outcome)
  return text
    .replace(/\\"(receivedAt|durationMs)\\":[\d.]+/g, '')
    .replace(/,\\"expiresAt\\":\\"[^"]*\\"/g, '')
    .replace(/\\"betweenRealMs\\":(\{[^}]*\}|null)/g, '')
    .replace(/"content-length","\d+"/g, '')
}

/** Numbers from 0 to below `n`, the same in each run. */
function createNumbers(text: string): (n: number) => number {
  let state = [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7)
  return n => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}

describe('two servers on Redis', needs(NO_REDIS), () => {
  let redis: TestRedis
  let replicas: Replica[]
  const memory = createMock(OPTIONS)
  beforeAll(async () => {
    redis = await startRedis()
    const join = () => joinStore(createMock(OPTIONS), { url: redis.url }, [])
    replicas = [await join(), await join()]
  })
  afterAll(async () => {
    for (const replica of replicas) replica.close()
    await redis.stop()
  })

  it('behavior: a journal keeps as many requests, and counts the others, as one in memory', async () => {
    const asks = replicas.map(onStore)
    const create = ['POST', '/_mock/sessions', undefined, { id: 'long' }] as const
    const targets = [...TARGETS, `/prices/${'X'.repeat(2040)}/latest`]
    await inMemory(memory)(...create)
    await asks[0]!(...create)
    const steps = Array.from({ length: 2400 }, (_, i) => `/session/long${targets[i % targets.length]}`)
    for (const target of steps) await inMemory(memory)('GET', target, KEYS[0])
    // All at once at one server keeps their order.
    await Promise.all(steps.map(target => asks[1]!('GET', target, KEYS[0])))
    for (const path of ['requests/summary', 'requests', 'requests?after=2000&limit=50']) {
      const step = ['GET', `/_mock/sessions/long/${path}`] as const
      expect(await asks[0]!(...step), path).toBe(await inMemory(memory)(...step))
    }
  })

  it.each([...TRIED, 'windows'])('behavior: %s gives the replies of a mock in memory', async name => {
    const asks = replicas.map(onStore)
    const next = createNumbers(name)
    const id = `of-${name}`
    let turn = 0
    const compare = async (...step: Parameters<Ask>): Promise<void> => {
      const want = await inMemory(memory)(...step)
      expect(await asks[turn++ % asks.length]!(...step), step.join(' ')).toBe(want)
    }
    const session = `/_mock/sessions/${id}`
    await compare('POST', '/_mock/sessions', undefined, {
      id,
      seed: '11',
      scenario: name === 'windows' ? WINDOWED : name,
    })
    for (let i = 0; i < STEPS; i++) {
      const target = TARGETS[next(TARGETS.length)]!
      switch (next(24)) {
        case 0:
          await compare('PATCH', session, undefined, { clock: { advance: next(120) } })
          break
        case 1:
          await compare('PATCH', session, undefined, { prices: { BTCUSD: 100 + next(1000) } })
          break
        case 2:
          await compare('PATCH', session, undefined, { scenario: next(3) === 0 ? null : NAMES[next(NAMES.length)] })
          break
        case 3:
          await compare('GET', `/_mock/explain?url=${encodeURIComponent(`/session/${id}${target}`)}`)
          break
        case 4:
          await compare('POST', `${session}/snapshot`)
          break
        case 5:
          if (i > STEPS / 2) await compare('POST', `${session}/reset`)
          break
        case 6:
          await compare('GET', target, `session.${id}`)
          break
        case 7:
          await compare(next(2) ? 'HEAD' : 'OPTIONS', `/session/${id}${target}`, KEYS[0])
          break
        default:
          await compare('GET', `/session/${id}${target}`, KEYS[next(KEYS.length)])
      }
    }
    await compare('GET', session)
    await compare('GET', `${session}/requests`)
    await compare('GET', `${session}/requests/summary`)
    await compare('GET', `${session}/inspect`)
    await compare('POST', `${session}/snapshot`)
  })
})
