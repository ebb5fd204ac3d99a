// A server on a socket: targets in every form that HTTP has for them, and bodies whose length is not declared.
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { closeOf } from '../../../test/support/raw.js'
import { type RunningServer, startServer } from './server.js'

let server: RunningServer
beforeAll(async () => (server = await startServer({ host: '127.0.0.1', port: 0 })))
afterAll(() => server.stop())

/** The status line of a request whose target is sent as it stands. */
async function statusOf(target: string): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.end(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: test-api-key\r\nConnection: close\r\n\r\n`)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  await closeOf(socket)
  return text.split('\r\n', 1)[0]!
}

it.each(['/prices/BTCUSD/latest', 'http://localhost/prices/BTCUSD/latest', 'http://localhost', 'http://localhost?a=1'])(
  'default: %s',
  async target => expect(await statusOf(target)).toBe('HTTP/1.1 200 OK'),
)

it.each([
  ['application/json', 201, undefined],
  ['text/plain', 415, 'BODY_NOT_JSON'],
])('behavior: a body without a declared length is one: %s', async (type, status, code) => {
  const sent = { method: 'POST', headers: { 'content-type': type }, body: new Blob(['{"id":"a"}']).stream() }
  const reply = await fetch(`${server.url}/_mock/sessions`, { ...sent, duplex: 'half' } as RequestInit)
  expect([reply.status, ((await reply.json()) as { code?: string }).code]).toEqual([status, code])
})

it.each([
  { host: '' },
  { host: null as never },
  { port: -1 },
  { port: 1.5 },
  { port: 65_536 },
  { historyPort: 'abc' as never },
])('error: an address that cannot be listened on: %o', async options => {
  const [at] = Object.keys(options)
  await expect(startServer({ port: 0, ...options })).rejects.toMatchObject({
    code: 'OPTIONS_INVALID',
    problems: [{ at }],
  })
})

it.each([['rates.js'], [['rates.js']], [{}]])(
  'error: handlers that are no list of request handlers',
  async handlers => {
    const started = startServer({ host: '127.0.0.1', port: 0, handlers: handlers as never })
    await expect(started).rejects.toMatchObject({ code: 'OPTIONS_INVALID', problems: [{ at: 'handlers' }] })
  },
)

it.each([
  [
    { state: { file: 'f' }, store: 'redis://127.0.0.1' },
    'A server has either a state or a store.\n  fix   leave out the state: the store keeps all sessions\n',
  ],
  ...[{ state: { file: 'f' } }, { store: 'redis://127.0.0.1' }].map(
    kept =>
      [
        { ...kept, snapshot: {} },
        'A server with a state or a store takes no snapshot.\n  fix   leave out the snapshot, and restore it with POST /_mock/sessions/{id}/restore\n',
      ] as const,
  ),
])('error: %o', async (options, message) => {
  await expect(startServer({ port: 0, ...options } as never)).rejects.toThrow(message)
})

it('error: bodies that cannot be read', async () => {
  const ask = async (path: string, length: number, headers: Record<string, string> = {}) => {
    const sent = { 'content-type': 'application/json', ...headers }
    const reply = await fetch(server.url + path, { method: 'POST', headers: sent, body: 'x'.repeat(length) })
    const { type: _, ...problem } = (await reply.json()) as { type: string }
    return problem
  }
  expect([
    await ask('/_mock/sessions', 2 ** 20 + 1),
    await ask('/_mock/sessions/default/restore', 2 ** 21 + 1),
    await ask('/_mock/sessions', 1, { 'content-encoding': 'rot13' }),
    await ask('/_mock/sessions', 1, { 'content-type': 'text/plain' }),
  ]).toMatchInlineSnapshot(`
    [
      {
        "code": "BODY_TOO_LARGE",
        "detail": "The body is too large.",
        "status": 413,
        "title": "BodyTooLargeError",
        "want": "at most 1 MB",
      },
      {
        "code": "BODY_TOO_LARGE",
        "detail": "The body is too large.",
        "status": 413,
        "title": "BodyTooLargeError",
        "want": "at most 2 MB",
      },
      {
        "code": "REQUEST_INVALID",
        "detail": "The request cannot be read: unsupported content encoding "rot13".",
        "status": 400,
        "title": "RequestInvalidError",
      },
      {
        "code": "BODY_NOT_JSON",
        "detail": "The content type of the body is not JSON.",
        "status": 415,
        "title": "BodyNotJsonError",
        "want": "content-type: application/json",
      },
    ]
  `)
  // At its limit, a body is read.
  expect(await ask('/_mock/sessions', 2 ** 20)).toMatchObject({ code: 'REQUEST_INVALID' })
  expect(await ask('/_mock/sessions/default/restore', 2 ** 21)).toMatchObject({ code: 'REQUEST_INVALID' })
})
