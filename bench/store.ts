// Servers on Redis: CPU time per request beside sessions in memory, by number of servers and of sessions, and the memory of a session.
import { countOf } from '../src/errors.js'
import { NO_REDIS, startRedis, type TestRedis } from '../test/support/redis.js'
import { type Child, startProgram } from './child.js'
import { type Latencies, load } from './load.js'
import { print, type Row } from './measure.js'

const KEY = 'test-api-key'
/** Counts every request, as scenarios do, and never acts. */
const SCENARIO = { faults: [{ fault: 'reply/status', requests: { every: 1_000_000 } }] }
/** Requests a second of all servers, below saturation: a few are under way at any time. */
const RATE = 4_000
const REQUESTS = 6_000
const ROUNDS = 3
/** Requests to each server before, until the engine has compiled what it is going to compile. */
const WARM_UP = 8_000
/** Sessions of one store. */
const MANY = 10_000
/** CPU time of a request on one server and Redis as a multiple of that in memory. Several servers also learn what the others changed. */
const CPU_GOAL = 2.2
const KB_GOAL = 2

/** CPU time per request in microseconds. */
interface Cpu {
  readonly servers: number
  readonly redis: number
}
const sum = ({ servers, redis }: Cpu): number => servers + redis

/** Servers with or without a store, as one. */
interface Group {
  readonly servers: readonly Child[]
  readonly redis: TestRedis | undefined
}

/** CPU time of Redis since its start, in microseconds. */
async function cpuOf(redis: TestRedis | undefined): Promise<number> {
  if (redis === undefined) return 0
  const text = await redis.command('INFO', 'cpu')
  const read = (name: string): number => Number(new RegExp(`${name}:([\\d.]+)`).exec(text)![1])
  return (read('used_cpu_user') + read('used_cpu_sys')) * 1e6
}

async function measureLoad({ servers, redis }: Group, ids: readonly string[]): Promise<Cpu & Latencies> {
  const read = async (): Promise<number> => {
    let total = 0
    for (const server of servers) total += (await server.usage()).cpuMicros
    return total
  }
  const [before, redisBefore] = [await read(), await cpuOf(redis)]
  const latencies = await load({
    url: servers.map(({ url }) => url),
    key: KEY,
    target: i => targetOf(ids, i),
    rate: RATE,
    requests: REQUESTS,
  })
  const [after, redisAfter] = [await read(), await cpuOf(redis)]
  return { ...latencies, servers: (after - before) / REQUESTS, redis: (redisAfter - redisBefore) / REQUESTS }
}

/** Sends requests to each server, with a session of its own or on the store. */
async function warmUp(group: Group): Promise<void> {
  for (const [name, scenario] of [['warm'], ['warm-scenario', SCENARIO]] as const) {
    const ids = await create(group, name, 10, scenario)
    for (const { url } of group.servers)
      await load({ url, key: KEY, target: i => targetOf(ids, i), rate: RATE, requests: WARM_UP / 2 })
  }
}

const targetOf = (ids: readonly string[], i: number): string => `/session/${ids[i % ids.length]}/prices/BTCUSD/latest`

