// unknown-feeds: ids of no feed, in paths and in lists.
import { expect, it } from 'vitest'
import { createConsumer } from '../../../test/support/observed-consumer.js'

const ID = 'unknown-feeds'

it('default: no request', () => {
  expect(createConsumer().check(ID)).toMatchObject({ status: 'not-seen', text: 'No feed was asked for.' })
})

it('behavior: ids of feeds, in any spelling that the mock accepts', () => {
  const { check, ask } = createConsumer()
  expect(ask('/prices/btcusd/latest')).toBe(200)
  expect(ask('/prices/batch?feedIds=BTCUSD,,ethusd')).toBe(200)
  expect(ask('/charting/feeds-data?feedids=BTCUSD&feed=btcusd&type=1&interval=1m')).toBe(200)
  expect(check(ID)).toMatchObject({ status: 'ok', count: 0 })
})

it('error: unknown ids, each once, with the nearest', () => {
  const { check, ask } = createConsumer()
  ask('/prices/BTC-USD/latest')
  ask('/prices/batch?feedIds=ETHUSD,BTC-USD,QQQQQQQQQQQQ')
  ask('/prices/ETHUSD/latest')
  expect(check(ID)).toMatchObject({ status: 'failed', requests: [1, 2] })
  expect(check(ID).text).toBe(
    '2 requests asked for 2 feeds that do not exist: "BTC-USD" (nearest: BTCUSD), "QQQQQQQQQQQQ".',
  )
})

it('error: a blank before an id, which the service does not ignore', () => {
  const { check, ask } = createConsumer()
  expect(ask('/prices/batch?feedIds=BTCUSD,%20ETHUSD')).toBe(404)
  expect(check(ID).text).toBe('1 request asked for 1 feed that does not exist: " ETHUSD" (nearest: ETHUSD).')
})

it('error: many long ids', () => {
  const { check, ask } = createConsumer()
  for (let i = 0; i < 12; i++) ask(`/prices/${String(i).padStart(2, '0')}${'Z'.repeat(50)}/latest`)
  expect(check(ID).text).toMatch(/^12 requests asked for 12 feeds that do not exist: "00Z{38}…",.* and 2 more\.$/)
})

it('behavior: the last id of a truncated target is not judged', () => {
  const { check, ask } = createConsumer()
  ask(`/prices/batch?feedIds=${Array(500).fill('BTCUSD').join(',')}`)
  expect(check(ID).status).toBe('ok')
})
