// Every size that a session sets and that the mock would otherwise hold, encode or search: its limit, and a request of each size.

import { MAX_POINTS } from '../../src/faults/market/path.js'
import { MAX_NAME, MAX_SERIES } from '../../src/market/series.js'
import { inventFeeds } from '../../src/market/synthetic.js'
import { MAX_FAULT_ENDPOINTS, MAX_FAULT_FEEDS, MAX_FAULTS } from '../../src/scenario/schema.js'
import { MAX_OVERRIDES } from '../../src/service/price-overrides.js'
import { MAX_CASE_LENGTH, MAX_VERDICTS, MAX_WHY_LENGTH } from '../../src/service/verdicts.js'
import { MAX_FIELDS, MAX_LAYOUT_BYTES, MAX_LAYOUT_NAME, MAX_LAYOUTS } from '../../src/settings/layouts.js'
import { MAX_MINUTES } from '../../src/settings/policy.js'
import { MAX_API_KEYS } from '../../src/settings/settings.js'

/** A size with its limit. */
export interface SessionSize {
  readonly what: string
  readonly most: number
  /** @default 'characters' */
  readonly unit?: string
  /**
   * The body that creates a session of a size; with `apart`, a part of the snapshot that it restores, its verdict, or the last of so
   * many verdicts.
   */
  readonly body: (size: number) => object
  readonly apart?: '/restore' | '/verdicts' | '/verdicts each'
}

/** Enough feeds for a series each. */
export const MANY_FEEDS = await inventFeeds('42', MAX_SERIES + 1)

const times = <T>(count: number, create: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => create(i))
const text = (length: number): string => 'x'.repeat(length)
const layouts = (fields: readonly string[], more: object = {}) => ({
  signing: {
    svm: 'own',
    layouts: { own: { fields, digest: 'sha256', prefix: 'none', signature: 'rs', hexPrefix: '', ...more } },
  },
})
const [plain] = Object.values(layouts(['ts:u32be']).signing.layouts)
const fault = (name: string, options: object, more: object = {}) => ({
  scenario: { faults: [{ fault: name, options, ...more }] },
})

