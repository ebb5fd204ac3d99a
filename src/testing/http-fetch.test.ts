// `fetch` over the http module: it answers and fails as the global one does.
import { createServer } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { collectGarbage } from '../../test/support/collect-garbage.js'
import { listen, startMock } from '../../test/support/listen.js'
import { createHttpFetch } from './http-fetch.js'

const NOW = 1_753_354_105
const fetch = createHttpFetch()!
const server = await startMock({ clock: { at: NOW, frozen: true } }, afterAll)
const headers = { authorization: 'test-api-key' }
const latest = (init: RequestInit = {}) => fetch(`${server.url}/prices/BTCUSD/latest`, { headers, ...init })

beforeEach(() => server.mock.setScenario('calm'))

/** Status, headers and body of a reply, without the number of the request. */
async function contentOf(response: Response): Promise<unknown> {
  const { status, statusText } = response
  const pairs = [...response.headers].filter(([name]) => !/^(connection|keep-alive|x-price-feed-mock)$/.test(name))
  return { status, statusText, pairs, body: await response.text() }
}

it.each([
  ['GET', 'latest'],
  ['HEAD', 'latest'],
  ['OPTIONS', 'latest'],
  ['POST', 'latest'],
  ['GET', 'nothing'],
])('default: %s %s is answered as by the global fetch', async (method, path) => {
  const url = `${server.url}/prices/BTCUSD/${path}`
  const own = await contentOf(await fetch(url, { method, headers }))
  expect(own).toEqual(await contentOf(await globalThis.fetch(url, { method, headers })))
})

it('behavior: a library that patches sockets afterwards does not see it', async () => {
  const patched = vi.spyOn(Socket.prototype, 'connect')
  onTestFinished(() => patched.mockRestore())
  const replies = await Promise.all([latest(), latest(), latest()])
  expect([replies.map(({ status }) => status), patched.mock.calls]).toEqual([[200, 200, 200], []])
})

