// A find in words.
import { describe, expect, it } from 'vitest'
import { checkAllowed, limited, nameOf, pageOf, questionOf, toldScenario } from './tell.js'
import type { HuntFault } from './types.js'

const scenarioOf = (...faults: HuntFault[]) => ({ title: 'Zero.', why: 'W', faults })
const AT = { clock: { at: '2038-01-19T03:14:00Z' } }

it('behavior: a text of as many characters as it may have is whole', () => {
  expect(['abc', 'abcd', 'abcde'].map(text => limited(text, 4))).toEqual(['abc', 'abcd', 'abc…'])
})

it.each([
  [scenarioOf({ fault: 'tick/zero' }), 'tick-zero'],
  [scenarioOf({ fault: 'reply/status', options: { status: 503 }, endpoints: ['batch'] }), 'reply-status-503-batch'],
  [scenarioOf({ fault: 'reply/missing-field', options: { field: 'a b' } }), 'reply-missing-field-a-b'],
  [{ ...scenarioOf({ fault: 'tick/zero' }), ...AT }, 'tick-zero-clock'],
  [{ ...scenarioOf(), ...AT }, 'clock'],
  [scenarioOf(), 'clock'],
  [
    scenarioOf({ fault: 'signature/evm-v-parity' }, { fault: 'signature/batch-reordered' }),
    'signature-evm-v-parity-signature-batch-reordered',
  ],
  [
    scenarioOf({ fault: 'signature/evm-v-parity' }, { fault: 'signature/batch-reordered', endpoints: ['batch'] }),
    'signature-evm-v-parity-signature-batch-reordered',
  ],
])('default: the name of %j', (scenario, name) => {
  expect(nameOf(scenario)).toBe(name)
})

it('default: the page of a fault, or of all scenarios', () => {
  expect(pageOf([{ fault: 'market/bad-tick' }])).toBe('price-feed-mock/docs/faults.md#marketbad-tick')
  expect(pageOf([])).toBe('price-feed-mock/docs/scenarios.md')
})

it('default: the question names each endpoint and feed once', () => {
  const [one, other] = [
    { fault: 'tick/zero', endpoints: ['batch'], feeds: ['BTCUSD'] },
    { fault: 'tick/negative', endpoints: ['batch'] },
  ]
  expect(questionOf(scenarioOf(one, other))).toBe('Zero (batch, BTCUSD). Is this what your consumer should do then?')
  expect(questionOf(scenarioOf())).toBe('Zero. Is this what your consumer should do then?')
})

it('error: a name to accept that nothing has', () => {
  expect(checkAllowed(['tick/zero', 'tick-zero-batch', 'clock', 'mine'], ['mine'])).toEqual([])
  expect(checkAllowed(['clock', 'clok'], [])).toEqual([
    { at: 'allow[1]', got: 'clok', want: 'the name of a fault, a scenario or a find', closest: 'clock' },
  ])
})

