// The table of probes: what each asks the mock is in docs/compare.md, and scripted services show the forms that the mock never has.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import published from '../../fixtures/published-responses.json' with { type: 'json' }
import { createService, optionsOf } from '../../test/compare/run.js'
import { check } from '../../test/support/seed.js'
import { LAYOUTS } from '../settings/layouts.js'
import { askService } from './compare.js'
import { type Answer, type ProbeContext, type Question, type Seen, shapeOf, to } from './probe.js'
import { PROBES } from './probes.js'

const NOW = 1_753_354_105
const PAGE = new URL('../../docs/compare.md', import.meta.url)
const ABOUT: Readonly<Record<string, string>> = {
  reply: 'names, types and order of the fields',
  signed: 'order, widths, byte orders, padding, hash, prefix, form of the signature, scaling',
  signers: 'the addresses of the keys',
}

/** Answers with the same value together: `401: batch, latest`. */
function inWords(seen: Seen): string {
  const show = (value: Seen): string => (typeof value === 'string' ? value || 'none' : JSON.stringify(value))
  if (typeof seen !== 'object' || seen === null || Array.isArray(seen))
    return Array.isArray(seen) && seen.length === 0 ? 'none' : show(seen)
  const byValue = new Map<string, string[]>()
  for (const [key, value] of Object.entries(seen)) byValue.set(show(value), [...(byValue.get(show(value)) ?? []), key])
  return [...byValue].map(([value, keys]) => `${keys.join(', ')}: ${value}`).join('; ')
}

/** Runs a probe with a scripted service whose clock stands still but for pauses. */
function run(
  name: string,
  answerTo: (question: Question, second: number) => Partial<Answer>,
  more: Partial<ProbeContext> = {},
) {
  const probe = PROBES.find(probe => probe.name === name)!
  const answers: { question: Question; answer: Answer }[] = []
  const limits = { minutes: 1440, feedIds: 100 }
  const feeds = ['BTCUSD'] as const
  const context = { feeds, requested: feeds, limits, classes: [], layouts: [], answers, ...more }
  const asking = probe.ask(context)
  let now = NOW
  let step = asking.next()
  while (!step.done) {
    const { value } = step
    const answer = {
      status: 200,
      headers: {},
      body: undefined,
      now,
      ...('target' in value ? answerTo(value, now) : {}),
    }
    if ('target' in value) answers.push({ question: value, answer })
    if ('pause' in value) now += value.pause
    step = asking.next(answer)
  }
  const seen = step.value
  return { seen, patch: probe.toPatch?.(seen as never, context, {} as never), requests: answers.length }
}

it('behavior: the other spellings of paths', () => {
  const { seen } = run('spelling of paths', ({ target }) => ({ status: /^\/[^?]+/.exec(target)?.[0] as never }))
  expect(seen).toEqual({ '/trading-view': '/trading-view/feeds-data', queryhistory: '/prices/queryhistory' })
})

it('behavior: one price twice is no batch of several', () => {
  const [high, low, last] = published.samples
  const singles = [high, low]
  const { seen } = run(
    'signed bytes of a batch',
    ({ target }) => ({ body: target.includes('/latest') ? singles.shift() : { ...last, prices: [high, high] } }),
    { layouts: [LAYOUTS.svm] },
  )
  expect(seen).toBe('no batch of several prices was seen')
})

it('default: the rows and the answers of the mock are those of docs/compare.md', async () => {
  const { seen } = (await askService(createService({}).service, optionsOf())).observed
  const rows = PROBES.map(({ name, page = 'docs/assumptions.md', option }) => [
    name,
    /^(reply of|signers|signed bytes, )/.test(name) ? ABOUT[name.split(/[ ,]/, 1)[0]!]! : inWords(seen[name]!),
    `[${posix.basename(page, '.md')}](${posix.relative('docs', page)})`,
    option === undefined ? '' : `\`${option}\``,
  ])
  const lines = [['Row', 'Ours', 'Page', 'Option'], Array(4).fill('---'), ...rows].map(
    row => `| ${row.join(' | ')} |\n`,
  )
  const page = readFileSync(PAGE, 'utf8')
  const table = `<!-- written: probes -->\n\n${lines.join('')}\n<!-- end -->`
  await expect(page.replace(/<!-- written: probes -->[\s\S]*<!-- end -->/, () => table)).toMatchFileSnapshot(
    PAGE.pathname,
  )

  const price = 'feedId: text, price: integer, ts: integer, expo: integer, signature: text'
  const id = 'recoveryId: integer'
  const candle = 'open: number, high: number, low: number, close: number, avg: number, volume: number'
  expect(Object.entries(seen).filter(([name]) => /^(reply of|signed bytes, )/.test(name))).toEqual([
    ['reply of latest', `{ ${price}, ${id} }`],
    [
      'reply of batch',
      `{ prices: [{ feedId: text, price: integer, expo: integer, ts: integer }], signature: text, ${id} }`,
    ],
    ['reply of evm', `{ prices: [{ ${price} }] }`],
    ['reply of history', `{ <feed>: { high: { ${price}, ${id} }, low: { ${price}, ${id} } } }`],
    ['reply of candles', `{ data: { queryType: text, interval: text, result: [{ time: integer, ${candle} }] } }`],
    ['signed bytes, svm', LAYOUTS.svm],
    ['signed bytes, evm', LAYOUTS.evm],
  ])
})

