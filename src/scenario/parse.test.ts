// The parser of scenarios: accepted forms, and the problems of everything else.
import { describe, expect, it } from 'vitest'
import { failureOf } from '../../test/support/problem-paths.js'
import { VOCABULARY } from '../../test/support/vocabulary.js'
import { MARKET_FAULTS } from '../faults/market/index.js'
import { duration } from '../faults/options.js'
import { describePlan, parseScenario, planTimes } from './parse.js'
import { type ActiveScenario, applyScenario } from './scenario.js'

const parse = (data: unknown, inline = true) =>
  parseScenario(data, VOCABULARY, { name: 'test', subject: 'test.json', inline })
/** The problems of a scenario, and the text of the error with the first item of long lists. */
const refused = (data: unknown, inline = true) => {
  const { problems, message } = failureOf(() => parse(data, inline))
  return { problems, text: message.replaceAll(/one of (\S+), [^(\n]{20,}?(?= {3}\(|$)/gm, 'one of $1, …') }
}
/** The problems of one fault of a scenario, without their texts. */
const wrong = (fault: object, more: object = {}) =>
  refused({ ...more, faults: [fault] }).problems.map(({ at, got, closest }) => ({
    at,
    got,
    ...(closest === undefined ? {} : { closest }),
  }))
/** The texts of the problems of one fault of a scenario. */
const wantsOf = (fault: object, more: object = {}) =>
  refused({ ...more, faults: [fault] }).problems.map(({ at, want }) => `${at}: ${want}`)
/** The seconds of the first two minutes in which the first fault is active. */
const activeSeconds = (data: object): string => {
  const [fault] = (applyScenario(parse(data), 1000) as ActiveScenario).faults
  return Array.from({ length: 120 }, (_, i) => (fault!.windows.at(1000 + i) === undefined ? '' : `${i}`))
    .filter(Boolean)
    .join(' ')
    .replace(/\b(\d+)(?: (\d+))+\b/g, run => toRanges(run.split(' ').map(Number)))
}
const toRanges = (seconds: readonly number[]): string =>
  seconds
    .flatMap((second, i) => (seconds[i - 1] === second - 1 ? [] : [[second, endOfRun(seconds, i)]]))
    .map(([from, to]) => `${from}–${to}`)
    .join(' ')
const endOfRun = (seconds: readonly number[], i: number): number => {
  let last = i
  while (seconds[last + 1] === seconds[last]! + 1) last++
  return seconds[last]!
}

describe('parseScenario', () => {
  it('default: a scenario file', () => {
    const { $schema, ...source } = {
      $schema: './schema.json',
      title: 'BTC goes stale',
      why: 'A consumer that never looks at ts.',
      seed: 7,
      policy: { candles: 9 },
      clock: { at: '2025-07-24T10:48:25Z', frozen: true },
      faults: [
        { fault: 'market/stale', feeds: ['btcusd', 'BTC/USD'.replace('/', '')], from: '10s', for: '5m' },
        { fault: 'reply/status', endpoints: ['latest'], requests: { first: 2 }, options: { status: 401 } },
        { fault: 'wire/reset', requests: '1-3,7', chance: 0.5 },
        { fault: 'wire/reset', requests: '2 of 30' },
        { fault: 'tick/ts-backwards' },
      ],
    }
    const scenario = parse({ $schema, ...source }, false)
    expect(scenario).toMatchObject({
      name: 'test',
      title: 'BTC goes stale',
      why: 'A consumer that never looks at ts.',
      source,
    })
    expect(scenario.settings).toEqual({
      seed: '7',
      policy: { candles: 9 },
      clock: { at: 1_753_354_105_000, frozen: true },
    })
    expect(scenario.faults.map(({ fault, planned }) => `${fault.name}: ${planned}`)).toEqual([
      'market/stale: BTCUSD, from 10s for 5m',
      'reply/status: latest, first 2',
      'wire/reset: requests 1-3,7, chance 0.5',
      'wire/reset: requests 2 of 30',
      'tick/ts-backwards: always',
    ])
    expect([...scenario.faults[0]!.feeds!]).toEqual(['BTCUSD'])
    expect(scenario.faults.map(({ requests }) => requests)).toEqual([
      undefined,
      { first: 2 },
      {
        ranges: [
          [1, 3],
          [7, 7],
        ],
      },
      { ranges: [[2, 2]], of: 30 },
      // The default of the fault.
      { every: 2 },
    ])
    expect(scenario.source).not.toHaveProperty('$schema')
  })

  it('args: one that is given inline may leave out title and why, a file may not', () => {
    expect(parse({ faults: [{ fault: 'reply/status' }] }).faults[0]).toMatchObject({ chance: 1, requests: undefined })
    expect(parse({ faults: [] })).toMatchObject({ title: 'Inline', why: 'Given inline.', faults: [] })
    expect(refused({ faults: [] }, false).problems.map(({ at }) => at)).toEqual(['title', 'why'])
    expect(refused({ title: '', why: 'x'.repeat(2001), faults: [] }).problems.map(({ at }) => at)).toEqual([
      'title',
      'why',
    ])
  })
})

describe('times', () => {
  it.each([
    [{}, '0–119'],
    [{ from: '0s' }, '0–119'],
    [{ from: '100s' }, '100–119'],
    [{ for: '10s' }, '0–9'],
    [{ from: '1m', for: '10s' }, '60–69'],
    [{ for: '10s', repeat: '50s' }, '0–9 50–59 100–109'],
    [{ from: '5s', for: '10s', repeat: '50s' }, '5–14 55–64 105–114'],
    [{ for: '50s', repeat: '50s' }, '0–119'],
    [{ loop: '40s' }, '0–119'],
    [{ loop: '40s', from: '30s' }, '30–39 70–79 110–119'],
    [{ loop: '40s', for: '10s' }, '0–9 40–49 80–89'],
    [{ loop: '40s', for: '40s' }, '0–119'],
    // The loop ends a longer window.
    [{ loop: '40s', from: '30s', for: '30s' }, '30–39 70–79 110–119'],
    [{ loop: '1m', from: '5s', for: '5s', repeat: '20s' }, '5–9 25–29 45–49 65–69 85–89 105–109'],
    [{ loop: '1m', from: '20s', for: '20s', repeat: '20s' }, '20–59 80–119'],
    [{ loop: '1m', from: '5s', for: '5s', repeat: '1m' }, '5–9 65–69'],
  ])('args: %j is active in %s', (given, seconds) => {
    const { loop, ...times } = given as { readonly loop?: string }
    expect(activeSeconds({ ...(loop ? { loop } : {}), faults: [{ fault: 'wire/reset', ...times }] })).toBe(seconds)
  })
})

describe('selectors', () => {
  it.each([
    '0',
    '1-',
    '-3',
    '3-x',
    '1,,2',
    '',
    ' 1',
    '1-3-5',
    '1.5',
    '1e3',
    '01',
    '3 of 2',
    '1of 2',
    '1 of 0',
    '1 of 2,3',
    ...[{ first: 1.5 }, { first: '3' }, { last: 3 }, {}, { first: 1, every: 2 }, 3, [1], null],
  ])('error: requests %j', requests => {
    expect(wrong({ fault: 'wire/reset', requests })).toMatchObject([{ at: 'faults[0].requests', got: requests }])
  })

  it('error: unknown names, each with the closest one', () => {
    expect(
      wrong({
        fault: 'reply/status',
        feeds: ['BTCUSD', 'BTCUSX', 'zzzzzzzz'],
        endpoints: ['lates', 'Batch', 'xyzxyz'],
      }),
    ).toEqual([
      { at: 'faults[0].feeds[1]', got: 'BTCUSX', closest: 'BTCUSD' },
      { at: 'faults[0].feeds[2]', got: 'zzzzzzzz' },
      { at: 'faults[0].endpoints[0]', got: 'lates', closest: 'latest' },
      { at: 'faults[0].endpoints[1]', got: 'Batch', closest: 'batch' },
      { at: 'faults[0].endpoints[2]', got: 'xyzxyz' },
    ])
  })
})

it.each([
  ['market/stail', 'market/stale'],
  ['Market/Stale', 'market/stale'],
  ['market/stale ', 'market/stale'],
  ['stale', 'market/stale'],
  ['reset', 'wire/reset'],
  ['evm-v-parity', 'signature/evm-v-parity'],
  ['singature/high-s', 'signature/high-s'],
  ['status', 'reply/status'],
  ['missing', 'series/missing'],
  ['reply/timeout', 'wire/timeout'],
  ['wire/latency', 'reply/latency'],
  ['tick/stale', 'market/stale'],
])('error: the name of a fault: %s is near %s', (name, closest) => {
  expect(wrong({ fault: name })).toMatchObject([{ at: 'faults[0].fault', got: name, closest }])
})

describe('the text of an error', () => {
  it('error: all problems at once', () => {
    const { text, problems } = refused(
      {
        titel: 'x',
        why: 5,
        loop: '0s',
        policy: { candels: 5 },
        faults: [
          { fault: 'market/stail' },
          { fault: 'stale' },
          { fault: 'reply/status', options: { staus: 500 }, endpoints: ['lates'] },
          { fault: 'reply/latency', options: { ms: -1 }, frm: '5s', chance: 2 },
          { fault: 'market/price' },
          'market/stale',
        ],
      },
      false,
    )
    expect(problems).toHaveLength(14)
    expect(text).toMatchInlineSnapshot(`
      "test.json has 14 problems.
        at    title
        got   nothing
        want  1 to 200 characters
        at    why
        got   5
        want  1 to 2000 characters
        at    policy.candels
        got   an unknown key
        want  candles (closest)
        at    loop
        got   "0s" (string)
        want  a duration such as "90s", "5m", "2h" or "1d"
        at    titel
        got   an unknown key
        want  title (closest)
        at    faults[0].fault
        got   "market/stail" (string)
        want  market/stale (closest), one of market/stale, …
        at    faults[1].fault
        got   "stale" (string)
        want  market/stale (closest), the name of a fault such as market/stale
        at    faults[2].options.staus
        got   an unknown key
        want  status (closest)
        at    faults[2].endpoints[0]
        got   "lates" (string)
        want  latest (closest), one of candles, …
        at    faults[3].chance
        got   2
        want  a number from 0 to 1
        at    faults[3].frm
        got   an unknown key
        want  from (closest)
        at    faults[3].options.ms
        got   -1
        want  an integer from 0 to 600000
        at    faults[4].options.price
        got   nothing
        want  a price from 1e-18 to 1e15 quote units
        at    faults[5]
        got   "market/stale" (string)
        want  an object such as {"fault": "market/stale"}
        docs  price-feed-mock/docs/scenarios.md
        code  SCENARIO_INVALID"
    `)
  })

  it('error: an unknown fault hides no other problem', () => {
    const times = [
      { at: 'faults[0].from', got: '-5s' },
      { at: 'faults[0].for', got: '0s' },
    ]
    const unknownKey = { at: 'faults[0].frm', got: 'an unknown key', closest: 'from' }
    const unknownFeed = { at: 'faults[0].feeds[0]', got: 'BTCUDS', closest: 'BTCUSD' }
    const entry = { feeds: ['BTCUDS'], from: '-5s', for: '0s', frm: '1s' }
    expect(wrong({ fault: 'market/stael', ...entry })).toMatchObject([
      { at: 'faults[0].fault', got: 'market/stael', closest: 'market/stale' },
      ...times,
      unknownKey,
      unknownFeed,
    ])
    expect(wrong({ fault: 5, ...entry })).toMatchObject([{ at: 'faults[0].fault' }, ...times, unknownKey, unknownFeed])
    expect(wrong(entry)).toMatchObject([{ at: 'faults[0].fault' }, ...times, unknownKey, unknownFeed])
  })

  it('error: an unknown fault takes the selectors of the closest one, or all', () => {
    const entry = { endpoints: ['lates'], requests: '0', chance: 2, repeat: '5s' }
    expect(wrong({ fault: 'wire/rest', ...entry }).map(({ at }) => at)).toEqual(
      ['fault', 'requests', 'chance', 'endpoints[0]', 'for'].map(key => `faults[0].${key}`),
    )
    expect(wrong({ fault: 'nonsense', ...entry }).map(({ at }) => at)).toEqual(
      ['fault', 'requests', 'chance', 'endpoints[0]', 'for'].map(key => `faults[0].${key}`),
    )
    expect(wrong({ fault: 'market/stael', requests: '1' })[1]).toEqual({
      at: 'faults[0].requests',
      got: 'an unknown key',
    })
    expect(wrong({ fault: 'nonsense', requests: '1', feeds: ['btcusd'] })).toHaveLength(1)
  })

  it.each([
    ['options', { options: { price: -1 } }, 'options.price'],
    ['options that do not fit a feed', { feeds: ['BTCUSD'], options: { price: 1e14 } }, 'options'],
    ['a feed', { feeds: ['NOPE'], options: { price: 5 } }, 'feeds[0]'],
    ['a selector', { requests: '1', options: { price: 5 } }, 'requests'],
    ['a time', { from: '-5s', options: { price: 5 } }, 'from'],
    ['contradicting times', { repeat: '5s', feeds: ['BTCUSD'], options: { price: 5 } }, 'for'],
    ['a time beyond the loop', { for: '2m', feeds: ['BTCUSD'], options: { price: 5 } }, 'for'],
  ])('error: %s is reported beside other problems', (_, entry, at) => {
    const reported = (fault: object, more: object = {}) => wrong(fault, { loop: '1m', ...more }).map(one => one.at)
    const fault = { fault: 'market/price', ...entry }
    for (const mistake of [{ frm: '1s' }, { chance: 2 }, { endpoints: ['latest'] }])
      expect(reported({ ...fault, ...mistake })).toContain(`faults[0].${at}`)
    expect(reported(fault, { titel: 'x', why: 5, policy: { candels: 1 } })).toContain(`faults[0].${at}`)
  })

  it('behavior: the texts of all problems', () => {
    const texts = [
      wantsOf({ fault: 'wire/reset', repeat: '5s' }),
      wantsOf({ fault: 'wire/reset', for: '2m', repeat: '90s' }),
      wantsOf({ fault: 'wire/reset', from: '1m' }, { loop: '1m' }),
      wantsOf({ fault: 'wire/reset', for: '61s' }, { loop: '1m' }),
      wantsOf({ fault: 'wire/reset', for: '1s', repeat: '2m' }, { loop: '1m' }),
      wantsOf({ fault: 'wire/reset', for: '1s', repeat: '1s' }, { loop: '1001s' }),
      wantsOf({ fault: 'wire/reset', from: '-5s' }),
      wantsOf({ fault: 'wire/reset', requests: {} }),
      wantsOf({ fault: 'wire/reset', requests: { first: 0 } }),
      wantsOf({ fault: 'market/stale', requests: '1' }),
      wantsOf({ fault: 'series/empty', endpoints: ['candles'] }),
      wantsOf({ fault: 'reply/status', feeds: ['BTCUSX'] }),
      wantsOf({ fault: 'wire/brake' }),
      wantsOf({ fault: 'toString' }),
      wantsOf(JSON.parse('{"fault": "reply/status", "__proto__": {}}')),
      wantsOf({ fault: 'market/flatline', options: { xyz: 1 } }),
      wantsOf({ fault: 'reply/latency', options: { chance: 1 } }),
      wantsOf({ fault: 'reply/status', status: 503 }),
      wantsOf({ fault: 'market/price', options: { price: 1e14 } }),
      wantsOf({ fault: 'market/shock', options: { change: -40 } }),
    ]
    expect(texts.flat().join('\n')).toMatchInlineSnapshot(`
      "faults[0].for: how long each repetition lasts
      faults[0].for: at most 90s, the time of "repeat"
      faults[0].from: a time before 60s, when the loop begins again
      faults[0].for: at most 60s, the time of "loop"
      faults[0].repeat: at most 60s, the time of "loop"
      faults[0].repeat: a longer time: at most 1000 repetitions fit into a loop of 1001s
      faults[0].from: a duration such as "90s", "5m", "2h" or "1d", or "0s"
      faults[0].requests: "3", "1-3", "1-3,7", "5-6 of 30", {"first": 3} or {"every": 5}, counted from 1; at most 100 ranges
      faults[0].requests.first: an integer from 1 to 1000000000
      faults[0].requests: no such key: market/stale is a function of time
      faults[0].endpoints: no such key: series/empty applies to one endpoint only
      faults[0].feeds[0]: the id of a feed, see /_mock/feeds
      faults[0].fault: one of wire/reset, wire/refused, wire/truncate, wire/timeout, wire/dribble
      faults[0].fault: the name of a fault such as market/stale
      faults[0].__proto__: another key: \`__proto__\` is not allowed
      faults[0].options.xyz: nothing: it has no options
      faults[0].options.chance: it beside "options"
      faults[0].status: it in "options"
      faults[0].options: a price from 0.001 to 90000000, which BTCUSD can have; or select feeds with "feeds"
      faults[0].options.change: a number from -0.999 (-99.9 %) to 1000"
    `)
  })

  it('error: not a scenario', () => {
    for (const data of [null, undefined, 5, 'calm', [], true])
      expect(refused(data).problems, JSON.stringify(data)).toMatchObject([{ at: '(the whole)', want: 'an object' }])
  })

  it('error: too many faults are not parsed', () => {
    const many = Array.from({ length: 10_000 }, () => ({ fault: 'nonsense' }))
    expect(refused({ faults: many }).problems).toHaveLength(1)
    expect(refused({ faults: many }).text).toMatchInlineSnapshot(`
      "test.json has 1 problem.
        at    faults
        got   10000
        want  a list of at most 100 faults
        docs  price-feed-mock/docs/scenarios.md
        code  SCENARIO_INVALID"
    `)
    expect(refused({ faults: many.slice(0, 100) }).problems).toHaveLength(100)
  })

  it('error: after a thousand problems no further fault is parsed', () => {
    const unknown = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`x${i}`, 1]))
    const faults = Array.from({ length: 4 }, () => ({ fault: 'market/stale', ...unknown }))
    expect(refused({ faults }).problems).toHaveLength(1200)
  })

  it('error: more crashes than a scenario may have, counted from the first one', () => {
    const crashes = (count: number) => Array.from({ length: count }, () => ({ fault: 'market/crash' }))
    expect(parse({ faults: crashes(20) }).faults).toHaveLength(20)
    expect(refused({ faults: crashes(22) }).problems).toEqual([
      { at: 'faults[20]', got: 'market/crash', want: 'at most 20 of it in a scenario' },
    ])
  })
})

