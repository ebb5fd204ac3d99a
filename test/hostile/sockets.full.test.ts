// Clients that hold sockets: bodies that do not arrive, endless pipelines, readers that leave. Each connection ends in bounded
// time, and no handle is left.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { delay, HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { guardHandlers } from '../../src/hosts/node/guarded-handlers.js'
import { createListener } from '../../src/hosts/node/listener.js'
import { createMetrics } from '../../src/hosts/node/metrics.js'
import { startServer } from '../../src/hosts/node/server.js'
import { createServerOf, type SocketLimits } from '../../src/hosts/node/sockets.js'
import { loadHttpMiddleware } from '../../src/hosts/user-handlers.js'
import { createMock, type MockOptions, ownScenario } from '../../src/index.js'
import { AT } from '../support/hosts.js'
import { listen } from '../support/listen.js'
import { closeOf, connectTo, keepAlive, LATEST, parseReplies, requestTo, talk, untilNoSockets } from '../support/raw.js'

const EVENTS = '/_mock/sessions/default/events'
const CONNECT = 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'
const statuses = (text: string): number[] => parseReplies(text).map(({ status }) => status)

const handlerCalls: AbortSignal[] = []
const handlers = [
  http.get('/never', async ({ request }) => {
    handlerCalls.push(request.signal)
    await delay('infinite')
    return HttpResponse.text('never')
  }),
]

const ends: (() => void)[] = []
beforeEach(() => (handlerCalls.length = 0))
afterEach(async () => {
  for (const end of ends.splice(0)) end()
  expect(await untilNoSockets()).toBe(true)
})

/** A server with limits of its own. */
async function serve(limits: Partial<SocketLimits> = {}, options: MockOptions = {}, answerMs = 60_000) {
  const mock = createMock({ clock: { at: AT, frozen: true }, ...options })
  const listener = createListener(mock, {
    allowHosts: [],
    allowOrigins: [],
    adminToken: undefined,
    metrics: createMetrics(() => 1),
    userHandlers: guardHandlers(handlers, loadHttpMiddleware(), { answerMs, halfClosedMs: 20 }),
    addresses: () => ({ baseUrl: '', historyUrl: '' }),
    onExchange: () => {},
  })
  const server = createServerOf(listener, () => {}, limits)
  return { server, mock, port: await listen(server, end => ends.push(end)) }
}

function open(port: number, sent: string): Socket {
  const socket = connectTo(port).on('error', () => {})
  ends.push(() => socket.destroy())
  socket.write(sent, 'latin1')
  return socket
}

/** Sends a head, and then a byte at a time until the server closes the connection. */
async function drip(port: number, head: string): Promise<string> {
  const socket = open(port, head)
  let received = ''
  socket.on('data', chunk => (received += chunk))
  const drops = setInterval(() => socket.write('a'), 20)
  await once(socket, 'end', { signal: AbortSignal.timeout(8000) }).finally(() => clearInterval(drops))
  return received
}

const post = (target: string, head: string, host = 'localhost'): string =>
  `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${head}\r\n`
const LONG = 'Content-Length: 1000\r\n'
const CHUNKED = 'Transfer-Encoding: chunked\r\n'

describe('bodies', () => {
  it.each([
    ['a handler of the user', '/never', 'localhost', [408]],
    ['an unknown path', '/nowhere', 'localhost', [408]],
    ['the admin', '/_mock/sessions', 'localhost', [408]],
    ['a refused host', '/_mock/sessions', 'evil.example', [403, 408]],
    ['an endpoint', LATEST, 'localhost', [405, 408]],
  ])('error: 408 for a body that drips: %s', async (_, target, host, wanted) => {
    const { port } = await serve({ requestMs: 200, headMs: 200, checkEveryMs: 50 })
    // The app that answers other paths is loaded on first use, which may take longer than the limit.
    await fetch(`http://127.0.0.1:${port}/_mock/live`)
    expect(statuses(await drip(port, post(target, LONG, host)))).toEqual(wanted)
    expect(statuses(await drip(port, post(target, `${CHUNKED}\r\n3e8`, host)))).toEqual(wanted)
  })

  it('error: a body that drips behind a silent answer', async () => {
    const { server, port } = await serve({ requestMs: 100, headMs: 100, checkEveryMs: 50 }, { scenario: 'silence' })
    const [[socket]] = await Promise.all([
      once(server, 'connection') as Promise<[Socket]>,
      drip(port, post(LATEST, LONG)).then(text => expect(statuses(text).at(-1)).toBe(408)),
    ])
    if (!socket.destroyed) await closeOf(socket)
  })

  it.each(['/nowhere', '/_mock/sessions', '/never'])('error: 400 at once for a malformed chunk: %s', async target => {
    const { port } = await serve()
    expect(statuses(await talk(port, post(target, `${CHUNKED}\r\nZZ\r\n`)))).toEqual([400])
  })

  it.each(['/nowhere', '/_mock/sessions', '/never', LATEST])(
    'behavior: a client that leaves in a body: %s',
    async target => {
      const { port } = await serve()
      // The client ends its side only.
      await talk(port, `${post(target, LONG)}abc`, { half: true })
      expect(await untilNoSockets()).toBe(true)
    },
  )
})

