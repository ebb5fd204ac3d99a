// Sessions that make requests expensive, as data that a search can change: faults, price overrides, series, layouts, policy, targets.
import { createMock } from '../../src/index.js'
import { catalogueFeeds } from '../../src/market/feeds-file.js'
import { readSeries } from '../../src/market/read-series.js'
import { sessionBodySchema } from '../../src/service/session-settings.js'
import { takeSnapshot } from '../../src/service/snapshot.js'
import { MAX_MINUTES } from '../../src/settings/policy.js'
import type { Random } from './volleys.js'

/** One request over HTTP. */
export interface Asked {
  readonly method: string
  readonly target: string
  readonly body?: unknown
}

/** A session and a request to it. Requests are made by `toRequests`. */
export interface Expensive {
  readonly faults: readonly Entry[]
  /** Runs of price overrides of a feed, a few seconds apart. */
  readonly overrides: Readonly<Record<string, Overrides>>
  readonly series: { readonly feed: string; readonly rows: number; readonly step: number } | undefined
  /** Fields of the layout of both forms; the built-in ones if there are none. */
  readonly fields: readonly string[]
  readonly digest: string
  readonly policy: Readonly<Record<string, number>>
  readonly seed: number
  /** Seconds since the start of the scenario. */
  readonly age: number
  readonly feeds: readonly string[]
  readonly minutes: number
  readonly interval: string
  readonly ask: Ask
  readonly isExplained: boolean
}

type Entry = Readonly<Record<string, unknown>> & { readonly fault: string }
type Ask = 'history' | 'candles' | 'latest' | 'batch' | 'evm' | 'market' | 'inspect' | 'snapshot'

interface Overrides {
  readonly count: number
  readonly every: number
  readonly factor: number
}

const ALL_FEEDS = catalogueFeeds().map(({ id }) => id)
/** The start of all scenarios, in seconds since the epoch. */
const START = 1_753_354_105
/** The first feeds have many that follow them. */
const FEEDS =
  'ETHUSD,BTCUSD,SOLUSD,USDCUSD,EURUSD,WBTCUSD,STETHUSD,WSTETHUSD,WEETHUSD,RETHUSD,CBETHUSD,WETHUSD,LBTCUSD,XAUUSD,TIAUSD,LINKUSD'.split(
    ',',
  )
const FIELDS: readonly string[] = [
  'price:u256be',
  'price:i256le',
  'ts:u256be',
  'expo:i256be',
  'feedId:ascii32-left',
  'price:u64le',
  'ts:u8',
]
const ASKS: readonly Ask[] = [
  'history',
  'history',
  'history',
  'candles',
  'candles',
  'latest',
  'batch',
  'evm',
  'market',
  'inspect',
  'snapshot',
]

/** A large request that no session makes expensive: the high and low of every feed over a year. */
export const REFERENCE: readonly Asked[] = [
  { method: 'GET', target: `/prices/queryHistory?minutes=525600&feedIds=${ALL_FEEDS.join(',')}` },
]

const times = <T>(count: number, create: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => create(i))

