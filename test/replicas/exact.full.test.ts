// Counted things are exact however requests spread over servers: numbers, faults by count, rate limits, clocks, changes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingProgram, needs } from '../support/needs.js'
import { NO_REDIS, startRedis, type TestRedis } from '../support/redis.js'
import { BALANCERS, type Cluster, numberOf, secondOf, startCluster } from './programs.js'

const AT = { at: '2025-07-24T10:48:25Z', frozen: true }

const times = <T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

for (const balancer of BALANCERS) {
  describe(balancer, needs(NO_REDIS, missingProgram(balancer)), () => {
    let redis: TestRedis
    let cluster: Cluster
    beforeAll(async () => {
      redis = await startRedis()
      cluster = await startCluster(redis.url, { balancer })
    })
    afterAll(async () => {
      await cluster?.stop()
      await redis?.stop()
    })

    it('behavior: both servers answer', async () => {
      await cluster.create({ id: 'both', clock: AT })
      await times(20, () => cluster.latest('both'))
      const metrics = await Promise.all(
        cluster.replicas.map(async ({ routes }) => (await fetch(`${routes.url}/_mock/metrics`)).text()),
      )
      for (const text of metrics) expect(text).toMatch(/price_feed_mock_requests_total\{[^}]*\} [1-9]/)
    })

    it('behavior: changes under load: numbers without gaps, and a clock that never goes back', async () => {
      const faults = [{ fault: 'reply/status', requests: { every: 3 } }]
      await cluster.create({ id: 'load', clock: AT, scenario: { faults } })
      let changing = true
      const load = times(16, async () => {
        const replies = []
        while (changing) replies.push(await cluster.latest('load'))
        return replies
      })
      for (const step of upTo(30)) expect((await cluster.change('load', { clock: { advance: step } })).status).toBe(200)
      changing = false
      const replies = (await load).flat()
      const numbers = replies.map(numberOf).sort((a, b) => a - b)
      expect(numbers).toEqual(upTo(replies.length))
      const journal = await cluster.journal('load')
      const oldest = journal[0]!.n
      expect(journal.map(({ n }) => n)).toEqual(journal.map((_, index) => oldest + index))
      for (const [index, { now }] of journal.entries()) expect(now).toBeGreaterThanOrEqual(journal[index - 1]?.now ?? 0)
      const byNumber = new Map(journal.map(entry => [entry.n, entry]))
      for (const reply of replies) {
        const entry = byNumber.get(numberOf(reply))
        if (entry !== undefined) expect([reply.status, secondOf(reply)]).toEqual([entry.status, entry.now])
      }
    })

    it('behavior: one of 20 concurrent sessions of one name is created, and 20 without a name get 20 names', async () => {
      const statuses = (await times(20, () => cluster.create({ id: 'same' }))).map(({ status }) => status)
      expect(statuses.sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)])
      const named = await times(20, () => cluster.create({}))
      expect(new Set(named.map(({ body }) => JSON.parse(body).id)).size).toBe(20)
    })
  })
}
