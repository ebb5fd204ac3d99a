// Options of plain JavaScript callers: each rule at its bounds, and one message with all problems.
import { http, ws } from 'msw'
import { expect, it } from 'vitest'
import { assertOptions, SERVER_RULES } from './options.js'

const HANDLER = http.get('/', () => undefined)
const URL = 'redis://127.0.0.1'

it.each<[name: keyof typeof SERVER_RULES, valid: readonly unknown[], invalid: readonly unknown[]]>([
  ['host', ['127.0.0.1', 'a', undefined], ['', ' ', 1, null]],
  ['historyPort', [0, 65_535], [-1, 0.5, 65_536, '80']],
  [
    'allowHosts',
    [[], ['app.internal', '[::1]']],
    ['app', [1], ['a', ''], ['a:1'], ['a/b'], ['a b'], ['[::1'], ['*'], ['*.app']],
  ],
  ['allowOrigins', [[], ['http://localhost:5173']], ['http://a', [1], ['http://a', 'a']]],
  ['adminToken', ['x'.repeat(8), 'x'.repeat(512)], ['x'.repeat(7), 'x'.repeat(513), 12_345_678]],
  [
    'tls',
    [{ cert: 'c', key: new Uint8Array() }],
    [null, 'c', {}, { cert: 'c' }, { cert: 1, key: 'k' }, { cert: 'c', key: 'k', ca: 'a' }],
  ],
  [
    'state',
    [{ file: 'f' }, { file: 'f', everyMs: 10, onError() {} }],
    [
      null,
      'f',
      {},
      { file: '' },
      { file: 1 },
      { file: 'f', everyMs: 9 },
      { file: 'f', everyMs: '10' },
      { file: 'f', onError: 'f' },
      { file: 'f', every: 10 },
    ],
  ],
  [
    'store',
    [URL, { url: URL }, { url: URL, idleMs: 1000, lazySessions: false, notesUse: true, onChange() {} }],
    [
      1,
      null,
      {},
      { url: 1 },
      { url: URL, idleMs: 999 },
      { url: URL, lazySessions: 1 },
      { url: URL, notesUse: 'yes' },
      { url: URL, onChange: {} },
      { url: URL, other: 1 },
    ],
  ],
  ['publicUrl', ['https://mock.example', 'http://localhost:80/a'], ['mock.example', 'https://', 'ftp://a', 1]],
  ['onExchange', [() => {}], [null, 1, {}]],
  ['handlers', [[], [HANDLER]], [HANDLER, [HANDLER, null], [ws.link('ws://a')], [{ kind: 'request' }], [{ run() {} }]]],
])('args: %s', (name, valid, invalid) => {
  const isAccepted = (value: unknown): boolean => {
    try {
      assertOptions('startServer', { [name]: value }, SERVER_RULES)
      return true
    } catch {
      return false
    }
  }
  expect(valid.filter(value => !isAccepted(value))).toEqual([])
  expect(invalid.filter(isAccepted)).toEqual([])
})

it('error: one message has all problems, and shows no secret', () => {
  const options = { prot: 1, port: -1, adminToken: 'secret' }
  expect(() => assertOptions('startServer', options, SERVER_RULES)).toThrowErrorMatchingInlineSnapshot(`
    [OptionsInvalidError: startServer has 3 problems.
      at    prot
      got   an unknown key
      want  port (closest)
      at    port
      got   -1
      want  an integer from 0 to 65535
      at    adminToken
      got   (not shown)
      want  a token of 8 to 512 visible ASCII characters
      code  OPTIONS_INVALID]
  `)
  expect(() => assertOptions('startServer', null as never, SERVER_RULES)).toThrowErrorMatchingInlineSnapshot(`
    [OptionsInvalidError: startServer has 1 problem.
      at    options
      got   null
      want  an object
      code  OPTIONS_INVALID]
  `)
})
