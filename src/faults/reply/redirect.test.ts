import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { KEY } from '../../../test/support/ask.js'
import { listen, startMock } from '../../../test/support/listen.js'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

describeFault('reply/redirect', {
  // The last address ends in half a character.
  refused: { to: ['somewhere', 'ftp://127.0.0.1', 'http://mock.example/\ud83d'], status: [304] },
  effect({ wire }, endpoint) {
    expect([wire.status, wire.headers.location]).toEqual([302, `http://127.0.0.1:9${targetOf(endpoint)}`])
  },
})

it('behavior: fetch follows it to another server, without the key', async () => {
  const seen: (string | undefined)[][] = []
  const other = createServer((request, response) => {
    seen.push([request.url, request.headers.authorization])
    response.end('{"feedId":"BTCUSD","price":1}')
  })
  const to = `http://127.0.0.1:${await listen(other)}/elsewhere/`
  const faults = [{ fault: 'reply/redirect', options: { to, status: 308 } }]
  const server = await startMock({ scenario: { faults: faults as never } })
  const response = await fetch(server.url + targetOf('batch'), { headers: KEY })
  expect([response.redirected, await response.json()]).toEqual([true, { feedId: 'BTCUSD', price: 1 }])
  expect(seen).toEqual([[`/elsewhere${targetOf('batch')}`, undefined]])
})

it.each([
  ['http://bücher.example/ü', 'http://b%C3%BCcher.example/%C3%BC', 'http://xn--bcher-kva.example/%C3%BC'],
  ['http://mock.example/5€/', 'http://mock.example/5%E2%82%AC', 'http://mock.example/5%E2%82%AC'],
])('behavior: another origin with other letters: %s', async (to, location, href) => {
  const reply = await mockWith([{ fault: 'reply/redirect', options: { to } }]).ask(targetOf('latest'))
  expect(reply.headers.location).toBe(location + targetOf('latest'))
  expect(new URL(reply.headers.location!).href).toBe(href + targetOf('latest'))
})

it.each([
  ['bytes that no header can hold', '', '?a=\t\u00fc', '?a=%09%fc'],
  ['a whole URL, as a client of a proxy sends it', 'http://mock.example', '', ''],
])('behavior: the target: %s', (_, origin, query, shown) => {
  const { mock } = mockWith([{ fault: 'reply/redirect' }])
  const request = { method: 'GET', authorization: KEY.authorization, receivedAt: 0 }
  const { outcome, entry } = mock.serve({ ...request, target: origin + targetOf('latest') + query })!
  expect(outcome).toMatchObject({
    headers: expect.arrayContaining([`http://127.0.0.1:9${targetOf('latest')}${shown}`]),
  })
  expect(entry.target).toBe(targetOf('latest') + query)
})

it('behavior: of several statuses the first wins', async () => {
  const { status, headers } = await mockWith([{ fault: 'reply/status' }, { fault: 'reply/redirect' }]).ask(
    targetOf('latest'),
  )
  expect([status, headers.location]).toEqual([503, undefined])
})
