// The verdict on a response: every price, every reason, beside a good twin; and the list of checks that were not made.
import { describe, expect, expectTypeOf, test } from 'vitest'
import { pairOf, targetOf } from '../../test/support/request-faults.js'
import { CURVE_ORDER } from '../settings/layouts.js'
import type { Tick } from './encode.js'
import { createSigner, testKey } from './signer.js'
import {
  checkResponse,
  LAYOUTS,
  type PricesRejectedError,
  type PriceVerdict,
  parseExact,
  type Reason,
  testSigners,
  type VerifyOptions,
  verify,
} from './verify.js'

const NOW = 1_753_354_105
const btc = { feedId: 'BTCUSD', price: 11830872000000, expo: -8, ts: NOW }
const eth = { feedId: 'ETHUSD', price: 365012000000, expo: -8, ts: NOW - 1 }
const signers = [testSigners()[0]!.address]

const { sign } = createSigner(testKey(0))
const latest = (tick: Tick, layout = LAYOUTS.svm as never) => ({ ...tick, ...sign(layout, [tick]) })
const batch = (...prices: Tick[]) => ({ prices, ...sign(LAYOUTS.svm, prices) })
const evm = (...prices: Tick[]) => ({
  prices: prices.map(price => ({ ...price, signature: sign(LAYOUTS.evm, [price]).signature })),
})

const judge = (body: unknown, options: Partial<VerifyOptions> = {}) => checkResponse(body, { signers, ...options })
const reasonsOf = ({ findings }: PriceVerdict): Reason[] => findings.map(({ reason }) => reason)
/** The reasons of the first price. */
const reasons = (body: unknown, options?: Partial<VerifyOptions>): Reason[] =>
  reasonsOf(judge(body, options).prices[0]!)

