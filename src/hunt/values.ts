// The options with which a hunt tries each fault, the likeliest first. A fault without an entry is tried with its defaults.
import { REPLY_SCHEMAS } from '../endpoints/reply-schemas.js'
import type { Fault } from '../faults/fault.js'
import type { Feed } from '../market/feeds.js'
import { fitsFeed } from '../market/levels.js'
import { secondsOf } from '../settings/time.js'
import type { Profile } from './profile.js'
import type { HuntFault } from './types.js'

/** Options of a fault, as a scenario file has them, and the feeds and endpoints that they are for. */
interface FaultValues {
  readonly [option: string]: unknown
  readonly feeds?: readonly string[]
  readonly endpoints?: readonly string[]
}
type Values = readonly FaultValues[] | ((profile: Profile) => readonly FaultValues[])

/** A duration in a scenario, at least a second. One has at most nine digits, and 31 years have more seconds. */
export const toDuration = (seconds: number): `${number}s` | `${number}m` =>
  seconds < 999_999_999 ? `${Math.max(1, Math.round(seconds))}s` : `${Math.round(seconds / 60)}m`

/** The end of the window of a fault, with the calm up to its repetition. */
export const endOf = (fault: HuntFault): number => secondsOf(fault.from) + secondsOf(fault.repeat ?? fault.for)

/** The time in a run after a part of its length. */
export const timeAt = ({ start, seconds }: Profile, part: number) => toDuration(start + seconds * part)

const partOf = ({ seconds }: Profile, part: number) => toDuration(seconds * part)

/** A window of a run: from a part of its length on, for another one. */
export const windowOf = (profile: Profile, from: number, length: number) => ({
  from: timeAt(profile, from),
  for: partOf(profile, length),
})

/** Seconds between two requests of the endpoint that is asked most often, at most a minute. */
const pollOf = ({ endpoints }: Profile): number =>
  Math.max(1, Math.round(Math.min(...endpoints.map(({ interval }) => interval), 60)))

/** Just long enough that a price so old is older than the one before, but not too old to be used. */
const twoPolls = (profile: Profile): string => toDuration(Math.max(3, 2 * pollOf(profile)))

/** A pause of so many seconds, or more for a consumer that asks too seldom to show whether it keeps it. */
const pauseFor = (profile: Profile, least: number): string => toDuration(Math.max(least, 1.5 * pollOf(profile)))

/** The endpoint that is asked most without faults. */
const mainOf = ({ requests, endpoints }: Profile): string[] =>
  endpoints.slice(0, 1).flatMap(({ endpoint }) => (requests.some(one => one.endpoint === endpoint) ? [endpoint] : []))

/** Milliseconds that outlast most timeouts, but not the run. */
const slowMs = ({ seconds }: Profile): number => Math.min(30_000, Math.max(1500, Math.round(seconds * 250)))

/** A limit that is a third of the requests which the consumer sends. */
function limitsOf({ endpoints, seconds }: Profile): FaultValues[] {
  const requests = endpoints.reduce((sum, one) => sum + one.requests, 0)
  const window = Math.max(1, Math.min(60, Math.round(seconds / 4)))
  return [{ limit: Math.floor((requests / Math.max(1, seconds)) * (window / 3)), window: toDuration(window) }]
}

/** Values with prices of a feed that the consumer asks for. */
const priced = ({ known: [feed] }: Profile, valuesOf: (feed: Feed) => readonly FaultValues[]): FaultValues[] =>
  feed === undefined ? [] : valuesOf(feed).map(values => ({ ...values, feeds: [feed.id] }))

/** One candle in seven, and all of them, for a consumer that uses a single one. */
const SOME_OR_ALL: Values = [{}, { every: 1 }]

/** Fields of replies, those first that consumers compute with or loop over. */
const FIELDS = 'price ts prices result close expo signature time low feedId recoveryId high data open volume'.split(' ')
/** Lists: a loop meets a null, or nothing, or a null among its entries. */
const LISTS = ['prices', 'result']

