// Any request gets a declared status, JSON and the header of the mock.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { KEY } from '../support/ask.js'
import { describeHosts } from '../support/hosts.js'
import { checkAsync, IS_FULL_RUN } from '../support/seed.js'

const piece = fc.constantFrom(
  ...[
    'BTCUSD',
    'btcusd',
    'ETHUSD',
    'EURUSD',
    'NOUSD',
    ',',
    '%2C',
    '%00',
    '%zz',
    '%ff',
    '%E2%82%AC',
    '%20',
    '+',
    '=',
    '',
    '1',
  ],
  ...['5', '1h', '24h', '1w', '0', '-1', '__proto__', 'constructor', 'toString', '~', "'", '%22'],
)
const value = fc.array(piece, { maxLength: 4 }).map(pieces => pieces.join(''))
const name = fc.constantFrom('feedIds', 'feedids', 'feed', 'type', 'interval', 'minutes', '__proto__', 'x')
const query = fc
  .array(fc.tuple(name, value), { maxLength: 5 })
  .map(pairs => pairs.map(([name, value]) => `${name}=${value}`).join('&'))
const path = fc.oneof(
  fc.constantFrom('/prices/batch', '/prices/queryHistory', '/prices/evm/crypto', '/charting/feeds-data'),
  value.map(id => `/prices/${id}/latest`),
  fc.array(piece, { minLength: 1, maxLength: 3 }).map(pieces => `/${pieces.join('/')}`),
)
const method = fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST')
const headers = fc.constantFrom(KEY, KEY, {}, { authorization: 'Bearer x' })

describeHosts('any request', (start, { name }) => {
  const host = start()
  // Each request to a page takes fifty times as long.
  const runs = name === 'worker' && !IS_FULL_RUN ? 100 : 400

  it('behavior: the answer is a declared one', async () => {
    await checkAsync(
      fc.asyncProperty(path, query, method, headers, async (path, query, method, headers) => {
        const reply = await host.request(`${path}?${query}`, { method, headers })
        const mark = reply.headers['x-price-feed-mock']!
        expect(mark).toMatch(/^(session="default", now=1753354105, n=\d+|own(, code="[A-Z_]+")?)$/)
        expect(mark.startsWith('own') ? [200, 204, 404, 405] : [200, 204, 400, 401, 404, 405]).toContain(reply.status)
        expect(reply.body).toMatch(/^[\x20-\x7e]*$/)
        if (method !== 'HEAD' && reply.status !== 204) expect(() => JSON.parse(reply.body)).not.toThrow()
      }),
      runs,
    )
  })
})
