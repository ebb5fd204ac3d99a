// Many sessions and hostile requests over two servers on one Redis: bounded, apart from each other, without an unplanned error.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bombard, histogram } from '../hostile/bombard.js'
import { missingProgram, needs } from '../support/needs.js'
import { NO_REDIS, startRedis, type TestRedis } from '../support/redis.js'
import { IS_FULL_RUN, PROPERTY_SEED } from '../support/seed.js'
import { ask, type Cluster, createRoutes, type Routes, startCluster, startProgram } from './programs.js'

const AT = '2025-07-24T10:48:25Z'
/** CI sends a fifth. */
const REQUESTS = IS_FULL_RUN ? 20_000 : 4_000

/** A session of its own: a seed, a scenario, and requests that meet its faults. */
async function consume({ create, change, url }: Routes, id: string, index: number): Promise<string[]> {
  const scenario = ['key-revoked', 'stale-btc', 'signature-matrix', 'rate-limited'][index % 4]!
  const made = await create({ id, seed: String(index % 8), clock: { at: AT, frozen: true }, scenario })
  expect(made.status, made.body).toBe(201)
  const seen: string[] = []
  const targets = ['/prices/BTCUSD/latest', '/prices/batch?feedIds=BTCUSD,ETHUSD', '/prices/evm/crypto?feedIds=ETHUSD']
  for (let step = 0; step < 24; step++) {
    const { status, headers, body } = await ask(`${url}/session/${id}${targets[step % 3]}`)
    seen.push(`${status} ${headers.date} ${headers['x-price-feed-mock']} ${body}`)
    if (step % 6 === 5) await change(id, { clock: { advance: 30 + index } })
  }
  return seen
}

describe('two servers on one Redis', needs(NO_REDIS, missingProgram('nginx')), () => {
  let redis: TestRedis
  let cluster: Cluster
  beforeAll(async () => {
    redis = await startRedis()
    cluster = await startCluster(redis.url, { options: ['--lazy-sessions', '--at', AT, '--frozen'] })
  })
  afterAll(async () => {
    await cluster?.stop()
    await redis?.stop()
  })

  it('behavior: 64 sessions at the same time each see what they see alone in memory', async () => {
    const together = await Promise.all(
      Array.from({ length: 64 }, (_, index) => consume(cluster, `job-${index}`, index)),
    )
    const memory = await startProgram()
    onTestFinished(() => memory.stop())
    const routes = createRoutes(memory.url)
    for (const [index, seen] of together.entries())
      expect(seen, `session ${index}`).toEqual(await consume(routes, `job-${index}`, index))
  })

  it('behavior: of 1,300 sessions by path 1,000 stay, and those created by name', async () => {
    let next = 0
    const statuses = new Set<number>()
    const lane = async (): Promise<void> => {
      while (next < 1300) statuses.add((await cluster.latest(`path-${next++}`)).status)
    }
    await Promise.all(Array.from({ length: 16 }, lane))
    expect(statuses).toEqual(new Set([200]))
    const { sessions } = JSON.parse((await ask(`${cluster.url}/_mock/sessions`)).body) as { sessions: { id: string }[] }
    const ids = sessions.map(({ id }) => id)
    // `default` is not counted.
    expect(ids).toHaveLength(1001)
    expect(ids).toEqual(expect.arrayContaining(['default', 'job-0', 'job-63', 'path-1299']))
    expect(ids).not.toContain('path-0')
    const left = await redis.command('KEYS', '*:s:*')
    expect(left.match(/:s:/g)).toHaveLength(1001)
  })

  it(`behavior: ${REQUESTS} hostile requests over both get documented answers`, async () => {
    const tally = await bombard(
      `replicas ${PROPERTY_SEED}`,
      REQUESTS,
      cluster.replicas.map(({ port }) => port),
    )
    console.log(`seed ${PROPERTY_SEED}: ${tally.requests} requests, ${tally.answers} answers: ${histogram(tally)}`)
    for (const { process } of cluster.replicas) expect(process.exitCode).toBeNull()
    expect((await cluster.latest('job-0')).status).toBeLessThan(600)
    const { requests } = await cluster.summary('default')
    expect(requests).toBeGreaterThan(0)
  })
})