/** Each field of the replies that the consumer gets, missing, and then null; lists with a null or as an object first. */
function missingOf({ endpoints }: Profile): FaultValues[] {
  const replies = endpoints.map(({ endpoint }) => ({ endpoint, schema: JSON.stringify(REPLY_SCHEMAS[endpoint] ?? {}) }))
  const fields = FIELDS.flatMap(field => {
    const own = replies.filter(({ schema }) => schema.includes(`"${field}":{`)).map(({ endpoint }) => endpoint)
    return own.length > 0 ? [{ field, endpoints: own }] : []
  })
  const isList = ({ field }: { readonly field: string }): boolean => LISTS.includes(field)
  return [
    ...fields.flatMap(one => (isList(one) ? ['null-entry', 'object'].map(as => ({ ...one, as })) : [one])),
    ...fields.map(one => ({ ...one, as: 'null' })),
    ...fields.filter(isList),
  ]
}

/** Endpoints without a high and a low: who verifies one of the two refuses a reply whose prices are both forged. */
const ONE_PRICE = ['batch', 'latest', 'evm']

/** Values by the name of their fault. */
export const VALUES: Readonly<Record<string, Values>> = {
  'market/stale': [
    { age: '5m' },
    {},
    { age: '61s' },
    { age: '5m', price: 'last' },
    { age: '31s' },
    { age: '60s' },
    { age: '1d' },
    { age: '11s' },
  ],
  'market/shock': [{ change: -0.4 }, { change: 1 }, { change: -0.9 }, { change: -0.1 }],
  'market/drift': profile => [-0.5, 1].map(change => ({ change, per: partOf(profile, 1) })),
  'market/depeg': profile => [0.87, 0.5, 1.1].map(to => ({ to, over: partOf(profile, 0.05) })),
  'market/crash': profile =>
    [0.4, -0.5].map(depth => ({
      depth,
      fall: partOf(profile, 0.2),
      bottom: partOf(profile, 0.1),
      recovery: partOf(profile, 0.2),
    })),
  'market/bad-tick': profile => [
    { factor: 10 },
    { factor: 0.5, hold: partOf(profile, 0.03) },
    { factor: 0.1 },
    { factor: 1.3, hold: partOf(profile, 0.1) },
    { factor: 0.7 },
  ],
  // Below one, a price has zeros that a text can lose.
  'market/price': profile =>
    priced(profile, feed =>
      [feed.base / 2, 0.05].filter(price => fitsFeed(price, feed) === undefined).map(price => ({ price })),
    ),
  'market/path': profile =>
    priced(profile, feed => {
      const [low, high] = [feed.base * 0.7, feed.base * 1.2]
      const points = [
        { at: '0s', price: low },
        { at: partOf(profile, 0.1), price: high },
      ]
      return fitsFeed(low, feed) === undefined ? [{ points }] : []
    }),
  // Without the last, no price has another place.
  'tick/missing-feed': ({ feeds }) =>
    feeds.length < 2 ? [{}] : [{ feeds: feeds.slice(0, 1) }, {}, { feeds: feeds.slice(1, 2) }],
  // The third is the second of the price before: two prices for one.
  'tick/ts-skew': profile => [3600, -3600, -pollOf(profile), 30, 10, 5, 1].map(seconds => ({ seconds })),
  // Elsewhere than at the main endpoint a price is often checked for less: not for its age, say.
  'tick/ts-backwards': profile => {
    const main = mainOf(profile)
    const others = profile.endpoints.map(({ endpoint }) => endpoint).filter(name => !main.includes(name))
    const near = { by: twoPolls(profile) }
    const far = { by: '5m' }
    return [
      { ...near, endpoints: main },
      { ...far, endpoints: others },
      { by: '30s' },
      { ...far, endpoints: main },
      { ...near, endpoints: others },
    ]
  },
  'tick/unsafe-integer': [{}, { price: '9223372036854775808' }],
  'tick/wrong-expo': [{ by: 2 }, { by: -2, only: 'low', endpoints: ['history'] }, { by: -2 }, { by: 8 }],
  'tick/other-expo': [
    { endpoints: ONE_PRICE },
    // Beside a high with the usual exponent.
    { only: 'low', endpoints: ['history'] },
    // A large price above 2^53, which a double rounds.
    { by: -5 },
    // An exponent above 0, for the large prices.
    { by: 9 },
    // Many digits after the point, for the smaller ones.
    { by: -7 },
  ],
  'signature/tampered-price': [
    { endpoints: ONE_PRICE },
    // A forged low that triggers what a genuine one would not, and then a forged high, each beside a genuine other one.
    { by: -0.5, only: 'low', endpoints: ['history'] },
    { by: 1, only: 'high', endpoints: ['history'] },
    { by: -0.5 },
  ],
  'signature/tampered-ts': [{}, { seconds: 60 }, { seconds: 2 }],
  'signature/all-zero': [{ endpoints: ONE_PRICE }, { only: 'low', endpoints: ['history'] }],
  'signature/bit-flip': [{}, { bit: 0 }],
  'signature/truncated': [{}, { bytes: 64 }, { bytes: 0 }],
  'signature/replay': [{}, { age: '5s' }],
  'signature/batch-reordered': [{ valid: true }, {}],
  // Of the first feed alone: the second one is there twice.
  'signature/other-feed': ({ feeds }) =>
    feeds.length < 2 ? [{}, { relabel: true }] : [{}, { feeds: feeds.slice(0, 1) }, { relabel: true }],
  'series/duplicate': SOME_OR_ALL,
  'series/high-below-low': SOME_OR_ALL,
  // The second leaves enough for whom a tenth less is too few, the fifth two in thirty: too few for a mean.
  'series/missing': [
    {},
    { every: 30 },
    { every: 12, length: 3 },
    { every: 30, length: 20 },
    { every: 30, length: 28 },
    { every: 1 },
  ],
  'series/negative-volume': SOME_OR_ALL,
  'series/out-of-order': [{}, { reversed: true }, { every: 1 }],
  // A service that changes it, before a row that is off.
  'series/time-unit': [{ every: 1 }, {}],
  // In the future, all and then one; all old by two minutes, or two hours, beside fresh prices: the newest one is then too old by any
  // count of intervals; between two others; from days ago.
  'series/time-skew': [
    { seconds: 3600, every: 1 },
    { seconds: 86_400 },
    { seconds: -120, every: 1 },
    { seconds: -7200, every: 1 },
    {},
    { seconds: -432_000 },
  ],
  // A chart of twice the interval ends late enough for who looks at the age of its last candle.
  'series/other-interval': [{ factor: 2 }, {}, { factor: 60 }],
  'series/null-values': [
    { every: 2, fields: ['close'] },
    { every: 2, fields: ['open', 'high', 'low', 'close', 'avg', 'volume'] },
    { every: 1, fields: ['open', 'low', 'close'], as: 'zero' },
    { every: 2, fields: ['volume'] },
    // The body of a candle below its low.
    { every: 2, fields: ['open'], as: 'zero' },
    { every: 1, fields: ['low'] },
    { every: 1, fields: ['high'] },
  ],
  'series/late-revision': [{ after: '1s', by: 0.05 }],
  'reply/status': profile => [
    { status: 503 },
    { status: 401 },
    { status: 503, retryAfter: '1h' },
    { status: 503, retryAfterForm: 'negative' },
    { status: 429, retryAfter: pauseFor(profile, 20), retryAfterForm: 'date' },
    { status: 404 },
    { status: 500 },
    // An error that only its body tells, and one that only its status tells.
    { status: 200 },
    { status: 500, keepBody: true },
    { status: 403 },
    { status: 429, retryAfter: pauseFor(profile, 30) },
    { status: 304 },
    { status: 429, retryAfterForm: 'text' },
    { status: 400 },
  ],
  // One field first: who converts it refuses the reply for the others.
  'reply/numbers-as-strings': [{ field: 'close', endpoints: ['candles'] }, { field: 'price' }, {}, { field: 'ts' }],
  'reply/latency': profile => [
    { ms: slowMs(profile) },
    { ms: Math.round(slowMs(profile) / 8), jitterMs: Math.round(slowMs(profile) / 2) },
  ],
  'reply/rate-limit': limitsOf,
  // The second as from a guard against many requests, without Retry-After.
  'reply/html-error-page': [{}, { status: 429 }, { status: 200 }],
  'reply/missing-field': missingOf,
  // A body that ends at once is malformed as well.
  'reply/empty-body': [{ body: 'null' }, { body: '{}' }, {}],
  'reply/extra-field': [{}, { value: null }],
  'wire/truncate': [{}, { fraction: 0 }],
  'wire/dribble': profile => [{ pieces: 10, everyMs: Math.round(slowMs(profile) / 10) }, {}],
}

/** The options of a fault to try; none if they depend on feeds that are not in the catalogue. */
export function valuesOf({ name, example = {} }: Fault, profile: Profile): readonly FaultValues[] {
  const values = VALUES[name] ?? [example as FaultValues]
  return typeof values === 'function' ? values(profile) : values
}