function inventFault({ pick, between, chance }: Random): Entry {
  const duration = (most: number): string => `${between(1, most)}s`
  const feeds = chance(0.5) ? {} : { feeds: chance(0.5) ? [FEEDS[0]!] : FEEDS.slice(0, between(1, FEEDS.length)) }
  const repeat = between(2, 1e6)
  const when = pick<object>([
    {},
    { from: duration(1e6) },
    { from: duration(1e5), for: duration(1e6) },
    { for: `${between(1, repeat)}s`, repeat: `${repeat}s` },
    { from: duration(1e4), for: `${between(1, repeat)}s`, repeat: `${repeat}s` },
  ])
  const name = pick([
    'market/drift',
    'market/shock',
    'market/depeg',
    'market/crash',
    'market/bad-tick',
    'market/stale',
    'market/gap',
    'market/flatline',
    'market/price',
    'market/path',
    'market/closed',
    'market/drift',
    'market/gap',
    'signature/replay',
    'signature/other-feed',
    'signature/batch-swapped',
    'signature/wrong-signer',
    'series/duplicate',
    'series/out-of-order',
    'series/late-revision',
    'tick/ts-backwards',
  ])
  const options: Readonly<Record<string, () => object>> = {
    'market/drift': () => ({ change: between(1, 100) / 50 - 1, per: duration(1e6) }),
    'market/shock': () => ({ change: between(1, 100) / 50 - 0.9 }),
    'market/depeg': () => ({ to: between(1, 1e4) / 100, over: duration(1e6) }),
    'market/crash': () => ({
      fall: duration(1e5),
      bottom: duration(1e5),
      recovery: duration(1e6),
      seed: between(1, 1e6),
    }),
    'market/bad-tick': () => ({ factor: between(1, 100) / 10 }),
    'market/stale': () => ({ age: duration(1e6) }),
    'market/price': () => ({ price: between(1, 1000) }),
    'market/path': () => ({
      points: times(between(1, 5000), i => ({ at: `${i * 10}s`, price: 1 + ((i * 7919) % 997) })),
    }),
    'market/closed': () => ({
      closes: `mon 0${between(0, 9)}:00`,
      opens: pick(['mon 10:00', 'thu 00:00', 'sun 23:59']),
    }),
    'signature/replay': () => ({ age: duration(1e5) }),
  }
  const own = options[name]?.()
  return { fault: name, ...feeds, ...when, ...(own === undefined ? {} : { options: own }) }
}

/** An arbitrary session. */
export function inventExpensive(random: Random): Expensive {
  const plain: Expensive = {
    faults: [],
    overrides: {},
    series: undefined,
    fields: [],
    digest: 'keccak256',
    policy: {},
    seed: 1,
    age: 86_400,
    feeds: [FEEDS[0]!],
    minutes: 1440,
    interval: '1h',
    ask: random.pick(ASKS),
    isExplained: false,
  }
  return times(8, () => 0).reduce(session => mutate(session, random), plain)
}

/** A session that differs from another one in some way. */
export function mutate(session: Expensive, random: Random): Expensive {
  const { pick, between, chance } = random
  const { faults } = session
  return {
    ...session,
    ...pick<() => Partial<Expensive>>([
      () => ({ faults: [...faults, inventFault(random)].slice(-100) }),
      () => ({ faults: [...faults, ...times(between(1, 100), () => inventFault(random))].slice(-100) }),
      // Copies whose windows begin at other times.
      () => {
        const copied = faults.length > 0 && chance(0.7) ? pick(faults) : inventFault(random)
        const apart = between(1, 10_000)
        return {
          faults: [
            ...faults,
            ...times(between(1, 100), i => ({ ...copied, ...(chance(0.8) ? { from: `${1 + i * apart}s` } : {}) })),
          ].slice(-100),
        }
      },
      () => ({ faults: faults.filter(() => chance(0.7)) }),
      () => ({ faults: faults.toSorted(() => random.between(0, 2) - 1) }),
      () => ({
        overrides: {
          ...(chance(0.5) ? session.overrides : {}),
          [pick(FEEDS)]: {
            count: between(1, 5000),
            every: between(1, 20_000),
            factor: between(1, 1000) / between(1, 1000),
          },
        },
      }),
      () => ({
        overrides: Object.fromEntries(
          FEEDS.slice(0, between(1, FEEDS.length)).map(feed => [
            feed,
            { count: between(100, 5000), every: between(1, 20_000), factor: between(1, 1000) / between(1, 1e6) },
          ]),
        ),
      }),
      () => ({
        series: chance(0.3) ? undefined : { feed: pick(FEEDS), rows: between(1, 60_000), step: between(1, 10_000) },
      }),
      () => ({ fields: times(between(1, 32) - 1, () => pick(FIELDS)), digest: pick(['keccak256', 'sha256']) }),
      () => ({ policy: { ...session.policy, candles: between(1, 2000) } }),
      () => ({ policy: { ...session.policy, candles: 2000, maxMinutes: MAX_MINUTES } }),
      () => ({ seed: between(1, 1e6) }),
      () => ({ age: between(1, 2.5e9) }),
      () => ({ age: between(1, 1e7) }),
      () => ({ feeds: chance(0.3) ? ['*'] : FEEDS.slice(0, between(1, FEEDS.length)) }),
      () => ({ feeds: [pick(FEEDS)] }),
      () => ({ minutes: between(1, session.policy.maxMinutes ?? 525_600) }),
      () => ({ interval: `${between(1, 100)}${pick(['s', 'm', 'h', 'd'])}` }),
      () => ({ ask: pick(ASKS), isExplained: chance(0.2) }),
    ])(),
  }
}

