// A server from start to stop: ports and addresses, and a stop that leaves nothing open, whatever its clients do.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectTo, parseReplies, requestTo, talk, uncaughtDuring, untilNoTcp } from '../../../test/support/raw.js'
import { isPriceFeedMockError, type PriceFeedMockError } from '../../errors.js'
import { type RunningServer, type ServerOptions, startServer } from './server.js'

const LATEST = '/prices/BTCUSD/latest'
const CHART = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h'
/** The time limit of a stop, which does not wait for clients. */
const STOP_MS = 2000
const HAS_IPV6 = Object.values(networkInterfaces())
  .flat()
  .some(address => address?.address === '::1')

async function start(options: ServerOptions): Promise<RunningServer> {
  const server = await startServer(options)
  // A failed test must not affect the next one.
  onTestFinished(() => server.stop())
  return server
}

const portOf = (url: string): number => Number(new URL(url).port)
const keepAlive = (target: string): string => requestTo(target).replace('Connection: close\r\n', '')

/** The status of a reply. */
async function statusOf(port: number, target = LATEST, address?: string): Promise<number> {
  return parseReplies(await talk(port, requestTo(target), address === undefined ? {} : { address }))[0]!.status
}

/** Stops a server. Resolves to false when that takes too long. */
function stopInTime(server: RunningServer): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => resolve(false), STOP_MS)
    server
      .stop()
      .then(() => resolve(true), reject)
      .finally(() => clearTimeout(limit))
  })
}

/** The error of a server that cannot start. */
async function errorOf(options: ServerOptions): Promise<PriceFeedMockError> {
  const error = await startServer(options).then(
    server => server.stop().then(() => undefined),
    (error: unknown) => error,
  )
  if (!isPriceFeedMockError(error)) throw new Error(`Unexpected error: ${error}`)
  return error
}

/** Occupies a port. */
async function occupy(host: string) {
  const other = createServer().listen({ host, port: 0, ipv6Only: true })
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  return { port, leave: () => once(other.close(), 'close') }
}

describe('start', () => {
  it('default: localhost listens on both loopback addresses with one port', async context => {
    if (!HAS_IPV6) context.skip('this machine has no ::1')
    const server = await start({ port: 0, host: 'localhost' })
    expect(await statusOf(portOf(server.url))).toBe(200)
    expect(await statusOf(portOf(server.url), LATEST, '::1')).toBe(200)
    expect(await statusOf(portOf(server.url), '/_mock/health', '::1')).toBe(200)
    await server.stop()
  })

  it.each(['127.0.0.1', '0.0.0.0', ...(HAS_IPV6 ? ['::1', '[::1]', '::'] : [])])('args: host %s', async host => {
    const server = await start({ port: 0, host })
    expect(server.url).toMatch(/^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/)
    expect(await statusOf(portOf(server.url), LATEST, new URL(server.url).hostname.replace(/[[\]]/g, ''))).toBe(200)
    await server.stop()
  })

  it('args: historyPort is a separate address, which is stopped as well', async () => {
    const server = await start({ port: 0, historyPort: 0 })
    const [prices, history] = [portOf(server.url), portOf(server.historyUrl)]
    expect([await statusOf(history, CHART), await statusOf(prices)]).toEqual([200, 200])
    expect(await stopInTime(server)).toBe(true)
    for (const port of [prices, history]) expect(await talk(port, requestTo(LATEST))).toBe('')
  })
})

describe('a port in use', () => {
  it.each(['127.0.0.1', ...(HAS_IPV6 ? ['::1'] : [])])('error: names the port and the address: %s', async host => {
    const { port, leave } = await occupy(host)
    for (const asked of ['localhost', host]) {
      const error = await errorOf({ port, host: asked })
      expect(error).toMatchObject({
        code: 'PORT_UNAVAILABLE',
        cause: { code: 'EADDRINUSE', address: host, port },
        details: [['fix', expect.stringMatching(/\b0\b/)]],
      })
      for (const name of [`Port ${port} `, host]) expect(error.shortMessage).toContain(name)
    }
    await leave()
    expect(await untilNoTcp()).toBe(true)
  })

  it('error: the other one of two addresses is released', async () => {
    const { port: historyPort, leave } = await occupy('127.0.0.1')
    const free = await start({ port: 0 })
    const port = portOf(free.url)
    await free.stop()
    expect((await errorOf({ port, historyPort })).code).toBe('PORT_UNAVAILABLE')
    expect((await errorOf({ port, historyPort: port })).code).toBe('PORT_UNAVAILABLE')
    await leave()
    expect(await untilNoTcp()).toBe(true)
    const server = await start({ port, historyPort })
    expect(await statusOf(port)).toBe(200)
    await server.stop()
  })

  it('error: an address of another machine', async () => {
    expect(await errorOf({ port: 0, host: '192.0.2.1' })).toMatchObject({
      code: 'PORT_UNAVAILABLE',
      shortMessage: expect.stringMatching(/^192\.0\.2\.1 /),
      cause: { code: 'EADDRNOTAVAIL' },
      details: [['want', 'localhost, an address of this machine, or 0.0.0.0 for all of them']],
    })
  })
})

