// Servers and Redis that end, stop and come back: nothing is lost, nothing is counted twice, and requests fail with a reason.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/hosts/node/store/connection.js'
import { parseStoreUrl } from '../../src/hosts/node/store/store-url.js'
import { missingProgram, needs } from '../support/needs.js'
import { KEEPS_WRITES, NO_REDIS, startRedis, type TestRedis } from '../support/redis.js'
import { EVERY_THIRD, expectNothingLost, isServed, isUnavailable, startLoad } from './load.js'
import { ask, type Cluster, type Seen, startCluster, startProgram, untilHealthy } from './programs.js'

const AT = { at: '2025-07-24T10:48:25Z', frozen: true }

/** Redis that keeps every write in a file, and two servers on it. */
async function start(): Promise<{ redis: TestRedis; cluster: Cluster }> {
  const redis = await startRedis(...KEEPS_WRITES)
  const cluster = await startCluster(redis.url)
  onTestFinished(async () => {
    await cluster.stop()
    await redis.stop()
  })
  return { redis, cluster }
}

describe('two servers on one Redis', needs(NO_REDIS, missingProgram('nginx')), () => {
  it('behavior: a server that is killed under load loses nothing', async () => {
    const { cluster } = await start()
    await cluster.create({ id: 'job', clock: AT, scenario: EVERY_THIRD })
    const load = startLoad(() => cluster.latest('job'))
    await load.until(isServed, 100)
    await cluster.replicas[1]!.stop('SIGKILL')
    await load.until(isServed, 100)
    await load.end()
    const journal = await cluster.replicas[0]!.routes.journal('job')
    expectNothingLost(load.replies, journal)
    const failed = load.replies.filter(reply => !isServed(reply))
    // The load balancer has lost its server: its own reply, and none of ours.
    for (const { status } of failed) expect(status).toBe(502)
    expect(journal.at(-1)!.n).toBeLessThanOrEqual(load.replies.length)
  })

  it('behavior: while Redis is down requests fail at once, with a reason, and afterwards all is as it was', async () => {
    const { redis, cluster } = await start()
    await cluster.create({ id: 'job', clock: AT, scenario: EVERY_THIRD })
    const load = startLoad(() => cluster.latest('job'))
    await load.until(isServed, 100)
    await redis.kill()
    const { headers, body } = await load.until(isUnavailable, 100)
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'content-type': 'application/problem+json; charset=utf-8',
      'retry-after': expect.stringMatching(/^\d+$/),
    })
    expect(JSON.parse(body)).toMatchObject({ status: 503, code: 'STORE_UNAVAILABLE' })
    expect(isUnavailable(await cluster.change('job', { clock: { advance: 1 } }))).toBe(true)
    for (const { routes } of cluster.replicas) {
      expect((await ask(`${routes.url}/_mock/health`)).status).toBe(503)
      expect((await ask(`${routes.url}/_mock/live`)).status).toBe(200)
    }
    await redis.restart('kept')
    await load.until(isServed, 100)
    await load.end()
    await untilHealthy(cluster.replicas)
    expect(new Set(load.replies.map(reply => isServed(reply) || isUnavailable(reply)))).toEqual(new Set([true]))
    expectNothingLost(load.replies, await cluster.journal('job'))
  })

  it('behavior: while Redis is silent requests fail after a deadline, and afterwards all is as it was', async () => {
    const { redis, cluster } = await start()
    await cluster.create({ id: 'job', clock: AT, scenario: EVERY_THIRD })
    const load = startLoad(() => cluster.latest('job'))
    await load.until(isServed, 100)
    redis.process.kill('SIGSTOP')
    // More than are under way: the first wait for the deadline, the next do not wait.
    await load.until(isUnavailable, 100)
    redis.process.kill('SIGCONT')
    await load.until(isServed, 100)
    await load.end()
    await untilHealthy(cluster.replicas)
    expectNothingLost(load.replies, await cluster.journal('job'))
  })

  it('behavior: a Redis that comes back empty is never taken for another session', async () => {
    const { redis, cluster } = await start()
    await cluster.create({ id: 'job', seed: '7', clock: AT })
    expect((await cluster.latest('job')).status).toBe(200)
    await redis.kill()
    await redis.restart('removed')
    // Until the servers have noticed.
    let reply: Seen
    do reply = await cluster.latest('job')
    while (isUnavailable(reply))
    expect(reply.status).toBe(503)
    expect(JSON.parse(reply.body)).toMatchObject({ code: 'STORE_EMPTIED' })
    for (const { routes } of cluster.replicas) {
      const replies = [
        await routes.latest('job'),
        await ask(`${routes.url}/prices/BTCUSD/latest`),
        await routes.create({}),
      ]
      expect(replies.map(({ status }) => status)).toEqual([503, 503, 503])
    }
    // A server that starts now finds an empty store: it makes a new one, which those before do not use.
    const newer = await startProgram('--store', redis.url)
    onTestFinished(() => newer.stop())
    expect((await ask(`${newer.url}/prices/BTCUSD/latest`)).status).toBe(200)
    for (const { routes } of cluster.replicas) expect((await routes.latest('job')).body).toContain('STORE_EMPTIED')
  })

  it('behavior: a server with other settings does not start on a store that is in use', async () => {
    const { redis, cluster } = await start()
    const folder = mkdtempSync(join(tmpdir(), 'price-feed-mock-scenarios-'))
    writeFileSync(join(folder, 'mine.json'), JSON.stringify({ title: 'Mine', why: 'It differs.', faults: [] }))
    const others = [
      ['--seed', '8'],
      ['--synthetic-feeds', '3'],
      ['--api-key', 'other'],
      ['--scenarios', folder],
    ]
    for (const options of others)
      await expect(startProgram('--store', redis.url, ...options), options[0]).rejects.toThrow(
        /^exit code 2: [\s\S]*STORE_MISMATCH/,
      )
    expect((await ask(`${cluster.url}/prices/BTCUSD/latest`)).status).toBe(200)
  })
})

it('behavior: without a Redis a server does not start, and does not show the password', needs(NO_REDIS), async () => {
  const redis = await startRedis()
  await redis.stop()
  const started = startProgram('--store', `redis://user:a-secret@127.0.0.1:${redis.port}`)
  await expect(started).rejects.toThrow(/^exit code [12]: [\s\S]*STORE_UNAVAILABLE/)
  await expect(started).rejects.not.toThrow('a-secret')
})

it('error: a first subscription while Redis is away fails in time', needs(NO_REDIS), async () => {
  const redis = await startRedis()
  const connection = await connect(parseStoreUrl(redis.url), 'key', () => {})
  await redis.stop()
  await expect(connection.subscribe('channel', () => {})).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  connection.close()
})
