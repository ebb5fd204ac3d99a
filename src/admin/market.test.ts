// GET /_mock/sessions/{id}/market: prices for people to look at, read without a request to the service.
import { expect, it } from 'vitest'
import { createCalls, NOW } from '../../test/support/calls.js'

const PATH = '/_mock/sessions/default/market'

async function market(calls: ReturnType<typeof createCalls>, query = '') {
  const { status, body } = await calls.admin('GET', PATH + query)
  return { status, body: JSON.parse(body) }
}

it('default: the price of each feed is that of latest, and nothing is counted', async () => {
  const calls = createCalls()
  const { body } = await market(calls)
  expect(body.now).toBe(NOW)
  expect(body.feeds.map(({ id }: { id: string }) => id)).toEqual(
    calls.session().runtime.market.feeds.map(({ id }) => id),
  )
  expect(calls.session().record.counters.n).toBe(0)
  expect(calls.session().journal.entries()).toEqual([])
  for (const id of ['BTCUSD', 'EURUSD', 'SHIBUSD']) {
    const { price, expo, ts } = calls.ask(`/prices/${id}/latest`).body
    const shown = body.feeds.find((feed: { id: string }) => feed.id === id)
    expect([shown.price, shown.ts]).toEqual([price / 10 ** -expo, ts])
  }
})

it('behavior: a second of the past is shown, and explained, as the session answered then', async () => {
  const calls = createCalls({
    scenario: { faults: [{ fault: 'market/stale', feeds: ['BTCUSD'], options: { age: '5m' } }] },
  })
  const { ts } = calls.ask('/prices/BTCUSD/latest').body
  const { body: got } = calls.serve('/prices/BTCUSD/latest')
  expect(ts).toBe(NOW - 300)
  calls.mock.clock.advance('10s')
  calls.mock.change({ scenario: 'calm' })
  const tsAt = async (second: number) => (await market(calls, `?feeds=BTCUSD&at=${second}`)).body.feeds[0].ts
  expect(await tsAt(NOW)).toBe(NOW - 300)
  expect(await tsAt(NOW + 9)).toBe(NOW - 291)
  expect(await tsAt(NOW + 10)).toBeGreaterThan(NOW)
  const explainedAt = async (second: number) =>
    JSON.parse((await calls.admin('GET', `/_mock/explain?url=/prices/BTCUSD/latest&body=whole&at=${second}`)).body)
  expect(await explainedAt(NOW)).toMatchObject({ scenario: 'inline', now: NOW, got: 'stale', outcome: { body: got } })
  expect(await explainedAt(NOW + 10)).toMatchObject({ scenario: 'calm', now: NOW + 10, got: 'fresh' })
  // A change that moves the clock on leaves the second before it to the state that answered in it.
  calls.ask('/prices/BTCUSD/latest')
  calls.mock.change({ scenario: 'stale-everything', clock: { advance: '10s' } })
  expect(await explainedAt(NOW + 10)).toMatchObject({ scenario: 'calm', got: 'fresh' })
  expect(await explainedAt(NOW + 20)).toMatchObject({ scenario: 'stale-everything' })
})

it('behavior: market faults and prices that were set are visible', async () => {
  const calls = createCalls()
  calls.mock.change({ prices: { ETHUSD: 1234 }, scenario: { faults: [{ fault: 'market/gap', feeds: ['BTCUSD'] }] } })
  calls.mock.clock.advance('10s')
  const [btc, eth] = (await market(calls, '?feeds=BTCUSD,ETHUSD')).body.feeds
  expect(btc).toMatchObject({ price: null, ts: null })
  expect(btc.before).toBeGreaterThan(0)
  const { price, expo } = calls.ask('/prices/ETHUSD/latest').body
  expect(eth.price).toBe(price / 10 ** -expo)
  expect(Math.abs(eth.price / 1234 - 1)).toBeLessThan(0.05)
})

it('behavior: at the start of time there is no price before', async () => {
  const calls = createCalls({ clock: { at: 100, frozen: true } })
  const [feed] = (await market(calls, '?feeds=BTCUSD&points=3')).body.feeds
  expect(feed.price).toBeGreaterThan(0)
  expect([feed.before, feed.points[0]]).toEqual([null, null])
})

it('error: too few and too many points', async () => {
  const calls = createCalls()
  for (const points of ['1', '01', '121', 'x'])
    expect((await market(calls, `?feeds=BTCUSD&points=${points}`)).status).toBe(400)
  const many = createCalls({ feeds: undefined })
  const count = many.session().runtime.market.feeds.length
  expect((await market(many, '?points=120')).status).toBe(count * 120 > 10_000 ? 400 : 200)
})
