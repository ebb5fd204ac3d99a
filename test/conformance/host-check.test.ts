// The Host check: a web page by DNS rebinding reaches the five endpoints but not the admin.
import { expect, it, onTestFinished } from 'vitest'
import { describeHosts, httpHost, need } from '../support/hosts.js'

const OWN = ['/', '/_mock', '/_mock/', '/_mock/health', '/_mock/info', '/_mock/nothing', '/_mock/info?a=1']

describeHosts('the Host check', (start, kind) => {
  const host = start()
  const ask = (path: string, name: string, method = 'GET') => host.request(path, { method, headers: { host: name } })

  it('default: a name of this machine', async context => {
    need(kind, 'the Host header', context)
    expect((await ask('/_mock/health', '127.1.2.3:4700')).status).toBe(200)
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
        fix: "npx price-feed-mock --allow-host mock.internal, or allowHosts: ['mock.internal'] of the server in code",
      })
    })

  for (const method of ['HEAD', 'OPTIONS', 'POST'])
    it(`error: 403 for ${method} as well`, async context => {
      need(kind, 'the Host header', context)
      expect((await ask('/_mock/info', 'evil.example', method)).status).toBe(403)
    })

  it('behavior: an unknown route outside the admin is 404 for any host name', async context => {
    need(kind, 'the Host header', context)
    expect((await ask('/nowhere', 'evil.example')).status).toBe(404)
  })
})

it('args: allowHosts', async () => {
  const host = await httpHost({ allowHosts: ['Compose-Host'] })
  onTestFinished(host.stop)
  const statusOf = async (name: string) => (await host.request('/_mock/info', { headers: { host: name } })).status
  expect([await statusOf('compose-host:4700'), await statusOf('a.compose-host')]).toEqual([200, 403])
})
