// GET /charting/feeds-data: interface 4.1 and 2.2, and the assumptions about charts.
import { expect, it } from 'vitest'
import { ask, askError, type Candle, type Chart } from '../support/ask.js'
import { describeHosts, NOW } from '../support/hosts.js'

const chart = (query: Record<string, string | undefined> = {}, path = '/charting/feeds-data'): string => {
  const parameters = { feedids: 'btcusd', feed: 'btcusd', type: '1', interval: '1h', ...query }
  const pairs = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
  return `${path}?${pairs.join('&')}`
}

describeHosts('GET /charting/feeds-data', start => {
  const host = start()
  const resultOf = async (query: Record<string, string> = {}, of = host): Promise<readonly Candle[]> =>
    (await ask<Chart>(of, chart(query))).data.result

  it('behavior: interval is that of the request, unchanged (4.1)', async () => {
    for (const interval of ['24h', '1d', '60m'])
      expect((await ask<Chart>(host, chart({ interval }))).data.interval).toBe(interval)
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
})