describe('stop', () => {
  it('default: a hundred servers in sequence leave nothing open', async () => {
    const listenersOf = () => process.eventNames().map(name => [String(name), process.listenerCount(name)])
    const warnings: Error[] = []
    const onWarning = (warning: Error): unknown => warnings.push(warning)
    process.on('warning', onWarning)
    const before = listenersOf()
    const ports = new Set<number>()
    for (let i = 0; i < 100; i++) {
      const server = await start({ port: 0, ...(i % 10 === 0 ? { historyPort: 0 } : {}) })
      ports.add(portOf(server.url))
      expect(await statusOf(portOf(server.url), i % 2 ? LATEST : '/_mock/metrics')).toBe(200)
      await server.stop()
    }
    expect(await untilNoTcp()).toBe(true)
    expect(listenersOf()).toEqual(before)
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
    expect(ports.size).toBeGreaterThan(1)
  })

  it('behavior: can be called twice, in sequence or at the same time', async () => {
    const server = await start({ port: 0 })
    await Promise.all([server.stop(), server.stop()])
    await server.stop()
    expect(await untilNoTcp()).toBe(true)
    const next = await start({ port: portOf(server.url) })
    expect(await statusOf(portOf(next.url))).toBe(200)
    await next.stop()
  })

  it.each([
    ['a request not sent yet', ''],
    ['a reply on a keep-alive connection', keepAlive(LATEST)],
    ['the rest of the request head', 'GET / HTTP/1.1\r\nHos'],
    ['the rest of the request body', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc'],
    ['a slow reply', keepAlive('/_mock/metrics')],
    ['replies larger than they read', keepAlive(CHART).repeat(100)],
    ['an error reply', 'JUNK\r\n\r\n'],
    ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a websocket', requestTo(LATEST, { head: 'Upgrade: websocket\r\n' }).replace('close', 'Upgrade')],
  ])('behavior: does not wait for clients in the state: %s', async (_, sent) => {
    let inTime = false
    const uncaught = await uncaughtDuring(async () => {
      const server = await start({ port: 0 })
      const clients = Array.from({ length: 5 }, () => connectTo(portOf(server.url)).on('error', () => {}))
      await Promise.all(clients.map(client => once(client, 'connect')))
      for (const client of clients) client.write(sent, 'latin1')
      // After this reply, the server has seen all earlier requests.
      expect(await statusOf(portOf(server.url))).toBe(200)
      inTime = await stopInTime(server)
      for (const client of clients) client.destroy()
      expect(await untilNoTcp()).toBe(true)
    })
    expect(uncaught).toEqual([])
    expect(inTime).toBe(true)
  })

  it('behavior: the first request is aborted without an error', async () => {
    for (const target of ['/nowhere', '/_mock/metrics', LATEST]) {
      const uncaught = await uncaughtDuring(async () => {
        const server = await start({ port: 0 })
        const client = connectTo(portOf(server.url))
          .on('error', () => {})
          .resume()
        client.write(keepAlive(target))
        await once(client, 'connect')
        expect(await stopInTime(server)).toBe(true)
        client.destroy()
        expect(await untilNoTcp()).toBe(true)
      })
      expect(uncaught).toEqual([])
    }
  })

  it('behavior: new connections are refused', async () => {
    const server = await start({ port: 0 })
    const stopped = server.stop()
    expect(await talk(portOf(server.url), requestTo(LATEST))).toBe('')
    await stopped
  })
})
