// A server that speaks HTTPS: its addresses, its errors, its limits, and its end.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { connect } from 'node:tls'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { KEY } from '../../../test/support/ask.js'
import { AT, httpHost } from '../../../test/support/hosts.js'
import { listen, startMock } from '../../../test/support/listen.js'
import { closeOf, LATEST, parseReplies, textOf, untilNoSockets } from '../../../test/support/raw.js'
import { CERT, EXPIRED_CERT, KEY_OF_CERT, NAMED_CERT, TLS } from '../../../test/support/tls.js'
import { mockMiddleware } from '../express.js'
import { type ServerOptions, startServer } from './server.js'
import { createServerOf } from './sockets.js'
import { loadTls } from './tls.js'

const FROZEN = { clock: { at: AT, frozen: true }, port: 0 } as const

async function start(options: ServerOptions = {}) {
  const host = await httpHost({ ...FROZEN, tls: TLS, ...options })
  onTestFinished(host.stop)
  return { ...host, port: Number(new URL(host.server.url).port) }
}

/** Connects, with the certificate of the test as the only trusted one. */
const connectTo = (port: number) => connect({ port, host: '127.0.0.1', ca: CERT })

describe('addresses', () => {
  it('default: the same bytes as over HTTP, at https addresses', async () => {
    const secure = await start({ historyPort: 0 })
    const { url, historyUrl } = secure.server
    expect([url, historyUrl]).toEqual([expect.stringMatching(/^https:\/\/127/), expect.stringMatching(/^https:/)])
    const plain = await httpHost(FROZEN)
    onTestFinished(plain.stop)
    const seen = await secure.experience(LATEST, { headers: KEY })
    expect(seen).toMatchObject({ kind: 'reply', status: 200 })
    expect(seen).toEqual(await plain.experience(LATEST, { headers: KEY }))
    const session = JSON.parse((await secure.request('/_mock/sessions/default')).body)
    expect([session.baseUrl, session.historyUrl]).toEqual([url, historyUrl])
  })

  it('behavior: localhost, if the certificate is valid for that name only', async () => {
    const server = await startMock({ ...FROZEN, tls: { cert: NAMED_CERT, key: KEY_OF_CERT } })
    expect(server.url).toMatch(/^https:\/\/localhost:\d+$/)
  })

  it('behavior: pages of its own origin reach the admin', async () => {
    const { request, server } = await start()
    const asked = { headers: { origin: server.url, 'sec-fetch-site': 'same-origin' } }
    expect((await request('/_mock/info', asked)).status).toBe(200)
  })

  it('behavior: a handler of the user gets an https address', async () => {
    let seen = ''
    const handler = {
      kind: 'request',
      async run({ request }: { readonly request: Request }) {
        seen = request.url
        return { response: new Response('mine') }
      },
    }
    const { request, server } = await start({ handlers: [handler as never] })
    expect((await request('/mine')).body).toBe('mine')
    expect(seen).toBe(`${server.url}/mine`)
  })
})

describe('the pair', () => {
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const encrypted = createPrivateKey(KEY_OF_CERT).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'secret',
  })

  it.each([
    ['another key', { ...TLS, key: String(other) }, /key does not belong to the certificate/],
    ['an expired certificate', { ...TLS, cert: EXPIRED_CERT }, /expired on Jan +2 00:00:00 2020 GMT/],
    ['an encrypted key', { ...TLS, key: String(encrypted) }, /key is encrypted/],
    ['a certificate that is none', { ...TLS, cert: 'none' }, /not a certificate in PEM/],
    ['a key that is none', { ...TLS, key: 'none' }, /not a private key in PEM/],
    ['the files exchanged', { cert: KEY_OF_CERT, key: CERT }, /not a certificate in PEM/],
  ])('error: %s', async (_, tls, message) => {
    const error = await startServer({ ...FROZEN, tls }).catch(thrown => thrown)
    expect(error).toMatchObject({ code: 'TLS_INVALID', shortMessage: expect.stringMatching(message) })
    expect(error.message).not.toContain('PRIVATE KEY')
  })

  it('error: a certificate of the future', () => {
    expect(() => loadTls(TLS, Date.parse('2001-01-01T00:00:00Z'))).toThrow(/not valid before/)
    expect(() => loadTls(TLS, Date.parse('2300-01-01T00:00:00Z'))).toThrow(/expired on/)
    expect(() => loadTls(TLS, Date.now())).not.toThrow()
  })

  it.each([{ cert: CERT }, { key: KEY_OF_CERT }, { ...TLS, ca: CERT }, 'pem', null])(
    'error: an option of another form (%#)',
    async tls => {
      const error = await startServer({ ...FROZEN, tls: tls as never }).catch(thrown => thrown)
      expect(error).toMatchObject({ code: 'OPTIONS_INVALID', problems: [{ at: 'tls', got: '(not shown)' }] })
    },
  )
})

