// Thousands of price changes in a session: candles stay quick, and their number is limited.
import { expect, it } from 'vitest'
import { createMock } from '../../src/index.js'
import { reset, restored } from '../../src/service/changes.js'
import { readSnapshot, takeSnapshot } from '../../src/service/snapshot.js'

const AT = 1_753_354_105
const CANDLES = '/charting/feeds-data?feedids=BTCUSD&feed=btcusd&type=1&interval=1m'

/** A list that reports every read of an item. */
function counted<T extends readonly unknown[]>(list: T, onRead: () => void): T {
  return new Proxy(list, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) onRead()
      return Reflect.get(target, key)
    },
  })
}

function withOverrides(count: number, onRead = (): void => {}) {
  const mock = createMock({ clock: { at: AT, frozen: true } })
  const session = mock.sessions.default
  const overrides = Array.from({ length: count }, (_, i) => ({ from: AT - 2 * (count - i), factor: 1 + (i % 7) / 100 }))
  const snapshot = { ...takeSnapshot(session, 0), overrides: { BTCUSD: overrides } }
  const read = readSnapshot(snapshot, session)
  session.run(restored({ ...read, overrides: { BTCUSD: counted(read.overrides.BTCUSD!, onRead) } }, 0))
  return mock
}

it('behavior: 300 candles over 5,000 price changes', () => {
  const count = 5000
  let reads = 0
  const mock = withOverrides(count, () => void reads++)
  const ask = () =>
    mock.serve({ method: 'GET', target: CANDLES, authorization: undefined, receivedAt: 0 })!.outcome as { body: string }
  reads = 0
  const { result } = JSON.parse(ask().body).data
  expect(result).toHaveLength(300)
  // A few binary searches for each change. Linear ones read millions.
  expect(reads).toBeLessThan(8 * count * Math.log2(count))
})

it('error: the 5,001st price change of a feed; a repeated price is none', () => {
  const mock = withOverrides(4999)
  mock.change({ prices: { BTCUSD: 50_000 } })
  mock.clock.advance('10m')
  mock.change({ prices: { ETHUSD: 3000 } })
  expect(() => mock.change({ prices: { BTCUSD: 51_000 } })).toThrow('at most 5000 price changes')
  expect(() => withOverrides(5001)).toThrow('at most 5000 price changes')
  mock.sessions.default.run(reset(0))
  mock.change({ prices: { BTCUSD: null } })
  mock.clock.advance('10m')
  mock.change({ prices: { BTCUSD: null } })
  expect(mock.sessions.default.runtime.overrides.BTCUSD).toHaveLength(1)
})