describe('checkResponse', () => {
  test('default: good prices, with their signer and all that was not checked', () => {
    const verdict = judge(latest(btc))
    const { publicKey, address } = testSigners()[0]!
    expect(verdict).toEqual({
      ok: true,
      endpoint: 'latest',
      prices: [
        {
          at: '',
          feedId: 'BTCUSD',
          ok: true,
          reason: undefined,
          findings: [],
          tick: btc,
          signer: { publicKey, address },
        },
      ],
      notChecked: [
        { check: 'age', because: 'maxAge is not set' },
        { check: 'future', because: 'maxFuture is not set' },
        { check: 'expo', because: 'expo is not set' },
        { check: 'feeds', because: 'feeds is not set' },
        { check: 'order', because: 'one response does not show which prices came before it' },
        { check: 'value', because: 'a signature does not show that a price is that of the market' },
      ],
    })
    expectTypeOf(verdict.prices[0]!.reason).toEqualTypeOf<Reason | undefined>()
  })

  test('behavior: with every option only the checks of other responses are left', () => {
    const all = { maxAge: 60, maxFuture: 5, now: NOW, expo: -8, feeds: ['BTCUSD'] }
    expect(judge(latest(btc), all).notChecked.map(({ check }) => check)).toEqual(['order', 'value'])
    const lenient = judge(latest(btc), { ...all, allowHighS: true, allowNotPositive: true })
    expect(lenient.notChecked.map(({ check }) => check)).toEqual(['high-s', 'positive', 'order', 'value'])
  })

  test('behavior: it goes on after a bad price', () => {
    const { prices } = evm(btc, eth, { ...btc, feedId: 'SOLUSD' })
    const verdict = judge({ prices: [{ ...prices[0], price: '7' }, prices[1], { ...prices[2], price: 1 }, null] })
    expect(verdict.ok).toBe(false)
    expect(verdict.prices.map(({ at, feedId, ok, reason }) => [at, feedId, ok, reason])).toEqual([
      ['prices[0]', 'BTCUSD', false, 'malformed'],
      ['prices[1]', 'ETHUSD', true, undefined],
      ['prices[2]', 'SOLUSD', false, 'wrong-signer'],
      ['prices[3]', undefined, false, 'malformed'],
    ])
  })

  test('behavior: all reasons of a price, those of its signature first', () => {
    const old = { ...latest({ ...btc, expo: -6, ts: NOW - 100 }, LAYOUTS.svm as never), price: 0 }
    expect(reasons(old, { expo: -8, maxAge: 60, now: NOW, feeds: ['ETHUSD'] })).toEqual([
      'wrong-signer',
      'wrong-feed',
      'zero-price',
      'wrong-expo',
      'stale',
    ])
  })

  test('behavior: a batch has one signature, so one malformed price rejects all', () => {
    const { prices, ...signed } = batch(btc, eth)
    const verdict = judge({ prices: [prices[0], { ...prices[1], ts: 'now' }], ...signed })
    expect(verdict.prices.map(({ reason, signer }) => [reason, signer])).toEqual([
      ['malformed', undefined],
      ['malformed', undefined],
    ])
    expect(verdict.prices[1]!.findings[0]).toEqual({
      reason: 'malformed',
      at: 'prices[1].ts',
      got: '"now" (string)',
      want: 'seconds since the epoch',
    })
    expect(judge(batch(btc, eth)).ok).toBe(true)
  })

  test('behavior: a batch has one signature, so one price out of range rejects all, and its path names it', () => {
    const { prices } = judge(batch(btc, { ...eth, price: 2n ** 63n }))
    expect(prices.map(({ findings }) => findings.map(({ reason, at }) => [reason, at]))).toEqual([
      [['out-of-range', 'prices[1].price']],
      [['out-of-range', 'prices[1].price']],
    ])
  })

  test('behavior: a history with one bad half', () => {
    const body = { BTCUSD: { high: latest(btc) }, ETHUSD: { high: latest(eth), low: latest(eth) }, SOLUSD: null }
    expect(judge(body).prices.map(({ at, reason }) => [at, reason])).toEqual([
      ['BTCUSD.high', undefined],
      ['BTCUSD.low', 'malformed'],
      ['ETHUSD.high', undefined],
      ['ETHUSD.low', undefined],
      ['SOLUSD.high', 'malformed'],
      ['SOLUSD.low', 'malformed'],
    ])
    expect(judge({ btcusd: { high: latest(btc), low: latest(eth) } }).prices.map(({ reason }) => reason)).toEqual([
      undefined,
      'wrong-feed',
    ])
  })

  test.each([undefined, null, 7, 'text', [], {}, { error: 'unauthorized', message: 'No.' }, { prices: [] }])(
    'behavior: no verdict is good for a body without prices: %j',
    body => {
      expect(judge(body)).toMatchObject({ ok: false, endpoint: undefined, prices: [] })
      expect(judge(body, { feeds: ['BTCUSD'] }).prices.map(({ reason }) => reason)).toEqual(['missing-feed'])
    },
  )

  test('behavior: a body of two forms is none: a consumer could read the one that was not checked', () => {
    const forged = { ...btc, price: 1 }
    const pair = { BTCUSD: { high: latest(btc), low: latest(btc) } }
    for (const genuine of [batch(btc), evm(btc)])
      for (const other of [forged, { ...forged, feedId: 1 }, { feedId: 'BTCUSD', BTCUSD: { high: forged } }])
        expect(judge({ ...genuine, ...other })).toMatchObject({ ok: false, endpoint: undefined })
    expect(judge({ ...latest(btc), ...pair }).ok).toBe(false)
    for (const body of [batch(btc), evm(btc), latest(btc), pair]) expect(judge(body).ok).toBe(true)
    expect(judge({ ...batch(btc), version: { high: 2 } }).ok).toBe(true)
  })

  test('args: feeds, in any case: missing ones and others', () => {
    const verdict = judge(batch(btc, eth), { feeds: ['btcusd', 'SOLUSD'] })
    expect(verdict.prices.map(({ feedId, reason }) => [feedId, reason])).toEqual([
      ['BTCUSD', undefined],
      ['ETHUSD', 'wrong-feed'],
      ['SOLUSD', 'missing-feed'],
    ])
    expect(judge(batch(btc, eth), { feeds: ['btcusd', 'ethusd'] }).ok).toBe(true)
  })

  test('args: maxAge and maxFuture include their limits', () => {
    const at = (now: number) => reasons(latest(btc), { maxAge: 60, maxFuture: 5, now })
    expect([NOW + 60, NOW + 61, NOW - 5, NOW - 6].map(at)).toEqual([[], ['stale'], [], ['future']])
    // A price of now with an age of 0.
    expect(reasons(latest(btc), { maxAge: 0, maxFuture: 0, now: NOW })).toEqual([])
    expect(reasons(latest(btc), { maxAge: 0.5, now: NOW + 0.5 })).toEqual([])
    expect(reasons(latest(btc), { maxAge: 0.5, now: NOW + 0.501 })).toEqual(['stale'])
  })

  test('args: expo', () => {
    expect(reasons(latest(btc), { expo: -8 })).toEqual([])
    expect(reasons(latest(btc), { expo: -6 })).toEqual(['wrong-expo'])
  })

  test('args: allowNotPositive', () => {
    for (const [price, reason] of [
      [0, 'zero-price'],
      [-1, 'negative-price'],
      [-1n, 'negative-price'],
    ] as const) {
      expect(reasons(latest({ ...btc, price }))).toEqual([reason])
      expect(reasons(latest({ ...btc, price }), { allowNotPositive: true })).toEqual([])
    }
  })

  test('args: allowHighS, whose signer is still the right one', () => {
    const { signature, recoveryId, ...price } = latest(btc)
    const s = (CURVE_ORDER - BigInt(`0x${signature.slice(64)}`)).toString(16).padStart(64, '0')
    const body = { ...price, signature: signature.slice(0, 64) + s, recoveryId: 1 - recoveryId }
    expect(reasons(body)).toEqual(['high-s'])
    expect(judge(body).prices[0]!.signer!.address).toBe(signers[0])
    expect(reasons(body, { allowHighS: true })).toEqual([])
  })

  const digits = latest(btc).signature
  const v = evm(btc).prices[0]!.signature
  test.each<[Reason, unknown]>([
    ['0x-prefix', { ...latest(btc), signature: `0x${digits}` }],
    ['wrong-length', { ...latest(btc), signature: digits.slice(2) }],
    ['wrong-length', { ...latest(btc), signature: `${digits}1b` }],
    ['malformed', { ...latest(btc), signature: `g${digits.slice(1)}` }],
    ['malformed', { ...latest(btc), signature: undefined }],
    ['zero', { ...latest(btc), signature: '0'.repeat(128) }],
    ['zero', { ...latest(btc), signature: '0'.repeat(64) + digits.slice(64) }],
    ['wrong-recovery-id', { ...latest(btc), recoveryId: 27 }],
    ['wrong-recovery-id', { ...latest(btc), recoveryId: undefined }],
    ['wrong-v', { prices: [{ ...btc, signature: `${v.slice(0, 128)}00` }] }],
    ['out-of-range', { ...latest(btc), price: 2n ** 64n }],
    ['out-of-range', latest({ ...btc, price: 2n ** 63n })],
    ['out-of-range', evm({ ...btc, price: 2n ** 63n })],
    ['out-of-range', evm({ ...btc, ts: 2 ** 32 })],
    ['malformed', { ...latest(btc), feedId: 'B'.repeat(33) }],
    ['unrecoverable', { ...latest(btc), signature: `${'0'.repeat(63)}5${digits.slice(64)}` }],
    ['wrong-signer', { ...latest(btc), price: btc.price + 1 }],
    ['wrong-signer', { ...latest(btc), recoveryId: 1 - latest(btc).recoveryId }],
    ['malformed', { ...latest(btc), price: 2 ** 60 }],
    ['malformed', { ...latest(btc), price: '1' }],
    ['malformed', { ...latest(btc), feedId: 'BTCUSD\0' }],
  ])('error: %s', (reason, body) => expect(reasons(body)).toEqual([reason]))

  test('behavior: the digits after 0x are still checked', () => {
    expect(reasons({ ...latest(btc), signature: `0x${digits}`, price: 1 })).toEqual(['0x-prefix', 'wrong-signer'])
    const svm = { ...LAYOUTS.svm, hexPrefix: '0x' } as const
    expect(reasons(latest(btc), { svm })).toEqual(['0x-prefix'])
    expect(reasons(latest(btc, svm as never), { svm })).toEqual([])
  })

  test('behavior: a body with more prices than a call can have arguments', () => {
    const { ok, prices } = judge({ ...batch(btc), prices: new Array(150_000).fill(btc) })
    expect([ok, prices.length, prices[0]!.reason]).toEqual([false, 150_000, 'wrong-signer'])
  })

  test('error: options that cannot be checked, also misspelt ones', () => {
    expect(() => judge(latest(btc), { maxAge: 60 })).toThrowErrorMatchingInlineSnapshot(`
      [OptionsInvalidError: The call of verify has 1 problem.
        at    now
        got   nothing
        want  seconds since the epoch, which maxAge and maxFuture need
        code  OPTIONS_INVALID]
    `)
    for (const options of [
      { maxfuture: 5 },
      { maxAge: '60', now: NOW },
      { maxAge: -1, now: NOW },
      { maxFuture: 1 },
      { now: -1 },
      { now: NOW * 1000, maxFuture: 5 },
      { now: '1.5' },
      { expo: 'x' },
      { feeds: 'BTCUSD' },
      { feeds: [1] },
      { allowHighS: 'no' },
    ])
      expect(() => judge(latest(btc), options as never)).toThrow(expect.objectContaining({ code: 'OPTIONS_INVALID' }))
    // A limit, unlike a time, may be any number.
    expect(judge(latest(btc), { maxAge: Number.MAX_SAFE_INTEGER, maxFuture: 1e12, now: NOW }).ok).toBe(true)
  })
})

