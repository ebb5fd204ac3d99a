// The fetch host, where it differs from a server. The behavior of every host is in test/conformance.
import { describe, expect, it } from 'vitest'
import { createFetch } from '../../src/hosts/fetch.js'
import { createMock } from '../../src/index.js'

describe('createFetch', () => {
  it('error: a body that cannot be read rejects with its own error, as fetch does', async () => {
    const broken = new Error('the disk is gone')
    const body = new ReadableStream({ pull: controller => controller.error(broken) })
    const posting = createFetch(createMock())('http://mock/_mock/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit)
    await expect(posting).rejects.toBe(broken)
  })

  it.each(['/_mock/metrics', '/_mock/sessions/default/events'])('error: %s needs a server', async path => {
    const response = await createFetch(createMock())(`http://mock${path}`)
    expect({ status: response.status, ...((await response.json()) as object) }).toEqual({
      type: 'about:blank',
      title: 'UnknownRouteError',
      status: 404,
      code: 'UNKNOWN_ROUTE',
      detail: `${path} needs a running server.`,
      fix: 'npx price-feed-mock, or startServer() from price-feed-mock/node',
      note: 'a mock in a page, or behind fetch or msw, has no such route',
    })
  })

  it.each(['serve', 'administer'] as const)('error: a mock that fails to %s says so', async method => {
    const fail = () => Promise.reject(new Error('a bug'))
    const failing =
      method === 'serve'
        ? {
            serve: () => {
              throw new Error('a bug')
            },
          }
        : { administer: fail }
    const response = await createFetch({ ...createMock(), ...failing })('http://mock/_mock/health')
    expect({ status: response.status, mark: response.headers.get('x-price-feed-mock') }).toEqual({
      status: 500,
      mark: 'own, code="INTERNAL"',
    })
  })
})
