// The five endpoints in process: which prices stand where, in which units, and which feeds are refused.
import { describe, expect, it } from 'vitest'
import { createCalls, NOW } from '../../test/support/calls.js'
import { testSigners, verify } from '../signing/verify.js'

const { ask, session } = createCalls()
const chart = (more = 'interval=1h', feed = 'btcusd') =>
  ask(`/charting/feeds-data?feedids=${feed}&feed=${feed}&type=1&${more}`)
const signers = [testSigners()[0]!.address]

describe('batch', () => {
  it('default: one signature over all prices, in the order asked for', () => {
    const { body } = ask('/prices/batch?feedIds=ethusd,BTCUSD')
    expect(body.prices.map(({ feedId }: { feedId: string }) => feedId)).toEqual(['ETHUSD', 'BTCUSD'])
    expect(verify(body, { signers })).toHaveLength(1)
  })

  it('behavior: batchFeedId answers the number of the feed', () => {
    const { ask } = createCalls({ policy: { batchFeedId: 'integer' } })
    const { prices } = ask('/prices/batch?feedIds=BTCUSD').body
    expect(prices[0].feedId).toBe(session().runtime.market.feed('BTCUSD')!.number)
  })
})

describe('evm', () => {
  it('default: a signature for each price', () => {
    const { body } = ask('/prices/evm/crypto?feedIds=BTCUSD,EURUSD')
    expect(verify(body, { signers }).map(({ prices }) => prices[0]!.feedId)).toEqual(['BTCUSD', 'EURUSD'])
  })

  it('behavior: evmClasses limits the feeds', () => {
    const { ask } = createCalls({ policy: { evmClasses: ['crypto'], unknownFeed: 'omit' } })
    const { prices } = ask('/prices/evm/crypto?feedIds=BTCUSD,EURUSD').body
    expect(prices).toHaveLength(1)
  })
})

it('default: history: the high is not below the low, and both are signed', () => {
  const { body } = ask('/prices/queryHistory?feedIds=BTCUSD&minutes=60')
  expect(body.BTCUSD.high.price).toBeGreaterThan(body.BTCUSD.low.price)
  expect(verify(body, { signers })).toHaveLength(2)
})

describe('candles', () => {
  it('default: time in milliseconds, prices and volume in whole units', () => {
    const { body } = chart()
    const candle = body.data.result.at(-2)
    expect(candle.time).toBe((Math.floor(NOW / 3600) - 1) * 3_600_000)
    const { market } = session().runtime
    const feed = market.feed('BTCUSD')!
    const extremes = market.path(feed).extremes(candle.time / 1000, candle.time / 1000 + 3599)!
    expect(candle.high).toBeGreaterThanOrEqual(extremes.high.price / 1e8)
    expect(candle.low).toBeLessThanOrEqual(extremes.low.price / 1e8)
    expect(candle.low).toBeLessThan(candle.high)
    expect(candle.volume).toBe(market.volume(feed).between(candle.time / 1000, candle.time / 1000 + 3600) / 100)
  })
})

describe('selected feeds', () => {
  it('error: unknown feeds, alone and beside others', () => {
    expect(ask('/prices/batch?feedIds=NOPEUSD').status).toBe(404)
    expect(ask('/prices/batch?feedIds=NOPEUSD,BTCUSD').body.error).toBe('unknown_feed')
    expect(JSON.stringify(ask('/prices/batch?feedIds=NOPEUSD,BTCUSD').body)).toContain(
      'No price for \\"NOPEUSD\\": unknown',
    )
  })

  it('behavior: unknownFeed omit leaves them out, and is 404 where nothing is left', () => {
    const { ask } = createCalls({ policy: { unknownFeed: 'omit' } })
    expect(ask('/prices/batch?feedIds=NOPEUSD,BTCUSD').body.prices).toHaveLength(1)
    expect(ask('/prices/batch?feedIds=NOPEUSD').status).toBe(404)
  })
})