describe('verify', () => {
  test('error: the verdict is beside the message, and the code names the worst', () => {
    const thrown = (body: unknown, options: Partial<VerifyOptions> = {}): PricesRejectedError => {
      try {
        verify(body, { signers, ...options })
      } catch (error) {
        return error as PricesRejectedError
      }
      throw new Error('nothing was thrown')
    }
    const stale = thrown(batch(btc, eth), { maxAge: 0, now: NOW })
    expect(stale).toMatchObject({ code: 'PRICE_REJECTED', name: 'PriceRejectedError' })
    expect(stale.verdict.prices.map(({ reason }) => reason)).toEqual([undefined, 'stale'])
    expect(stale.message).toMatchInlineSnapshot(`
      "1 of 2 prices are rejected: stale.
        reason  stale at prices[1].ts
        got     1 seconds old
        want    at most 0
        code    PRICE_REJECTED"
    `)
    expect(thrown(latest({ ...btc, price: 2n ** 63n })).code).toBe('PRICE_REJECTED')
    expect(thrown({ ...latest(btc), price: 1 }).code).toBe('SIGNATURE_MISMATCH')
    expect(thrown({ ...latest(btc), price: '1' }).code).toBe('RESPONSE_UNRECOGNISED')
    expect(thrown({}).code).toBe('RESPONSE_UNRECOGNISED')
    const many = Array.from({ length: 30 }, (_, i) => ({ ...btc, feedId: `F${i}`, price: 0 }))
    expect(thrown(evm(...many)).message).toMatch(/ {2}more +10 further reasons\n/)
  })

  test('default: good prices come back, a batch as one', () => {
    expect(verify(batch(btc, eth), { signers })).toMatchObject([{ prices: [btc, eth] }])
    expect(verify(evm(btc, eth), { signers })).toMatchObject([{ prices: [btc] }, { prices: [eth] }])
  })
})

