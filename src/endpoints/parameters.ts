// The parameters of the five endpoints: accepted values, the feeds that they name, and the errors for the rest.
import { shorten } from '../errors.js'
import type { Buckets } from '../market/candles.js'
import type { FeedId } from '../market/catalogue.js'
import { type Feed, toFeedKey } from '../market/feeds.js'
import { type Parameter, ServiceError } from '../service/endpoint.js'
import type { EndpointContext } from '../service/endpoint-context.js'
import type { Policy } from '../settings/policy.js'
import { parseDuration, SECONDS_BY_UNIT } from '../settings/time.js'

/** Feed ids without duplicates, spelled as requested. */
export const feedIds: Parameter<readonly FeedId[]> = {
  namesFeeds: true,
  in: 'query',
  description: 'Comma-separated list of feed ids, in any case.',
  schema: { type: 'string', minLength: 1 },
  example: 'BTCUSD,ETHUSD',
  counterExample: 'NOPEUSD',
  parse(values, name, policy) {
    const refuse = malformed(policy)
    const byId = new Map<string, string>()
    for (const id of single(values, name, refuse).split(',')) {
      const key = toFeedKey(id)
      if (id !== '' && !byId.has(key)) byId.set(key, id)
    }
    if (byId.size === 0) throw refuse(`"${name}" names no feed: give ids separated by commas, such as BTCUSD,ETHUSD.`)
    if (byId.size > policy.maxFeedIds)
      throw new ServiceError(
        400,
        'too_many_feeds',
        `"${name}" names ${byId.size} feeds, more than the ${policy.maxFeedIds} of one request.`,
      )
    return [...byId.values()]
  },
}

/** One feed id, as part of the path. */
export const feedIdInPath: Parameter<FeedId> = {
  namesFeeds: true,
  in: 'path',
  description: 'Feed whose latest price is returned, in any case.',
  schema: { type: 'string', minLength: 1 },
  example: 'BTCUSD',
  counterExample: 'NOPEUSD',
  parse: ([id]) => id!,
}

/** Minutes of history. */
export const minutes: Parameter<number> = {
  in: 'query',
  description: 'Number of minutes of history to cover.',
  schema: { type: 'integer', minimum: 1, maximum: 525_600 },
  example: '5',
  counterExample: '1.5',
  parse(values, name, policy) {
    const refuse = malformed(policy)
    const value = single(values, name, refuse)
    const parsed = /^[1-9]\d{0,8}$/.test(value) ? Number(value) : Number.NaN
    if (parsed <= policy.maxMinutes) return parsed
    throw refuse(`"${name}" expected an integer from 1 to ${policy.maxMinutes} in plain digits, got ${quoted(value)}.`)
  },
}

/** The feeds of a chart. They must include `feed`. */
export const chartFeedIds: Parameter<readonly string[]> = {
  in: 'query',
  description: 'Comma-separated list of feed ids; the feed that is drawn is one of them. All lower case in its name.',
  schema: { type: 'string', minLength: 1 },
  example: 'btcusd',
  parse: (values, name) => single(values, name, chartNotFound).split(','),
}

/** The feed of the candles. */
export const chartFeed: Parameter<string> = {
  namesFeeds: true,
  in: 'query',
  description: 'Feed symbol, lower-case text.',
  schema: { type: 'string', minLength: 1 },
  example: 'btcusd',
  counterExample: 'nopeusd',
  parse: (values, name) => single(values, name, chartNotFound),
}

/** The query type of a chart: 1, candles. */
export const chartType: Parameter<number> = {
  in: 'query',
  description: 'Query type; 1 means standard OHLCV data.',
  schema: { type: 'integer', enum: [1] },
  example: '1',
  counterExample: '2',
  parse(values, name) {
    const value = single(values, name, chartNotFound)
    if (value === '1') return 1
    throw chartNotFound(`"${name}" expected 1, standard OHLCV data, got ${quoted(value)}.`)
  },
}

const MAX_INTERVAL = 52 * SECONDS_BY_UNIT.w
/** The first Monday of the epoch, 5 January 1970. */
const FIRST_MONDAY = 4 * SECONDS_BY_UNIT.d

/** The interval of a chart, as written in the request. */
export const chartInterval: Parameter<string> = {
  in: 'query',
  description: 'Time interval of one candle, <number><unit> with the units s, m, h, d and w: 24h for a day. 1s to 52w.',
  schema: { type: 'string', pattern: '^[1-9][0-9]*[smhdw]$' },
  example: '24h',
  counterExample: '24x',
  parse(values, name) {
    const value = single(values, name, chartNotFound)
    const duration = parseDuration(value)
    if (duration && duration.seconds <= MAX_INTERVAL) return value
    throw chartNotFound(`"${name}" expected <number><unit> from 1s to 52w, such as 24h, got ${quoted(value)}.`)
  },
}

/** The buckets of a valid interval: aligned to the epoch, weeks to Monday. */
export function toBuckets(interval: string): Buckets {
  const { seconds, unit } = parseDuration(interval)!
  return { width: seconds, offset: unit === 'w' ? FIRST_MONDAY : 0 }
}

/** The charting endpoint answers every failure with 404. */
export const chartNotFound = (message: string): ServiceError => new ServiceError(404, 'not_found', message)

/** Text of the caller, shortened for a message. */
const quoted = (value: string): string => `"${shorten(value, 40)}"`

function single(values: readonly string[], name: string, refuse: (message: string) => ServiceError): string {
  const [value] = values
  if (values.length > 1) throw refuse(`"${name}" is given ${values.length} times: give it once.`)
  if (value === undefined) throw refuse(`The parameter "${name}" is missing.`)
  if (value === '') throw refuse(`The parameter "${name}" is empty.`)
  return value
}

const malformed =
  ({ missingParameter }: Policy) =>
  (message: string): ServiceError =>
    new ServiceError(missingParameter, 'bad_request', message)

/**
 * Looks up each requested id. An unknown feed, or one without a result of `get`, is an error or is omitted, depending on
 * the policy. A feed omitted by a fault is omitted with either policy, and one that a fault adds comes first.
 */
export function select<T>(
  context: EndpointContext,
  ids: readonly string[],
  get: (feed: Feed) => T | undefined,
): { id: string; found: T }[] {
  const selected: { id: string; found: T }[] = []
  const unknown: string[] = []
  const omitted: string[] = []
  for (const [i, id] of ids.entries()) {
    const feed = context.feed(id)
    const found = feed && get(feed)
    if (found === undefined) unknown.push(id)
    else if (context.omits(feed!, i > 0 && i === ids.length - 1)) omitted.push(id)
    else selected.push({ id, found })
  }
  const isRefused = context.policy.unknownFeed === 'reject' && unknown.length > 0
  if (isRefused || selected.length === 0) {
    const missing = unknown.length > 0 ? unknown : omitted
    const names = missing.slice(0, 20).map(quoted)
    const more = missing.length > names.length ? ` and ${missing.length - names.length} more` : ''
    throw new ServiceError(404, 'unknown_feed', `No price for ${names.join(', ')}${more}: unknown feed.`)
  }
  const extra = context.extra(ids, get)
  return extra === undefined ? selected : [extra, ...selected]
}