it('behavior: wire/reset resets the connection of an Express app with TLS as well', async () => {
  const app = express().use(mockMiddleware({ scenario: { faults: [{ fault: 'wire/reset' }] } as never }))
  const socket = connectTo(await listen(createHttpsServer(TLS, app)))
  socket.write(`GET ${LATEST} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  const [error] = await once(socket, 'error').catch(thrown => [thrown])
  expect(error.code).toBe('ECONNRESET')
})

describe('connections', () => {
  it('behavior: a plain HTTP request is closed without an answer, and the next client is answered', async () => {
    const { port, request } = await start()
    const socket = connectTcp(port, '127.0.0.1')
    socket.on('error', () => {}).write(`GET ${LATEST} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    // At most an alert of TLS.
    expect(await textOf(socket)).not.toContain('HTTP/')
    expect(await untilNoSockets()).toBe(true)
    expect((await request(LATEST, { headers: KEY })).status).toBe(200)
  })

  it('behavior: data that is not HTTP gets a problem through TLS', async () => {
    const { port } = await start()
    const socket = connectTo(port)
    socket.on('end', () => socket.end()).write('nonsense\r\n\r\n')
    expect(parseReplies(await textOf(socket))[0]).toMatchObject({ status: 400, headers: { connection: 'close' } })
  })

  it('behavior: a client that ends its side gets its delayed answer', async () => {
    const scenario = { faults: [{ fault: 'reply/latency', options: { ms: 20 } }] }
    const { port } = await start({ scenario: scenario as never })
    const socket = connectTo(port)
    socket.end(`GET ${LATEST} HTTP/1.1\r\nHost: localhost\r\nAuthorization: test-api-key\r\n\r\n`)
    expect(parseReplies(await textOf(socket))[0]!.status).toBe(200)
  })

  it.each([
    ['nothing', ''],
    ['the head of a record, byte by byte', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('behavior: a handshake that does not end is cut: %s', async (_, sent) => {
    const tls = loadTls(TLS, Date.now())
    const server = createServerOf(() => {}, undefined, { handshakeMs: 50 }, tls.createServer)
    const socket = connectTcp(await listen(server), '127.0.0.1').on('error', () => {})
    socket.resume()
    const drip = setInterval(() => socket.write(bytes.next().value ?? '\0', 'latin1'), 5)
    const bytes = sent[Symbol.iterator]()
    if (sent === '') clearInterval(drip)
    await closeOf(socket)
    clearInterval(drip)
    expect(await untilNoSockets()).toBe(true)
  })

  it('behavior: a stop ends handshakes and idle connections, and lets an answer in progress finish', async () => {
    const { port, server, request } = await start()
    const handshaking = connectTcp(port, '127.0.0.1').on('error', () => {})
    const idle = connectTo(port).on('error', () => {})
    const busy = connectTo(port).setEncoding('latin1')
    await Promise.all([once(handshaking, 'connect'), once(idle, 'secureConnect'), once(busy, 'secureConnect')])
    const body = '{"id":"made"}'
    let received = ''
    busy.on('data', chunk => (received += chunk)).on('end', () => busy.end())
    busy.write(
      `POST /_mock/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    for (let i = 0; i < 2; i++) await request('/_mock/health')
    for (const socket of [handshaking, idle]) socket.resume()
    const closed = [handshaking, idle, busy].map(closeOf)
    const stopped = server.stop({ drainMs: 100_000 })
    busy.write(body)
    await Promise.all([stopped, ...closed])
    expect(parseReplies(received)[0]).toMatchObject({ status: 201, headers: { connection: 'close' } })
  })
})
