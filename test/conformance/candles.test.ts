// GET /charting/feeds-data: interface 4.1 and 2.2, and the assumptions about charts.
import { expect, it } from 'vitest'
import { ask, askError, type Candle, type Chart, type Price, typesOf } from '../support/ask.js'
import { describeHosts, NOW } from '../support/hosts.js'

const chart = (query: Record<string, string | undefined> = {}, path = '/charting/feeds-data'): string => {
  const parameters = { feedids: 'btcusd', feed: 'btcusd', type: '1', interval: '1h', ...query }
  const pairs = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
  return `${path}?${pairs.join('&')}`
}
const DAY = 86_400_000

describeHosts('GET /charting/feeds-data', start => {
  const host = start()
  const resultOf = async (query: Record<string, string> = {}, of = host): Promise<readonly Candle[]> =>
    (await ask<Chart>(of, chart(query))).data.result

  it('default (4.1)', async () => {
    const reply = await ask<Chart>(host, chart({ interval: '24h' }))
    expect(typesOf(reply)).toEqual({ data: 'object' })
    expect(typesOf(reply.data)).toEqual({ queryType: 'string', interval: 'string', result: 'array' })
  })

  it('behavior: queryType is a string although type is an integer (4.1)', async () => {
    const { data } = await ask<Chart>(host, chart())
    expect(data.queryType).toBe('1')
  })

  it('behavior: interval is that of the request, unchanged (4.1)', async () => {
    for (const interval of ['24h', '1d', '60m'])
      expect((await ask<Chart>(host, chart({ interval }))).data.interval).toBe(interval)
  })

  it('behavior: a candle has the fields of the table and no other (2.2)', async () => {
    for (const candle of await resultOf()) {
      expect(Object.keys(candle).sort()).toEqual(['avg', 'close', 'high', 'low', 'open', 'time', 'volume'])
      expect(Number.isSafeInteger(candle.time)).toBe(true)
      for (const value of Object.values(candle)) expect(Number.isFinite(value)).toBe(true)
    }
  })

  it('behavior: time is in milliseconds and aligned to the interval (2.2)', async () => {
    for (const [interval, width] of [
      ['24h', DAY],
      ['1h', 3_600_000],
      ['5m', 300_000],
      ['1s', 1000],
    ] as const) {
      const times = (await resultOf({ interval })).map(({ time }) => time)
      expect(times.filter(time => time % width !== 0)).toEqual([])
      expect(times.at(-1)).toBeGreaterThan(NOW * 1000 - width - 4000)
      expect(times.at(-1)).toBeLessThanOrEqual(NOW * 1000)
    }
  })

  it('behavior: high and low are the bounds of the other prices (2.2)', async () => {
    for (const { open, high, low, close, avg, volume } of await resultOf()) {
      for (const price of [open, close, avg]) {
        expect(price).toBeLessThanOrEqual(high)
        expect(price).toBeGreaterThanOrEqual(low)
      }
      expect(low).toBeGreaterThan(0)
      expect(volume).toBeGreaterThan(0)
    }
  })

  it('behavior: no key is needed, and a wrong one is ignored (5)', async () => {
    const { status, body } = await host.request(chart())
    expect(status).toBe(200)
    expect(await host.request(chart(), { headers: { authorization: 'wrong' } })).toMatchObject({ status: 200, body })
  })

  it('behavior: /trading-view/feeds-data is the same', async () => {
    expect(await ask(host, chart({}, '/trading-view/feeds-data'))).toEqual(await ask(host, chart()))
  })

  it('behavior: feed selects the feed, feedids lists it among others (4.1)', async () => {
    const eth = await resultOf({ feedids: 'ethusd', feed: 'ethusd' })
    expect(await resultOf({ feedids: 'btcusd,ethusd', feed: 'ethusd' })).toEqual(eth)
    expect(await resultOf({ feedids: 'btcusd,ethusd', feed: 'btcusd' })).not.toEqual(eth)
  })

  it('behavior: ids are accepted in any case', async () => {
    expect(await resultOf({ feedids: 'BTCUSD', feed: 'BtcUsd' })).toEqual(await resultOf())
  })

  it('behavior: candles are contiguous, oldest first, the last one still open', async () => {
    const times = (await resultOf({ interval: '5m' })).map(({ time }) => time)
    const last = Math.floor(NOW / 300) * 300_000
    expect(times).toEqual(Array.from({ length: 300 }, (_, i) => last - (299 - i) * 300_000))
  })

  it('behavior: the open candle closes at the latest price', async () => {
    const { price, expo } = await ask<Price>(host, '/prices/BTCUSD/latest')
    const last = (await resultOf()).at(-1)!
    expect(last.close).toBe(price / 10 ** -expo)
  })

  it('behavior: equal intervals of different units lead to equal candles', async () => {
    expect(await resultOf({ interval: '24h' })).toEqual(await resultOf({ interval: '1d' }))
    expect(await resultOf({ interval: '60m' })).toEqual(await resultOf({ interval: '3600s' }))
  })

  it.each(['1s', '1m', '1h', '1d', '1w', '52w'])('args: interval %s', async interval => {
    expect((await resultOf({ interval })).length).toBeGreaterThan(0)
  })

  it('behavior: weeks begin on Monday', async () => {
    for (const interval of ['1w', '2w'])
      for (const { time } of await resultOf({ interval })) {
        expect(new Date(time).getUTCDay()).toBe(1)
        expect(time % DAY).toBe(0)
      }
  })

  it('behavior: no candle is before 1970', async () => {
    const early = start({ clock: { at: '1970-01-01T00:10:30Z', frozen: true } })
    const times = (await resultOf({ interval: '1m' }, early)).map(({ time }) => time)
    expect(times).toEqual(Array.from({ length: 11 }, (_, i) => i * 60_000))
  })

  it.each([
    ...['0h', '01h', '-1h', '+1h', '1.5h', '1e2s', '1H', '1M', '1y', 'h', '24', '53w', '365d', '1h%20', '%zz', ''],
  ])('error: the interval %j is invalid (7)', async interval => {
    const { error, message } = await askError(host, chart({ interval }), 404)
    expect(error).toBe('not_found')
    expect(message).toContain('"interval"')
  })

  it.each([
    ['unknown', 'nousd'],
    ['empty', ''],
    ['missing', undefined],
  ])('error: the feed is %s (7)', async (_title, feed) => {
    const { error } = await askError(host, chart({ feed, feedids: 'btcusd,nousd' }), 404)
    expect(error).toBe('not_found')
  })

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['without the feed', 'ethusd,solusd'],
  ])('error: feedids is %s', async (_title, feedids) => {
    await askError(host, chart({ feedids }), 404)
  })

  it('error: a parameter that is there is no misspelling of the missing one', async () => {
    const { message } = await askError(host, chart({ feed: undefined, feedids: 'btcusd' }), 404)
    expect(message).not.toContain('write')
  })

  it('error: feedIds instead of feedids (4.1)', async () => {
    await askError(host, `${chart({ feedids: undefined })}&feedIds=btcusd`, 404)
  })

  it.each(['0', '2', '01', 'one', '', undefined])('error: type %j', async type => {
    await askError(host, chart({ type }), 404)
  })

  it.each(['feedids=btcusd', 'feed=btcusd', 'type=1', 'interval=1h'])('error: %s given twice', async parameter => {
    await askError(host, `${chart()}&${parameter}`, 404)
  })

  it('error: policy.missingParameter does not affect charts', async () => {
    const host = start({ policy: { missingParameter: 422 } })
    await askError(host, chart({ interval: undefined }), 404)
  })
})