/** All of them, in the order of the documentation. */
export const SESSION_SIZES: readonly SessionSize[] = [
  { what: 'the id of a session', most: 64, body: n => ({ id: text(n) }) },
  { what: 'a seed', most: 200, body: n => ({ seed: text(n) }) },
  { what: 'API keys', most: MAX_API_KEYS, unit: 'keys', body: n => ({ apiKeys: times(n, i => `key${i}`) }) },
  { what: 'an API key', most: 512, body: n => ({ apiKeys: [text(n)] }) },
  {
    what: 'signature layouts, the built-in ones among them',
    most: MAX_LAYOUTS,
    unit: 'layouts',
    body: n => ({ signing: { layouts: Object.fromEntries(times(n - 2, i => [`own${i}`, plain])) } }),
  },
  { what: 'the name of a layout', most: MAX_LAYOUT_NAME, body: n => ({ signing: { layouts: { [text(n)]: plain } } }) },
  { what: 'fields of a layout', most: MAX_FIELDS, unit: 'fields', body: n => layouts(times(n, () => 'ts:u32be')) },
  {
    what: 'a price in a layout',
    most: MAX_LAYOUT_BYTES,
    unit: 'bytes',
    body: n => layouts([...times(15, () => 'ts:u256be'), `feedId:ascii${n - 480}-left`]),
  },
  {
    what: 'the prefix of a layout',
    most: 64,
    unit: 'bytes',
    body: n => layouts(['ts:u32be'], { prefix: 'ab'.repeat(n) }),
  },
  { what: '`policy.candles`', most: 2000, unit: 'candles', body: n => ({ policy: { candles: n } }) },
  { what: '`policy.maxFeedIds`', most: 10_000, unit: 'feeds', body: n => ({ policy: { maxFeedIds: n } }) },
  { what: '`policy.maxMinutes`', most: MAX_MINUTES, unit: 'minutes', body: n => ({ policy: { maxMinutes: n } }) },
  { what: '`policy.wwwAuthenticate`', most: 200, body: n => ({ policy: { wwwAuthenticate: text(n) } }) },
  {
    what: '`policy.evmClasses`',
    most: 7,
    unit: 'classes',
    body: n => ({ policy: { evmClasses: times(n, () => 'fx') } }),
  },
  { what: '`$schema` of a scenario', most: 2000, body: n => ({ scenario: { $schema: text(n), faults: [] } }) },
  { what: '`title` of a scenario', most: 200, body: n => ({ scenario: { title: text(n), faults: [] } }) },
  { what: '`why` of a scenario', most: 2000, body: n => ({ scenario: { why: text(n), faults: [] } }) },
  {
    what: 'faults of a scenario',
    most: MAX_FAULTS,
    unit: 'faults',
    body: n => ({ scenario: { faults: times(n, () => ({ fault: 'wire/reset', from: '1d' })) } }),
  },
  {
    what: '`market/crash` in a scenario',
    most: 20,
    unit: 'faults',
    body: n => ({ scenario: { faults: times(n, () => ({ fault: 'market/crash' })) } }),
  },
  {
    what: '`market/crash` with `byBeta` in a scenario',
    most: 2,
    unit: 'faults',
    body: n => ({ scenario: { faults: times(n, () => ({ fault: 'market/crash', options: { byBeta: true } })) } }),
  },
  {
    what: 'windows of a fault in one `loop`',
    most: 1000,
    unit: 'windows',
    body: n => ({ scenario: { loop: `${2 * n}s`, faults: [{ fault: 'market/gap', for: '1s', repeat: '2s' }] } }),
  },
  {
    what: '`feeds` of a fault',
    most: MAX_FAULT_FEEDS,
    unit: 'feeds',
    body: n => fault('market/gap', {}, { feeds: times(n, () => 'BTCUSD') }),
  },
  {
    what: '`endpoints` of a fault',
    most: MAX_FAULT_ENDPOINTS,
    unit: 'endpoints',
    body: n => fault('wire/reset', {}, { endpoints: times(n, () => 'latest') }),
  },
  {
    what: '`requests` of a fault',
    most: 100,
    unit: 'ranges',
    body: n => fault('wire/reset', {}, { requests: times(n, i => 2 * i + 1).join() }),
  },
  {
    what: '`points` of `market/path`',
    most: MAX_POINTS,
    unit: 'points',
    body: n => fault('market/path', { points: times(n, i => ({ at: `${i}s`, price: 50_000 })) }, { feeds: ['BTCUSD'] }),
  },
  {
    what: '`fields` of `series/null-values`',
    most: 6,
    unit: 'fields',
    body: n => fault('series/null-values', { fields: times(n, () => 'open') }),
  },
  { what: '`message` of `reply/status`', most: 1000, body: n => fault('reply/status', { message: text(n) }) },
  {
    what: '`to` of `reply/redirect`',
    most: 2000,
    body: n => fault('reply/redirect', { to: `http://a/${text(n - 9)}` }),
  },
  { what: '`value` of `reply/extra-field`', most: 1000, body: n => fault('reply/extra-field', { value: text(n) }) },
  { what: '`field` of `reply/extra-field`', most: 64, body: n => fault('reply/extra-field', { field: text(n) }) },
  { what: '`field` of `reply/missing-field`', most: 64, body: n => fault('reply/missing-field', { field: text(n) }) },
  {
    what: '`mediaType` of `reply/wrong-content-type`',
    most: 200,
    body: n => fault('reply/wrong-content-type', { mediaType: `a/${text(n - 2)}` }),
  },
  { what: '`pieces` of `wire/dribble`', most: 1000, unit: 'pieces', body: n => fault('wire/dribble', { pieces: n }) },
  {
    what: 'series of a session',
    most: MAX_SERIES,
    unit: 'series',
    body: n => ({ series: times(n, i => ({ as: MANY_FEEDS[i]!.id, rows: 'ts,price\n1753354105,1\n' })) }),
  },
  {
    what: 'the name of a series',
    most: MAX_NAME,
    body: n => ({ series: [{ as: 'BTCUSD', name: text(n), rows: 'ts,price\n1753354105,1\n' }] }),
  },
  {
    what: 'price changes of a feed',
    most: MAX_OVERRIDES,
    unit: 'changes',
    apart: '/restore',
    body: n => ({ overrides: { BTCUSD: times(n, i => ({ from: 1_753_354_105 + i, factor: 1 })) } }),
  },
  {
    what: 'counters of endpoints in a snapshot',
    most: MAX_FAULT_ENDPOINTS,
    unit: 'endpoints',
    apart: '/restore',
    body: n => ({
      state: { n: 1, ordinals: Object.fromEntries(times(n, i => [`e${i}`, 1])), applied: {}, faults: [] },
    }),
  },
  {
    what: 'counters of faults in a snapshot',
    most: MAX_FAULTS,
    unit: 'faults',
    apart: '/restore',
    body: n => ({ state: { n: 1, ordinals: {}, applied: {}, faults: times(n, () => ({ hits: 0, misses: 0 })) } }),
  },
  {
    what: 'verdicts of a session',
    most: MAX_VERDICTS,
    unit: 'verdicts',
    apart: '/verdicts each',
    body: n => ({ case: `case ${n}`, ok: true }),
  },
  {
    what: 'the case of a verdict',
    most: MAX_CASE_LENGTH,
    apart: '/verdicts',
    body: n => ({ case: text(n), ok: true }),
  },
  {
    what: 'the reason of a verdict',
    most: MAX_WHY_LENGTH,
    apart: '/verdicts',
    body: n => ({ case: 'why', ok: false, why: text(n) }),
  },
]