const EVER = Number.POSITIVE_INFINITY
const plan = (written: object, loop?: number) => planTimes({ ...written }, { loop, pace: 1 }, 'faults[0]')

describe('planTimes', () => {
  it.each([
    [{ from: '10s' }, 10, EVER, EVER, 'from 10s'],
    [{ for: '20s' }, 0, 20, EVER, 'for 20s'],
    [{ from: '10s', for: '20s' }, 10, 20, EVER, 'from 10s for 20s'],
    [{ from: '10s', for: '20s', repeat: '60s' }, 10, 20, 60, 'from 10s for 20s repeat 60s'],
    [{ for: '60s', repeat: '60s' }, 0, 60, 60, 'for 60s repeat 60s'],
    // As they were written: who wrote hours reads hours.
    [{ from: '1h', for: '90s', repeat: '1d' }, 3600, 90, 86_400, 'from 1h for 90s repeat 1d'],
  ])('args: %j', (selectors, shift, until, period, words) => {
    const pattern = { shift, windows: [{ from: 0, until }], period }
    expect(plan(selectors)).toEqual({ pattern, problems: [] })
    expect(describePlan({ ...selectors })).toBe(words)
  })

  it('args: a loop of a thousand windows', () => {
    expect(plan({ for: '1s', repeat: '1s' }, 1000).pattern.windows).toHaveLength(1000)
  })

  it.each([
    [{ from: '5000s', for: '9s', repeat: '2s' }, 4000, ['for', 'from', 'repeat']],
    // Unparsable times are reported by the schema, and hide no contradictions.
    [{ from: '-5s', for: '101s' }, 100, ['for']],
    [{ from: '5s', for: '0s', repeat: '5m' }, 100, ['repeat']],
  ] as const)('error: %j, loop %s', (written, loop, problems) => {
    const { pattern, problems: found } = plan(written, loop)
    const got = written as Readonly<Record<string, unknown>>
    expect(found.map(({ at, got }) => ({ at, got }))).toEqual(
      problems.map(key => ({ at: `faults[0].${key}`, got: got[key] })),
    )
    // An invalid pattern has no windows.
    expect(pattern.windows).toEqual([])
  })
})

