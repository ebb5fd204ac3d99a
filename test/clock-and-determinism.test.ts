// One truth: the same settings give the same bytes on every start, port and host, and no wall time shows in a frozen session.
// The wall clock is faked, so that two starts can be years apart.
import { connect } from 'node:net'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type RunningServer, type ServerOptions, startServer } from '../src/hosts/node/server.js'
import { ask, KEY, type Price } from './support/ask.js'
import { AT, HOSTS, NOW } from './support/hosts.js'

const FROZEN = { seed: '42', clock: { at: AT, frozen: true } }
const TARGETS = [
  '/prices/BTCUSD/latest',
  '/prices/batch?feedIds=BTCUSD,EURUSD,USDCUSD',
  '/prices/queryHistory?feedIds=BTCUSD,ETHUSD&minutes=1440',
  '/prices/evm/crypto?feedIds=BTCUSD,XAUUSD',
  '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h',
  '/prices/batch',
  '/prices/NOUSD/latest',
  '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=24x',
]
const FIRST_WALL = Date.UTC(2031, 4, 6, 7, 8, 9, 123)
const SECOND_WALL = Date.UTC(2044, 10, 12, 13, 14, 15, 617)

/** The faked one. */
const realTime = (): number => Date.now()
const servers: RunningServer[] = []
const start = async (options: ServerOptions): Promise<RunningServer> => {
  const server = await startServer({ port: 0, realTime, ...options })
  servers.push(server)
  return server
}
afterAll(() => Promise.all(servers.map(server => server.stop())))

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: FIRST_WALL }))
afterEach(() => void vi.useRealTimers())

/** Every byte of the reply of a server: status line, headers and body. */
function readRaw(url: string, target: string): Promise<string> {
  const head = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${KEY.authorization}\r\nConnection: close\r\n\r\n`
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(head))
    let raw = ''
    socket.setEncoding('latin1')
    socket.on('data', chunk => (raw += chunk))
    socket.on('end', () => resolve(raw))
    socket.on('error', reject)
  })
}
const readAll = async (url: string): Promise<string[]> => {
  const all: string[] = []
  for (const target of TARGETS) all.push(await readRaw(url, target))
  return all
}
/** The virtual second of a server, from its header. */
const nowOf = async ({ url }: RunningServer): Promise<number> =>
  Number(/x-price-feed-mock: [^\r]*now=(\d+)/.exec(await readRaw(url, TARGETS[0]!))![1])

describe('determinism', () => {
  it('behavior: two starts on two ports at two times give the same bytes', async () => {
    const first = await start(FROZEN)
    const answers = await readAll(first.url)
    vi.setSystemTime(SECOND_WALL)
    const second = await start(FROZEN)
    expect(second.url).not.toBe(first.url)
    expect(await readAll(second.url)).toEqual(answers)
    expect(new Set(answers).size).toBe(TARGETS.length)
  })

  it('behavior: another seed is another market', async () => {
    const [one, other] = await Promise.all([start(FROZEN), start({ ...FROZEN, seed: '43' })])
    for (const target of TARGETS.slice(0, 5))
      expect(await readRaw(one.url, target)).not.toBe(await readRaw(other.url, target))
  })
})

it.each(TARGETS)('behavior: no wall time in any header or body of %s', async target => {
  const raw = await readRaw((await start(FROZEN)).url, target)
  expect(raw).toMatch(/\r\ndate: Thu, 24 Jul 2025 10:48:25 GMT\r\n/)
  expect(raw.match(/^date:/gim)).toHaveLength(1)
  // The mock could read the fake clock, and Node itself could put the real one into a header.
  expect(raw).not.toContain(String(Math.floor(FIRST_WALL / 100_000)))
  vi.useRealTimers()
  for (const wall of [FIRST_WALL, Date.now()]) {
    expect(raw).not.toContain(new Date(wall).toUTCString().slice(5, 16))
    expect(raw).not.toContain(new Date(wall).toISOString().slice(0, 10))
  }
})

describe('the clock', () => {
  it('default: it is the present', async () => {
    const server = await start({})
    expect(await nowOf(server)).toBe(Math.floor(FIRST_WALL / 1000))
    vi.setSystemTime(SECOND_WALL)
    expect(await nowOf(server)).toBe(Math.floor(SECOND_WALL / 1000))
  })

  it('args: at, from the start of the server on', async () => {
    const server = await start({ clock: { at: AT } })
    vi.setSystemTime(FIRST_WALL + 90_000)
    expect(await nowOf(server)).toBe(NOW + 90)
  })

  it('behavior: a second passes as a whole for header, date and prices', async () => {
    const server = await start({ clock: { at: AT } })
    vi.setSystemTime(FIRST_WALL + 999)
    const before = await readRaw(server.url, TARGETS[0]!)
    vi.setSystemTime(FIRST_WALL + 1000)
    const after = await readRaw(server.url, TARGETS[0]!)
    const secondsOf = (raw: string) => [/now=(\d+)/, /"ts":(\d+)/, /10:48:(\d+) GMT/].map(p => Number(p.exec(raw)![1]))
    expect(secondsOf(before)).toEqual([NOW, NOW - 1, 25])
    expect(secondsOf(after)).toEqual([NOW + 1, NOW, 26])
  })

  it('behavior: a price of the past is found again at its second', async () => {
    for (const kind of HOSTS) {
      const running = await kind.start({ realTime, clock: { at: AT } })
      const early = await ask<Price>(running, '/prices/BTCUSD/latest')
      vi.setSystemTime(Date.now() + 86_400_000)
      expect((await ask<Price>(running, '/prices/BTCUSD/latest')).ts).toBe(early.ts + 86_400)
      await running.stop()
      const frozen = await kind.start({ clock: { at: early.ts + 1, frozen: true } })
      expect(await ask<Price>(frozen, '/prices/BTCUSD/latest')).toEqual(early)
      await frozen.stop()
    }
  })
})
