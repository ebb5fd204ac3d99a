// Listening on both loopbacks with one port: where the second one is taken, a free port is tried again and a chosen one is not. And the
// object of Node's tick queue that is kept.
import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import { expect, it } from 'vitest'
import { keepTickObject, kept, listenOn } from './listen.js'

const CHOSEN = 4700

/** Servers that bind nothing; the IPv6 loopback is taken for some attempts. */
function createServers(taken: number) {
  const made: { isClosed: boolean }[] = []
  let free = 50_000
  const createServer = (): Server => {
    let bound = 0
    const server = Object.assign(new EventEmitter(), {
      isClosed: false,
      listen({ host, port }: { host: string; port: number }, done: () => void) {
        if (host === '::1' && taken-- > 0) {
          server.emit('error', Object.assign(new Error('taken'), { code: 'EADDRINUSE' }))
          return
        }
        bound = port === 0 ? free++ : port
        done()
      },
      address: () => ({ port: bound }),
      close() {
        server.isClosed = true
      },
    })
    made.push(server)
    return server as unknown as Server
  }
  return { made, createServer }
}

it('default: two servers on one port', async () => {
  const { createServer } = createServers(0)
  const { servers, port } = await listenOn('localhost', 0, createServer)
  expect([servers.length, port]).toEqual([2, 50_000])
})

it('behavior: another free port, where IPv6 has taken the first one', async () => {
  const { made, createServer } = createServers(2)
  const { port } = await listenOn('localhost', 0, createServer)
  expect(port).toBe(50_002)
  expect(made.map(({ isClosed }) => isClosed)).toEqual([true, false, true, false, false, false])
})

it('error: a chosen port is tried once', async () => {
  const { made, createServer } = createServers(1)
  await expect(listenOn('localhost', CHOSEN, createServer)).rejects.toThrow(
    expect.objectContaining({ code: 'PORT_UNAVAILABLE' }),
  )
  expect(made).toHaveLength(2)
})

it('behavior: it keeps one object, which Node has created for a tick', async () => {
  keepTickObject()
  keepTickObject()
  await new Promise<void>(resolve => process.nextTick(resolve))
  expect(kept).toEqual([expect.objectContaining({ callback: expect.any(Function) })])
})
