// Replies do not depend on earlier requests: any order, on one mock or on a new one for each, gives the same bytes.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from '../support/seed.js'
import { anySecond, LATEST, restarted, travelling } from './markets.js'

const IDS = ['BTCUSD', 'ethusd', 'WSTETHUSD', 'USDTUSD', 'EURUSD', 'NONE']
const id = fc.constantFrom(...IDS)
const ids = fc.subarray(IDS.slice(0, -1), { minLength: 1 }).map(list => list.join(','))
const target = fc.oneof(
  id.map(feed => `/prices/${feed}/latest`),
  ids.map(list => `/prices/batch?feedIds=${list}`),
  ids.map(list => `/prices/evm/crypto?feedIds=${list}`),
  fc
    .tuple(ids, fc.constantFrom(0, 1, 5, 60, 1440))
    .map(([list, minutes]) => `/prices/queryHistory?feedIds=${list}&minutes=${minutes}`),
  fc
    .tuple(id, fc.constantFrom('1s', '1m', '5m', '1h', '1d', '1w'))
    .map(([feed, interval]) => `/charting/feeds-data?feedids=${feed}&feed=${feed}&type=1&interval=${interval}`),
)
/** A few targets, each requested several times within minutes, so that candles close and open in between. */
const requests = fc
  .record({
    around: anySecond,
    targets: fc.array(target, { minLength: 1, maxLength: 3 }),
    picks: fc.array(fc.record({ pick: fc.nat(2), after: fc.integer({ min: 0, max: 200 }) }), {
      minLength: 2,
      maxLength: 12,
    }),
  })
  .map(({ around, targets, picks }) =>
    picks.map(({ pick, after }) => ({
      now: Math.min(around + after, LATEST),
      target: targets[pick % targets.length]!,
    })),
  )
const shuffled = requests.chain(list =>
  fc.record({
    list: fc.constant(list),
    order: fc.shuffledSubarray([...list.keys()], { minLength: list.length, maxLength: list.length }),
  }),
)

test('behavior: any requests in two orders, and each on a restarted mock, give the same bytes', () => {
  const policy = { candles: 5 }
  check([shuffled, fc.constantFrom('42', '7')], 150, ({ list, order }, seed) => {
    const [ask, other, fresh] = [
      travelling({ seed, policy }),
      travelling({ seed, policy }),
      restarted({ seed, policy }),
    ]
    const first = list.map(({ now, target }) => ask(now, target))
    const second: typeof first = []
    for (const index of order) second[index] = other(list[index]!.now, list[index]!.target)
    expect(second).toEqual(first)
    expect(list.map(({ now, target }) => fresh(now, target))).toEqual(first)
  })
})

test('behavior: a feed gives the same bytes alone, among others and beside feeds of a user', () => {
  const alone = restarted()
  const beside = restarted({ feeds: { feeds: [{ id: 'ACMEUSD', base: 5, drivers: { crypto: 0.5, meme: 0.4 } }] } })
  check([target, anySecond], 40, (target, now) => {
    expect(beside(now, target)).toEqual(alone(now, target))
  })
})
