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
  expect(check(ID)).toMatchObject({ status: 'ok', text: '1 of 1 fault of stale-btc fired.', requests: [2] })
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
  expect(check(ID)).toMatchObject({ status: 'info', requests: [1] })
  expect(check(ID).text).toBe(
    '1 of 4 faults of the scenario fired. Not yet: market/stale (ETHUSD; last miss: another feed), reply/latency (batch; its endpoints were not asked), wire/reset (from 1h; not begun).',
  )
  expect(report().failed).toBe(0)
})

it('behavior: five of the faults that have not fired are named', () => {
  const { check } = createConsumer({ scenario: { faults: Array(7).fill({ fault: 'reply/status', from: '10s' }) } })
  expect(check(ID).text.match(/reply\/status/g)).toHaveLength(5)
  expect(check(ID).text).toMatch(/, and 2 more\.$/)
})

it('behavior: none has fired', () => {
  const { check, ask, wait } = createConsumer({ scenario: { faults: [{ fault: 'reply/status', from: '10s' }] } })
  ask('/prices/BTCUSD/latest')
  const text = '0 of 1 fault of the scenario fired. Not yet: reply/status (from 10s; not begun).'
  expect(check(ID)).toMatchObject({ status: 'not-seen', text })
  wait(11_000)
  expect(check(ID)).toMatchObject({ status: 'not-seen', text: expect.stringContaining('last miss: not its time') })
  ask('/prices/BTCUSD/latest')
  expect(check(ID).status).toBe('ok')
})