describe('pipelines', () => {
  it.each([
    [LATEST, {}],
    ['/nowhere', {}],
    ['/_mock/health', {}],
    [LATEST, { turnMs: 0 }],
    ['/nowhere', { turnMs: 0 }],
  ])('error: the 101st waiting request is refused: %s, %o', async (target, limits) => {
    const { mock, port } = await serve(limits)
    const seen = statuses(await talk(port, keepAlive(target).repeat(3000)))
    // The first answer may be sent before the second request is read, and then waits no more.
    const answered = seen.length - 1
    expect([100, 101]).toContain(answered)
    expect(seen).toEqual([...Array(answered).fill(target === '/nowhere' ? 404 : 200), 429])
    expect(mock.sessions.default.journal.entries()).toHaveLength(target === LATEST ? answered : 0)
  })

  it('behavior: many requests in turn are no pipeline', async () => {
    const { port } = await serve({ pipelined: 2 })
    const socket = open(port, '')
    let replies = 0
    for (; replies < 10; replies++) {
      socket.write(keepAlive(LATEST))
      expect(statuses((await once(socket, 'data'))[0])).toEqual([200])
    }
  })

  describe.each(['silence', { faults: [{ fault: 'reply/latency', options: { ms: 60_000 } }] }])('%j', scenario => {
    // In one turn, all requests of the first chunk are seen before the connection closes.
    it.each([Number.POSITIVE_INFINITY, 0])(
      'error: requests behind an answer that waits, turns of %d ms',
      async turnMs => {
        const { mock, port } = await serve({ turnMs }, { scenario: scenario as MockOptions['scenario'] })
        expect(await talk(port, keepAlive(LATEST).repeat(20_000))).toBe('')
        const { length } = mock.sessions.default.journal.entries()
        if (turnMs === 0) expect(length).toBeLessThanOrEqual(100)
        else expect(length).toBe(100)
        expect(await untilNoSockets()).toBe(true)
      },
    )
  })
})

describe('clients that leave', () => {
  it.each([
    ['a reader of events', keepAlive(EVENTS), 'HTTP/1.1 200'],
    ['a reader of events behind another answer', keepAlive(LATEST) + keepAlive(EVENTS), 'text/event-stream'],
  ])('behavior: %s', async (_, sent, sign) => {
    const { port } = await serve()
    for (const leave of ['destroy', 'resetAndDestroy', 'end'] as const) {
      const socket = open(port, sent)
      let received = ''
      socket.on('data', chunk => (received += chunk))
      while (!received.includes(sign) || !received.endsWith('\n\n\r\n')) await once(socket, 'data')
      if (leave === 'end') socket.end()
      else socket[leave]()
      expect(await untilNoSockets()).toBe(true)
    }
  })

  it.each([
    [{ fault: 'wire/timeout' }, 'end'],
    [{ fault: 'wire/timeout' }, 'resetAndDestroy'],
    [{ fault: 'reply/latency', options: { ms: 600_000 } }, 'resetAndDestroy'],
  ] as const)('behavior: large answers behind one that waits: %j, %s', async (fault, leave) => {
    const { mock, port } = await serve({}, { scenario: ownScenario({ faults: [{ ...fault, endpoints: ['latest'] }] }) })
    // More than Node lets wait before it stops to read.
    const large = keepAlive('/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h').repeat(4)
    const socket = open(port, keepAlive(LATEST) + large + keepAlive('/_mock/openapi.json').repeat(4))
    while (mock.sessions.default.journal.entries().length < 5) await talk(port, requestTo('/_mock/health'))
    await talk(port, requestTo('/_mock/openapi.json'))
    socket[leave]()
    expect(await untilNoSockets()).toBe(true)
  })

  it.each(['destroy', 'resetAndDestroy', 'end'] as const)(
    'behavior: a handler that never answers, and the client leaves: %s',
    async leave => {
      const { server, port } = await serve()
      const socket = open(port, keepAlive('/never')).resume()
      const [connection] = (await once(server, 'connection')) as [Socket]
      while (handlerCalls.length === 0) await new Promise(resolve => setImmediate(resolve))
      socket[leave]()
      if (!connection.destroyed) await new Promise(resolve => connection.once('close', resolve))
      expect(await untilNoSockets()).toBe(true)
      expect(handlerCalls[0]!.aborted).toBe(true)
    },
  )

  it('error: a handler that never answers', async () => {
    const { port } = await serve({}, {}, 50)
    const [reply] = parseReplies(await talk(port, requestTo('/never')))
    expect(reply!.status).toBe(500)
    expect(JSON.parse(reply!.body)).toMatchObject({
      code: 'HANDLER_FAILED',
      got: 'it has not answered within 0.05 seconds',
    })
    expect(handlerCalls[0]!.aborted).toBe(true)
  })
})

describe('stop', () => {
  it.each([
    ['a tunnel behind a silent answer', keepAlive(LATEST) + CONNECT],
    ['a websocket behind a silent answer', keepAlive(LATEST) + requestTo(LATEST, { head: 'Upgrade: websocket\r\n' })],
    ['junk behind a silent answer', `${keepAlive(LATEST)}JUNK\r\n\r\n`],
    ['a reader of events', keepAlive(EVENTS)],
    ['a full pipeline', keepAlive('/_mock/health').repeat(200)],
  ])('behavior: ends %s', async (_, sent) => {
    const server = await startServer({ port: 0, scenario: 'silence', host: '127.0.0.1' })
    const port = Number(new URL(server.url).port)
    const clients = Array.from({ length: 5 }, () => open(port, sent))
    // After this reply, the server has seen all earlier requests.
    await talk(port, requestTo('/_mock/health'))
    const closed = Promise.all(clients.map(client => closeOf(client.resume())))
    for (const client of clients) client.once('end', () => client.end())
    await server.stop()
    await closed
    expect(await untilNoSockets()).toBe(true)
  })

  it('behavior: a tunnel behind a silent answer, and the client leaves', async () => {
    const { port } = await serve({}, { scenario: 'silence' })
    for (const leave of ['destroy', 'end'] as const) {
      const socket = open(port, keepAlive(LATEST) + CONNECT)
      await talk(port, requestTo('/_mock/health'))
      socket[leave]()
      socket.resume()
      expect(await untilNoSockets()).toBe(true)
    }
  })
})
