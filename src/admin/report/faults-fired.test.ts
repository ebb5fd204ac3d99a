// faults-fired: faults that fired, that never did, and that had not begun.
import { expect, it } from 'vitest'
import { createConsumer } from '../../../test/support/observed-consumer.js'

const ID = 'faults-fired'

it('default: a scenario without faults', () => {
  const { check, ask } = createConsumer()
  ask('/prices/BTCUSD/latest')
  expect(check(ID)).toMatchObject({ status: 'not-seen', text: 'The scenario has no faults.' })
})

it('behavior: all fired', () => {
  const { check, ask } = createConsumer({ scenario: 'stale-btc' })
  ask('/prices/ETHUSD/latest')
  ask('/prices/BTCUSD/latest')
  expect(check(ID)).toMatchObject({ status: 'ok', text: 'The fault of stale-btc fired.', requests: [2] })
})

it('error: one never fired, one had not begun', () => {
  const { check, ask } = createConsumer({
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
  expect(check(ID)).toMatchObject({ status: 'failed', requests: [] })
  const { text } = check(ID)
  expect(text).toMatch(
    /^2 of 4 faults of the scenario never fired: market\/stale \(ETHUSD; .*\), reply\/latency \(batch; /,
  )
  expect(text).not.toContain('wire/reset')
})

it('behavior: none of the silent faults had begun', () => {
  const { check, ask, wait } = createConsumer({ scenario: { faults: [{ fault: 'reply/status', from: '10s' }] } })
  ask('/prices/BTCUSD/latest')
  expect(check(ID)).toMatchObject({
    status: 'not-seen',
    text: expect.stringContaining('had not begun yet: reply/status'),
  })
  wait(11_000)
  expect(check(ID).status).toBe('failed')
  ask('/prices/BTCUSD/latest')
  expect(check(ID).status).toBe('ok')
})