describe('pace', () => {
  const path = (...seconds: string[]) => ({
    fault: 'market/path',
    feeds: ['BTCUSD'],
    options: { points: seconds.map((at, i) => ({ at, price: 50_000 + i })) },
  })
  const planned = (data: object) => parse(data).faults.map(({ pattern, options }) => ({ pattern, options }))

  it('default: it divides the times of windows, and those of the market', () => {
    const at = (minute: (minutes: number) => string) => [
      { fault: 'market/drift', from: minute(3), for: minute(20), repeat: minute(30), options: { per: minute(7) } },
      { fault: 'market/crash', options: { fall: minute(1), bottom: minute(4), recovery: minute(30) } },
      { fault: 'market/depeg', from: minute(2), options: { over: minute(9) } },
      { fault: 'market/shock', options: { over: minute(5) } },
      { fault: 'market/price', options: { price: 100, over: minute(8) } },
      { fault: 'market/bad-tick', options: { hold: minute(6) } },
      path('0s', minute(1), minute(90)),
      { fault: 'reply/latency', from: minute(5), for: minute(1) },
    ]
    for (const loop of [undefined, 60]) {
      const loops = (unit: string) => (loop === undefined ? {} : { loop: `${loop}${unit}` })
      const [long, short] = [at(minutes => `${minutes}m`), at(minutes => `${minutes}s`)]
      expect(planned({ pace: 60, ...loops('m'), faults: long })).toEqual(planned({ ...loops('s'), faults: short }))
    }
  })

  it('behavior: it divides every duration of the market, but the age that a price shows', () => {
    const isDuration = (schema: unknown): boolean => {
      const { innerType } = (schema as { readonly def: { readonly innerType?: unknown } }).def
      return schema === duration || (innerType !== undefined && isDuration(innerType))
    }
    const left = MARKET_FAULTS.flatMap(({ name, options, ...fault }) =>
      Object.entries(options.def.shape)
        .filter(([option, schema]) => isDuration(schema) && !('times' in fault && fault.times?.includes(option)))
        .map(([option]) => `${name} ${option}`),
    )
    expect(left).toEqual(['market/stale age'])
  })

  it('behavior: options that are left out follow, those that a consumer reads stay', () => {
    const [crash, stale, limit] = planned({
      pace: 60,
      faults: [
        { fault: 'market/crash' },
        { fault: 'market/stale', options: { age: '5m' } },
        { fault: 'reply/rate-limit', options: { window: '1m' } },
      ],
    })
    expect(crash!.options).toMatchObject({ fall: 5, bottom: 2, recovery: 30 })
    expect([stale!.options, limit!.options]).toMatchObject([{ age: 300 }, { window: 60 }])
  })

  it('behavior: times are whole seconds, at least one, and windows stay side by side', () => {
    const seconds = (fault: object, more: object = {}) =>
      activeSeconds({ pace: 60, ...more, faults: [{ fault: 'reply/latency', ...fault }] })
    expect(seconds({ from: '1s', for: '1s' })).toBe('0')
    expect(['0s', '90s', '180s'].map(from => seconds({ from, for: '90s' }))).toEqual(['0–1', '2', '3–4'])
    expect(seconds({ from: '5m', for: '10s', repeat: '20m' })).toBe('5–5 25–25 45–45 65–65 85–85 105–105')
    expect(seconds({ from: '95s', for: '5s' }, { loop: '100s' })).toMatch(/^1–1 3–3 5–5 /)
    expect(
      planned({ pace: 1e5, faults: [{ fault: 'market/shock', options: { over: '1s' } }] })[0]!.options,
    ).toMatchObject({ over: 1 })
  })

  it('behavior: the plan names it beside times', () => {
    const faults = [{ fault: 'reply/latency', from: '1h', for: '10m' }, { fault: 'reply/latency' }]
    expect(parse({ pace: 60, faults }).faults.map(fault => fault.planned)).toEqual([
      'from 1h for 10m at pace 60',
      'always',
    ])
    expect(parse({ pace: 2, faults }).faults[0]!.planned).toBe('from 1h for 10m at pace 2')
  })

  it('error: points that fall on one second', () => {
    expect(wantsOf(path('1m', '2m', '140s', '10m'), { pace: 60 })).toEqual([
      'faults[0].options.points[2].at: at least 60s after the point before, at pace 60',
    ])
    expect(wrong(path('1m', '2m', '140s'), { pace: 60 })[0]!.got).toBe('140s')
    expect(planned({ faults: [path('1s', '2s')] })).toHaveLength(1)
  })

  it.each([0, 0.5, -1, 1e6, '60'])('error: a pace of %j', pace => {
    expect(refused({ pace, faults: [] }).problems.map(({ at }) => at)).toEqual(['pace'])
  })
})
