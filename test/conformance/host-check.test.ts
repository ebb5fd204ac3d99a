// The Host check: a web page by DNS rebinding reaches the five endpoints but not the admin.
import { request } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { startServer } from '../../src/hosts/node/server.js'
import { describeHosts, need } from '../support/hosts.js'

const OWN = ['/', '/_mock', '/_mock/', '/_mock/health', '/_mock/info', '/_mock/nothing', '/_mock/info?a=1']

describeHosts('the Host check', (start, kind) => {
  const host = start()
  const ask = (path: string, name: string, method = 'GET') => host.request(path, { method, headers: { host: name } })

  for (const name of [
    'localhost',
    'LOCALHOST:4700',
    'app.localhost',
    '127.0.0.1:4700',
    '127.1.2.3',
    '[::1]',
    '[::1]:4700',
  ])
    it(`default: ${name} is this machine`, async context => {
      need(kind, 'the Host header', context)
      expect((await ask('/_mock/health', name)).status).toBe(200)
    })

  for (const path of OWN)
    it(`error: 403 for ${path} names the option to allow the host`, async context => {
      need(kind, 'the Host header', context)
      const { status, headers, body } = await ask(path, 'mock.internal:4700')
      expect(status).toBe(403)
      expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
      expect(headers['x-price-feed-mock']).toBe('own, code="HOST_NOT_ALLOWED"')
      expect(JSON.parse(body)).toMatchObject({
        status: 403,
        code: 'HOST_NOT_ALLOWED',
        detail: expect.stringContaining('"mock.internal"'),
        fix: 'npx price-feed-mock --allow-host mock.internal',
      })
    })

  for (const name of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'evillocalhost', '10.0.0.1'])
    it(`error: ${name} is another machine`, async context => {
      need(kind, 'the Host header', context)
      expect((await ask('/_mock/info', name)).status).toBe(403)
    })

  for (const method of ['HEAD', 'OPTIONS', 'POST'])
    it(`error: 403 for ${method} as well`, async context => {
      need(kind, 'the Host header', context)
      expect((await ask('/_mock/info', 'evil.example', method)).status).toBe(403)
    })

  // Every spelling that reaches an admin route must be guarded.
  for (const path of ['/%5Fmock/info', '/_mock/%69nfo', '/%5f%6dock/feeds', '/_mock%2Finfo', '/_MOCK/metrics'])
    it(`error: another spelling is rejected too: ${path}`, async context => {
      need(kind, 'the Host header', context)
      expect([403, 404]).toContain((await ask(path, 'evil.example')).status)
    })

  it('behavior: an unknown route outside the admin is 404 for any host name', async context => {
    need(kind, 'the Host header', context)
    expect((await ask('/nowhere', 'evil.example')).status).toBe(404)
  })

  it('behavior: the fix does not contain an invalid name', async context => {
    need(kind, 'the Host header', context)
    const { body } = await ask('/_mock/info', '$(reboot)')
    expect(JSON.parse(body).fix).toBe('npx price-feed-mock --allow-host NAME')
  })
})

describe('allowHosts', async () => {
  const server = await startServer({ port: 0, allowHosts: ['mock.internal', 'Compose-Host'] })
  afterAll(server.stop)
  const status = (host: string) =>
    new Promise(resolve => {
      request(`${server.url}/_mock/health`, { headers: { host } }, response => {
        response.resume()
        resolve(response.statusCode)
      }).end()
    })

  it.each(['mock.internal', 'mock.internal:4700', 'MOCK.internal', 'compose-host', 'localhost'])(
    'args: %s may come in',
    async host => {
      expect(await status(host)).toBe(200)
    },
  )

  it.each(['internal', 'a.mock.internal', 'mock.internal.evil.example'])('args: %s may not', async host => {
    expect(await status(host)).toBe(403)
  })
})
