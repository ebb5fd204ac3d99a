// Servers on a primary behind sentinels, and on a cluster: a node is killed under load, and everything continues by itself.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFolder } from '../support/folder.js'
import { freePort } from '../support/free-port.js'
import { needs } from '../support/needs.js'
import { command, KEEPS_WRITES, NO_REDIS, PROGRAM, startRedis, type TestRedis } from '../support/redis.js'
import { EVERY_THIRD, expectNothingLost, isServed, isUnavailable, startLoad } from './load.js'
import { createRoutes, startProgram, untilHealthy } from './programs.js'

const AT = '2025-07-24T10:48:25Z'

/** Calls until a condition holds. Each call is an answer of a program, so that the loop does not spin. */
async function until(call: () => Promise<string>, condition: (reply: string) => boolean): Promise<void> {
  while (!condition(await call()));
}

/** Three sentinels that watch a primary. Two of them decide. */
async function startSentinels(primary: TestRedis): Promise<readonly number[]> {
  const folder = createFolder(onTestFinished)
  const ports: number[] = []
  for (let i = 0; i < 3; i++) {
    const port = await freePort()
    const file = join(folder, `${port}.conf`)
    const watch = [
      `monitor main 127.0.0.1 ${primary.port} 2`,
      'down-after-milliseconds main 500',
      'failover-timeout main 2000',
    ]
    writeFileSync(file, ['bind 127.0.0.1', `port ${port}`, ...watch.map(line => `sentinel ${line}`), ''].join('\n'))
    const child = spawn(PROGRAM!, [file, '--sentinel'], { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    let text = ''
    for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      text += chunk
      if (text.includes('+monitor')) break
    }
    child.stdout.resume()
    ports.push(port)
  }
  return ports
}

/** Two servers on a store, whose requests alternate. */
async function startServers(store: string) {
  const servers = [await startProgram('--store', store), await startProgram('--store', store)]
  onTestFinished(async () => {
    await Promise.all(servers.map(server => server.stop()))
  })
  const routes = servers.map(({ url }) => createRoutes(url))
  let next = 0
  return { servers, first: routes[0]!, latest: (id: string) => routes[next++ % 2]!.latest(id) }
}

async function start(...options: readonly string[]): Promise<TestRedis> {
  const redis = await startRedis(...KEEPS_WRITES, ...options)
  onTestFinished(() => redis.stop())
  return redis
}

describe('a node that is killed', needs(NO_REDIS), () => {
  it('behavior: sentinels fail over to a replica, which has all requests', async () => {
    const primary = await start('--repl-diskless-sync-delay', '0')
    const replica = await start('--replicaof', '127.0.0.1', String(primary.port))
    await until(
      () => replica.command('INFO', 'replication'),
      reply => reply.includes('master_link_status:up'),
    )
    const ports = await startSentinels(primary)
    for (const port of ports)
      await until(
        () => command(port, ['SENTINEL', 'MASTER', 'main']),
        reply => /num-slaves\r\n\$1\r\n1\r\n/.test(reply) && /num-other-sentinels\r\n\$1\r\n2\r\n/.test(reply),
      )
    const hosts = ports.map(port => `127.0.0.1:${port}`).join(',')
    const { servers, first, latest } = await startServers(`redis+sentinel://${hosts}/main`)
    // With faults every request depends on those before it. Without them a request that is sent twice would count twice.
    await first.create({ id: 'faulty', clock: { at: AT, frozen: true }, scenario: EVERY_THIRD })
    await first.create({ id: 'calm', clock: { at: AT } })
    const faulty = startLoad(() => latest('faulty'))
    const calm = startLoad(() => latest('calm'))
    await faulty.until(isServed, 100)
    await primary.kill()
    const { headers } = await calm.until(isUnavailable)
    expect(headers['retry-after']).toBe('1')
    await untilHealthy(servers)
    await calm.until(isServed, 100)
    await faulty.until(isServed, 100)
    await Promise.all([faulty.end(), calm.end()])
    for (const reply of [...faulty.replies, ...calm.replies])
      expect(isServed(reply) || isUnavailable(reply), reply.body).toBe(true)
    expectNothingLost(faulty.replies, await first.journal('faulty'))
    const summary = await first.summary('calm')
    expect(summary.requests).toBeLessThanOrEqual(calm.replies.length)
    expect(summary.requests).toBeGreaterThanOrEqual(calm.replies.filter(isServed).length)
    // A request that waited for the new primary is not counted after its 503: the times in the journal do not go back.
    const times = (await first.journal('calm')).map(({ now }) => now)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect((await first.change('calm', { clock: { advance: 60 } })).status).toBe(200)
    for (const { output } of servers) expect(output()).toMatch(/is away: [\s\S]* is back\./)
  })

  it('behavior: a cluster without the node of the store gives 503, and continues with it', async () => {
    const options = [
      '--cluster-enabled',
      'yes',
      '--cluster-node-timeout',
      '500',
      '--cluster-require-full-coverage',
      'no',
    ]
    const nodes = [await start(...options), await start(...options), await start(...options)] as const
    for (const [index, node] of nodes.entries()) {
      const range = [
        [0, 5460],
        [5461, 10_922],
        [10_923, 16_383],
      ][index]!.map(String)
      expect(await node.command('CLUSTER', 'ADDSLOTSRANGE', ...range)).toBe('+OK\r\n')
      await node.command('CLUSTER', 'MEET', '127.0.0.1', String(nodes[0].port))
    }
    for (const node of nodes)
      await until(
        () => node.command('CLUSTER', 'INFO'),
        reply => /cluster_state:ok[\s\S]*cluster_slots_ok:16384[\s\S]*cluster_known_nodes:3/.test(reply),
      )
    const slot = Number((await nodes[0].command('CLUSTER', 'KEYSLOT', '{pfm}:born')).match(/\d+/)![0])
    const owner = nodes[Math.floor(slot / 5461)]!
    const { servers, first, latest } = await startServers(
      `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    )
    await first.create({ id: 'job', clock: { at: AT, frozen: true }, scenario: EVERY_THIRD })
    // Everything is in one slot, which is at one node.
    for (const node of nodes) expect((await node.command('DBSIZE')) === ':0\r\n').toBe(node !== owner)
    const load = startLoad(() => latest('job'))
    await load.until(isServed, 100)
    const other = nodes.find(node => node !== owner)!
    await other.kill()
    await load.until(isServed, 100)
    await owner.kill()
    await load.until(isUnavailable, 50)
    await other.restart('kept')
    await owner.restart('kept')
    await untilHealthy(servers)
    await load.until(isServed, 100)
    await load.end()
    for (const reply of load.replies) expect(isServed(reply) || isUnavailable(reply), reply.body).toBe(true)
    expectNothingLost(load.replies, await first.journal('job'))
  })
})
