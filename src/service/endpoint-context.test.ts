// A session at one second, as endpoints see it: which ticks a window of history holds.
import { describe, expect, it } from 'vitest'
import { createCalls, NOW } from '../../test/support/calls.js'
import { createEndpointContext } from './endpoint-context.js'

it('behavior: a window of minutes begins a second after the same second of its minute', () => {
  const spike = { fault: 'market/bad-tick', feeds: ['BTCUSD'], options: { factor: 2 } }
  const { runtime } = createCalls({ scenario: { faults: [spike as never] } }).session()
  const feed = runtime.market.feed('BTCUSD')!
  const highAt = (now: number) => createEndpointContext(runtime, now).extremes(feed, 1)!.high.ts
  const ts = NOW - feed.lag
  expect([ts + 30, ts + 59].map(highAt)).toEqual([ts, ts])
  expect(highAt(ts + 60)).toBeGreaterThan(ts)
})

describe('prices that signature faults take in place of others', () => {
  const batchOf = (faults: readonly object[], ids = 'BTCUSD') => {
    const { serve } = createCalls({ scenario: { faults: faults as never } })
    return JSON.parse(serve(`/prices/batch?feedIds=${ids}`).body).prices as {
      price: number
      expo: number
      ts: number
    }[]
  }
  const twice = { fault: 'signature/batch-duplicate', options: { by: '30s' } }
  const [, olderPrice] = batchOf([twice])

  it.each([
    ['tick/ts-milliseconds', {}, (ts: number) => ({ ts: 1000 * ts })],
    ['tick/ts-skew', { seconds: 3600 }, (ts: number) => ({ ts: ts + 3600 })],
    ['tick/zero', {}, () => ({ price: 0 })],
    ['tick/wrong-expo', {}, (_: number, [first]: ReturnType<typeof batchOf>) => ({ expo: first!.expo })],
  ] as const)(
    'behavior: with %s they are older than the published price, and changed like it',
    (fault, options, change) => {
      const tickFault = { fault, options }
      const replies = batchOf([tickFault, twice])
      expect(replies[1]).toEqual({ ...olderPrice, ...change(olderPrice!.ts, replies) })
      // A changed price is found by its time too.
      const changed = { fault: 'signature/tampered-price' }
      expect(batchOf([tickFault, changed, twice])[1]!.ts).toBe(replies[1]!.ts)
    },
  )

  it('behavior: however the shown time is changed, another price is found', () => {
    const shifts = [
      [{ fault: 'tick/ts-milliseconds' }],
      [{ fault: 'tick/ts-milliseconds' }, { fault: 'signature/tampered-ts', options: { seconds: 5 } }],
      [
        { fault: 'tick/ts-skew', options: { seconds: 86_400 } },
        { fault: 'signature/tampered-ts', options: { seconds: 86_400 } },
      ],
    ]
    const takers = ['replay', 'batch-duplicate', 'tampered-ts', 'other-feed'].map(name => ({
      fault: `signature/${name}`,
    }))
    const targets = [
      '/prices/BTCUSD/latest',
      '/prices/batch?feedIds=BTCUSD,EURUSD,STETHUSD',
      '/prices/evm/crypto?feedIds=BTCUSD',
    ]
    for (const at of [31_536_000, NOW, 4_260_000_000])
      for (const shift of shifts)
        for (const taker of takers)
          for (const again of takers) {
            const { serve } = createCalls({
              clock: { at, frozen: true },
              scenario: { faults: [...shift, taker, again] as never },
            })
            for (const target of targets)
              expect(serve(target).status, JSON.stringify([at, shift, taker, again])).toBe(200)
          }
  })

  it('behavior: in a history the high stays above the low', () => {
    for (const age of ['1m', '1h', '1d']) {
      const faults = [{ fault: 'signature/tampered-ts', options: { age } }]
      const { mock, serve } = createCalls({ scenario: { faults: faults as never } })
      for (let second = 0; second < 40; second++) {
        mock.clock.advance(1)
        const { high, low } = JSON.parse(serve('/prices/queryHistory?feedIds=BTCUSD&minutes=1').body).BTCUSD
        expect(high.price, `${age} ${second}`).toBeGreaterThanOrEqual(low.price)
      }
    }
  })

  it('behavior: before an older price they are older still', () => {
    const [older, oldest] = batchOf([
      { fault: 'tick/ts-backwards', requests: { every: 1 }, options: { by: '30s' } },
      twice,
    ])
    expect(older).toEqual(olderPrice)
    expect(oldest!.ts).toBeLessThanOrEqual(older!.ts - 30)
  })

  it('behavior: an older price has the faults before it', () => {
    const back = { fault: 'tick/ts-backwards', requests: { every: 1 }, options: { by: '30s' } }
    expect(batchOf([{ fault: 'tick/zero' }, back])).toEqual([{ ...olderPrice, price: 0 }])
    expect(batchOf([back, { fault: 'tick/zero' }])).toEqual([{ ...olderPrice, price: 0 }])
    expect(batchOf([back, back])).toEqual([olderPrice])
  })
})