describe('toldScenario', () => {
  const told = (output: string, ...faults: HuntFault[]) => toldScenario(scenarioOf(...faults), output)
  const ts = (options?: HuntFault['options']): HuntFault => ({
    fault: 'signature/tampered-ts',
    ...(options && { options }),
  })

  it('default: title and reason of each fault', () => {
    const { title, why, faults } = told('sold', { fault: 'tick/zero' }, { fault: 'tick/negative' })
    expect(title).toMatch(/^[^.]+\. Meanwhile: [^.]+\.$/)
    expect(why).toMatch(/^.+\. Or: .+\. It ended with: sold$/)
    expect(faults).toHaveLength(2)
  })

  it('behavior: a fault that is there several times is told once', () => {
    const zero = { fault: 'tick/zero' }
    const once = toldScenario({ title: '', why: '', faults: [zero] }, 'sold')
    const twice = toldScenario({ title: '', why: '', faults: [zero, { ...zero, from: '1m' }] }, 'sold')
    expect([twice.title, twice.why]).toEqual([once.title, once.why])
  })

  it('default: another time has words of its own', () => {
    expect(told('')).toEqual({ title: 'Another time', why: 'A consumer that fails at this time.', faults: [] })
  })

  it('behavior: the title has the part about an option that is set', () => {
    expect(told('', ts()).title).toMatch(/shows the `ts` of the current one\.$/)
    expect(told('', ts({ seconds: 4 })).title).toMatch(/; with `seconds`, the current price another `ts`\.$/)
  })

  it('behavior: the reason has what is said of an option only where it is set', () => {
    const why = (options?: HuntFault['options']) =>
      told('', { fault: 'reply/status', requests: '3', ...(options && { options }) }).why
    expect(why({ status: 500 })).toMatch(/ no message\.$/)
    expect(why({ status: 429, retryAfterForm: 'zero' })).toMatch(/, by `retryAfterForm`\.$/)
    expect(told('', { fault: 'tick/other-expo' }).why).toMatch(/shows prices without it\.$/)
    expect(told('', { fault: 'tick/unsafe-integer' }).why).toMatch(/^A `JSON\.parse` that/)
  })

  it.each([
    [{ fault: 'reply/status', options: { status: 401 } }, /^Each .* 401: the key is refused\.$/, /refused key/],
    [{ fault: 'reply/status', requests: '3', options: { status: 403 } }, /^The .* 403: the key/, /refused key/],
    [{ fault: 'reply/status', options: { status: 404 } }, /^Each .* 404: the feeds are unknown\.$/, /unknown feed/],
    [{ fault: 'reply/status', options: { retryAfter: '1h' } }, /^Each .* 503, with `Retry-After` of 1h\.$/, /bound/],
    [{ fault: 'reply/status', options: { status: 500 } }, /^Each answer has the status 500\.$/, /^An outage/],
    [
      { fault: 'reply/status', chance: 0.1 },
      /^The answer has the status 503, with `Retry-After` of 5s\.$/,
      /no retry.*bound/,
    ],
    [{ fault: 'reply/status', requests: '3', options: { status: 500 } }, /^The .* 500\.$/, /no retry/],
    [{ fault: 'reply/status', options: { status: 304 } }, /^The answer has another status/, /no retry/],
    [{ fault: 'reply/status', options: { keepBody: true } }, /^The answer has another status/, /no retry/],
    [{ fault: 'market/shock' }, /^Every price falls by 20 % at once, and moves on/, /one direction/],
    [
      { fault: 'market/shock', options: { change: 0.005, over: '1m' } },
      /rises by 0\.5 % over 1m, and/,
      /one direction/,
    ],
    [{ fault: 'market/bad-tick' }, /^One tick is 10 times the price\.$/, /single print/],
    [{ fault: 'market/bad-tick', options: { hold: '1m' } }, /^One tick .*, and stays for 1m\.$/, /single print/],
    [{ fault: 'market/stale' }, /^Ticks stop and the last one is served\.$/, /takes one tick for several\.$/],
    [
      { fault: 'market/stale', options: { age: '61s' } },
      /^Ticks stop, and the price is always 61s old\.$/,
      /newer one/,
    ],
    [
      { fault: 'market/stale', options: { age: '5m', price: 'last' } },
      /^The last price before stays, .* 5m old/,
      /newer/,
    ],
    [
      { fault: 'market/gap', feeds: ['BTCUSD'] },
      /^The feed is unknown/,
      /Or one refused price that stops the others\.$/,
    ],
    [{ fault: 'market/shock', feeds: ['BTCUSD'] }, /falls/, /never left\.$/],
    [{ fault: 'tick/ts-skew' }, /^`ts` is 30 s ahead; the/, /^An age below zero/],
    [{ fault: 'tick/ts-skew', options: { seconds: -10 } }, /^`ts` is 10 s behind; the/, /^Two prices with one `ts`/],
  ] as const)('behavior: options and times that make it another mistake: %j', (fault, effect, catches) => {
    const { title, why } = told('', fault)
    expect(title).toMatch(effect)
    expect(why).toMatch(catches)
  })

  it.each([
    ['the last three lines', 'a\n\n b\nc\n  d', 'b / c / d'],
    ['lines with errors only', 'panic: a\nAn error\nb\nc', 'panic: a / An error'],
    [
      'the message of an assertion, not the lines around it',
      `node:internal/process/assert:391
    triggerUncaughtException(error, true /* fromPromise */);
    ^

AssertionError [ERR_ASSERTION]: an old price was used
+ actual - expected

+ true
- false
    at run (file:///app/keeper.mjs:12:3) {
  generatedMessage: false,
  code: 'ERR_ASSERTION',
  actual: true,
  expected: false,
  operator: 'strictEqual'
}`,
      'AssertionError [ERR_ASSERTION]: an old price was used',
    ],
  ])('behavior: the reason has %s', (_, output, end) => {
    expect(told(output).why).toBe(`A consumer that fails at this time. It ended with: ${end}`)
  })

  it('behavior: the fault is not blamed for a run that took too long', () => {
    for (const end of ['(did not end in 16 s)', '(did not end within 16 s) \n'])
      expect(told(`x\n${end}`, ts()).why).toMatch(
        /^A wait without a limit, or with one that is longer than a run may be\./,
      )
    expect(told('(did not end in 16 s)\nbut later', ts()).why).not.toMatch(/^A wait/)
  })
})
