// The judgement of the journal on replies of a mock with each fault.
import { expect, it } from 'vitest'
import { createCalls, LATEST, NOW } from '../../test/support/calls.js'
import type { FaultInput } from '../index.js'
import { readBody } from './received.js'

const BATCH = '/prices/batch?feedIds=BTCUSD,ETHUSD'
const HISTORY = '/prices/queryHistory?feedIds=BTCUSD&minutes=60'
const EVM = '/prices/evm/crypto?feedIds=BTCUSD'
const CANDLES = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1m'

function got(target: string, fault?: FaultInput, seconds = 0, key?: string) {
  const calls = createCalls(fault === undefined ? {} : { scenario: { faults: [fault] } })
  calls.mock.clock.advance(seconds)
  const authorization = key ?? 'test-api-key'
  const { got, why } = calls.mock.serve({ method: 'GET', target, authorization, receivedAt: 0 })!.entry
  return [got, ...(why === undefined ? [] : [why])].join(': ')
}

it.each([LATEST, BATCH, HISTORY, EVM, CANDLES])('default: %s is fresh', target => expect(got(target)).toBe('fresh'))

it.each([
  [{ fault: 'market/stale', options: { age: '5m' } }, LATEST, /^stale: BTCUSD is 30\d s old; 60 s are allowed$/],
  [{ fault: 'market/stale', options: { age: '5m' } }, CANDLES, /^stale: the newest candle of BTCUSD ended \d+ s ago$/],
  [{ fault: 'market/stale', options: { age: '2h' } }, HISTORY, /^stale: BTCUSD is 7\d+ s old; 3660 s are allowed$/],
  [{ fault: 'reply/status', options: { status: 503 } }, LATEST, 'refused: status 503'],
  [{ fault: 'reply/redirect' }, LATEST, /^broken: status 30\d has no prices$/],
  [{ fault: 'wire/reset' }, LATEST, 'broken: the connection was reset'],
  [{ fault: 'wire/refused' }, LATEST, 'broken: the connection was refused'],
  [{ fault: 'wire/timeout' }, LATEST, 'broken: no reply came'],
  [{ fault: 'wire/truncate' }, LATEST, /^broken: the body ended after \d+ of \d+ bytes$/],
  [{ fault: 'wire/dribble' }, LATEST, 'fresh'],
  [{ fault: 'reply/latency' }, LATEST, 'fresh'],
  [{ fault: 'reply/malformed-json' }, LATEST, 'broken: the body is not JSON'],
  [{ fault: 'reply/empty-body' }, LATEST, 'broken: the body is empty'],
  [{ fault: 'reply/numbers-as-strings' }, LATEST, 'broken: the price or the time of BTCUSD is no exact integer'],
  [{ fault: 'reply/high-low-swapped' }, HISTORY, 'broken: a high is below its low'],
  [{ fault: 'tick/zero' }, EVM, 'broken: the price of BTCUSD is 0'],
  [{ fault: 'tick/wrong-expo' }, BATCH, /^broken: the expo of BTCUSD is -?\d+ instead of -8$/],
  [{ fault: 'tick/ts-skew', options: { seconds: 60 } }, LATEST, /^broken: the time of BTCUSD is \d+ s in the future$/],
  [{ fault: 'tick/unsafe-integer' }, LATEST, 'broken: the price or the time of BTCUSD is no exact integer'],
  [{ fault: 'tick/missing-feed' }, BATCH, 'broken: ETHUSD is missing'],
  [{ fault: 'signature/wrong-signer' }, EVM, 'forged: the signature does not fit: signature/wrong-signer'],
  [{ fault: 'signature/tampered-price' }, LATEST, 'forged: the signature does not fit: signature/tampered-price'],
  [{ fault: 'signature/batch-reordered' }, BATCH, 'forged: the signature does not fit: signature/batch-reordered'],
  [{ fault: 'signature/batch-reordered', options: { valid: true } }, BATCH, 'fresh'],
  [{ fault: 'signature/batch-duplicate' }, BATCH, 'fresh'],
  [{ fault: 'series/empty' }, CANDLES, 'broken: there are no candles'],
  [{ fault: 'series/null-values' }, CANDLES, 'broken: a candle has a value that is no number'],
  [{ fault: 'series/out-of-order' }, CANDLES, 'broken: candles are out of order'],
  [{ fault: 'series/duplicate' }, CANDLES, 'broken: a candle is there twice'],
  [{ fault: 'series/negative-volume' }, CANDLES, 'broken: a volume is below 0'],
  [{ fault: 'series/high-below-low' }, CANDLES, 'broken: the prices of a candle contradict'],
  [{ fault: 'series/time-unit' }, CANDLES, 'broken: the time of a candle is in seconds'],
] as const)('behavior: %j on %s', (fault, target, want) => {
  // Time for faults that need an earlier price.
  expect(got(target, fault as FaultInput, 10)).toMatch(want)
})

