// A find in words.
import { describe, expect, it } from 'vitest'
import { checkAllowed, nameOf, pageOf } from './causes.js'
import { paceOf } from './pace.js'
import { profileOf, requestsOf, toHuntRequests } from './profile.js'
import { limited, questionOf, toldScenario } from './tell.js'
import type { HuntFault, HuntRequest, HuntRun } from './types.js'

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

it('default: the question has the effect of each fault, with where and when', () => {
  const zero = { fault: 'tick/zero', endpoints: ['batch'], feeds: ['BTCUSD'], requests: '3' }
  const gap = { fault: 'market/gap', from: '8s', for: '10s' }
  const asked = (...faults: HuntFault[]) => questionOf(scenarioOf(...faults))
  expect(asked(zero, gap, gap)).toBe(
    'The price is 0, with a valid signature (BTCUSD; batch; request 3 only). Also: The feed is unknown: it has no price, not even a stale one (from 8s for 10s). Is this what your consumer should do then?',
  )
  expect(questionOf({ ...scenarioOf(zero), loop: '5m' })).toMatch(
    / \(BTCUSD; batch; request 3 only; all again each 5m\)\. Is/,
  )
  const when = (others: Partial<HuntFault>) => /\(?([^(]*?)\)?\. Is/.exec(asked({ fault: 'tick/zero', ...others }))![1]
  expect(
    [{ first: 1 }, { first: 3 }, { every: 2 }, { every: 7 }, '1-2 of 9', '3 of 34'].map(requests => when({ requests })),
  ).toEqual([
    'first request only',
    'first 3 requests',
    'every second request',
    'every 7th request',
    'requests 1-2 of every 9',
    'request 3 of every 34',
  ])
  expect(when({ feeds: ['A', 'B'], from: '1s', for: '2s', repeat: '9s', chance: 0.1 })).toBe(
    'A, B; from 1s for 2s, again each 9s; with a chance of 0.1',
  )
  expect(asked({ fault: 'tick/zero', requests: { every: 1 } })).not.toContain('(')
  expect(asked({ fault: 'tick/zero' })).toMatch(/^The price is 0, with a valid signature\. Is this/)
  expect(asked(...Array.from({ length: 64 }, (_, i) => ({ ...zero, requests: `${i}` })))).toMatch(/… Is this [^?]+\?$/)
})

it.each([
  [scenarioOf(), /^Another time\. Is/],
  [{ ...scenarioOf(), clock: { frozen: true } }, /^Another time\. Is/],
  [{ ...scenarioOf(), ...AT }, /^Another time \(2038-01-19T03:14:00Z\)\. Is/],
  [{ ...scenarioOf({ fault: 'market/closed' }), ...AT }, /^The market is closed: [^(]+\. Also: Another time \(2038/],
  [{ ...scenarioOf({ fault: 'market/closed' }), clock: { frozen: true } }, /^The market is closed: [^(]+ stays\. Is/],
])('behavior: the question about the time of %j', (scenario, question) => {
  expect(questionOf(scenario)).toMatch(question)
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
    expect(title).toMatch(/^[^.]+\. Also: [^.]+\.$/)
    expect(why).toMatch(
      /^One fault makes it use a fallback, [^.]+\. Or: .+\. Or: .+\. In the run that found this, it ended with: sold$/,
    )
    expect(faults).toHaveLength(2)
  })

  it('behavior: what several faults have in common is said once', () => {
    const { why } = told('', { fault: 'tick/zero' }, { fault: 'tick/negative' })
    expect(why.match(/Or it uses or corrects a value/g)).toHaveLength(1)
    expect(why).toMatch(/ Or: A cast to an unsigned integer/)
  })

  it('behavior: a fault that is there several times is told once', () => {
    const zero = { fault: 'tick/zero' }
    const once = toldScenario({ title: '', why: '', faults: [zero] }, 'sold')
    const twice = toldScenario({ title: '', why: '', faults: [zero, { ...zero, from: '1m' }] }, 'sold')
    expect([twice.title, twice.why]).toEqual([once.title, once.why])
  })

  it('default: another time has words of its own', () => {
    const turn = 'It fails at the turn of a day, a month or a year, at a weekend, or at the prices of that time.'
    expect(told('')).toEqual({ title: 'Another time', why: turn, faults: [] })
    const at = (time: string, ...faults: HuntFault[]) =>
      toldScenario({ ...scenarioOf(...faults), clock: { at: time } }, '').why
    expect(at('2026-12-31T23:59:00Z')).toBe(turn)
    expect(at('2038-01-19T03:14:00Z')).toBe('It keeps seconds in 32 bits, or fails at the prices of that time.')
    expect(at('2026-12-31T23:59:00Z', { fault: 'reply/latency' })).toMatch(`${turn} Or: A missing timeout`)
  })

  it('behavior: a body that breaks off is a failure of its own', () => {
    expect(toldScenario(scenarioOf({ fault: 'wire/truncate' }), '').why).toMatch(
      /^It treats a part of a body as complete, or loses the status .* breaks off\. Or: It treats a broken connection in another way /,
    )
  })

  it('behavior: the title has the part about an option that is set', () => {
    expect(told('', ts()).title).toMatch(/shows the `ts` of the current one\.$/)
    expect(told('', ts({ seconds: 4 })).title).toMatch(/; with `seconds`, the current price another `ts`\.$/)
  })

  it('behavior: the reason has what is said of an option only where it is set', () => {
    const why = (options?: HuntFault['options']) =>
      told('', { fault: 'reply/status', requests: '3', ...(options && { options }) }).why
    expect(why({ status: 500 })).toMatch(/^When a request fails, /)
    expect(told('', { fault: 'tick/other-expo' }).why).toMatch(
      /^A consumer that assumes an exponent, .* shows prices without it\. Or it loses digits of a price of another magnitude\.$/,
    )
    expect(told('', { fault: 'tick/unsafe-integer' }).why).toMatch(/^A `JSON\.parse` that/)
  })

  it('behavior: options, times and feeds that make it another mistake', () => {
    const status = { fault: 'reply/status' }
    const faults: readonly HuntFault[] = [
      { ...status, options: { status: 401 } },
      { ...status, options: { status: 403 }, requests: '3' },
      { ...status, options: { status: 404 } },
      { ...status, options: { retryAfter: '1h' } },
      { ...status, options: { status: 500 }, from: '1m', for: '2m' },
      { ...status, options: { status: 500 }, requests: '3' },
      { ...status, chance: 0.1 },
      { ...status, options: { status: 429 } },
      { ...status, options: { status: 304 } },
      { ...status, options: { keepBody: true } },
      ...['date', 'zero', 'negative', 'text', 'none'].map(retryAfterForm => ({
        ...status,
        options: { retryAfterForm },
      })),
      { fault: 'market/flatline' },
      { fault: 'market/price', options: { price: 0.02 } },
      { fault: 'series/late-revision' },
      { fault: 'market/drift', options: { change: -0.5, per: '1m' } },
      { fault: 'market/gap', feeds: ['BTCUSD'] },
      { fault: 'market/shock', feeds: ['BTCUSD'] },
      { fault: 'market/shock', options: { change: 0.005, over: '1m' }, for: '2m' },
      { fault: 'market/bad-tick' },
      { fault: 'market/bad-tick', options: { factor: 0.5, hold: '1m' } },
      { fault: 'market/stale' },
      { fault: 'market/stale', options: { age: '61s' }, feeds: ['BTCUSD'] },
      { fault: 'market/stale', options: { age: '61s', price: 'last' } },
      { fault: 'tick/ts-skew' },
      { fault: 'tick/ts-skew', options: { seconds: -10 } },
      { fault: 'tick/zero', feeds: ['BTCUSD'] },
      { fault: 'tick/ts-backwards' },
      { fault: 'tick/ts-backwards', requests: '3' },
      { fault: 'market/closed' },
      { ...status, options: { status: 200 } },
      ...[200, 429, 502].map(code => ({ fault: 'reply/html-error-page', options: { status: code } })),
      ...['', 'null'].map(body => ({ fault: 'reply/empty-body', options: { body } })),
      { fault: 'market/depeg', options: { to: 1.1 } },
      { fault: 'reply/latency' },
      { fault: 'reply/latency', options: { jitterMs: 5 } },
      ...['nothing', 'null', 'null-entry', 'object'].flatMap(as =>
        ['ts', 'price'].map(field => ({ fault: 'reply/missing-field', options: { as, field } })),
      ),
      { fault: 'series/null-values' },
      { fault: 'series/null-values', options: { every: 1, fields: ['open', 'low'], as: 'zero' } },
      { fault: 'series/time-skew' },
      { fault: 'series/time-skew', options: { every: 1, seconds: -3600 } },
      { fault: 'series/missing', options: { every: 1 } },
      { fault: 'signature/tampered-price', options: { only: 'high' } },
      { fault: 'signature/batch-reordered', options: { valid: true } },
    ]
    const texts = faults.map(fault => told('', fault)).map(({ title, why }) => `${title} ${why}`)
    expect(texts.join('\n')).toMatchInlineSnapshot(`
      "Each answer has the status 401: the key is refused. It keeps using a refused key, goes on with prices that get too old, does not report or handle the refusal, does so only once or again each time, reports another trouble, or also stops requests that need no key.
      The answer has the status 403: the key is refused. It keeps using a refused key, goes on with prices that get too old, does not report or handle the refusal, does so only once or again each time, reports another trouble, still treats or reports the key as refused after it works again, or also stops requests that need no key.
      Each answer has the status 404: the feeds are unknown. It sends a request again that cannot succeed, does not report it, or one unknown feed stops the others.
      Each answer has the status 503, with \`Retry-After\` of 1h. It waits too long, too short, in the wrong unit, or delays requests that need no wait.
      Each answer has the status 500. During an outage it crashes, asks as often as before, or keeps trying without end. Or it does not report it, reports it only once, each time anew or again after a restart, or reports another trouble. Or it goes on as if nothing had failed, takes an error for an answer, does again what was done before, takes it as over too soon, counts replies instead of seconds, mixes times or failures that do not belong together, goes on with the last prices, drops them or limits their age wrongly, or stops other work. Or afterwards it does not make up for what it missed, or by values of another time.
      The answer has the status 500. When a request fails, it crashes, or repeats it too late or too soon. Or it takes an error for an answer or a missing value for 0, drops what it has though it is still good, goes on with what is too old, or stops other work or gives up what it should only put off. Or it does not report it or reports another trouble.
      The answer has the status 503, with \`Retry-After\` of 5s. When a request fails, it crashes, repeats it too late or too soon, or delays other requests that need no wait. Or it takes an error for an answer or a missing value for 0, drops what it has though it is still good, goes on with what is too old, or stops other work or gives up what it should only put off. Or it does not report it or reports another trouble.
      Each answer has the status 429, with \`Retry-After\` of 5s. During an outage it crashes, asks as often as before, or keeps trying without end. Or it does not report it, reports it only once, each time anew or again after a restart, or reports another trouble. Or it goes on as if nothing had failed, takes an error for an answer, does again what was done before, counts replies instead of seconds, mixes times or failures that do not belong together, goes on with the last prices, drops them or limits their age wrongly, or stops other work.
      Each answer has the status 304 and no price. A status that is neither good nor an error: it counts as good, its body is parsed, the request never counts as failed, or it makes an old price young again.
      Each answer has the status 503, with the body of a good one. It reads the body before it looks at the status, and takes the price of a failed request.
      Each answer has the status 503, with a \`Retry-After\` that is an HTTP date. It does not understand the date: it sends the request again and again, or never.
      Each answer has the status 503, with a \`Retry-After\` of 0. It sends the request again and again, or never.
      Each answer has the status 503, with a \`Retry-After\` below 0. It sends the request again and again, or never.
      Each answer has the status 503, with a \`Retry-After\` that is a word. It sends the request again and again, or never.
      Each answer has the status 503, without a \`Retry-After\`. It sends the request again and again, or never.
      Ticks continue with a fresh \`ts\`, but the price stays at the one in force when the window starts. A staleness check that looks only at \`ts\` and so trusts a publisher that is stuck. Or: Two prices that are exactly equal: a tie that counts as a move, a difference of 0 that is divided by, or "no change" taken for "no news".
      Every tick has the price 0.02, rounded to its step. Code that acts at a certain price, tested at exactly that price. Or: Two prices that are exactly equal: a tie that counts as a move, a difference of 0 that is divided by, or "no change" taken for "no news". Or: A price of another magnitude: digits that are lost, or a limit in dollars. Or: A mistake in code that runs only when prices move: it checks a limit in one direction or for some feeds only or in the wrong place, has no limit or one of the wrong size or unit, acts though another source contradicts, writes a price of more or fewer digits wrongly, mixes up high, low and latest or keeps old ones, or compares with a price of another time or feed. Or it acts on the first price beyond a limit or on any second one, acts too late or never, or does too much at once, twice, for other feeds, with another time or in the wrong order. Or it never enters or leaves a state, enters it twice or only once, does not report it, or reports it again and again. Or it does what the state forbids, shares it between feeds, keeps its data afterwards, loses older data, or never does what was due meanwhile.
      Some time after a candle has closed, its close changes, and high or low with it. A cache that treats closed candles as final. Or, if it rightly refused or missed candles: it makes up, takes from a neighbour, keeps, overwrites, misorders or drops others, takes one for another, computes as if none were missing, or does not say that some are.
      Prices move by 50 % down in each 1m, in a straight line. A limit or an alert that misses a slow move. Or: A mistake in code that runs only when prices move: it checks a limit in one direction or for some feeds only or in the wrong place, has no limit or one of the wrong size or unit, acts though another source contradicts, writes a price of more or fewer digits wrongly, mixes up high, low and latest or keeps old ones, or compares with a price of another time or feed. Or it acts on the first price beyond a limit or on any second one, acts too late or never, or does too much at once, twice, for other feeds, with another time or in the wrong order. Or it never enters or leaves a state, enters it twice or only once, does not report it, or reports it again and again. Or it does what the state forbids, shares it between feeds, keeps its data afterwards, loses older data, or never does what was due meanwhile. Or it takes a real move for a bad price and never accepts it.
      The feed is unknown: it has no price, not even a stale one. When a feed goes away, it stops the others with it, goes on with its last price, or takes the answer for a good one or does not say so. Or it asks for it again at once, gives up what it should only put off or waits for it for ever, or never asks for it again.
      Prices fall by 20 % at once, and move on from there. A mistake in code that runs only when prices move: it checks a limit in one direction or for some feeds only or in the wrong place, has no limit or one of the wrong size or unit, acts though another source contradicts, writes a price of more or fewer digits wrongly, mixes up high, low and latest or keeps old ones, or compares with a price of another time or feed. Or it acts on the first price beyond a limit or on any second one, acts too late or never, or does too much at once, twice, for other feeds, with another time or in the wrong order. Or it never enters or leaves a state, enters it twice or only once, does not report it, or reports it again and again. Or it does what the state forbids, shares it between feeds, keeps its data afterwards, loses older data, or never does what was due meanwhile. Or it takes a real move for a bad price and never accepts it.
      Prices rise by 0.5 % over 1m, and return after 2m. A mistake in code that runs only when prices move: it checks a limit in one direction or for some feeds only or in the wrong place, has no limit or one of the wrong size or unit, acts though another source contradicts, writes a price of more or fewer digits wrongly, mixes up high, low and latest or keeps old ones, or compares with a price of another time or feed. Or it acts on the first price beyond a limit or on any second one, acts too late or never, or does too much at once, twice, for other feeds, with another time or in the wrong order. Or it never enters or leaves a state, enters it twice or only once, does not report it, or reports it again and again. Or it does what the state forbids, shares it between feeds, keeps its data afterwards, loses older data, or never does what was due meanwhile. Or it takes a real move for a bad price and never accepts it.
      One tick is 10 times the price. It acts on a single wrong price, or keeps it: in an average, a limit, a highest or lowest value, or as the price that it compares later ones with. Or it refuses good prices or work because of it. Or: A mistake in code that runs only when prices move: it checks a limit in one direction or for some feeds only or in the wrong place, has no limit or one of the wrong size or unit, acts though another source contradicts, writes a price of more or fewer digits wrongly, mixes up high, low and latest or keeps old ones, or compares with a price of another time or feed. Or it acts on the first price beyond a limit or on any second one, acts too late or never, or does too much at once, twice, for other feeds, with another time or in the wrong order. Or it never enters or leaves a state, enters it twice or only once, does not report it, or reports it again and again. Or it does what the state forbids, shares it between feeds, keeps its data afterwards, loses older data, or never does what was due meanwhile.
      One tick is 0.5 times the price, and is repeated for 1m. It believes a wrong price as soon as a second tick repeats it. Or: A mistake in code that runs only when prices move: it checks a limit in one direction or for some feeds only or in the wrong place, has no limit or one of the wrong size or unit, acts though another source contradicts, writes a price of more or fewer digits wrongly, mixes up high, low and latest or keeps old ones, or compares with a price of another time or feed. Or it acts on the first price beyond a limit or on any second one, acts too late or never, or does too much at once, twice, for other feeds, with another time or in the wrong order. Or it never enters or leaves a state, enters it twice or only once, does not report it, or reports it again and again. Or it does what the state forbids, shares it between feeds, keeps its data afterwards, loses older data, or never does what was due meanwhile.
      No new ticks come: the last one is served again and again. It never looks at \`ts\` or only on arrival, counts its age from the request or the arrival, or has a limit of the wrong size or unit, and trades at an old price, or counts one tick as several. Or it never says that a price is old, says so only once or each time anew, goes on when too few are fresh, or does by another source what it should hold back.
      Each price is that of 61s ago, with its \`ts\`. It never looks at \`ts\` or only on arrival, counts its age from the request or the arrival, or has a limit of the wrong size or unit, and trades at an old price. Or it never says that a price is old, says so only once or each time anew, goes on when too few are fresh, or does by another source what it should hold back.
      The last price stays, with a \`ts\` of 61s ago. It never looks at \`ts\` or only on arrival, counts its age from the request or the arrival, or has a limit of the wrong size or unit, and trades at an old price. Or it never says that a price is old, says so only once or each time anew, goes on when too few are fresh, or does by another source what it should hold back.
      \`ts\` is 30s ahead; the signature is valid. An age below zero, or one that is compared as an unsigned integer, or a limit of the wrong size or unit. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses.
      \`ts\` is 10s behind; the signature is valid. Two prices with one \`ts\`, or an order of prices by their \`ts\` alone. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses.
      The price is 0, with a valid signature. A division by the price, or a zero that is taken for a price, or for "no value". Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses.
      Every second answer holds an older tick, as from a replica that lags behind. A consumer that overwrites a newer price with an older one, or checks no age. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses.
      The answer holds an older tick, as from a replica that lags behind. A consumer that overwrites a newer price with an older one, or checks no age. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses.
      The market is closed: no ticks, and the last one stays. A consumer that expects ticks at the weekend, or takes a closed market for an outage or its last price for a fresh one.
      Each answer has the status 200 and the body of an error. An error that only its body tells: it is taken for a price, or also stops other work.
      A proxy's HTML page comes in place of JSON, with the status 200. It takes each 200 for JSON, or for a success.
      A proxy's HTML page comes in place of JSON, with the status 429. A refusal without \`Retry-After\` after which it asks again at once, or it parses the body before it looks at the status.
      A proxy's HTML page comes in place of JSON, with the status 502. A consumer that parses the body before it looks at the status, and shows "Unexpected token <".
      The body is empty, or JSON without content. "Unexpected end of JSON input" in place of a useful message; with \`body\`, a property that is read of null.
      The body is \`null\`, with the status of a good one. It reads a field of \`null\`. Or: After a reply that it cannot use, it crashes, goes on as if nothing had failed, or with an earlier reply or one of another feed in its place, uses its last prices for too long, asks again too soon, does not report it or reports another trouble, keeps trying without end, or also stops other work.
      Prices go in a straight line to 110 % of themselves, and stay there. It takes a stablecoin for one dollar. Or: A mistake in code that runs only when prices move: it checks a limit in one direction or for some feeds only or in the wrong place, has no limit or one of the wrong size or unit, acts though another source contradicts, writes a price of more or fewer digits wrongly, mixes up high, low and latest or keeps old ones, or compares with a price of another time or feed. Or it acts on the first price beyond a limit or on any second one, acts too late or never, or does too much at once, twice, for other feeds, with another time or in the wrong order. Or it never enters or leaves a state, enters it twice or only once, does not report it, or reports it again and again. Or it does what the state forbids, shares it between feeds, keeps its data afterwards, loses older data, or never does what was due meanwhile.
      The answer is late by 800 ms. A missing timeout, a spinner that never shows, replies that overtake each other, prices of two requests that are taken for those of one time, an age that is counted from the arrival, or a count of failures that a success does not reset.
      The answer is late by 800 ms and up to 5 ms more. A missing timeout, a spinner that never shows, replies that overtake each other, prices of two requests that are taken for those of one time, an age that is counted from the arrival, or a count of failures that a success does not reset.
      \`ts\` is missing. An age of NaN, which no limit refuses. Or: After a reply that it cannot use, it crashes, goes on as if nothing had failed, or with an earlier reply or one of another feed in its place, uses its last prices for too long, asks again too soon, does not report it or reports another trouble, keeps trying without end, or also stops other work. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses.
      \`price\` is missing. An \`undefined\` that becomes NaN. Or: After a reply that it cannot use, it crashes, goes on as if nothing had failed, or with an earlier reply or one of another feed in its place, uses its last prices for too long, asks again too soon, does not report it or reports another trouble, keeps trying without end, or also stops other work. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses.
      \`ts\` is null. A \`null\` that becomes 0. Or: After a reply that it cannot use, it crashes, goes on as if nothing had failed, or with an earlier reply or one of another feed in its place, uses its last prices for too long, asks again too soon, does not report it or reports another trouble, keeps trying without end, or also stops other work. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses.
      \`price\` is null. A \`null\` that becomes 0. Or: After a reply that it cannot use, it crashes, goes on as if nothing had failed, or with an earlier reply or one of another feed in its place, uses its last prices for too long, asks again too soon, does not report it or reports another trouble, keeps trying without end, or also stops other work. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses.
      \`ts\` has null as its first entry. A loop that ends at the entry which is null, so that the others are lost as well. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses.
      \`price\` has null as its first entry. A loop that ends at the entry which is null, so that the others are lost as well. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses.
      \`ts\` is \`{}\`. It loops over a value that is no list. Or: After a reply that it cannot use, it crashes, goes on as if nothing had failed, or with an earlier reply or one of another feed in its place, uses its last prices for too long, asks again too soon, does not report it or reports another trouble, keeps trying without end, or also stops other work. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses.
      \`price\` is \`{}\`. It loops over a value that is no list. Or: After a reply that it cannot use, it crashes, goes on as if nothing had failed, or with an earlier reply or one of another feed in its place, uses its last prices for too long, asks again too soon, does not report it or reports another trouble, keeps trying without end, or also stops other work. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses.
      Some candles have null as their close. A chart that throws "value is null" and stays empty, or a null that is computed with as 0. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses. Or, if it rightly refused or missed candles: it makes up, takes from a neighbour, keeps, overwrites, misorders or drops others, takes one for another, computes as if none were missing, or does not say that some are.
      All candles have 0 as their open, low. A division by a price of a candle, or a zero that is taken for the lowest price. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses. Or, if it rightly refused or missed candles: it makes up, takes from a neighbour, keeps, overwrites, misorders or drops others, takes one for another, computes as if none were missing, or does not say that some are.
      Some candles begin 30s late. A bar between two others or in the future, a candle that is looked up by its place, or a newest one that nobody finds old. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses. Or, if it rightly refused or missed candles: it makes up, takes from a neighbour, keeps, overwrites, misorders or drops others, takes one for another, computes as if none were missing, or does not say that some are.
      All candles begin 3600s early. A bar between two others or in the future, a candle that is looked up by its place, or a newest one that nobody finds old. Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses. Or, if it rightly refused or missed candles: it makes up, takes from a neighbour, keeps, overwrites, misorders or drops others, takes one for another, computes as if none were missing, or does not say that some are.
      All candles are left out. A consumer that reads the last candle of an empty list, or takes that for a good chart. Or, if it rightly refused or missed candles: it makes up, takes from a neighbour, keeps, overwrites, misorders or drops others, takes one for another, computes as if none were missing, or does not say that some are.
      The price was changed after it was signed, by at least one price step. Only the high of a history. A consumer that does not verify at all, or verifies other bytes than it uses. Or one that looks at the low alone. Or it recovers a signer, but accepts any. Or, if it deliberately does not verify: it acts on a wrong value, keeps it, or compares later ones with it.
      The prices of a batch are in reverse order. A consumer that sorts a batch before it verifies it, or that takes prices by their position."
    `)
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
    expect(told(output).why).toBe(
      `It fails at the turn of a day, a month or a year, at a weekend, or at the prices of that time. In the run that found this, it ended with: ${end}`,
    )
  })

  it.each([
    ['TypeError: Cannot read properties of undefined', true],
    ['at 1\nUncaught SyntaxError: Unexpected token', true],
    ["Error: stopped: Cannot read properties of undefined (reading 'ts')", true],
    ['Error: stopped: Unterminated string in JSON at position 224', true],
    ['TimeoutError: The operation was aborted due to timeout', true],
    ['AssertionError: not a TypeError', false],
  ])('behavior: the output "%s" is that of an error which nothing handles: %s', (output, isCrash) => {
    expect(/^It stops with an error that it does not handle\. Or: /.test(told(output, ts()).why)).toBe(isCrash)
  })

  it('behavior: a timeout that nothing handles is not a missing one', () => {
    const timeout = { fault: 'wire/timeout', requests: { first: 1 } }
    expect(told('TimeoutError: The operation was aborted', timeout).why).toMatch(
      / Or: Its timeout ends the request with /,
    )
    for (const output of ['', 'Error: late']) expect(told(output, timeout).why).toMatch(/^A timeout that is missing, /)
  })

  it('behavior: the fault is not blamed for a run that took too long', () => {
    for (const end of ['(did not end in 16 s)', '(did not end within 16 s) \n'])
      expect(told(`x\n${end}`, ts()).why).toMatch(
        /^A wait without a limit, or with one that is longer than a run may be\./,
      )
    expect(told('(did not end in 16 s)\nbut later', ts()).why).not.toMatch(/^A wait/)
  })

  describe('by how a consumer asked', () => {
    const request = (endpoint: string, second: number): HuntRequest => ({
      at: second * 1000,
      endpoint,
      feeds: ['BTCUSD'],
      status: 200,
      ordinal: 2,
      faults: [],
    })
    const every = (seconds: number, until = 100, endpoint = 'latest'): HuntRequest[] =>
      Array.from({ length: Math.floor(until / seconds) }, (_, i) => request(endpoint, i * seconds))
    const runOf = (...requests: HuntRequest[]): HuntRun => ({
      failed: true,
      output: '',
      requests,
      hits: [],
      ms: 100_000,
    })
    const profile = profileOf(runOf(...every(5), ...every(10, 100, 'batch'), request('history', 50)))
    const toldOf = (run: HuntRun, ...faults: HuntFault[]) =>
      toldScenario(scenarioOf(...faults), '', paceOf(run, profile)).why
    const status: HuntFault = { fault: 'reply/status', options: { status: 500 }, endpoints: ['latest'] }
    const batch = every(10, 100, 'batch')
    const RUNS = {
      usual: runOf(...every(5), ...batch),
      hot: runOf(...every(2), ...batch),
      silent: runOf(...every(5, 60), ...batch),
      rare: runOf(...every(20), ...batch),
      growing: runOf(...[0, 5, 12, 30, 80].map(second => request('latest', second)), ...batch),
      // Enough for a rate, but too few more to say so.
      few: runOf(...every(5), ...every(5, 100, 'history').slice(0, 3), ...batch),
    }

    it.each([
      ['usual', ''],
      ['few', ''],
      ['rare', ''],
      ['hot', ' In the run that found this, it asked for latest 2.5 times as often as without faults.'],
      ['silent', ' In the run that found this, it sent no request for latest in the last 45 s.'],
      ['growing', ' In the run that found this, its requests for latest became fewer and fewer.'],
    ] as const)('behavior: %s', (name, text) => {
      const why = toldOf(RUNS[name], { fault: 'tick/zero', endpoints: ['latest'] })
      expect(why).toBe(
        `A division by the price, or a zero that is taken for a price, or for "no value". Or it uses or corrects a value that it should refuse: a limit is missing, works in one direction only, or lapses. Or, if it rightly refused the price: it counts replies, not prices, and so does not notice that prices are missing, fills the gap with a wrong value or a substitute, goes on with the last one for too long, also drops good prices, drops the last one it had, counts the reply as a success or as the end of a trouble, asks no other source, or stops, drops or reports other work.${text}`,
      )
    })

    it.each([
      ['a failure', { ...status, requests: '3' }],
      ['an outage', status],
      ['an outage of all', { ...status, endpoints: ['latest', 'batch'] }],
      ['a refused key', { ...status, options: { status: 401 } }],
      ['a refused reply', { ...status, fault: 'reply/malformed-json', options: {} }],
      ['an old price', { fault: 'market/stale' }],
    ])('behavior: the mistake of %s is told by it', (_, fault) => {
      const told = (['hot', 'silent', 'usual'] as const).map(name => toldOf(RUNS[name], fault))
      const mistakes = told.map(why => why.replace(/ In the run that found this, .*/, ''))
      // It is no matter of an old price that it is asked for often.
      expect(new Set(mistakes).size).toBe(fault.fault === 'market/stale' ? 2 : 3)
    })

    it('behavior: a short run is not told as hot because its requests are those of one second', () => {
      const calm = [...every(1, 2), ...Array.from({ length: 6 }, () => request('latest', 1))]
      const run = { ...runOf(...Array.from({ length: 8 }, () => request('latest', 0))), ms: 900 }
      expect(paceOf(run, profileOf({ ...runOf(...calm), ms: 1500 })).kind).toBe('usual')
    })

    it('behavior: a program that starts sooner than in the calm run, and takes a moment to end, asks as usual', () => {
      const from = (second: number, faults: string[]) => ({
        ...runOf(
          ...Array.from({ length: 6 }, (_, i) => ({
            ...request('latest', second + (faults.length * i * i + i) / 2000),
            faults,
          })),
        ),
        ms: (second + 0.2) * 1000,
      })
      const calm = profileOf(from(2.1, []))
      const { kind, isStopped, hasPaused } = paceOf(from(0.5, ['reply/status']), calm)
      expect([kind, isStopped, hasPaused]).toEqual(['usual', false, false])
      expect(paceOf({ ...from(0.5, ['reply/status']), ms: 2000 }, calm).isStopped).toBe(true)
    })

    it.each(['wire/refused', 'wire/reset'])('behavior: %s is told as hot only where it is', fault => {
      const why = (name: keyof typeof RUNS) => toldOf(RUNS[name], { fault, endpoints: ['latest'] })
      expect(why('hot')).toMatch(/ it asks too often: /)
      expect(why('silent')).toMatch(/^It treats a broken connection in another way /)
    })

    it('behavior: what it takes is told: an end, and several endpoints', () => {
      const zero = { fault: 'tick/zero' }
      const [end, several] = [
        /^It fails only after the fault has ended: /,
        /^It fails in this way only when several endpoints /,
      ]
      expect(toldOf(RUNS.usual, { ...zero, endpoints: ['latest'], for: '5s' })).toMatch(end)
      expect(toldOf(RUNS.usual, { ...zero, endpoints: ['latest'], for: '5s', requests: '3' })).not.toMatch(end)
      expect(toldOf(RUNS.usual, { ...zero, endpoints: ['latest'], for: '5s', repeat: '9s' })).not.toMatch(end)
      expect(toldOf(RUNS.usual, zero)).toMatch(several)
      expect(toldOf(RUNS.usual, { fault: 'market/stale' })).not.toMatch(several)
      // By the number of its requests it is no matter of the endpoints.
      expect(toldOf(RUNS.usual, { ...zero, requests: '3' })).not.toMatch(several)
      const looped = { ...scenarioOf({ ...zero, from: '5s' }), loop: '1m' }
      expect(toldScenario(looped, '', paceOf(RUNS.usual, profile)).why).toMatch(end)
      // In a later loop it may have come back.
      const back = runOf(...every(5), { ...request('latest', 99), faults: ['tick/zero'] })
      expect(toldScenario(looped, '', paceOf(back, profile)).why).not.toMatch(end)
      // It failed before the end.
      const soon = { ...RUNS.usual, ms: 14_999 }
      const window = { ...zero, endpoints: ['latest'], from: '10s', for: '5s' }
      expect([soon, { ...soon, ms: 15_000 }].map(run => end.test(toldOf(run, window)))).toEqual([false, true])
      // One endpoint alone has an order.
      expect(toldOf(RUNS.usual, { fault: 'signature/batch-reordered' })).not.toMatch(several)
    })

    it('behavior: a pause that is cut short, and one without an end', () => {
      const hit = (next: number) => ({ ...request('latest', 10), faults: ['reply/status'], ordinal: next })
      const runUntil = (next: number) => runOf(hit(next), request('latest', next), ...batch)
      const pause: HuntFault = { ...status, options: { status: 503, retryAfter: '30s' }, requests: { first: 1 } }
      expect(toldOf(runUntil(39), pause)).toMatch(/^It waits for less time than asked: /)
      expect(toldOf(runUntil(40), pause)).toMatch(/^It waits too long: /)
      expect(toldOf(runOf(hit(0), ...batch), pause)).toMatch(/^It waits too long: /)
      expect(told('', pause).why).toMatch(/^It waits too long, too short, /)
      // A long pause may be too long before it is over.
      const unasked = (retryAfter: string, until: number) =>
        toldOf({ ...runOf(hit(0)), ms: until * 1000 }, { ...pause, options: { status: 503, retryAfter } })
      expect(
        [unasked('30s', 39), unasked('30s', 41), unasked('1h', 69), unasked('1h', 71)].map(why =>
          /too long:/.test(why),
        ),
      ).toEqual([false, true, false, true])
      // Others may have gone on.
      expect(toldOf(runUntil(40), pause)).toMatch(/ goes on with other requests during the pause\./)
      expect(toldOf(runOf(hit(40), request('latest', 40)), pause)).toMatch(/ delays other requests that need no wait\./)
      const short: HuntFault = { ...pause, options: { status: 429 } }
      // It ends within the pause.
      const soon = { ...runOf(hit(0), request('batch', 12)), ms: 14_000 }
      const [cut, other] = [
        /^It waits for less time than asked: [^.]+\. Or: It goes on with other/,
        /^It goes on with other /,
      ]
      expect(toldOf(soon, pause)).toMatch(cut)
      // A check may have seen the next request before it was sent, unless the pause is over, or the run has its usual end.
      expect(toldOf({ ...soon, ms: 40_000 }, pause)).not.toMatch(/less time/)
      expect(toldOf({ ...runOf(...every(5, 90), { ...hit(0), at: 95_000 }, request('batch', 96)) }, pause)).toMatch(
        other,
      )
      // It had no reply before.
      expect(toldOf(soon, { ...short, requests: '1' })).toBe(
        'When a request fails, it is about to repeat it before the pause is over, or goes on with other requests during the pause or misreads its length. Or it goes on as if it had not failed, takes an error for an answer or a missing value for 0, or stops other work or gives up what it should only put off. Or it does not report it or reports another trouble.',
      )
      // The second refused request is repeated too soon.
      const twice = [0, 40, 48].map(at => ({ ...request('latest', at), faults: at < 48 ? ['reply/status'] : [] }))
      expect(toldOf(runOf(...twice, ...batch), { ...pause, requests: { first: 2 } })).toMatch(
        /^It waits for less time /,
      )
      // A pause is of all feeds.
      const byFeed = every(5).map((one, i) => ({ ...one, feeds: [i % 2 === 0 ? 'BTCUSD' : 'ETHUSD'] }))
      const refused = byFeed.map((one, i) => (i === 2 ? { ...one, faults: ['reply/status'] } : one))
      const skipping = runOf(...refused.filter(({ at, feeds }) => feeds[0] !== 'BTCUSD' || at < 11_000 || at > 45_000))
      expect(toldScenario(scenarioOf(pause), '', paceOf(skipping, profileOf(runOf(...byFeed)))).why).toMatch(
        /less time/,
      )
      // Those of the same second were sent together with it.
      const together = [
        { ...request('latest', 50), faults: ['reply/status'] },
        { ...request('latest', 50), feeds: ['ETHUSD'] },
      ]
      const once = toldScenario(scenarioOf(short), '', paceOf(runOf(...together), profileOf(runOf(...byFeed)))).why
      expect(once).not.toMatch(/too soon/)
      const zero = { ...pause, options: { status: 429, retryAfterForm: 'zero' } }
      expect(toldOf(runUntil(39), zero)).toMatch(/^It waits as if there were none, or not at all\./)
      expect(toldOf(runOf(hit(0), ...batch), zero)).toMatch(/^It never sends the request again\./)
    })

    it('behavior: the requests of a calm run in the same seconds are the usual ones', () => {
      // First one feed, then another.
      const ask = (feed: string, from: number, count: number) =>
        Array.from({ length: count }, (_, i) => ({ ...request('latest', from + i * 2), feeds: [feed] }))
      const calm = profileOf(runOf(...ask('BTCUSD', 0, 10), ...ask('ETHUSD', 20, 40)))
      const until = (ms: number, ...requests: HuntRequest[]) => ({ ...runOf(...requests), ms })
      expect(paceOf(until(18_000, ...ask('BTCUSD', 0, 10)), calm).kind).toBe('usual')
      expect(paceOf(until(98_000, ...ask('BTCUSD', 0, 10), ...ask('ETHUSD', 20, 40)), calm).kind).toBe('usual')
      expect(paceOf(until(98_000, ...ask('BTCUSD', 0, 10), ...ask('ETHUSD', 20, 20)), calm)).toMatchObject({
        text: 'It sent no request for latest of ETHUSD in the last 40 s.',
      })
      // One that takes longer goes on at the rate of the calm one.
      const longer = until(200_000, ...ask('BTCUSD', 0, 10), ...ask('ETHUSD', 20, 90))
      expect(paceOf(longer, profileOf({ ...runOf(...ask('ETHUSD', 0, 50)), ms: 100_000 })).kind).toBe('usual')
    })

    it('behavior: a request that fails is told by when the next ones came', () => {
      const failed: HuntFault = { ...status, requests: '1' }
      const hit = { ...request('latest', 50), faults: ['reply/status'] }
      const runUntil = (ms: number, ...next: HuntRequest[]) => ({
        ...runOf(...every(5, 50), ...every(10, 50, 'batch'), hit, ...next),
        ms,
      })
      expect(toldOf(runUntil(50_000), failed)).toBe(
        'When a request fails, it crashes, or is about to repeat it too soon. Or it goes on as if it had not failed, takes an earlier reply in its place, takes an error for an answer or a missing value for 0, drops what it has though it is still good, goes on with what is too old, or stops other work or gives up what it should only put off. Or it does not report it or reports another trouble.',
      )
      expect(toldOf(runUntil(60_001, request('batch', 55)), failed)).toBe(
        'When a request fails, it never repeats it. Or it goes on as if it had not failed, takes an earlier reply in its place, takes an error for an answer or a missing value for 0, drops what it has though it is still good, goes on with what is too old, or stops other work or gives up what it should only put off. Or it does not report it or reports another trouble.',
      )
      const again = (second: number) =>
        toldOf(runUntil(62_000, request('batch', 51), request('latest', second)), failed).replace(
          / In the run that found this, .*/,
          '',
        )
      expect([52, 55, 61].map(again)).toEqual([
        'When a request fails, it repeats it too soon. Or it does again what was done before, shifts its schedule, does what comes next too late or by values of another time, drops what it has though it is still good, goes on with what is too old, keeps what it computed without the reply when that comes later, or stops other work or gives up what it should only put off. Or it does not report it or reports another trouble, or still reports it afterwards or takes it as over too soon.',
        'When a request fails, it goes on as if it had not failed, takes an earlier reply in its place, does again what was done before, shifts its schedule, does what comes next too late or by values of another time, takes an error for an answer or a missing value for 0, drops what it has though it is still good, goes on with what is too old, keeps what it computed without the reply when that comes later, or stops other work or gives up what it should only put off. Or it does not report it or reports another trouble, or still reports it afterwards or takes it as over too soon.',
        'When a request fails, it repeats it too late. Or it does again what was done before, shifts its schedule, does what comes next too late or by values of another time, drops what it has though it is still good, goes on with what is too old, keeps what it computed without the reply when that comes later, or stops other work or gives up what it should only put off. Or it does not report it or reports another trouble, or still reports it afterwards or takes it as over too soon.',
      ])
      // Of several failures one may be taken for an answer though the first one was not.
      const twice = runUntil(62_000, { ...hit, at: 52_000 }, request('latest', 55))
      expect(toldOf(twice, { ...failed, requests: '1-2' })).toMatch(/ as if it had not failed, .* takes an error for /)
      // Of an endpoint that is asked once nothing is too soon, and a market is no failure.
      const once = { ...request('history', 55), faults: ['reply/status'] }
      const usual = [...every(5, 60), ...every(10, 60, 'batch')]
      const history = { ...runOf(...usual, once, request('history', 58)), ms: 62_000 }
      expect(toldOf(history, { ...failed, endpoints: ['history'] })).not.toMatch(/repeats it too soon/)
      const moved = every(5, 50).map(one => ({ ...one, faults: ['market/shock'] }))
      const next = [hit, request('batch', 51), request('latest', 52)]
      const crash = toldOf({ ...runOf(...moved, ...every(10, 50, 'batch'), ...next), ms: 62_000 }, failed)
      expect(crash).toBe(again(52))
      // A pause is no delay.
      const paused: HuntFault = { ...failed, options: { status: 503 } }
      expect(toldOf(runUntil(66_000, request('latest', 64)), paused)).not.toMatch(/repeats it too late/)
    })

    it('behavior: only what was there before can stand in for the reply that failed', () => {
      const failed = { ...request('candles', 50), faults: ['reply/status'] }
      const ofCharts = { ...status, requests: '1', endpoints: ['candles'] }
      const told = (...before: HuntRequest[]) =>
        [/ an earlier reply in its place, /, / drops what it has /].map(text =>
          text.test(toldOf({ ...runOf(...every(5), ...before, failed), ms: 120_000 }, ofCharts)),
        )
      expect([told(), told(request('candles', 20))]).toEqual([
        [false, false],
        [true, true],
      ])
    })

    it('behavior: what a failed request leaves missing is counted as 0, or not at all', () => {
      const failed = (fault: HuntFault) => {
        const hit = { ...request('latest', 50), faults: ['reply/status'] }
        return toldOf(runOf(...every(5, 50), ...batch, hit, ...every(5).slice(11)), { ...status, ...fault })
      }
      const one: HuntFault = { fault: 'reply/status', requests: '1' }
      const candles = /, computes with the candles that it has /
      expect(failed(one)).toMatch(/, takes an error for an answer or a missing value for 0,/)
      expect(failed(one)).not.toMatch(candles)
      expect(failed({ ...one, endpoints: ['candles'] })).toMatch(candles)
    })

    it('behavior: a move that is asked for too often is tried again', () => {
      const again = /: it tries again with other values or as something new, checks a limit /
      const told = (name: 'hot' | 'usual') => again.test(toldOf(RUNS[name], { fault: 'market/shock' }))
      expect([told('hot'), told('usual')]).toEqual([true, false])
    })

    it('behavior: a rare request that is repeated at the usual pace of others is not asked for too often', () => {
      const rare = [20, 40, 60, 80].map(second => request('candles', second))
      const calm = profileOf(runOf(...every(5), ...rare))
      const kindOf = (...times: number[]) => {
        const failed = times.map(second => ({ ...request('candles', second), faults: ['reply/status'] }))
        return paceOf(runOf(...every(5), ...failed), calm).kind
      }
      expect(kindOf(...every(5).map(({ at }) => at / 1000))).toBe('usual')
      expect(kindOf(...every(5).flatMap(({ at }) => [at / 1000, at / 1000 + 1]))).toBe('hot')
    })

    it('behavior: a feed that waits for another one, which is asked for on and on, is no silence', () => {
      const ofFeed = (seconds: readonly number[], feed: string) =>
        seconds.map(second => ({ ...request('candles', second), feeds: [feed] }))
      const [often, once] = [every(5).map(({ at }) => at / 1000), [0, 5]]
      const calm = profileOf(runOf(...ofFeed(often, 'BTCUSD'), ...ofFeed(often, 'ETHUSD')))
      const kindOf = (seconds: readonly number[]) => {
        const failed = ofFeed(seconds, 'BTCUSD').map(one => ({ ...one, faults: ['reply/status'] }))
        return paceOf({ ...runOf(...failed, ...ofFeed(once, 'ETHUSD')), ms: 100_000 }, calm)
      }
      expect(kindOf(often)).toMatchObject({ kind: 'usual', text: expect.stringMatching(/no request for .* ETHUSD/) })
      expect(kindOf(once).kind).toBe('silent')
      // Beside it another endpoint may be given up.
      const both = profileOf(runOf(...ofFeed(often, 'ETHUSD'), ...ofFeed(often, 'BTCUSD'), ...every(5)))
      const failed = ofFeed(often, 'BTCUSD').map(one => ({ ...one, faults: ['reply/status'] }))
      const run = { ...runOf(...failed, ...ofFeed(once, 'ETHUSD'), ...every(5, 5)), ms: 100_000 }
      expect(paceOf(run, both)).toMatchObject({ kind: 'silent', text: expect.stringMatching(/no request for latest/) })
    })

    it('behavior: an old price of one feed stands beside newer ones also from the start', () => {
      const feeds = ['BTCUSD', 'ETHUSD']
      const old = { fault: 'market/stale', feeds: ['BTCUSD'], options: { age: '61s' } }
      const hit = runOf(...batch.map(one => ({ ...one, feeds, faults: ['market/stale'] })), ...every(5))
      expect(toldOf(hit, old)).toMatch(/ together with newer ones, or calls all of them fresh /)
      const moved = / Or: A mistake in code that runs only when prices move: /
      const near = { ...old, options: { age: '14s' } }
      expect([old, near].map(fault => moved.test(toldOf(hit, fault)))).toEqual([false, true])
    })

    it('behavior: a reason that is too long is cut, not what the run ended with', () => {
      const faults = ['reply/status', 'market/stale', 'signature/tampered-price'].map(fault => ({ fault }))
      const output = `Error: ${'sold '.repeat(1000)}`
      const { why } = toldScenario(scenarioOf(...faults), output, paceOf(RUNS.usual, profile))
      expect(why).toHaveLength(2000)
      expect(why).toMatch(/[^.]… In the run that found this, it ended with: Error: (sold ){198}/)
    })

    it('behavior: an outage without a price before it leaves none to go on with', () => {
      const outage: HuntFault = { ...status, endpoints: ['latest', 'batch'] }
      const none = runOf(...every(5), ...batch)
      const bad = none.requests.map(one => ({ ...one, status: 503, faults: ['reply/status'] }))
      expect(toldOf({ ...none, requests: bad }, outage)).toBe(
        'During an outage it asks as often as before, or keeps trying without end. Or it does not report it, reports it only once, each time anew or again after a restart, or reports another trouble. Or it goes on as if nothing had failed, takes an error for an answer, counts replies instead of seconds, mixes times or failures that do not belong together, or stops other work.',
      )
      expect(toldOf(RUNS.growing, outage)).not.toMatch(/as often as before/)
    })

    it('behavior: a second source is told where the fault is at no other endpoint', () => {
      const evm = runOf(...every(5), ...batch, request('evm', 50))
      const second = /^It checks less at an endpoint that it asks only in trouble\. Or: /
      expect(toldOf(evm, { fault: 'tick/zero', endpoints: ['evm'] })).toMatch(second)
      expect(toldOf(evm, { fault: 'tick/zero', endpoints: ['latest'] })).not.toMatch(second)
    })

    it('behavior: a refused key is told by when the next request with one came', () => {
      const key: HuntFault = { ...status, options: { status: 403 }, requests: { first: 1 } }
      const hit = { ...request('latest', 50), faults: ['reply/status'] }
      const alone = { ...runOf(...every(5, 50), ...every(10, 50, 'batch'), hit), ms: 51_000 }
      expect(toldOf(alone, key)).toMatch(
        /^It is about to use a refused key again, or does not ask again in time, does not report or handle the refusal, reports another trouble, or also stops other work\./,
      )
      expect(toldOf({ ...alone, ms: 61_000 }, key)).toMatch(
        /^It stops asking for too long, does not report or handle the refusal, reports another trouble, or also /,
      )
      expect(toldOf({ ...alone, requests: [...alone.requests, request('batch', 51)] }, key)).toMatch(
        /^It keeps using a refused key, does not report or handle the refusal, reports another trouble, or also stops other work\./,
      )
      // One before it in the same second was not sent with a refused key.
      const before = [...alone.requests.slice(0, -1), request('batch', 50), hit]
      expect(toldOf({ ...alone, requests: before, ms: 61_000 }, key)).toMatch(/^It stops asking for too long, /)
      const old = /, goes on with prices that get too old, /
      expect([61_000, 66_000].map(ms => old.test(toldOf({ ...alone, ms }, key)))).toEqual([false, true])
      const late = { ...alone, requests: [...alone.requests, request('latest', 61)], ms: 62_000 }
      expect(toldOf(late, key)).toMatch(
        /^It tries it again too soon, does not report or handle the refusal, reports another trouble, still treats or reports the key as refused after /,
      )
      const charts = { ...late, requests: [...alone.requests, request('candles', 55), request('latest', 61)] }
      expect(toldOf(charts, key)).toMatch(/^It tries it again too soon, as after a reply that needs no key, /)
      const again = { ...alone, requests: [...alone.requests, request('latest', 51)] }
      expect(toldOf(again, key)).not.toMatch(/after it works again/)
      expect(toldOf({ ...again, ms: 52_000 }, key)).toMatch(
        /^It keeps using a refused key, does not report or handle the refusal, reports another trouble, still treats or reports the key as refused after /,
      )
      // A minute later, it is refused again, and another endpoint is asked with it at once.
      const refusedAgain = { ...hit, at: 110_000 }
      const other = { ...alone, requests: [...alone.requests, refusedAgain, request('batch', 110)], ms: 115_000 }
      expect(toldOf(other, { ...key, requests: { first: 2 } })).toMatch(/^It keeps using a refused key, /)
      const twice = { ...alone, requests: [...alone.requests, { ...hit, at: 55_000 }] }
      expect(toldOf(twice, { ...key, requests: { first: 2 } })).toMatch(/ does so only once or again each time, /)
    })

    it('behavior: where the first reply with the fault was not enough, it says that it took several', () => {
      const pace = { ...paceOf(RUNS.usual, profile), takesSeveral: true }
      expect(toldScenario(scenarioOf({ fault: 'tick/zero' }), 'Error: late', pace).why).toMatch(
        / In the run that found this, it took more than one such reply\. It ended with: Error: late$/,
      )
    })

    it('behavior: a timeout after which it asks again is not missing', () => {
      const timeout: HuntFault = { fault: 'wire/timeout', requests: '11', endpoints: ['latest'] }
      const next = (second: number) =>
        toldOf(
          runOf(...every(5, 50), { ...request('latest', 50), faults: ['wire/timeout'] }, request('latest', second)),
          timeout,
        )
      // A poller that does not wait asks as usual.
      const texts = [53, 58, 55, 62, 349].map(second => next(second).match(/^A( timeout.+?;)?/)?.[0])
      const all = 'A timeout that is missing, too long or unhandled;'
      expect(texts).toEqual(['A', 'A', all, 'A timeout that is too long;', 'A timeout that is missing or too long;'])
      // How long it waited is told, where nothing else was asked most of the time.
      const silent = { ...request('latest', 50), status: 0, faults: ['wire/timeout'] }
      const waited = (...after: HuntRequest[]) =>
        / it sent no request for 299 s after one without a reply\.$/.test(
          toldOf(runOf(...every(5, 50), silent, ...after), timeout),
        )
      const late300 = request('batch', 349)
      expect([waited(late300), waited(request('batch', 60), late300), waited()]).toEqual([true, false, false])
      // After a short wait others were asked, and it never again.
      const others = every(10, 100, 'batch').filter(({ at }) => at > 60_000)
      expect(toldOf(runOf(...every(5, 50), silent, ...others), timeout)).toMatch(
        / it sent no request for latest in the last 50 s\.$/,
      )
      // Another endpoint may have none.
      const { endpoints: _, ...everywhere } = timeout
      const late = (name: string, at: number) => ({ ...request(name, at), faults: ['wire/timeout'] })
      const run = (...more: HuntRequest[]) =>
        runOf(...every(5, 50), late('latest', 50), request('latest', 53), late('batch', 54), ...more)
      expect(toldOf(run(), everywhere)).toMatch(/ is missing, too long /)
      expect(toldOf(run(request('batch', 57)), everywhere)).not.toMatch(/ timeout /)
    })

    it('behavior: what a second source did meanwhile may show only afterwards', () => {
      const gap: HuntFault = { fault: 'market/gap', from: '45s', for: '10s' }
      const told = (...others: HuntRequest[]) =>
        / a wrong or unfinished substitute meanwhile, /.test(toldOf(runOf(...every(5), ...batch, ...others), gap))
      expect([told(), told(request('candles', 50))]).toEqual([false, true])
    })

    it('behavior: the second failure of one kind tells what the first one did not', () => {
      const failed = [20, 25, 60, 65].map(at => ({ ...request('latest', at), faults: ['reply/status'] }))
      const first = { ...status, from: '20s', for: '10s' }
      const told = (...faults: HuntFault[]) =>
        / does not report it, /.test(toldOf({ ...runOf(...every(5, 20), ...failed), ms: 66_000 }, ...faults))
      expect([told({ ...status, from: '20s' }), told(first, { ...status, from: '60s' })]).toEqual([true, false])
    })

    it('behavior: a reply that is right again is said to correct the wrong one, if it is one to the same request', () => {
      const zero: HuntFault = { fault: 'tick/zero', endpoints: ['latest'], requests: '11' }
      const hit = { ...request('latest', 50), faults: ['tick/zero'], parameters: ['minutes=5'] }
      const corrects = (next: Partial<HuntRequest>) =>
        / when a good reply follows: it keeps the bad value /.test(
          toldOf(runOf(...every(5, 50), hit, { ...request('latest', 55), parameters: ['minutes=5'], ...next }), zero),
        )
      expect(corrects({})).toBe(true)
      expect(corrects({ faults: ['market/shock'] })).toBe(true)
      expect(
        [{ faults: ['tick/zero'] }, { status: 503 }, { parameters: [] }, { endpoint: 'batch' }].map(corrects),
      ).toEqual([false, false, false, false])
    })

    it('behavior: by the feeds that its last words name, the mistake is one of the feed with the fault or of others', () => {
      const feeds = ['BTCUSD', 'ETHUSD', 'SOLUSD']
      const calm = profileOf(runOf(...every(5).map(one => ({ ...one, feeds }))))
      const hit = { ...request('latest', 50), feeds, faults: ['tick/zero'] }
      const zero: HuntFault = { fault: 'tick/zero', endpoints: ['latest'], feeds: ['BTCUSD'], requests: '11' }
      const saying = (output: string, fault = zero) =>
        toldScenario(scenarioOf(fault), output, paceOf({ ...runOf(...every(5, 50), hit), ms: 51_000 }, calm)).why
      const [others, own, refused] = [
        /^It fails for feeds without the fault: /,
        / also drops good prices,/,
        / rightly /,
      ]
      const are = (text: string, fault?: HuntFault) =>
        [others, own, refused].map(pattern => pattern.test(saying(text, fault)))
      for (const text of ['Error: ETHUSD is late', 'Error: no ETH, no SOL'])
        expect(are(text)).toEqual([true, false, false])
      for (const text of ['Error: BTCUSD is late', 'Error: BTC: 1']) expect(are(text)).toEqual([false, false, true])
      for (const text of ['Error: late', 'Error: BTC and ETH', 'Error: ETHEREUM'])
        expect(are(text)).toEqual([false, true, true])
      const { feeds: _, ...all } = zero
      expect(are('Error: ETHUSD is late', all)).toEqual([false, true, true])
      expect(are('Error: WETHUSD is late')).toEqual([false, true, true])
      const both = scenarioOf(zero, { ...zero, feeds: ['ETHUSD'] })
      const pace = paceOf({ ...runOf(...every(5, 50), hit), ms: 51_000 }, calm)
      expect(toldScenario(both, 'Error: ETHUSD is late', pace).why).not.toMatch(/ without the fault: /)
      expect(toldScenario(both, 'Error: SOLUSD is late', pace).why).toMatch(others)
      // The one signature of a batch is that of all of its prices, and a price of another feed is of two.
      const signed = (fault: string, endpoints: string[]) => ({ ...zero, fault, endpoints })
      const faults = [signed('signature/high-s', ['batch']), signed('signature/high-s', ['latest'])]
      const ofOthers = [...faults, signed('signature/other-feed', ['batch'])].map(
        fault => are('Error: no ETH', fault)[0],
      )
      expect(ofOthers).toEqual([false, true, false])
      const { requests: __, ...over } = { ...zero, from: '30s', for: '10s' } as const
      expect(saying('Error: ETHUSD is late', over)).toMatch(
        /^It fails for feeds without the fault: .* Or: It fails only after the fault has ended: (?!.*Or:( Or\b|$))/,
      )
    })

    it('behavior: who asks less often in an outage does not ask as often as before', () => {
      const failed = (...seconds: number[]) =>
        runOf(...every(5, 40), ...batch, ...seconds.map(at => ({ ...request('latest', at), faults: ['reply/status'] })))
      const often = /asks as often as before/
      expect(toldOf(failed(40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95), status)).toMatch(often)
      expect(toldOf(failed(40, 45, 53, 63, 73, 83, 93), status)).not.toMatch(often)
      const quiet = { ...failed(40, 45, 50, 55, 60), ms: 71_000 }
      expect(toldOf(quiet, status)).toMatch(/^During an outage it stops asking\. /)
      expect(toldOf({ ...quiet, ms: 70_000 }, status)).toMatch(/^During an outage it keeps trying without end\. /)
    })

    it.each([
      [[40, 50, 60, 80, 90], 'makes its pause shorter again before it is over', '10, 10, 20, 10'],
      [[40, 50, 60, 70.5, 81, 91], 'has a pause that is too long, or does not grow', '10, 10, 11, 11, 10'],
      [[40, 45, 55, 65, 75], 'lets its pause grow too late, too fast, too far or not far enough', '5, 10, 10, 10'],
      [[40, 45, 50, 60, 80], 'lets its pause grow too late, too fast, too far or not far enough', '5, 5, 10, 20'],
      [[40, 45, 50, 55, 60], undefined, undefined],
      // Too few to tell.
      [[40, 90], undefined, undefined],
      [[40, 60, 90], 'lets its pause grow too fast or too far', '20, 30'],
      [[40, 45, 55, 80], 'lets its pause grow too fast or too far', '5, 10, 25'],
    ])('behavior: failed requests at %j are told by their pauses', (seconds, mistake, gaps) => {
      const failed = seconds.map(at => ({ ...request('latest', at), faults: ['reply/status'] }))
      const run = { ...runOf(...every(5, 40), ...batch, ...failed), ms: seconds.at(-1)! * 1000 + 4000 }
      const why = toldOf(run, status)
      expect(
        /^During an outage it ([^,.]+?(?:, or does not grow|, too fast, too far or not far enough)?)(?:, or [^,.]+)?\. /.exec(
          why,
        )?.[1],
      ).toBe(mistake ?? (seconds.length > 3 ? 'asks as often as before' : 'keeps trying without end'))
      expect(/[Ii]ts requests for latest came (.*?) s apart\./.exec(why)?.[1]).toBe(gaps)
    })

    it('behavior: a pause that grows though requests succeed in between', () => {
      /** Every second request fails, and the next one comes after a pause. */
      const toldAfter = (...pauses: number[]) => {
        let now = 0
        const requests = pauses.flatMap(pause => {
          const pair = [{ ...request('latest', now), faults: ['reply/status'] }, request('latest', now + pause)]
          now += pause + 1
          return pair
        })
        return toldOf({ ...runOf(...requests, ...batch), ms: now * 1000 }, { ...status, requests: { every: 2 } })
      }
      expect(toldAfter(5, 10, 20, 40)).toMatch(/ does not reset its count of failures\b/)
      expect(toldAfter(10, 10, 10, 10)).toMatch(/ does not reset its count of failures\b/)
    })

    it('behavior: two faults of one kind are no fallback, and the end of one is no end', () => {
      const stale = (age: string, from?: string): HuntFault => ({
        fault: 'market/stale',
        for: '13s',
        options: { age },
        ...(from !== undefined && { from }),
      })
      expect(toldOf(RUNS.usual, stale('61s'), stale('59s', '13s'))).toMatch(
        /^It keeps something of the first one until the second: [^.]+\. Or: It never looks at `ts` or only on arrival, /,
      )
      expect(toldOf(RUNS.usual, stale('61s'))).toMatch(/^It fails only after the fault has ended: /)
      const apart = [stale('61s'), { fault: 'tick/zero' }]
      expect(toldOf(RUNS.usual, ...apart)).toMatch(/^One fault makes it use a special state, /)
      expect(toldOf(runOf(...every(5), request('evm', 50)), ...apart)).toMatch(/^One fault makes it use a fallback, /)
    })

    it('behavior: what only a longer run leaves open', () => {
      const hit = { ...request('latest', 50), faults: ['tick/zero'] }
      const toldUntil = (ms: number, fault: HuntFault) =>
        toldOf({ ...runOf(...every(5, 50), ...batch, hit), ms }, { ...fault, endpoints: ['latest'] })
      const long = /counts replies, not prices, and so does not notice that prices are missing, /
      expect([60_000, 66_000].map(ms => long.test(toldUntil(ms, { fault: 'tick/zero' })))).toEqual([false, true])
      const ends = { fault: 'tick/zero', for: '10s', from: '45s' }
      const over = /^It fails only after the fault has ended: /
      expect(toldUntil(66_000, ends)).toMatch(over)
      const run = { ...runOf(...every(5, 50), ...batch, hit), ms: 66_000 }
      expect(toldOf(run, ends, { ...ends, fault: 'tick/negative', from: '60s' })).not.toMatch(/the fault has ended/)
    })

    it('behavior: a pause that an error asks for, during which other requests are sent', () => {
      const hits = [50, 56, 62, 68].map(at => ({ ...request('latest', at), faults: ['reply/status'] }))
      const others = /goes on with other requests during the pause/
      const outage = { fault: 'reply/status', endpoints: ['latest'] }
      const run = { ...runOf(...every(5, 50), hits[0]!, request('batch', 52), ...hits.slice(1)), ms: 72_000 }
      expect(toldOf(run, outage)).toMatch(others)
      expect(toldOf(run, { ...outage, options: { status: 500 } })).not.toMatch(others)
      expect(toldOf({ ...runOf(...every(5, 50), ...hits), ms: 72_000 }, outage)).not.toMatch(others)
      const one = (second: number) =>
        toldOf(
          { ...runOf(...every(5, 50), hits[0]!, request('latest', 56), request('batch', second)), ms: 80_000 },
          { ...outage, requests: '11' },
        )
      // Without the fault it comes after 60 s.
      expect([56, 60, 65, 66].map(second => /delays other requests that need no wait/.test(one(second)))).toEqual([
        false,
        false,
        false,
        true,
      ])
    })

    it('behavior: a price that is refused again and again, and one that is asked for elsewhere', () => {
      const forged = { fault: 'signature/bit-flip', endpoints: ['latest'] }
      const from = (second: number, ...others: HuntRequest[]) => {
        const hits = every(5).map(one => (one.at < second * 1000 ? one : { ...one, faults: [forged.fault] }))
        return toldOf(runOf(...hits, ...batch, ...others), forged)
      }
      const without = / asks for every feed again, keeps asking without end, or stops, /
      expect(from(50)).toMatch(/ asks no other source, keeps asking without end, or stops, /)
      expect(from(90)).not.toMatch(/ without end/)
      expect(from(50, { ...request('evm', 51), faults: [] })).toMatch(without)
      expect(from(50, { ...request('evm', 51), feeds: ['ETHUSD'] })).not.toMatch(/ asks for every feed again/)
    })

    it('behavior: a price of another feed is no last price, and no candles leave no chart', () => {
      const gap: HuntFault = { fault: 'market/gap', feeds: ['BTCUSD'] }
      const hit = { ...request('latest', 50), status: 404, faults: ['market/gap'] }
      const goneAfter = (feed: string, ...others: HuntRequest[]) =>
        toldOf(runOf(...every(5, 50).map(one => ({ ...one, feeds: [feed] })), hit, ...others), gap)
      const last = / goes on with its last price, /
      expect(['BTCUSD', 'ETHUSD'].map(feed => last.test(goneAfter(feed)))).toEqual([true, false])
      const candle = / takes a neighbour for a missing candle\./
      expect([goneAfter('BTCUSD'), goneAfter('BTCUSD', request('candles', 55))].map(why => candle.test(why))).toEqual([
        false,
        true,
      ])
      const calm = profileOf(runOf(...every(5), ...every(20, 100, 'candles')))
      const stale: HuntFault = { fault: 'market/stale', feeds: ['BTCUSD'], options: { age: '61s' } }
      const old = { ...request('latest', 50), faults: ['market/stale'] }
      const chart = (...others: HuntRequest[]) =>
        / its chart ends before its newest price\./.test(
          toldScenario(scenarioOf(stale), '', paceOf({ ...runOf(...every(5, 50), old, ...others), ms: 56_000 }, calm))
            .why,
        )
      expect([chart(), chart(request('candles', 51))]).toEqual([false, true])
    })

    it('behavior: in an outage in which it stops asking, prices get old, if there were any', () => {
      const outage: HuntFault = { fault: 'reply/status', endpoints: ['latest'] }
      const failed = (second: number) => ({ ...request('latest', second), faults: ['reply/status'], status: 503 })
      const old = / Or it goes on with the last prices for too long\./
      expect(toldOf(runOf(...every(5, 50), failed(50)), outage)).toMatch(old)
      expect(toldOf(runOf(failed(0)), outage)).toMatch(/^In an outage it stops asking, /)
      expect(toldOf(runOf(failed(0)), outage)).not.toMatch(old)
    })

    it('behavior: what takes more than one request, some time after it, or a second feed', () => {
      const zero = { fault: 'tick/zero', endpoints: ['latest'] }
      const until = (ms: number, feeds: string[], fault: HuntFault = zero) => {
        const hit = { ...request('latest', 50), feeds, faults: [fault.fault] }
        return toldOf({ ...runOf(...every(5, 50), ...batch, hit), ms }, fault)
      }
      const open = (ms: number) =>
        [/ or lapses\./, / goes on with the last one for too long, /].map(text => text.test(until(ms, ['BTCUSD'])))
      expect([50_000, 51_000, 65_000].map(open)).toEqual([
        [false, false],
        [false, true],
        [true, true],
      ])
      const forged = { ...zero, fault: 'signature/bit-flip', feeds: ['BTCUSD'] }
      const apart = / Or it puts the old price of one feed together with newer ones\./
      const told = [['BTCUSD', 'ETHUSD'], ['BTCUSD']].map(feeds => apart.test(until(51_000, feeds, forged)))
      expect(told).toEqual([true, false])
      const first = { ...request('latest', 0), feeds: ['BTCUSD', 'ETHUSD'], faults: [forged.fault] }
      // A price of the same second was none before it.
      for (const others of [[], [request('evm', 0)]]) {
        expect(toldOf({ ...runOf(...others, first), ms: 0 }, forged)).not.toMatch(/ or the last one it had/)
        expect(toldOf(runOf(...others, first), forged)).not.toMatch(apart)
      }
      const key: HuntFault = { ...status, options: { status: 401 }, requests: { first: 1 } }
      const refused = [
        ...every(5, 50),
        ...every(10, 50, 'batch'),
        { ...request('latest', 50), faults: ['reply/status'] },
      ]
      const isOver = (second: number) =>
        / after it works again,? /.test(
          toldOf({ ...runOf(...refused, request('latest', second)), ms: second * 1000 }, key),
        )
      expect([55, 80].map(isOver)).toEqual([false, true])
    })

    it('behavior: of the first prices none is the last one, and a coin is no stablecoin', () => {
      const other = { fault: 'signature/other-feed', endpoints: ['latest'] }
      const first = every(5).map(one => ({ ...one, faults: [other.fault] }))
      const ending = (requests: HuntRequest[]) =>
        / that one is missing( and takes .*? a new one)?\./.exec(toldOf(runOf(...requests), other))
      expect(ending(first)![1]).toBeUndefined()
      expect(ending([request('latest', 0), ...first.slice(1)])![1]).toBeDefined()
      const pegs = [['BTCUSD'], ['USDCUSD'], undefined].map(feeds =>
        /^It takes a stablecoin for one dollar/.test(told('', { fault: 'market/depeg', ...(feeds && { feeds }) }).why),
      )
      expect(pegs).toEqual([false, true, true])
    })

    it('behavior: after a good reply the last prices are new, and it may have recovered too soon', () => {
      const json = { fault: 'reply/malformed-json', endpoints: ['latest'], requests: '11' }
      const bad = { ...request('latest', 50), faults: [json.fault] }
      const ending = (...requests: HuntRequest[]) =>
        toldOf({ ...runOf(...every(5, 50), bad, ...requests), ms: 66_000 }, json)
      expect(ending()).toMatch(/ uses its last prices for too long, (?!.*as over too soon)/)
      expect(ending(request('latest', 55))).toMatch(
        /^(?!.*last prices).* takes the trouble as over too soon, does what its state forbids, /,
      )
    })

    it('behavior: a reply that is refused, and asked for again too soon', () => {
      const again = (second: number) => {
        const hit = { ...request('latest', 50), faults: ['tick/zero'] }
        return toldOf(runOf(...every(5, 50), ...batch, hit, request('latest', second)), {
          ...{ fault: 'tick/zero', endpoints: ['latest'], requests: '11' },
        })
      }
      const soon = / Or it refuses the reply, and asks again too soon\./
      expect([53, 54].map(second => soon.test(again(second)))).toEqual([true, false])
    })

    it('behavior: pauses are told of whatever fails, and are those of a status only once', () => {
      const failed = [10, 30, 50, 70].map(at => ({ ...request('latest', at), faults: ['wire/timeout'] }))
      const run = { ...runOf(...failed, ...batch), ms: 75_000 }
      const steady = /has a pause that is too long, or does not grow/g
      expect(toldOf(run, { fault: 'wire/timeout', endpoints: ['latest'] }).match(steady)).toHaveLength(1)
      expect(toldOf(run, status).match(steady)).toHaveLength(1)
    })

    it.each([
      [{ fault: 'market/stale' }, / puts the old price of one feed together with newer ones/],
      [{ fault: 'tick/ts-skew', options: { seconds: -1 } }, / puts the old price of one feed together with newer ones/],
    ])('behavior: %j of one feed of several', (fault, text) => {
      const toldOfFeeds = (...feeds: string[]) => {
        const hit = { ...request('latest', 50), feeds, faults: [fault.fault] }
        return toldOf(runOf(...every(5, 50), ...batch, hit), { ...fault, feeds: ['BTCUSD'] })
      }
      expect([toldOfFeeds('BTCUSD', 'ETHUSD'), toldOfFeeds('BTCUSD')].map(why => text.test(why))).toEqual([true, false])
    })

    it('behavior: a run of one reply, of two spells, or that went on well rules out what needs more or less', () => {
      const old: HuntFault = { fault: 'market/stale', from: '50s', options: { age: '61s' } }
      const hit = { ...request('latest', 50), faults: [old.fault] }
      const short = { ...runOf(...every(5, 50), hit), ms: 51_000 }
      const [never, once] = [/ never says that /, / says so only once /]
      const are = (why: string) => [never.test(why), once.test(why)]
      expect(are(toldOf(RUNS.usual, old))).toEqual([true, true])
      expect(are(toldOf(short, old))).toEqual([true, false])
      const twice = toldScenario(scenarioOf(old, { ...old, from: '80s' }), '', paceOf(RUNS.usual, profile)).why
      expect(are(twice)).toEqual([false, true])
      const down = every(5).map(one => (one.at < 50_000 ? one : { ...one, status: 503, faults: ['reply/status'] }))
      const outage = (...next: HuntRequest[]) => toldOf(runOf(...batch, ...down, ...next), status)
      const goesOn = [outage(), outage(request('latest', 100))].map(why => / keeps trying without end/.test(why))
      expect(goesOn).toEqual([true, false])
    })

    it('behavior: a find with a clock of its own says so in its title', () => {
      const titleOf = (clock?: { readonly at: string }) =>
        toldScenario({ ...scenarioOf(status), ...(clock && { clock }) }, '').title
      expect(titleOf()).not.toMatch(/Another time/)
      expect(titleOf({ at: '2027-01-01T00:00:00Z' })).toMatch(/\. Also: Another time$/)
    })

    it('behavior: a signature at another endpoint than the main one may be the only one that is not verified', () => {
      const some = / Or it verifies .*the replies of some endpoints only\./
      const at = (endpoint: string) => toldOf(RUNS.usual, { fault: 'signature/bit-flip', endpoints: [endpoint] })
      expect(['batch', 'latest'].map(endpoint => some.test(at(endpoint)))).toEqual([true, false])
    })

    it('behavior: a signature of some prices only: of a later one, or of a part of a reply', () => {
      const forged = { fault: 'signature/bit-flip', endpoints: ['latest'], feeds: ['BTCUSD'] }
      const afterwards = (requests: readonly HuntRequest[], ...feeds: string[]) =>
        toldOf(runOf(...requests, { ...request('latest', 50), feeds, faults: [forged.fault] }), forged)
      expect(afterwards([], 'BTCUSD')).not.toMatch(/ verifies (some|only)/)
      expect(afterwards([], 'BTCUSD', 'ETHUSD')).toMatch(/ Or it verifies only a part of a reply\./)
      const first = / Or it verifies some prices only: the first ones, or one of each feed and time\./
      expect(afterwards(every(5, 50), 'BTCUSD')).toMatch(first)
      // The batch has one signature.
      expect(
        toldOf(runOf({ ...request('batch', 50), feeds: ['BTCUSD', 'ETHUSD'], faults: [forged.fault] }), {
          ...forged,
          endpoints: ['batch'],
        }),
      ).not.toMatch(/ verifies (some|only)/)
    })

    it('behavior: a move by whether prices came before it, and by how long the run goes on', () => {
      const shock = { fault: 'market/shock', options: { change: -0.2 } }
      const told = (from: number, ms: number, { fault } = shock) => {
        const moved = every(5).filter(({ at }) => at >= from && at <= ms)
        const before = every(5).filter(({ at }) => at < from)
        return toldOf({ ...runOf(...before, ...moved.map(one => ({ ...one, faults: [fault] }))), ms }, shock)
      }
      expect(told(0, 60_000)).toMatch(/ or does not expect prices of this magnitude\. /)
      expect(told(50_000, 60_000)).toMatch(/ or compares with a price of another time\. /)
      const later = [
        / or on any second one, acts too late or never, /,
        / never enters or leaves a state, /,
        / takes a real move for a bad price /,
      ]
      expect([54_000, 55_000, 65_000].map(ms => later.map(text => text.test(told(50_000, ms))))).toEqual([
        [false, false, false],
        [true, true, false],
        [true, true, true],
      ])
      const tick = (ms: number) => {
        const hit = { ...request('latest', 50), faults: ['market/bad-tick'] }
        return toldOf({ ...runOf(...every(5, 50), hit), ms }, { fault: 'market/bad-tick', options: { factor: 2 } })
      }
      expect([64_000, 65_000].map(ms => / or keeps it: /.test(tick(ms)))).toEqual([false, true])
    })

    it('behavior: what needs another endpoint is left out without one', () => {
      const only = profileOf(runOf(...every(5)))
      const told = (calm: typeof profile, fault: HuntFault, ...at: number[]) => {
        const hits = at.map(one => ({ ...request('latest', one), faults: [fault.fault] }))
        return toldScenario(scenarioOf(fault), '', paceOf({ ...runOf(...every(5, 50), ...hits), ms: 66_000 }, calm)).why
      }
      const failed = { fault: 'reply/status', endpoints: ['latest'], requests: '11' }
      const zero = { fault: 'tick/zero', endpoints: ['latest'] }
      expect([profile, only].map(calm => / delays other requests that need no/.test(told(calm, failed, 50)))).toEqual([
        true,
        false,
      ])
      const paused = { ...failed, options: { retryAfter: '10s' } }
      expect([profile, only].map(calm => / delays other requests that need no/.test(told(calm, paused, 50)))).toEqual([
        true,
        false,
      ])
      expect([profile, only].map(calm => / asks no other source, /.test(told(calm, zero, 50)))).toEqual([true, false])
    })

    it('behavior: a tick that is repeated is too old only after a while', () => {
      const stale = { fault: 'market/stale', feeds: ['BTCUSD'] }
      const told = (ms: number) => {
        const hit = { ...request('latest', 50), faults: [stale.fault] }
        return toldOf({ ...runOf(...every(5, 50), ...batch, hit), ms }, stale)
      }
      expect(told(59_000)).toMatch(/^It counts one tick as several, or its age from the arrival\. /)
      expect(told(60_000)).toMatch(/^It never looks at `ts` or only on arrival, /)
    })

    it('behavior: what two faults of a kind share is told once', () => {
      const outage = (from: string) => ({ ...status, from, for: '10s' })
      const why = toldOf(RUNS.usual, outage('10s'), { ...outage('40s'), options: { status: 503 } })
      expect(why.match(/ goes on as if nothing had failed/g)).toHaveLength(1)
    })

    it('behavior: a long pause makes prices old', () => {
      const hit = { ...request('latest', 10), faults: ['reply/status'] }
      const paused = (retryAfter: string) =>
        toldOf(runOf(hit, request('latest', 45), ...batch), { ...status, options: { status: 503, retryAfter } })
      expect(['29s', '30s'].map(asked => / get too old meanwhile\./.test(paused(asked)))).toEqual([false, true])
    })

    it('behavior: a feed that was unknown is asked for again, or not', () => {
      const unknown: HuntFault = { ...status, options: { status: 404 }, requests: { first: 1 } }
      const hit = { ...request('latest', 10), faults: ['reply/status'] }
      expect(toldOf(runOf(hit, ...batch), unknown)).toMatch(/^It never asks for them again, /)
      expect(toldOf(runOf(hit, request('latest', 15)), unknown)).toMatch(/^It sends a request again /)
    })

    it('behavior: requests of the same second are no pause that is shorter', () => {
      const twice = [0, 5, 12, 30, 80].flatMap(second => [request('latest', second), request('latest', second)])
      const calm = profileOf(runOf(...every(2)))
      expect(paceOf(runOf(...twice), calm).kind).toBe('fewer')
    })

    it('behavior: only the first pauses are told', () => {
      const failed = Array.from({ length: 12 }, (_, i) => ({
        ...request('latest', 10 + i * 6),
        faults: ['reply/status'],
      }))
      const calm = profileOf(runOf(...every(3)))
      const textOf = (count: number) => paceOf({ ...runOf(...failed.slice(0, count)), ms: 80_000 }, calm).text
      expect([11, 12].map(textOf)).toEqual([
        'Its requests for latest came 6, 6, 6, 6, 6, 6, 6, 6, 6, 6 s apart.',
        'Its requests for latest came 6, 6, 6, 6, 6, 6, 6, 6, 6, 6 … s apart.',
      ])
    })

    it('behavior: the requests around the first fault are shown, the last four and the end', () => {
      const failed = (second: number) => ({ ...request('latest', second), status: 500, faults: ['reply/status'] })
      expect(requestsOf({ ...runOf(...every(5, 20), failed(20), ...every(5, 50).slice(5)), ms: 50_240 })).toEqual([
        '15s latest BTCUSD 200',
        '20s latest BTCUSD 500 reply/status',
        '25s latest BTCUSD 200',
        '30s latest BTCUSD 200',
        '35s latest BTCUSD 200',
        '40s latest BTCUSD 200',
        '45s latest BTCUSD 200',
        '50.2s the end',
      ])
      const other = { ...request('latest', 0), endpoint: undefined, feeds: [], status: 0 }
      const many = { ...request('batch', 1), feeds: ['A', 'B', 'C', 'D'], faults: ['market/stale', 'tick/zero'] }
      const hits = (count: number) =>
        requestsOf(
          runOf(
            ...every(5, 100).map((one, n) => (n % 2 === 1 && n < 2 * count ? { ...one, faults: ['tick/zero'] } : one)),
          ),
        ).filter(line => line.includes('tick/zero')).length
      expect([hits(6), hits(7)]).toEqual([6, 1])
      expect(requestsOf({ ...runOf(other, many), ms: 1000 })).toEqual([
        '0s another path no reply',
        '1s batch A,B,C,… 200 market/stale tick/zero',
        '1s the end',
      ])
      const chart = (interval: string, fault: string[] = []) => ({
        endpoint: 'candles',
        target: `/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=${interval}&_=${interval}`,
        status: 200,
        now: 0,
        ordinal: 1,
        faults: fault,
      })
      const charts = [[chart('1h'), chart('1m', ['series/empty'])], [chart('1h')]]
      expect(charts.map(all => requestsOf({ ...runOf(...toHuntRequests(all, 0)), ms: 0 }))).toEqual([
        ['0s candles BTCUSD interval=1h 200', '0s candles BTCUSD interval=1m 200 series/empty', '0s the end'],
        ['0s candles BTCUSD 200', '0s the end'],
      ])
    })

    it('behavior: after a reply that cannot be used, a request sooner than usual is too soon', () => {
      const json = { fault: 'reply/malformed-json', endpoints: ['latest'] }
      const hit = { ...request('latest', 50), faults: ['reply/malformed-json'] }
      const soon = (next: number) => {
        const others = every(5, 100).filter(({ at }) => at < 50_000 || at > 55_000)
        return / asks again too soon/.test(
          toldOf(runOf(...others.slice(0, 10), hit, request('latest', next), ...others.slice(10), ...batch), json),
        )
      }
      expect([53, 54].map(soon)).toEqual([true, false])
    })

    it.each([
      [-28, /^It never looks at `ts` or only on arrival, /],
      [28, /^An age below zero, /],
      [-5, /^Two prices with one `ts`, /],
    ])('behavior: a `ts` that is off by %i s', (seconds, mistake) => {
      expect(toldOf(RUNS.usual, { fault: 'tick/ts-skew', endpoints: ['latest'], options: { seconds } })).toMatch(
        mistake,
      )
    })

    it('behavior: what happens to another endpoint is not told of the one with the fault', () => {
      const json = { fault: 'reply/malformed-json', endpoints: ['batch'] }
      expect(toldOf(RUNS.silent, json)).toMatch(/^A `JSON\.parse` outside of any `try`\. Or: [^.]+ goes on as if /)
      expect(toldOf(RUNS.silent, { ...json, endpoints: ['latest'] })).toMatch(/ it stops asking, or asks too rarely\./)
    })

    it('behavior: the errors of one endpoint that stop another', () => {
      const errors = { fault: 'reply/status', endpoints: ['batch'] }
      const stops = /, or stops other work\. In the run that found this, it sent/
      expect(toldOf(RUNS.silent, errors)).toMatch(stops)
      expect(toldOf(RUNS.silent, { ...errors, endpoints: ['latest'] })).not.toMatch(stops)
    })

    it('behavior: who goes on after a reply that is no JSON has caught its error', () => {
      const json = { fault: 'reply/malformed-json', endpoints: ['latest'] }
      const last = { ...request('latest', 95), faults: ['reply/malformed-json'] }
      expect(toldOf(runOf(...every(5, 95), ...batch, last), json)).toMatch(/^A `JSON\.parse` outside of/)
      expect(toldOf(runOf({ ...last, at: 0 }, ...every(5), ...batch), json)).toMatch(
        /^After a reply that it cannot use/,
      )
    })

    it('behavior: a check that fails soon is no crash, and a run that ends with a move shows no later price', () => {
      const fault = { fault: 'reply/malformed-json', endpoints: ['latest'] }
      const until = (ms: number, name: string) => {
        const hit = { ...request('latest', 50), feeds: ['BTCUSD', 'ETHUSD'], faults: [name] }
        return paceOf({ ...runOf(...every(5, 50), ...batch.slice(0, 5), hit), ms }, profile)
      }
      const crashes = (ms: number, output: string) =>
        /JSON\.parse|crashes/.test(toldScenario(scenarioOf(fault), output, until(ms, fault.fault)).why)
      expect([
        crashes(50_000, ''),
        crashes(50_000, 'Error: sold at 0'),
        crashes(90_000, 'Error: sold nothing'),
        crashes(50_000, 'SyntaxError: Unexpected end of JSON input'),
      ]).toEqual([true, false, true, true])
      const moved = (ms: number) =>
        / on any second one, .* shares it between feeds,/.test(
          toldScenario(scenarioOf({ fault: 'market/shock' }), '', until(ms, 'market/shock')).why,
        )
      expect([50_000, 90_000].map(moved)).toEqual([false, true])
    })

    it('behavior: a key that is not tried again while the run goes on, and a market that has opened', () => {
      const key: HuntFault = { ...status, endpoints: ['history'], options: { status: 401 }, requests: { first: 1 } }
      const hit = { ...request('history', 50), faults: ['reply/status'] }
      const until = (ms: number) => toldOf({ ...runOf(...every(5, 50), ...every(10, 50, 'batch'), hit), ms }, key)
      expect([58_000, 85_000].map(ms => /is about to use a refused key again/.test(until(ms)))).toEqual([true, false])
      const opened = (count: number, ...feeds: string[]) => {
        const asked = every(5).map(one => ({ ...one, feeds, faults: one.at < 50_000 ? ['market/closed'] : [] }))
        const why = toldOf(runOf(...asked.slice(0, count)), { fault: 'market/closed' })
        return why.startsWith('It fails only after the fault has ended')
      }
      expect([opened(9, 'EURUSD', 'XAUUSD'), opened(15, 'EURUSD', 'XAUUSD'), opened(15, 'EURUSD')]).toEqual([
        false,
        true,
        false,
      ])
    })

    it('behavior: replies that are late, and prices that move, are no failures with a pause', () => {
      const slow = [0, 5, 12, 30, 34, 80].map(second => ({ ...request('latest', second), faults: ['reply/latency'] }))
      const run = runOf(...slow, ...batch)
      const paused = (fault: string) => / Or it makes its pause shorter/.test(toldOf(run, { fault }))
      expect(['reply/latency', 'market/drift', 'tick/zero'].map(paused)).toEqual([false, false, true])
    })

    it('behavior: an old price is also that of a chart', () => {
      const candles = every(10, 100, 'candles')
      const both = { ...profile, endpoints: profileOf(runOf(...every(5), ...candles)).endpoints }
      const pace = paceOf(runOf(...every(5), ...candles), both)
      expect(toldScenario(scenarioOf({ fault: 'market/stale' }), '', pace).why).toMatch(/Or its chart ends /)
      expect(toldOf(RUNS.usual, { fault: 'market/stale' })).not.toMatch(/Or its chart/)
    })

    it('behavior: a feed of an endpoint that stops while the others go on', () => {
      const ask = (feed: string, until: number) =>
        Array.from({ length: until / 5 }, (_, i) => ({ ...request('latest', i * 5), feeds: [feed] }))
      const calm = profileOf(runOf(...ask('BTCUSD', 100), ...ask('ETHUSD', 100)))
      const run = runOf(...ask('BTCUSD', 40), ...ask('ETHUSD', 100))
      expect(paceOf(run, calm)).toMatchObject({
        kind: 'silent',
        text: 'It sent no request for latest of BTCUSD in the last 65 s.',
      })
      // The pause after a fault is that of its feed.
      const hit = { ...request('latest', 10), faults: ['reply/status'] }
      const others = [request('latest', 11), request('latest', 17)].map((one, i) => ({
        ...one,
        feeds: [['ETHUSD', 'BTCUSD'][i]!],
      }))
      expect(paceOf(runOf(hit, ...others), calm).gap).toBe(7)
      const inOrder = [...ask('ETHUSD', 50), ...ask('BTCUSD', 30), { ...hit, at: 30_000 }].sort((a, b) => a.at - b.at)
      const soon = { ...runOf(...inOrder), ms: 50_000 }
      expect(paceOf(soon, calm).text).toBe('It sent no request for latest of BTCUSD in the last 20 s.')
      // A batch may name others the next time.
      const feeds = ['BTCUSD', 'ETHUSD']
      const some = every(5, 100, 'batch').map(one => ({ ...one, feeds }))
      const next = { ...request('batch', 13), feeds: ['ETHUSD', 'SOLUSD'] }
      expect(paceOf(runOf({ ...hit, endpoint: 'batch', feeds }, next), profileOf(runOf(...some))).gap).toBe(3)
      const once = profileOf(runOf({ ...some[0]!, feeds: ['BTCUSD'] }, ...some.slice(1)))
      expect(paceOf(runOf({ ...hit, endpoint: 'batch', feeds }, next), once).gap).toBe(3)
      // Unless it names some in turns.
      const inTurns = some.map((one, i) => (i % 2 === 0 ? one : { ...one, feeds: ['SOLUSD', 'LINKUSD'] }))
      const chunk = { ...next, feeds: ['SOLUSD', 'LINKUSD'] }
      const again = { ...next, at: 16_000, feeds }
      const first = { ...hit, endpoint: 'batch', feeds }
      expect(paceOf(runOf(first, chunk), profileOf(runOf(...inTurns))).gap).toBe(3)
      expect(paceOf(runOf(first, chunk, again), profileOf(runOf(...inTurns)))).toMatchObject({
        gap: 6,
        elsewhere: 3,
        interval: 10,
      })
    })

    it('behavior: who does not ask again in a run that ends soon has stopped', () => {
      const hit = { ...request('latest', 30), faults: ['reply/status'] }
      const until = (ms: number) => ({ ...runOf(...every(5, 30), hit, ...every(10, ms / 1000, 'batch')), ms })
      expect([50_000, 49_000].map(ms => paceOf(until(ms), profile).kind)).toEqual(['silent', 'usual'])
      // Nor did anything else go on.
      const alone = runOf(...every(5, 30), ...every(10, 30, 'batch'), hit)
      expect(paceOf({ ...alone, ms: 50_000 }, profile).kind).toBe('usual')
    })

    it('behavior: what a tick fault shows only after good replies is kept of an earlier one', () => {
      const kept = / Or it keeps something of an earlier price or /
      const expo = { fault: 'tick/wrong-expo', endpoints: ['latest'], from: '7s' }
      expect(toldOf(RUNS.usual, expo)).toMatch(kept)
      expect(toldOf(RUNS.usual, { ...expo, for: '5s' })).not.toMatch(kept)
      expect(toldOf(RUNS.usual, { fault: 'reply/empty-body', endpoints: ['latest'], from: '7s' })).not.toMatch(kept)
    })

    it('behavior: a price that is refused at one endpoint and taken at another', () => {
      const evm = (...faults: string[]) => runOf(...every(5), ...batch, { ...request('evm', 50), faults })
      const forged = { fault: 'signature/wrong-signer', requests: '3' }
      expect(toldOf(evm(forged.fault), forged)).toMatch(
        /^It refuses this at one endpoint and asks another one instead, /,
      )
      // A good reply of the other one is no mistake, but shows that it does check.
      for (const run of [evm(), RUNS.usual]) expect(toldOf(run, forged)).not.toMatch(/does not check/)
      const unchecked = / does not compare it | does not verify /
      expect([evm(), RUNS.usual].map(run => unchecked.test(toldOf(run, forged)))).toEqual([false, true])
      const tampered = { ...forged, fault: 'signature/tampered-price' }
      // A price that is off may be compared with another source by who never verifies, but hardly all of a batch.
      const hit = { ...request('batch', 50), feeds: ['BTCUSD', 'ETHUSD'], faults: [tampered.fault] }
      const asking = (...ids: string[]) =>
        runOf(...every(5), hit, ...ids.map(id => ({ ...request('evm', 50), feeds: [id] })))
      const runs = [asking('BTCUSD'), asking('BTCUSD', 'ETHUSD')]
      expect(runs.map(run => unchecked.test(toldOf(run, tampered)))).toEqual([true, false])
      // With several faults another one may be why it asks there.
      const both = toldScenario(scenarioOf(forged, tampered), '', paceOf(evm(), profile)).why
      expect(both).toMatch(unchecked)
    })

    it('behavior: an endpoint asked only in trouble that gives no answer is not checked less', () => {
      const zero = { fault: 'tick/zero', endpoints: ['evm'] }
      const told = (status: number) => {
        const run = runOf(...every(5), ...batch, { ...request('evm', 50), status })
        return toldScenario(scenarioOf(zero, { fault: 'reply/status' }), '', paceOf(run, profile)).why
      }
      expect([200, 503].map(code => /checks less at an endpoint/.test(told(code)))).toEqual([true, false])
    })

    it('behavior: a price that still moves in the last request shows nothing of afterwards', () => {
      const last = (...faults: string[]) => runOf(...every(5), { ...request('latest', 101), faults })
      const told = (run: HuntRun) =>
        toldScenario({ ...scenarioOf({ fault: 'market/shock', for: '5s' }), loop: '50s' }, '', paceOf(run, profile)).why
      expect([last(), last('market/shock')].map(run => /^It fails only after /.test(told(run)))).toEqual([true, false])
    })

    it.each(['market/shock', 'market/bad-tick'])('behavior: %s of several feeds is several at once', fault => {
      const several = /^When several prices cross a limit at once, [^.]+\.$/
      expect(toldOf(RUNS.usual, { fault, feeds: ['BTCUSD', 'ETHUSD'] })).toMatch(several)
      expect(toldOf(RUNS.usual, { fault, feeds: ['BTCUSD'] })).not.toMatch(several)
    })

    it('behavior: afterwards is said only of what ends', () => {
      const late = (fault: HuntFault, run = RUNS.usual) => /afterwards|after it works again/.test(toldOf(run, fault))
      const key = { ...status, options: { status: 401 } }
      const hit = runOf({ ...request('latest', 0), faults: ['reply/status'] }, ...batch)
      expect([late(status), late({ ...status, for: '5s', requests: { every: 2 } })]).toEqual([false, false])
      expect([late(key), late({ ...key, requests: '3' }), late({ ...key, requests: '3' }, hit)]).toEqual([
        false,
        true,
        false,
      ])
      expect(told('', { ...status, for: '5s' }).why).toMatch(
        / afterwards it does not make up for what it missed, or by values of another time\.$/,
      )
    })

    it('behavior: who asks another endpoint sees that a price is old', () => {
      const evm = runOf(...every(5), ...batch, request('evm', 50))
      const stale = (age?: string): HuntFault => ({ fault: 'market/stale', ...(age && { options: { age } }) })
      expect(toldOf(evm, stale('61s'))).toMatch(
        /^It sees that a price is old and asks another endpoint, but does not check /,
      )
      expect(toldOf(evm, stale())).toMatch(/^It sees that a price is old and asks another endpoint, but counts /)
      expect(toldOf(RUNS.usual, { ...stale('61s'), from: '5s' })).toMatch(
        / trades at an old price, or lets it replace /,
      )
      expect(toldOf(RUNS.usual, stale('61s'))).toMatch(
        / trades at an old price\. Or it never says that a price is old, says so only once or each time anew, goes on when too few are fresh, or does by another source what it should hold back\. Or, if it rightly refused /,
      )
    })

    it('behavior: high and low are mixed up only where they are asked for', () => {
      const shock = { fault: 'market/shock' }
      expect(toldOf(RUNS.usual, shock)).toMatch(/ mixes up high, low and latest or keeps old ones,/)
      const pace = paceOf(RUNS.usual, profileOf(runOf(...every(5))))
      expect(toldScenario(scenarioOf(shock), '', pace).why).not.toMatch(/high, low/)
    })

    it('behavior: pauses of two outages are not one that gets shorter', () => {
      const failed = (...seconds: number[]) =>
        seconds.map(at => ({ ...request('latest', at), faults: ['reply/status'] }))
      const apart = runOf(
        ...every(5, 20),
        ...failed(20, 30, 50),
        request('latest', 90),
        ...failed(95, 105, 125),
        ...batch,
      )
      expect(toldOf(apart, status)).not.toMatch(/shorter again/)
      expect(toldOf(runOf(...every(5, 20), ...failed(20, 50, 60, 90), ...batch), status)).toMatch(/shorter again/)
    })

    it('behavior: a feed that goes away is told by how it is asked for, and by the price that there was', () => {
      const gap = { fault: 'market/gap', endpoints: ['latest'] }
      const lost = (...seconds: number[]) => seconds.map(at => ({ ...request('latest', at), faults: ['market/gap'] }))
      const since = toldOf(runOf(...every(5, 20), ...lost(20, 25, 30), ...batch), gap)
      expect(since).toMatch(
        /goes on with its last price, .* Or it asks as often as before, or gives up what it should only put off or waits for it for ever\./,
      )
      const never = toldOf({ ...runOf(...lost(0)), ms: 90_000 }, gap)
      expect(never).toMatch(
        /^When a feed goes away, it stops the others with it, or takes .* never asks for it again\./,
      )
    })

    it('behavior: an error after a good reply is one of its own work', () => {
      const crash = (run: HuntRun) =>
        toldScenario(scenarioOf(status), 'TypeError: x is not a function', paceOf(run, profile)).why
      expect(crash(RUNS.usual)).toMatch(/^It crashes in its own work, after a good reply\. /)
      const failed = { ...request('latest', 120), faults: ['reply/status'] }
      const [unhandled, own] = [/^It stops with an error that it does not handle\./, /^It crashes in its own work/]
      expect(crash(runOf(...every(5, 120), failed))).toMatch(unhandled)
      // A good reply to another request says nothing of that.
      expect(crash(runOf(...every(5, 120), failed, request('candles', 120)))).toMatch(unhandled)
      expect(crash(runOf(...every(5, 120), failed, request('latest', 125)))).toMatch(own)
      const moved = { ...failed, faults: ['market/shock'] }
      expect(crash(runOf(...every(5, 120), moved))).toMatch(own)
    })

    it('behavior: a refused price can stop those that were asked for with it', () => {
      const zero = { fault: 'tick/zero', endpoints: ['latest'], feeds: ['BTCUSD'] }
      const toldOf = (...feeds: string[]) => {
        const hit = { ...request('latest', 50), feeds, faults: ['tick/zero'] }
        return toldScenario(scenarioOf(zero), '', paceOf(runOf(...every(5, 50), ...batch, hit), profile)).why
      }
      const beside = / Or, if it rightly refused the price: it (counts replies, .*, )?fills the gap with a wrong value /
      expect(toldOf('BTCUSD', 'ETHUSD')).toMatch(beside)
      expect(toldOf('BTCUSD')).toMatch(beside)
      expect(toldScenario(scenarioOf({ fault: 'reply/extra-field' }), '', paceOf(RUNS.usual, profile)).why).not.toMatch(
        beside,
      )
    })

    it('behavior: a price that is remembered is told for a bad tick beside another move', () => {
      const tick = { fault: 'market/bad-tick' }
      expect(toldOf(RUNS.usual, tick, { fault: 'market/shock' })).toMatch(/^It holds back a suspicious price /)
      expect(toldOf(RUNS.usual, tick)).toMatch(/^It acts on a single wrong price, /)
      // Two of them are told as such, and not as another time.
      const two = toldOf(RUNS.usual, tick, { ...tick, from: '30s', options: { factor: 1.5, hold: '5s' } })
      expect(two).toMatch(
        /^It holds back [^.]+\. Or: It keeps something of the first one [^.]+\. Or: It acts on a second wrong /,
      )
      expect(two).not.toMatch(/turn of a day/)
    })
  })
})
