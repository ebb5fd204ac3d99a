// key-form, unknown-feeds and faults-fired: each with what it finds, and what it lets pass.
import { expect, it } from 'vitest'
import { createConsumer, LATEST } from '../../../test/support/observed-consumer.js'

it('default: nothing needed a key', () => {
  const { check, ask } = createConsumer()
  ask('/charting/feeds-data?feedids=BTCUSD&feed=btcusd&type=1&interval=1m', { key: undefined })
  expect(check('key-form')).toMatchObject({ status: 'not-seen', count: 0 })
})

it('behavior: an accepted key', () => {
  const { check, ask } = createConsumer()
  ask(LATEST)
  expect(check('key-form')).toMatchObject({ status: 'ok', text: '1 request sent an accepted key.', requests: [1] })
})

it.each([
  [{ key: undefined }, '1 without a key in the header Authorization'],
  [{ key: '' }, '1 without a key in the header Authorization'],
  [{ key: 'Bearer test-api-key' }, '1 after a scheme such as Bearer'],
  [{ key: 'bearer test-api-key' }, '1 after a scheme such as Bearer'],
  [{ key: 'Basic dGVzdA==' }, '1 after a scheme such as Bearer'],
  [{ key: 'test-api-key, test-api-key' }, '1 with several values in the header'],
  [{ key: '"test-api-key"' }, '1 in quotes or brackets'],
  [{ key: '<test-api-key>' }, '1 in quotes or brackets'],
  [{ key: 'TEST-API-KEY' }, '1 in another case'],
  [{ key: 'test-api-kex' }, '1 a key that the mock does not accept'],
])('error: %o', (asking, form) => {
  const { check, ask } = createConsumer()
  ask(LATEST)
  expect(ask(LATEST, asking)).toBe(401)
  const found = check('key-form')
  expect(found).toMatchObject({ status: 'failed', requests: [2] })
  expect(found.text).toContain(`wrongly: ${form}.`)
})

it('error: a key in the query', () => {
  const { check, ask, mock } = createConsumer()
  ask(`${LATEST}?api_key=test-api-key`, { key: undefined })
  // An empty value is no key.
  ask(`${LATEST}?api_key=`, { key: undefined })
  expect(check('key-form').text).toMatch(/^2 requests .* 1 in the query instead of the header; 1 without a key/)
  expect(mock.sessions.default.journal.entries().map(({ keyProblem }) => keyProblem)).toEqual(['query', 'missing'])
})

it('error: one key in another case, of the settings and of a session', () => {
  const { check, ask } = createConsumer({ apiKeys: ['Mixed-Case'] })
  ask(LATEST, { key: 'mixed-case' })
  expect(check('key-form').text).toContain('1 in another case')
})

it('behavior: a preflight has no key, and an accepted key may still be refused by a fault', () => {
  const { check, ask } = createConsumer({ scenario: { faults: [{ fault: 'reply/status', options: { status: 401 } }] } })
  ask(LATEST, { method: 'OPTIONS', key: undefined })
  expect(ask(LATEST)).toBe(401)
  expect(check('key-form').status).toBe('ok')
})

it('default: no request', () => {
  expect(createConsumer().check('unknown-feeds')).toMatchObject({ status: 'not-seen', text: 'No feed was asked for.' })
})

it('behavior: ids of feeds, in any spelling that the mock accepts', () => {
  const { check, ask } = createConsumer()
  expect(ask('/prices/btcusd/latest')).toBe(200)
  expect(ask('/prices/batch?feedIds=BTCUSD,,ethusd')).toBe(200)
  expect(ask('/charting/feeds-data?feedids=BTCUSD&feed=btcusd&type=1&interval=1m')).toBe(200)
  expect(check('unknown-feeds')).toMatchObject({ status: 'ok', count: 0 })
})

