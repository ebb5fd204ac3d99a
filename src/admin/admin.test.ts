// The admin routes in process: methods, parameters, and descriptions of sessions.
import { spawnSync } from 'node:child_process'
import { beforeEach, describe, expect, it } from 'vitest'
import { createCalls, headerOf, NOW } from '../../test/support/calls.js'
import { quote } from './reproduce-command.js'

type Calls = ReturnType<typeof createCalls>
let calls: Calls
beforeEach(() => (calls = createCalls()))
const json = async (method: string, target: string, body?: unknown) => {
  const reply = await calls.admin(method, target, body)
  return { status: reply.status, body: reply.body === '' ? undefined : JSON.parse(reply.body) }
}

describe('methods', () => {
  it('behavior: OPTIONS lists those of the path, HEAD beside GET', async () => {
    const reply = await calls.admin('OPTIONS', '/_mock/sessions')
    expect([reply.status, headerOf(reply, 'allow')]).toEqual([204, 'GET, POST, HEAD, OPTIONS'])
    expect(headerOf(reply, 'content-length')).toBeUndefined()
  })

  it('behavior: HEAD is answered as GET is', async () => {
    const [get, head] = [await calls.admin('GET', '/_mock/health'), await calls.admin('HEAD', '/_mock/health')]
    expect(head).toEqual(get)
    expect(headerOf(get, 'content-length')).toBe(String(get.body.length))
  })
})

it.each([
  ['/nowhere', NOW],
  ['/_mock/nowhere', NOW],
  ['/session/ahead/nowhere', NOW + 60],
  ['/scenario/none/prices/BTCUSD/latest', NOW],
])('default: the unknown route %s has the date of its session', async (path, second) => {
  await json('POST', '/_mock/sessions', { id: 'ahead', clock: { at: NOW + 60 } })
  const reply = await calls.admin('GET', path)
  expect([reply.status, headerOf(reply, 'date')]).toEqual([404, new Date(second * 1000).toUTCString()])
})

it('default: created, described and deleted', async () => {
  const created = await json('POST', '/_mock/sessions', { id: 'a', clock: { at: NOW + 0.5 } })
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({
    baseUrl: 'http://mock.test/session/a',
    historyUrl: 'http://history.test/session/a',
    apiKey: 'session.a',
    clock: { now: NOW },
  })
  expect((await json('GET', '/_mock/sessions/default')).body.baseUrl).toBe('http://mock.test')
  const deleted = await calls.admin('DELETE', '/_mock/sessions/a')
  expect([deleted.status, deleted.body, headerOf(deleted, 'content-type')]).toEqual([204, '', undefined])
  expect((await json('GET', '/_mock/sessions/a')).body.code).toBe('SESSION_UNKNOWN')
})

it('error: a body with more values than a schema should check', async () => {
  const { status, body } = await json('POST', '/_mock/sessions', { unknown: Array.from({ length: 12_001 }, () => 0) })
  expect([status, body.code]).toEqual([400, 'REQUEST_INVALID'])
  expect(body.problems).toEqual([{ at: '(the whole)', got: 12_001, want: 'at most 12000 values in a list or object' }])
})

it('args: quote leaves plain words, and a shell reads each of the others as it was', () => {
  expect(['a-b.c', 'two words', "it's", 'a\\b', '{"a":1}', "$it's"].map(quote)).toEqual([
    'a-b.c',
    '"two words"',
    `"it's"`,
    '"a\\b"',
    `'{"a":1}'`,
    "'$it'\\''s'",
  ])
  const hard = ['', 'a\\\\b', 'end\\', '"', '`', '$x', 'a!b', '%x%', '?*', '\n', "\\'", '\\$x"', '~', '#a', 'a&b;c|d']
  const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${hard.map(quote).join(' ')}`], { encoding: 'utf8' })
  expect(stdout.split('\0').slice(0, -1)).toEqual(hard)
})

it('behavior: explain: a long body is shown in part, a short one whole', async () => {
  const short = (await json('GET', '/_mock/explain?url=/prices/BTCUSD/latest')).body.outcome.body
  expect(JSON.parse(short).feedId).toBe('BTCUSD')
  const url = encodeURIComponent('/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h')
  expect((await json('GET', `/_mock/explain?url=${url}`)).body.outcome.body).toMatch(/^.{2000}… \d+ more$/)
})

it('behavior: explain: a URL below either address, each with a path of its own', async () => {
  const addresses = { baseUrl: 'http://mock.test/prices-of', historyUrl: 'http://history.test/charts-of' }
  for (const url of [
    `${addresses.baseUrl}/prices/BTCUSD/latest`,
    `${addresses.historyUrl}/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h`,
  ]) {
    const target = `/_mock/explain?url=${encodeURIComponent(url)}`
    const asked = { method: 'GET', target, authorization: undefined, receivedAt: 0 }
    expect(JSON.parse((await calls.mock.administer(asked, addresses)).body).outcome, url).toMatchObject({ status: 200 })
  }
})