/** The reason that each fault is found by, with all options set. */
const FOUND_BY: Readonly<Record<string, readonly Reason[]>> = {
  'signature/wrong-signer': ['wrong-signer'],
  'signature/tampered-price': ['wrong-signer'],
  'signature/tampered-ts': ['wrong-signer'],
  'signature/bit-flip': ['wrong-signer'],
  'signature/wrong-recovery-id': ['wrong-signer'],
  'signature/high-s': ['high-s'],
  'signature/all-zero': ['zero'],
  'signature/truncated': ['wrong-length'],
  'signature/0x-prefix': ['0x-prefix'],
  'signature/evm-v-parity': ['wrong-v'],
  'signature/replay': ['wrong-signer'],
  'signature/batch-reordered': ['wrong-signer'],
  'signature/batch-swapped': ['wrong-signer'],
  'tick/zero': ['zero-price'],
  'tick/negative': ['negative-price'],
  'tick/wrong-expo': ['wrong-expo'],
  'tick/ts-skew': ['future'],
  'tick/missing-feed': ['missing-feed'],
}

describe('faults', () => {
  test.each(Object.entries(FOUND_BY))('behavior: %s is found, and its calm twin is good', async (fault, expected) => {
    const { ask, mock } = pairOf([{ fault, requests: '1-99' }])
    const now = Math.floor(mock.clock.now() / 1000)
    for (const endpoint of ['latest', 'batch', 'evm'] as const) {
      const feeds = endpoint === 'latest' ? ['BTCUSD'] : ['BTCUSD', 'ETHUSD', 'SOLUSD']
      const { wire, calm } = await ask(targetOf(endpoint, feeds))
      if (wire.faults.length === 0 || wire.status !== 200) continue
      const options = { now, maxAge: 60, maxFuture: 5, expo: -8, feeds }
      expect(judge(parseExact(calm.body), options), endpoint).toMatchObject({ ok: true })
      const verdict = judge(parseExact(wire.body), options)
      expect(verdict.ok, endpoint).toBe(false)
      const found = new Set(verdict.prices.flatMap(({ findings }) => findings.map(({ reason }) => reason)))
      expect(
        expected.some(reason => found.has(reason)),
        `${endpoint}: ${[...found]}`,
      ).toBe(true)
    }
  })

  test('behavior: a price above 2^53 is good when it is parsed exactly, and malformed when it is rounded', async () => {
    const { ask } = pairOf([{ fault: 'tick/unsafe-integer' }])
    const { wire } = await ask(targetOf('latest'))
    expect(reasons(parseExact(wire.body))).toEqual([])
    expect(reasons(JSON.parse(wire.body))).toEqual(['malformed'])
  })
})