it('error: unknown ids, each once, with the nearest', () => {
  const { check, ask } = createConsumer()
  ask('/prices/BTC-USD/latest')
  ask('/prices/batch?feedIds=ETHUSD,BTC-USD,QQQQQQQQQQQQ')
  ask('/prices/ETHUSD/latest')
  expect(check('unknown-feeds')).toMatchObject({ status: 'failed', requests: [1, 2] })
  expect(check('unknown-feeds').text).toBe(
    '2 requests asked for 2 feeds that do not exist: "BTC-USD" (nearest: BTCUSD), "QQQQQQQQQQQQ".',
  )
})

it('error: a blank before an id, which the service does not ignore', () => {
  const { check, ask } = createConsumer()
  expect(ask('/prices/batch?feedIds=BTCUSD,%20ETHUSD')).toBe(404)
  expect(check('unknown-feeds').text).toBe(
    '1 request asked for 1 feed that does not exist: " ETHUSD" (nearest: ETHUSD).',
  )
})

it('error: many long ids', () => {
  const { check, ask } = createConsumer()
  for (let i = 0; i < 12; i++) ask(`/prices/${String(i).padStart(2, '0')}${'Z'.repeat(50)}/latest`)
  expect(check('unknown-feeds').text).toMatch(
    /^12 requests asked for 12 feeds that do not exist: "00Z{38}…",.* and 2 more\.$/,
  )
})

it('behavior: the last id of a truncated target is not judged', () => {
  const { check, ask } = createConsumer()
  ask(`/prices/batch?feedIds=${Array(500).fill('BTCUSD').join(',')}`)
  expect(check('unknown-feeds').status).toBe('ok')
})

it('default: a scenario without faults', () => {
  const { check, ask } = createConsumer()
  ask('/prices/BTCUSD/latest')
  expect(check('faults-fired')).toMatchObject({ status: 'not-seen', text: 'The scenario has no faults.' })
})

it('behavior: all fired', () => {
  const { check, ask } = createConsumer({ scenario: 'stale-btc' })
  ask('/prices/ETHUSD/latest')
  ask('/prices/BTCUSD/latest')
  expect(check('faults-fired')).toMatchObject({ status: 'ok', text: '1 of 1 fault of stale-btc fired.', requests: [2] })
})

it('behavior: the faults that fired are counted, and the others are no failure', () => {
  const { check, ask, report } = createConsumer({
    scenario: {
      faults: [
        { fault: 'reply/status', endpoints: ['latest'] },
        { fault: 'market/stale', feeds: ['ETHUSD'] },
        { fault: 'reply/latency', endpoints: ['batch'], options: { ms: 1 } },
        { fault: 'wire/reset', from: '1h' },
      ],
    },
  })
  ask('/prices/BTCUSD/latest')
  expect(check('faults-fired')).toMatchObject({ status: 'info', requests: [1] })
  expect(check('faults-fired').text).toBe(
    '1 of 4 faults of the scenario fired. Not yet: market/stale (ETHUSD; last miss: another feed), reply/latency (batch; no endpoint that it acts on was asked), wire/reset (from 1h; not begun).',
  )
  expect(report().failed).toBe(0)
})

it('behavior: five of the faults that have not fired are named', () => {
  const { check } = createConsumer({ scenario: { faults: Array(7).fill({ fault: 'reply/status', from: '10s' }) } })
  expect(check('faults-fired').text.match(/reply\/status/g)).toHaveLength(5)
  expect(check('faults-fired').text).toMatch(/, and 2 more\.$/)
})

it('behavior: none has fired', () => {
  const { check, ask, wait } = createConsumer({ scenario: { faults: [{ fault: 'reply/status', from: '10s' }] } })
  ask('/prices/BTCUSD/latest')
  const text = '0 of 1 fault of the scenario fired. Not yet: reply/status (from 10s; not begun).'
  expect(check('faults-fired')).toMatchObject({ status: 'not-seen', text })
  wait(11_000)
  expect(check('faults-fired')).toMatchObject({
    status: 'not-seen',
    text: expect.stringContaining('last miss: not its time'),
  })
  ask('/prices/BTCUSD/latest')
  expect(check('faults-fired').status).toBe('ok')
})
