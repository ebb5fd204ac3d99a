// A server on a socket: targets in every form that HTTP has for them, and bodies whose length is not declared.
import { connect } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { startMock } from '../../../test/support/listen.js'
import { textOf } from '../../../test/support/raw.js'
import { type ServerOptions, startServer } from './server.js'

const server = await startMock({ host: '127.0.0.1' }, afterAll)

/** The status line of a request whose target is sent as it stands. */
async function statusOf(target: string): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.end(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: test-api-key\r\nConnection: close\r\n\r\n`)
  return (await textOf(socket)).split('\r\n', 1)[0]!
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

it.each<[option: string, value: unknown]>([
  ['host', ''],
  ['historyPort', 'abc'],
  ['handlers', 'rates.js'],
  ['state', 'f'],
])('error: an option of another form: %s: %j', async (at, value) => {
  await expect(startServer({ port: 0, [at]: value })).rejects.toMatchObject({
    code: 'OPTIONS_INVALID',
    problems: [{ at }],
  })
})

it('error: options that are no object', async () => {
  for (const options of [null, 5])
    await expect(startServer(options as never)).rejects.toMatchObject({
      problems: [{ got: options, want: 'an object' }],
    })
})

const EITHER = 'A server has either a state or a store.\n  fix   leave out the state: the store keeps all sessions\n'
const NO_SNAPSHOT =
  'A server with a state or a store takes no snapshot.\n  fix   leave out the snapshot, and restore it with POST /_mock/sessions/{id}/restore\n'
it.each<[ServerOptions, message: string]>([
  [{ state: { file: 'f' }, store: 'redis://127.0.0.1' }, EITHER],
  [{ state: { file: 'f' }, snapshot: {} }, NO_SNAPSHOT],
  [{ store: 'redis://127.0.0.1', snapshot: {} }, NO_SNAPSHOT],
])('error: %o', (options, message) => expect(startServer({ port: 0, ...options })).rejects.toThrow(message))

it('error: bodies above their limits, and in an unknown encoding', async () => {
  const ask = async (path: string, length: number, headers: Record<string, string> = {}) => {
    const sent = { 'content-type': 'application/json', ...headers }
    const reply = await fetch(server.url + path, { method: 'POST', headers: sent, body: 'x'.repeat(length) })
    const { code, detail, want } = (await reply.json()) as Record<string, string>
    return [code, detail, want]
  }
  const tooLarge = ['BODY_TOO_LARGE', 'The body is too large.']
  expect(await ask('/_mock/sessions', 2 ** 20 + 1)).toEqual([...tooLarge, 'at most 1 MB'])
  expect(await ask('/_mock/sessions/default/restore', 2 ** 21 + 1)).toEqual([...tooLarge, 'at most 2 MB'])
  for (const [path, length] of [
    ['/_mock/sessions', 2 ** 20],
    ['/_mock/sessions/default/restore', 2 ** 21],
  ] as const)
    expect((await ask(path, length))[0]).toBe('REQUEST_INVALID')
  const message = 'The request cannot be read: unsupported content encoding "rot13".'
  expect(await ask('/_mock/sessions', 1, { 'content-encoding': 'rot13' })).toEqual([
    'REQUEST_INVALID',
    message,
    'JSON in UTF-8, plain or compressed by gzip, deflate or br, as content-encoding says',
  ])
})