it('args: a request, a URL and a body', async () => {
  const url = new URL(`${server.url}/_mock/sessions`)
  const body = JSON.stringify({ id: 'with-body' })
  const created = await fetch(
    new Request(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
  )
  expect([created.status, await created.json()]).toEqual([201, expect.objectContaining({ id: 'with-body' })])
  expect((await fetch(url)).status).toBe(200)
})

it('behavior: a body that nobody reads can be canceled', async () => {
  for (const read of [() => {}, (reader: ReadableStreamDefaultReader) => reader.read()]) {
    const reader = (await latest()).body!.getReader()
    await read(reader)
    await reader.cancel()
  }
  // An error of the bytes that the connection still held would fail this run, outside of its tests.
  await nextTurn()
  expect((await latest()).status).toBe(200)
})

it('behavior: a body that is canceled closes its connection', async () => {
  const other = createServer()
  const port = await listen(other)
  const closed = new Promise<void>(resolve => {
    other.on('request', (_, response) => {
      response.once('close', resolve)
      response.write('some')
    })
  })
  const { body } = await fetch(`http://127.0.0.1:${port}`)
  await body!.cancel()
  await closed
})

it('behavior: an abort ends a request whose body its caller never ends', async () => {
  const abort = new AbortController()
  const init = { method: 'POST', body: new ReadableStream(), duplex: 'half', signal: abort.signal }
  const asked = latest(init as RequestInit)
  await nextTurn()
  abort.abort(new Error('enough'))
  await expect(asked).rejects.toThrow('enough')
})

it('behavior: a copy has the address of its response', async () => {
  const response = await latest()
  expect(response.clone().clone().url).toBe(response.url)
})

it('behavior: an abort takes away a body that has arrived, and nobody has read', async () => {
  const abort = new AbortController()
  const response = await latest({ signal: abort.signal })
  abort.abort(new Error('enough'))
  await expect(response.text()).rejects.toThrow('enough')
})

describe('redirects', () => {
  it('default: they are followed, and another origin does not get the key', async () => {
    const arrived: (readonly (string | undefined)[])[] = []
    const other = createServer(({ url, headers: { authorization, cookie } }, response) => {
      arrived.push([url, authorization, cookie])
      response.end('elsewhere')
    })
    const to = `http://127.0.0.1:${await listen(other)}`
    for (const status of [302, 307] as const) {
      server.mock.setScenario({ faults: [{ fault: 'reply/redirect', options: { to, status } }] })
      const response = await latest({ headers: { ...headers, cookie: 'a=1' } })
      expect([await response.text(), response.url, response.redirected]).toEqual([
        'elsewhere',
        `${to}/prices/BTCUSD/latest`,
        true,
      ])
    }
    expect(arrived).toEqual([
      ['/prices/BTCUSD/latest', undefined, undefined],
      ['/prices/BTCUSD/latest', undefined, undefined],
    ])
  })

  it.each([301, 302, 303, 307, 308])('behavior: after %i, the request is that of the global fetch', async status => {
    const arrived: unknown[] = []
    const other = createServer(async ({ method, url, headers }, response) => {
      if (url === '/') return void response.writeHead(status, { location: '/to' }).end()
      arrived.push([method, headers['content-type'], headers['content-length'], headers.authorization])
      response.end()
    })
    const url = `http://127.0.0.1:${await listen(other)}/`
    for (const method of ['GET', 'HEAD', 'POST', 'PUT']) {
      const init = { method, headers, ...(/^P/.test(method) && { body: 'a body' }) }
      for (const send of [fetch, globalThis.fetch]) expect((await send(url, init)).status).toBe(200)
    }
    expect(arrived.filter((_, i) => i % 2 === 0)).toEqual(arrived.filter((_, i) => i % 2 === 1))
    expect(arrived).toHaveLength(8)
  })

  it('args: redirect', async () => {
    server.mock.setScenario({ faults: [{ fault: 'reply/redirect' }] })
    expect(await latest({ redirect: 'manual' })).toMatchObject({ status: 302, redirected: false })
    await expect(latest()).rejects.toThrow(new TypeError('fetch failed'))
    const cause = new Error('unexpected redirect')
    await expect(latest({ redirect: 'error' })).rejects.toThrow(new TypeError('fetch failed', { cause }))
  })

  it('error: one that leads to itself ends, after as many requests as of the global fetch', async () => {
    const { journal } = server.mock.sessions.default
    const counts: number[] = []
    for (const send of [fetch, globalThis.fetch]) {
      journal.clear()
      server.mock.setScenario({ faults: [{ fault: 'reply/redirect', options: { to: server.url } }] })
      const cause = new Error('redirect count exceeded')
      const asked = send(`${server.url}/prices/BTCUSD/latest`, { headers })
      await expect(asked).rejects.toThrow(new TypeError('fetch failed', { cause }))
      counts.push(journal.entries().length)
    }
    expect(counts).toEqual([21, 21])
  })

  it('behavior: a signal ends a body after one, also after garbage was collected', async () => {
    const other = createServer((_, response) => void response.write('some'))
    const to = `http://127.0.0.1:${await listen(other)}`
    server.mock.setScenario({ faults: [{ fault: 'reply/redirect', options: { to } }] })
    const abort = new AbortController()
    const text = (await latest({ signal: abort.signal })).text()
    await nextTurn()
    collectGarbage()
    abort.abort()
    await expect(text).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('faults on the wire', () => {
  it('error: a reset fails the call', async () => {
    server.mock.setScenario({ faults: [{ fault: 'wire/reset' }] })
    await expect(latest()).rejects.toThrow(new TypeError('fetch failed'))
  })

  it('error: a truncated reply fails its body', async () => {
    server.mock.setScenario({ faults: [{ fault: 'wire/truncate' }] })
    const response = await latest()
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow(new TypeError('terminated'))
  })

  it('behavior: a body arrives in pieces', async () => {
    server.mock.setScenario({ faults: [{ fault: 'wire/dribble', options: { pieces: 4, everyMs: 30 } }] })
    let pieces = 0
    const { body } = await latest()
    for await (const _ of body as unknown as AsyncIterable<Uint8Array>) pieces++
    expect(pieces).toBe(4)
  })

  it('error: a signal ends a wait with its reason', async () => {
    server.mock.setScenario({ faults: [{ fault: 'wire/timeout' }] })
    const controller = new AbortController()
    const waiting = latest({ signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await expect(latest({ signal: controller.signal })).rejects.toThrow('enough')
  })
})