/** The form of a reply, and the patch for it. */
const inRow = (name: string, answer: Partial<Answer>) => run(name, () => answer)
const ERROR = { status: 418, body: {} }

it.each<[name: string, answer: Partial<Answer>, seen: Seen]>([
  ['case of ids', ERROR, { latest: 418, 'key of a history': 418, 'feedId in a history': 418 }],
  ['reply of latest', ERROR, 'status 418'],
  ['feedId of a batch', { body: { prices: [{ feedId: 'btcusd' }] } }, { BTCUSD: 'another text' }],
  ['feedId of a batch', {}, { BTCUSD: 'none' }],
  ['expo', {}, { BTCUSD: 'none' }],
  ['window of a history', ERROR, 418],
  ['caching and date', {}, { 'cache-control': 'none', date: false, type: 'no type' }],
  ['CORS', ERROR, { 'allow-origin': 'none', 'may read Date': false, preflight: 418, 'may send Authorization': false }],
])('behavior: %s, for %j', (name, answer, seen) => expect(inRow(name, answer).seen).toEqual(seen))

it('behavior: an exponent that is no number is seen as its form', () => {
  const formOf = (expo: unknown) => inRow('expo', { body: { expo } }).seen
  expect(['-8', -(2n ** 60n), -8].map(formOf)).toEqual(['text', 'integer', -8].map(BTCUSD => ({ BTCUSD })))
})

it('behavior: the status for a missing parameter is an option within 4xx', () => {
  const patchFor = (status: number) => inRow('missing or malformed parameters', { status }).patch?.policy
  const found = [{ missingParameter: 400 }, { missingParameter: 499 }]
  expect([399, 400, 499, 500].map(patchFor)).toEqual([undefined, ...found, undefined])
})

it.each([
  [0, 413, 11],
  [1, 413, 11],
  [1439, 413, 12],
  [1440, 413, 2],
  [1441, 413, 25],
  [5_255_999, 413, 26],
  [5_256_000, 'none', 3],
])('behavior: a limit of %i minutes', (most, refusal, requests) => {
  const found = run('limit of minutes', ({ target }) => ({
    status: Number(new URLSearchParams(target).get('minutes')) > most ? 413 : 200,
  }))
  const patch = most === 0 ? undefined : { policy: { maxMinutes: most } }
  expect(found).toEqual({ seen: { most, refusal }, patch, requests })
})

it.each([
  [[3, 2, 1], 4, 'newest first, epoch, closed, false'],
  [[3, 2, 1], 3.999, 'newest first, epoch, open, false'],
  [[1.5, 2, 4], 9, 'oldest first, other, closed, true'],
  [[1, 1, 2], 9, 'newest first, epoch, closed, true'],
])('behavior: candles of an hour with the times %j at %d', (hours, now, expected) => {
  const result = hours.map(hour => ({ time: hour * 3600 }))
  const { seen } = inRow('candles', { body: { data: { result } }, now: now * 3600 })
  const [status, count, times, ...facts] = Object.values((seen as Readonly<Record<string, object>>)['1h']!)
  expect([status, count, times, facts.join(', ')]).toEqual([200, 3, 'seconds', expected])
})

it('behavior: the number of candles is an option up to 2000', () => {
  const result = (length: number) => Array.from({ length }, (_, i) => ({ time: i }))
  const count = (length: number) => inRow('candles', { body: { data: { result: result(length) } } }).patch?.policy
  expect([0, 1, 2000, 2001].map(count)).toEqual([undefined, { candles: 1 }, { candles: 2000 }, undefined])
})

it('behavior: units of the newest candle', () => {
  const other = 'other units than price · 10^expo'
  const unitFor = (close?: number) => {
    const result = [9, 8, 10, 8].map(time => ({ time, close: time === 10 ? close : 50_000 }))
    return inRow('units of a candle', { body: { price: 5, expo: 1, data: { result } } }).seen
  }
  expect([10, 11, 249, 250, undefined].map(unitFor)).toEqual([other, 'quote units', 'quote units', other, 'none'])
})

