// Connections: pipelining, half-open sockets, hang-ups, incomplete heads. Nothing crashes and no socket stays open.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createServerOf } from '../../src/hosts/node/sockets.js'
import {
  connectTo,
  expectMarked,
  keepAlive,
  LATEST,
  parseReplies,
  requestTo,
  serveHostiles,
  talk,
  uncaughtDuring,
  untilNoSockets,
} from '../support/raw.js'

/** The largest answer of the five. */
const CHART = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1m'
const CONNECT = 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'
const HALF = 'GET / HTTP/1.1\r\nHos'

const { port, ask, askOne } = serveHostiles()

/** Sends many times and hangs up: at once, when connected, or on the first bytes of the answer. */
async function hangUp(sent: string, leave: 'destroy' | 'resetAndDestroy', isAnswered: boolean): Promise<void> {
  for (const moment of [undefined, 'connect', isAnswered ? 'data' : undefined] as const)
    for (let i = 0; i < 10; i++) {
      const socket = connectTo(port())
      socket.on('error', () => {})
      socket.write(sent, 'latin1')
      if (moment !== undefined) await once(socket, moment)
      socket[leave]()
    }
}

// These come first: modules that load on first use delay the first answer.
it.each(['/nowhere', '/_mock/metrics'])(
  'behavior: first requests of a server: a half-closed connection still gets the answer: %s',
  async target => {
    const replies = await ask(keepAlive(target), { half: true })
    expect(replies.map(({ status }) => status)).toEqual([target === '/nowhere' ? 404 : 200])
  },
)

describe('pipelining', () => {
  it('default: 50 requests are answered in order', async () => {
    const asked = Array.from({ length: 49 }, (_, i) => keepAlive(`/prices/ID${i}/latest`))
    const replies = await ask([...asked, requestTo('/prices/ID49/latest')].join(''))
    expect(replies.map(({ body }) => /ID\d+/.exec(body)![0])).toEqual(Array.from({ length: 50 }, (_, i) => `ID${i}`))
  })

  it('behavior: slow answers keep their place', async () => {
    const targets = Array.from(
      { length: 50 },
      (_, i) => [LATEST, '/_mock/metrics', '/_mock/health', '/nowhere'][i % 4]!,
    )
    const replies = await ask(targets.map((target, i) => (i < 49 ? keepAlive(target) : requestTo(target))).join(''))
    const seen = replies.map(({ body }) => /"feedId"|# HELP|"ok"|UNKNOWN_ROUTE/.exec(body)?.[0])
    expect(seen).toEqual(targets.map((_, i) => ['"feedId"', '# HELP', '"ok"', 'UNKNOWN_ROUTE'][i % 4]))
  })

  it.each([[LATEST], [LATEST, CHART, LATEST], ['/_mock/metrics'], ['/nowhere', LATEST]])(
    'error: junk is answered after the requests before it: %s',
    async (...targets) => {
      const replies = await ask(`${targets.map(keepAlive).join('')}JUNK\r\n\r\n`)
      const wanted = targets.map(target => (target === '/nowhere' ? 404 : 200))
      expect(replies.map(({ status }) => status)).toEqual([...wanted, 400])
    },
  )

  it('behavior: HEAD among GET requests', async () => {
    const head = keepAlive(CHART).replace('GET', 'HEAD')
    const replies = await ask(head + keepAlive(LATEST) + head + requestTo(CHART))
    expect(replies.map(({ body }) => body.length > 0)).toEqual([false, true, false, true])
    expect(replies[0]!.headers['content-length']).toBe(String(replies[3]!.body.length))
  })

  it('behavior: empty lines before a request are ignored', async () => {
    expect((await askOne(`\r\n\r\n${requestTo(LATEST)}`)).status).toBe(200)
  })
})

describe('half-open', () => {
  it.each([LATEST, CHART, '/_mock/health', '/_mock/metrics', '/', '/nowhere'])(
    'behavior: a half-closed connection still gets the answer: %s',
    async target => {
      const { status } = await askOne(keepAlive(target), { half: true })
      expect(status).toBe(target === '/nowhere' ? 404 : 200)
    },
  )

  it('behavior: a half-closed connection gets all answers', async () => {
    const replies = await ask([LATEST, '/_mock/metrics', CHART, '/nowhere'].map(keepAlive).join(''), { half: true })
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 404])
  })

  it.each(['G', 'GET / HT', 'GET / HTTP/1.1\r\nHost: loc', 'GET / HTTP/1.1\r\nHost: localhost\r\n'])(
    'error: a head that ends early: %j',
    async sent => {
      const { status, headers } = await askOne(sent, { half: true })
      expect(status).toBe(400)
      expect(headers['x-price-feed-mock']).toBe('own, code="REQUEST_MALFORMED"')
    },
  )

  it('behavior: a connection without a request gets no answer', async () => {
    expect(await talk(port(), '', { half: true })).toBe('')
  })
})

it.each([
  ['a request', keepAlive(LATEST)],
  ['a large answer', keepAlive(CHART).repeat(20)],
  ['an answer that takes a while', keepAlive('/_mock/metrics')],
  ['an unknown route', keepAlive('/nowhere')],
  ['junk', 'JUNK\r\n\r\n'],
  ['half a head', HALF],
  ['half a body', 'POST /prices/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nabc'],
  ['a head over 128 KB', requestTo(LATEST, { head: `X: ${'a'.repeat(200_000)}\r\n` })],
  ['CONNECT', CONNECT],
  ['Upgrade', requestTo(LATEST, { head: 'Connection: Upgrade\r\nUpgrade: websocket\r\n' })],
])('behavior: %s, and the client hangs up', async (_, sent) => {
  for (const leave of ['destroy', 'resetAndDestroy'] as const) {
    const uncaught = await uncaughtDuring(async () => {
      await hangUp(sent, leave, sent !== HALF)
      expect(await untilNoSockets()).toBe(true)
    })
    expect(uncaught).toEqual([])
  }
})

// The real limits are ten seconds and more: these servers have a shorter one. Node checks every two seconds, so the tests wait together.
describe.concurrent('slow heads', () => {
  async function startImpatient() {
    const server = createServerOf((_request, response) => response.end())
    server.headersTimeout = 100
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return { server, port: (server.address() as { port: number }).port }
  }

  it('error: 408 for an incomplete head', async ({ expect }) => {
    const { server, port } = await startImpatient()
    const [reply, ...more] = parseReplies(await talk(port, HALF))
    server.close()
    expect(more).toEqual([])
    expectMarked(reply!)
    expect(reply!.status).toBe(408)
    expect(JSON.parse(reply!.body)).toMatchObject({ code: 'REQUEST_TIMEOUT' })
  })

  it.each([HALF, 'JUNK\r\n\r\n', CONNECT])('behavior: the server ends a connection that stays after %j', async sent => {
    const { server, port } = await startImpatient()
    const client = connectTo(port)
      .on('error', () => {})
      .resume()
    client.write(sent)
    const [socket] = (await once(server, 'connection')) as [Socket]
    try {
      // Two rounds of the check.
      await once(socket, 'close', { signal: AbortSignal.timeout(5000) })
    } finally {
      client.destroy()
      server.close()
    }
  })
})