/** The requests of a session: its creation, a snapshot with price overrides if it has some, a step of the clock, and its own request. */
export function toRequests(session: Expensive): readonly Asked[] {
  const { faults, overrides, series, fields, digest, policy, seed, age } = session
  const known = session.feeds[0] === '*' ? ALL_FEEDS : session.feeds
  const now = Math.min(START + age, 4_291_747_199)
  const layout = { fields, digest, prefix: 'none', signature: 'rsv', hexPrefix: '' }
  const signing = fields.length === 0 ? {} : { signing: { svm: 'own', evm: 'own', layouts: { own: layout } } }
  const rows = series && times(series.rows, i => [START - 86_400 + i * series.step, 1000 + ((i * 7919) % 1009)])
  const body = {
    id: 'expensive',
    seed: String(seed),
    clock: { at: START, frozen: true },
    policy,
    ...signing,
    scenario: { faults },
    ...(rows === undefined ? {} : { series: [{ as: series!.feed, rows }] }),
  }
  const lists = Object.entries(overrides).map(
    ([feed, { count, every, factor }]) =>
      [
        feed,
        times(count, i => ({ from: START + 16 * (1 + i * every), factor: i % 2 === 0 ? factor : factor * 1.001 })),
      ] as const,
  )
  const create = { method: 'POST', target: '/_mock/sessions', body }
  const move = { method: 'PATCH', target: '/_mock/sessions/expensive', body: { clock: { at: now } } }
  const restore = (): Asked => ({
    method: 'POST',
    target: '/_mock/sessions/expensive/restore',
    body: { snapshot: { ...snapshotOf(body), overrides: Object.fromEntries(lists) } },
  })
  const prepared = lists.length === 0 ? [create, move] : [create, restore(), move]
  return [...prepared, { method: session.ask === 'snapshot' ? 'POST' : 'GET', target: targetOf(session, known) }]
}

/** The snapshot of a session, or none if it is refused. */
function snapshotOf(body: unknown): object {
  const mock = createMock({ clock: { at: START, frozen: true } })
  try {
    return takeSnapshot(mock.sessions.create(sessionBodySchema.parse(body), 0, readSeries), 0)
  } catch {
    return {}
  }
}

function targetOf({ ask, minutes, interval, isExplained }: Expensive, ids: readonly string[]): string {
  const own = '/_mock/sessions/expensive'
  const feeds = ids.join(',')
  const [feed] = ids
  const targets: Readonly<Record<Ask, string>> = {
    history: `/prices/queryHistory?feedIds=${feeds}&minutes=${minutes}`,
    candles: `/charting/feeds-data?feedids=${feed}&feed=${feed}&type=1&interval=${interval}`,
    latest: `/prices/${feed}/latest`,
    batch: `/prices/batch?feedIds=${feeds}`,
    evm: `/prices/evm/crypto?feedIds=${feeds}`,
    market: `${own}/market?points=${ids.length > 80 ? 2 : 120}`,
    inspect: `${own}/inspect?from=0&to=4291747199`,
    snapshot: `${own}/snapshot`,
  }
  if (['market', 'inspect', 'snapshot'].includes(ask)) return targets[ask]
  const target = `/session/expensive${targets[ask]}`
  return isExplained ? `/_mock/explain?url=${encodeURIComponent(target)}` : target
}
