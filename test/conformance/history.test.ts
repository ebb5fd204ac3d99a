// GET /prices/queryHistory: interface 4.3 and 2.1.
import { expect, it } from 'vitest'
import { ask, askError, type Chart, type History, type Price, typesOf } from '../support/ask.js'
import { describeHosts, NOW } from '../support/hosts.js'

const history = (feedIds: string, minutes: number | string): string =>
  `/prices/queryHistory?feedIds=${feedIds}&minutes=${minutes}`

describeHosts('GET /prices/queryHistory', start => {
  const host = start()
  const of = async (id: string, minutes: number, on = host) => (await ask<History>(on, history(id, minutes)))[id]!

  it('default (4.3)', async () => {
    const reply = await ask<History>(host, history('BTCUSD,ETHUSD', 5))
    expect(typesOf(reply)).toEqual({ BTCUSD: 'object', ETHUSD: 'object' })
    for (const pair of Object.values(reply)) expect(typesOf(pair)).toEqual({ high: 'object', low: 'object' })
  })

  it('behavior: high and low have the fields of the table and no other (4.3)', async () => {
    const { high, low } = await of('BTCUSD', 5)
    for (const price of [high, low])
      expect(typesOf(price)).toEqual({
        feedId: 'string',
        price: 'integer',
        ts: 'integer',
        expo: 'integer',
        signature: 'string',
        recoveryId: 'integer',
      })
  })

  it('behavior: each carries its own signature and recovery id (4.3)', async () => {
    const { high, low } = await of('BTCUSD', 5)
    expect(high.signature).not.toBe(low.signature)
    for (const { signature, recoveryId } of [high, low]) {
      expect(signature).toMatch(/^[0-9a-f]{128}$/)
      expect([0, 1]).toContain(recoveryId)
    }
  })

  it('behavior: they are the highest and the lowest price of the period (4.3)', async () => {
    // BTCUSD ticks every second: its candles of one second are its ticks.
    const path = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1s'
    const ticks = (await ask<Chart>(host, path)).data.result.filter(({ time }) => time / 1000 > NOW - 240)
    const { high, low } = await of('BTCUSD', 4)
    expect(ticks).toHaveLength(239)
    expect(high.price / 1e8).toBe(Math.max(...ticks.map(tick => tick.high)))
    expect(low.price / 1e8).toBe(Math.min(...ticks.map(tick => tick.low)))
    expect(ticks.find(({ time }) => time === high.ts * 1000)!.close).toBe(high.price / 1e8)
    expect(ticks.find(({ time }) => time === low.ts * 1000)!.close).toBe(low.price / 1e8)
  })

  it.each([1, 5, 60, 1440])('behavior: ts lies in the window of %i minutes', async minutes => {
    for (const id of ['BTCUSD', 'EURUSD', 'USDCUSD', 'FILUSD']) {
      const { high, low } = await of(id, minutes)
      for (const { ts } of [high, low]) {
        expect(ts).toBeGreaterThan(NOW - 60 * minutes)
        expect(ts).toBeLessThanOrEqual(NOW)
      }
      expect(high.price).toBeGreaterThanOrEqual(low.price)
    }
  })

  it('behavior: latest at the time of an extreme has its price', async () => {
    const { high, low } = await of('BTCUSD', 1440)
    for (const extreme of [high, low]) {
      const then = start({ clock: { at: extreme.ts + 1, frozen: true } })
      expect(await ask<Price>(then, '/prices/BTCUSD/latest')).toEqual(extreme)
    }
  })

  it('behavior: a longer window is never narrower', async () => {
    const pairs = await Promise.all([1, 5, 60, 1440, 525_600].map(minutes => of('ETHUSD', minutes)))
    for (const [i, { high, low }] of pairs.entries())
      if (i > 0) {
        expect(high.price).toBeGreaterThanOrEqual(pairs[i - 1]!.high.price)
        expect(low.price).toBeLessThanOrEqual(pairs[i - 1]!.low.price)
      }
  })

  it('behavior: a window without ticks has the last tick before it', async () => {
    const slow = { id: 'SLOWUSD', base: 5, drivers: { crypto: 0.3 }, heartbeat: 4096, lag: 0 } as const
    const host = start({ feeds: { feeds: [slow] } })
    const { high, low } = await of('SLOWUSD', 1, host)
    expect(high.ts).toBe(Math.floor(NOW / 4096) * 4096)
    expect(high.ts).toBeLessThan(NOW - 60)
    expect(low).toEqual(high)
    expect(await ask(host, '/prices/SLOWUSD/latest')).toEqual(high)
  })

  it('behavior: the window excludes its start and includes the present', async () => {
    const steady = { id: 'STEADYUSD', base: 5, drivers: { crypto: 0.3 }, heartbeat: 32, lag: 0 } as const
    const tick = 1_753_354_080
    const secondsAt = async (at: number) => {
      const { high, low } = await of('STEADYUSD', 1, start({ feeds: { feeds: [steady] }, clock: { at, frozen: true } }))
      return [high.ts, low.ts].sort()
    }
    expect(await secondsAt(tick + 60)).toEqual([tick + 32, tick + 32])
    expect(await secondsAt(tick + 59)).toEqual([tick, tick + 32])
    expect(await secondsAt(tick + 64)).toEqual([tick + 32, tick + 64])
  })

  it('behavior: keys are spelled as requested, feedId as in the catalogue (4.3)', async () => {
    const reply = await ask<History>(host, history('btcUSD,ETHUSD', 5))
    expect(Object.keys(reply)).toEqual(['btcUSD', 'ETHUSD'])
    expect(reply.btcUSD!.high.feedId).toBe('BTCUSD')
    expect(reply.btcUSD!.low.feedId).toBe('BTCUSD')
  })

  it('behavior: of duplicates the first spelling is kept', async () => {
    expect(Object.keys(await ask<History>(host, history('btcusd,BTCUSD,ETHUSD', 5)))).toEqual(['btcusd', 'ETHUSD'])
  })

  it.each(['queryhistory', 'QUERYHISTORY', 'QueryHistory'])(
    'behavior: the path is matched in any case: %s',
    async name => {
      expect(await ask(host, `/prices/${name}?feedIds=BTCUSD&minutes=5`)).toEqual(await ask(host, history('BTCUSD', 5)))
    },
  )

  it.each([
    ['feedIds is missing', '/prices/queryHistory?minutes=5'],
    ['feedIds is empty', '/prices/queryHistory?feedIds=&minutes=5'],
    ['feedIds is given twice', '/prices/queryHistory?feedIds=BTCUSD&feedIds=BTCUSD&minutes=5'],
    ['minutes is missing', '/prices/queryHistory?feedIds=BTCUSD'],
    ['minutes is empty', '/prices/queryHistory?feedIds=BTCUSD&minutes='],
    ['minutes is given twice', '/prices/queryHistory?feedIds=BTCUSD&minutes=5&minutes=5'],
  ])('error: %s', async (_title, path) => {
    expect((await askError(host, path, 400)).error).toBe('bad_request')
  })

  it.each(['0', '-5', '%2B5', '+5', '05', '5.0', '1e3', '0x5', '5%20', 'five', '525601', '99999999999999999999'])(
    'error: minutes=%s',
    async minutes => {
      expect((await askError(host, history('BTCUSD', minutes), 400)).message).toContain('525600')
    },
  )

  it('error: an unknown feed fails the whole request and is in the message', async () => {
    expect((await askError(host, history('BTCUSD,NOUSD', 5), 404)).message).toContain('NOUSD')
  })
})
