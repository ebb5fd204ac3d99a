// key-form: each wrong form of the key, and the right one.
import { expect, it } from 'vitest'
import { createConsumer } from '../../../test/support/observed-consumer.js'

const LATEST = '/prices/BTCUSD/latest'

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