it('behavior: headers of rate limits in all answers', () => {
  const answer = (...names: string[]) => ({
    question: to.latest('BTCUSD'),
    answer: { status: 200, headers: Object.fromEntries(names.map(name => [name, '1'])), body: {}, now: NOW },
  })
  const answers = [answer('x-ratelimit-limit', 'etag'), answer('ratelimit', 'x-rate-limit', 'not-ratelimit')]
  const { seen } = run('headers of rate limits', () => ({}), { answers })
  expect(seen).toEqual(['ratelimit', 'x-rate-limit', 'x-ratelimit-limit'])
})

it('behavior: a search for a layout asks four more times for another signature', () => {
  const signed = inRow('signed bytes, svm', { body: published.samples[0] })
  expect(signed).toMatchObject({ seen: 'one signature only, and a search needs two', patch: undefined, requests: 6 })
  expect(inRow('signed bytes, svm', {})).toMatchObject({ seen: 'no signature was seen', requests: 2 })
})

it('behavior: the shape of a body has types and keys, but no values', () => {
  const list = [1n, 2, 2.5, '', true, null, undefined, [], {}]
  expect(shapeOf(list)).toBe('[integer | number | text | boolean | null | no JSON | [] | {  }]')
  expect(shapeOf({ BTCUSD: 1, ethusd: { time: 1 }, b: 1 }, ['btcusd', 'ETHUSD'], true)).toBe(
    '{ <feed>: number, <feed>: { time: integer }, b: number }',
  )
  expect(shapeOf({ ['x'.repeat(500)]: 1 })).toBe(`{ ${'x'.repeat(398)}`)
  const deep = '['.repeat(500_000)
  expect(shapeOf(JSON.parse(deep + ']'.repeat(500_000)))).toBe(deep.slice(0, 400))
})

it('behavior: heartbeats and lags of all powers of two are found', () => {
  const beats = fc.record({ power: fc.nat(12), lag: fc.nat(6), hasBatch: fc.boolean() })
  check([beats], ({ power, lag, hasBatch }) => {
    const heartbeat = 2 ** power
    const { seen, patch } = run('heartbeat and lag', ({ target }, second) => {
      if (target.includes('batch') && !hasBatch) return { status: 400 }
      const ts = Math.floor((second - lag) / heartbeat) * heartbeat
      const since = second - lag - 60 * Number(new URLSearchParams(target).get('minutes'))
      const first = Math.min(ts, Math.ceil(since / heartbeat) * heartbeat)
      return { body: { ts, prices: [{ ts }], BTCUSD: { high: { ts }, low: { ts: first } } } }
    })
    const found = (seen as Readonly<Record<string, { heartbeat: number; lag: number | [number, number] }>>).BTCUSD!
    const [from = Number.NaN, to = from] = [found.lag].flat()
    expect([found.heartbeat, from <= lag, lag <= to]).toEqual([heartbeat, true, true])
    // Within 35 seconds the moment of a tick is seen.
    if (power <= 5) expect([from, to]).toEqual([lag, lag])
    expect(patch).toEqual({ feeds: { BTCUSD: { heartbeat, lag: from } } })
  })
})

it.each([
  ['every 10 s', 10, [], { heartbeat: 10, lag: 3 }],
  ['every 5000 s, as its histories show', 5000, [], { heartbeat: 5000, lag: [0, 40] }],
  ['every 5000 s, with histories of one feed only', 5000, [','], { heartbeat: 5000, lag: [0, 40] }],
  ['every 5000 s, without histories', 5000, ['minutes'], { heartbeat: 'above 32', lag: 'not told' }],
  ['with one tick only', 0, [], { heartbeat: 'above 32', lag: 'not told' }],
])('behavior: ticks of a service %s', (_, beat, refused, expected) => {
  const { seen } = run(
    'heartbeat and lag',
    ({ target }, second) => {
      const isHistory = target.includes('minutes')
      const ts = beat === 10 ? Math.floor((second - 3) / beat) * beat : NOW - 40
      const ends = { high: { ts }, low: { ts: ts - beat } }
      const status = isHistory && refused.some(part => target.includes(part)) ? 400 : 200
      return { status, body: { prices: [{ ts }, { ts }], BTCUSD: ends, ETHUSD: ends } }
    },
    { feeds: ['BTCUSD', 'ETHUSD'] },
  )
  expect(seen).toEqual({ BTCUSD: expected, ETHUSD: expected })
})

it('behavior: times with fractions are no ticks, and a clock that stands still shows none', () => {
  const seenAt = (ts: unknown, more: Partial<Answer>) =>
    run('heartbeat and lag', () => ({ body: { prices: [{ ts }] }, ...more })).seen
  expect(seenAt(NOW + 0.5, {})).toEqual({})
  expect(seenAt(NOW, { now: NOW })).toBe('its clock stands still, or runs at another speed')
})