/** Creates sessions, some at a time. Returns their ids. */
async function create({ servers }: Group, name: string, count: number, scenario?: object): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, i) => `${name}-${i}`)
  const rest = ids.values()
  const createRest = async (): Promise<void> => {
    for (const id of rest) {
      const { status } = await fetch(`${servers[0]!.url}/_mock/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id, ...(scenario && { scenario }) }),
      })
      if (status !== 201) throw new Error(`Creating ${id}: status ${status}`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, createRest))
  return ids
}

/** Measures groups in turns, because the speed of a shared machine varies. The round with the least CPU time of each counts. */
async function measureInTurns(groups: readonly Group[], ids: readonly string[]): Promise<(Cpu & Latencies)[]> {
  for (const group of groups) await measureLoad(group, ids)
  const best: (Cpu & Latencies)[] = []
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, group] of groups.entries()) {
      const one = await measureLoad(group, ids)
      const known = best[i]
      if (known === undefined || sum(one) < sum(known)) best[i] = one
    }
  return best
}

const describe = ({ servers, redis, p50, p99 }: Cpu & Latencies): string =>
  `servers ${servers.toFixed(0)} µs, Redis ${redis.toFixed(0)} µs; p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms`

/** The same requests in memory and on the store, by one server and by two that share the rate. */
async function compare(memory: readonly Group[], store: readonly Group[]): Promise<Row[]> {
  const rows: Row[] = []
  const cases = [
    { name: 'calm, 1 session', count: 1 },
    { name: 'calm, 100 sessions', count: 100 },
    { name: 'scenario, 1 session', count: 1, scenario: SCENARIO },
    { name: 'scenario, 100 sessions', count: 100, scenario: SCENARIO },
  ]
  for (const [i, { name, count, scenario }] of cases.entries()) {
    // Servers in memory share no sessions: each gets all of them.
    for (const server of memory.at(-1)!.servers)
      await create({ servers: [server], redis: undefined }, `compare${i}`, count, scenario)
    const ids = await create(store[0]!, `compare${i}`, count, scenario)
    const measured = await measureInTurns([...memory, ...store], ids)
    for (const [j, onStore] of measured.slice(memory.length).entries()) {
      const inMemory = measured[j]!
      rows.push(
        {
          name: `${name}, ${countOf(j + 1, 'server')}: memory`,
          value: sum(inMemory),
          unit: 'µs',
          note: describe(inMemory),
        },
        {
          name: '  store',
          value: sum(onStore) / sum(inMemory),
          unit: '×',
          ...(j === 0 ? { goal: CPU_GOAL } : {}),
          note: describe(onStore),
        },
      )
    }
  }
  return rows
}

/** One total rate for 1, 2 and 4 servers. */
async function measureServers(group: (count: number) => Group): Promise<Row[]> {
  const counts = [1, 2, 4]
  const ids = await create(group(1), 'servers', 100)
  const measured = await measureInTurns(
    counts.map(count => group(count)),
    ids,
  )
  return measured.map((one, i) => ({
    name: `${countOf(counts[i]!, 'server')}, calm, 100 sessions`,
    value: sum(one),
    unit: 'µs',
    note: describe(one),
  }))
}

/** One rate for few and many sessions, and the memory that these need. */
async function measureSessions(group: Group): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of [1, 100, MANY]) {
    const before = await memoryOf(group.redis!)
    const ids = await create(group, `of${count}`, count)
    const bytes = (await memoryOf(group.redis!)) - before
    const [one] = (await measureInTurns([group], ids)) as [Cpu & Latencies]
    rows.push({ name: countOf(count, 'session'), value: sum(one), unit: 'µs', note: describe(one) })
    if (count === MANY)
      rows.push({ name: '  memory of Redis for each', value: bytes / count / 1000, unit: 'KB', goal: KB_GOAL })
  }
  return rows
}

/** Bytes that the data of Redis takes. */
async function memoryOf(redis: TestRedis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.command('INFO', 'memory'))![1])
}

/** Prints the figures of servers on a store. */
export async function benchStore(): Promise<void> {
  if (NO_REDIS !== undefined) {
    console.log(`\nServers on Redis: skipped, since ${NO_REDIS}.`)
    return
  }
  const redis = await startRedis()
  const onStore = (): Promise<Child> => startProgram('--store', `${redis.url}?sessions=${2 * MANY}`)
  const inMemory = [await startProgram(), await startProgram()]
  const servers = [await onStore(), await onStore(), await onStore(), await onStore()]
  const memory = (count: number): Group => ({ servers: inMemory.slice(0, count), redis: undefined })
  const first = (count: number): Group => ({ servers: servers.slice(0, count), redis })
  try {
    for (const server of inMemory) await warmUp({ servers: [server], redis: undefined })
    await warmUp(first(4))
    const rows = await compare([memory(1), memory(2)], [first(1), first(2)])
    print(`CPU time of a request at ${RATE} requests a second: servers and Redis, as a multiple of memory`, rows)
    print(`The same total rate for several servers: CPU time of a request`, await measureServers(first))
    print('The same rate for many sessions, 2 servers: CPU time of a request', await measureSessions(first(2)))
  } finally {
    for (const server of [...inMemory, ...servers]) await server.stop()
    await redis.stop()
  }
}