it('behavior: a wrong key is refused, a preflight gets no price, and a fault that hides another one decides', () => {
  expect(got(LATEST, undefined, 0, 'wrong')).toBe('refused: status 401')
  const calls = createCalls({ scenario: { faults: [{ fault: 'tick/zero' }, { fault: 'reply/status' }] } })
  calls.serve(LATEST, { method: 'OPTIONS' })
  calls.serve(LATEST)
  expect(calls.session().journal.entries()).toMatchObject([{ got: undefined }, { got: 'refused', nowMs: NOW * 1000 }])
  expect(calls.session().journal.summarize()).toMatchObject([{ got: { refused: 1 } }])
})

it('behavior: the same reply in the same second is judged alike', () => {
  const calls = createCalls()
  for (let i = 0; i < 3; i++) calls.serve(BATCH)
  expect(
    calls
      .session()
      .journal.entries()
      .map(({ got }) => got),
  ).toEqual(['fresh', 'fresh', 'fresh'])
})

const { market } = createCalls().session().runtime
const asked = (endpoint: string) => ({
  endpoint,
  now: NOW,
  feed: market.feed,
  numbered: (number: number) => market.feeds.find(feed => feed.number === number),
  feeds: () => new Set(['BTCUSD']),
  minutes: () => 1,
})
const PRICE = { feedId: 'BTCUSD', price: 1, expo: -8, ts: NOW, signature: 'a', recoveryId: 0 }
const CANDLE = { time: (NOW - 60) * 1000, open: 2, high: 3, low: 1, close: 2, volume: 0 }

it.each([
  ['latest', { ...PRICE, feedId: 1 }, undefined],
  ['latest', { ...PRICE, ts: NOW - 60 }, undefined],
  ['latest', { ...PRICE, ts: NOW - 61 }, 'BTCUSD is 61 s old; 60 s are allowed'],
  ['latest', { ...PRICE, ts: NOW + 5 }, undefined],
  ['latest', { ...PRICE, ts: NOW + 6 }, 'the time of BTCUSD is 6 s in the future'],
  ['latest', { ...PRICE, feedId: 'X' }, 'a price has no feed that is known'],
  ['latest', { ...PRICE, signature: 1 }, 'a signature is missing'],
  ['latest', { ...PRICE, recoveryId: '0' }, 'a recoveryId is missing'],
  ['evm', { prices: [{ ...PRICE, recoveryId: undefined }] }, undefined],
  ['evm', { prices: {} }, 'there is no list of prices'],
  ['batch', { prices: [{ ...PRICE, signature: undefined }], signature: 'a', recoveryId: 0 }, undefined],
  ['history', { BTCUSD: { high: PRICE, low: { ...PRICE, ts: NOW - 120 } } }, undefined],
  ['history', { BTCUSD: { high: PRICE, low: { ...PRICE, ts: NOW - 121 } } }, 'BTCUSD is 121 s old; 120 s are allowed'],
  ['candles', [{ ...CANDLE, high: 2, low: 2 }], undefined],
  ['candles', [{ ...CANDLE, high: 1.9 }], 'the prices of a candle contradict'],
  ['candles', [{ ...CANDLE, low: 2.1 }], 'the prices of a candle contradict'],
  ['candles', [{ ...CANDLE, low: 0 }], 'the prices of a candle contradict'],
  ['candles', [{ ...CANDLE, time: (NOW + 5) * 1000 }], undefined],
  ['candles', [{ ...CANDLE, time: (NOW + 5) * 1000 + 1 }], 'a candle lies in the future'],
  ['candles', [{ ...CANDLE, time: NOW - 60 }], 'the time of a candle is in seconds'],
  ['candles', [CANDLE, { ...CANDLE, time: NOW }, CANDLE], 'the time of a candle is in seconds'],
  ['candles', [{ ...CANDLE, time: NOW - 120 }, CANDLE], 'the time of a candle is in seconds'],
  [
    'candles',
    [950_400_000, NOW * 600, (NOW - 60) * 1000].map(time => ({ ...CANDLE, time })),
    'the time of a candle is in seconds',
  ],
  ['candles', [950_400_000, NOW * 500, (NOW - 60) * 1000].map(time => ({ ...CANDLE, time })), undefined],
  [
    'candles',
    [
      { ...CANDLE, time: (NOW - 140) * 1000 },
      { ...CANDLE, time: (NOW - 100) * 1000 },
    ],
    undefined,
  ],
  [
    'candles',
    [
      { ...CANDLE, time: (NOW - 142) * 1000 },
      { ...CANDLE, time: (NOW - 101) * 1000 - 1000 },
    ],
    'the newest candle of BTCUSD ended 62 s ago',
  ],
])('behavior: of %s, %j: %s', (endpoint, value, why) => {
  const body = JSON.stringify(endpoint === 'candles' ? { data: { result: value } } : value)
  expect(readBody(body, asked(endpoint)).why).toBe(why)
})
