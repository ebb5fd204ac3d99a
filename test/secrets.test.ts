// API keys of the user: they are accepted, and appear in nothing that a server shows.
import { afterAll, expect, it } from 'vitest'
import { toJsonLine, toPrettyLine } from '../src/cli/output.js'
import { startServer } from '../src/hosts/node/server.js'

const SECRETS = ['live-4242', 'session-own-4242']
const [KEY, OWN] = SECRETS as [string, string]

const lines: string[] = []
const { url, stop } = await startServer({
  port: 0,
  apiKeys: [KEY],
  onExchange: exchange => lines.push(toPrettyLine(exchange), toJsonLine(exchange)),
})
afterAll(stop)
const read = async (path: string, init?: RequestInit) => {
  const reply = await fetch(url + path, init)
  return { status: reply.status, text: JSON.stringify([...reply.headers]) + (await reply.text()) }
}
const post = (path: string, body: object = {}) =>
  read(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

it('behavior: no reply and no log contains them', async () => {
  const latest = '/prices/BTCUSD/latest'
  expect((await read(latest, { headers: { authorization: KEY } })).status).toBe(200)
  expect((await read(`${latest}?api_key=${KEY}`, { headers: { authorization: KEY } })).status).toBe(200)
  expect((await post('/_mock/sessions', { id: 'a', apiKeys: [OWN] })).status).toBe(201)
  expect((await read(`/session/a${latest}`, { headers: { authorization: OWN } })).status).toBe(200)
  expect((await read(`/_mock/explain?url=${latest}&key=${KEY}`)).text).toContain('"key":"accepted"')
  expect((await read(`/session/a${latest}`, { headers: { authorization: `Bearer ${OWN}` } })).status).toBe(401)
  expect((await post('/_mock/sessions/a/verdicts', { case: `sent ${OWN}`, ok: false, why: KEY })).status).toBe(201)
  const shown = [
    await read('/_mock/sessions/a/report'),
    await read('/_mock/info'),
    await read('/_mock/sessions'),
    await read('/_mock/sessions/a'),
    await read('/_mock/sessions/default/requests'),
    await read('/_mock/sessions/a/requests'),
    await read('/_mock/sessions/default/requests/summary'),
    await read('/_mock/openapi.json'),
    await read('/_mock/'),
    await read('/_mock/metrics'),
    await post('/_mock/sessions/default/snapshot'),
    await post('/_mock/sessions/a/snapshot'),
    await post('/_mock/sessions/a/reset'),
  ]
  expect(shown.map(({ status }) => status)).toEqual([...Array(10).fill(200), 201, 201, 200])
  expect(shown[4]!.text).toContain('(not shown)')
  expect(lines.length).toBeGreaterThan(30)
  for (const text of [...shown.map(one => one.text), ...lines])
    for (const key of SECRETS) expect(text).not.toContain(key)
})

it('behavior: a session that restores a snapshot keeps its own keys', async () => {
  const taken = (await (await fetch(`${url}/_mock/sessions/default/snapshot`, { method: 'POST' })).json()) as {
    snapshot: object
  }
  expect(taken.snapshot).not.toHaveProperty('apiKeys')
  await post('/_mock/sessions', { id: 'b', apiKeys: [OWN] })
  for (const snapshot of [taken.snapshot, { ...taken.snapshot, apiKeys: ['test-api-key'] }]) {
    expect((await post('/_mock/sessions/b/restore', { snapshot })).status).toBe(200)
    const statusOf = async (authorization: string) =>
      (await read('/session/b/prices/BTCUSD/latest', { headers: { authorization } })).status
    expect([await statusOf(OWN), await statusOf(KEY), await statusOf('test-api-key')]).toEqual([200, 401, 401])
  }
})
