// The mock as a fetch function: the whole URL reaches the service, and the journal has the planned duration.
import { expect, it, onTestFinished, vi } from 'vitest'
import { createCalls } from '../../test/support/calls.js'
import { hurried } from '../../test/support/hosts/waited.js'
import { createMock } from '../index.js'
import { createFetch } from './fetch.js'

vi.mock('./real-time.js', async original => hurried(await original()))

const KEY = { headers: { authorization: 'test-api-key' } }

it('behavior: a consumer that asks again at once lets timers have their turn', async () => {
  const fetch = createFetch(createCalls({ scenario: { faults: [{ fault: 'reply/status' }] } }).mock)
  let hasFired = false
  setTimeout(() => (hasFired = true))
  for (let n = 0; n < 2000 && !hasFired; n++) await (await fetch('http://mock.test/prices/BTCUSD/latest', KEY)).text()
  expect(hasFired).toBe(true)
})

it('behavior: a path of any words is answered at once', async () => {
  const { status } = await createFetch(createMock())(`http://mock.test/${'session'.repeat(200_000)}`)
  expect(status).toBe(404)
})

it('behavior: replies to requests that overlap come in the same order, whatever was asked before', async () => {
  const faults = [{ fault: 'reply/latency', endpoints: ['latest'], options: { ms: 700 } }] as const
  const mock = createMock({ clock: { at: '2025-07-24T10:48:25Z', frozen: true }, scenario: { faults } })
  const fetch = createFetch(mock, { delays: 'virtual' })
  const askOften = async (session: string): Promise<string[]> => {
    const seen: string[] = []
    const ask = async (path: string, count: number): Promise<void> => {
      for (let n = 0; n < count; n++) {
        const reply = await fetch(`http://mock.test/session/${session}${path}`, KEY)
        seen.push(`${path} ${reply.headers.get('date')}`)
      }
    }
    await Promise.all([ask('/prices/BTCUSD/latest', 5), ask('/prices/batch?feedIds=ETHUSD', 350)])
    return seen
  }
  const first = await askOften('first')
  for (let n = 0; n < 37; n++) await fetch('http://mock.test/prices/batch?feedIds=ETHUSD', KEY)
  expect(await askOften('second')).toEqual(first)
})

it('behavior: a planned wait counts as duration', async () => {
  const { mock, session } = createCalls({ scenario: { faults: [{ fault: 'reply/latency', options: { ms: 5000 } }] } })
  await createFetch(mock)('http://mock.test/prices/BTCUSD/latest', KEY)
  expect(session().journal.entries()[0]!.durationMs).toBeGreaterThanOrEqual(5000)
})

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

it('behavior: a request of srvx, which inherits from `Request` and is none, is read by its properties', async () => {
  const request = new Request('http://mock/_mock/sessions', { method: 'POST', body: '{"id":"mine"}' })
  const read = (_: object, key: keyof Request | symbol): unknown => (typeof key === 'symbol' ? undefined : request[key])
  const foreign = new Proxy(Object.create(Request.prototype), { get: read })
  const reply = await createFetch(createMock())(foreign, { headers: { 'content-type': 'application/json' } })
  expect(await reply.json()).toMatchObject({ id: 'mine', created: true })
  await expect(createFetch(createMock())('no address')).rejects.toThrow(/URL/)
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

it('behavior: it loads in the edge runtime of Next, where each function of process throws', async () => {
  vi.doUnmock('./real-time.js')
  vi.resetModules()
  vi.stubGlobal('process', { env: {}, getBuiltinModule: () => expect.fail('A Node.js API is used.') })
  onTestFinished(() => void vi.unstubAllGlobals())
  const edge = await import('./fetch.js')
  expect((await edge.createFetch(createMock())('http://mock/prices/BTCUSD/latest', KEY)).status).toBe(200)
})
