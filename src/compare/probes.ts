// The table of probes. The report, the configuration that is written, the profile, --dry-run and docs/compare.md follow from it.
import { countOf } from '../errors.js'
import { findFeed } from '../market/feeds.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import { MAX_FEED_IDS, MAX_MINUTES } from '../settings/policy.js'
import { parseDuration } from '../settings/time.js'
import {
  type Answer,
  type Asking,
  at,
  type ByFeed,
  byName,
  changesOf,
  each,
  listAt,
  type OptionPatch,
  type Probe,
  type Question,
  type Seen,
  shapeOf,
  statuses,
  to,
} from './probe.js'
import { MAX_HEARTBEAT, SIGNED_PROBES, TICK_PROBE } from './probes-signed.js'

const RESPONSES = 'docs/responses.md'
const UNKNOWN = 'NOPEUSD'

const countOr = ({ status, body }: Answer): Seen =>
  status === 200 ? countOf(listAt(body, 'prices').length, 'price') : status

/** How an id is spelled in a reply to a request in lower case. */
const caseOf = (id: unknown): string =>
  typeof id !== 'string' ? shapeOf(id) : id === id.toLowerCase() ? 'as requested' : 'as in the catalogue'

/**
 * Finds the largest number from 1 to `max` with an accepted status, in few requests if it is near `start`.
 * @returns it with the status of a larger one, if there is a limit
 */
function* findLimit(
  toQuestion: (value: number) => Question,
  accepted: number,
  start: number,
  max: number,
): Asking<{ most: number; refusal: number | 'none' }> {
  let [low, high, refusal]: [number, number, number | 'none'] = [0, max + 1, 'none']
  while (high - low > 1) {
    const likely = [start, start + 1, max].find(value => value > low && value < high)
    const value = likely ?? Math.floor((low + high) / 2)
    const { status } = yield toQuestion(value)
    if (status === accepted) low = value
    else [high, refusal] = [value, status]
  }
  return { most: low, refusal }
}

const RATE_LIMIT = /^(x-)?rate-?limit/

const INTERVALS = ['1s', '90s', '15m', '24h', '1d', '1w', '52w', '53w', '1M', '1H', '05m', '1y']

/** The facts about the candles of one interval that do not depend on prices. */
function describeCandles({ status, body, now }: Answer, interval: string): Seen {
  const rows = listAt(body, 'data', 'result')
  const times = rows.map(row => Number(at(row, 'time')))
  if (status !== 200 || times.length === 0) return { status }
  const unit = times.at(-1)! > 1e11 ? 1000 : 1
  const width = parseDuration(interval)!.seconds * unit
  const oldestFirst = times.every((time, i) => i === 0 || time > times[i - 1]!)
  const inOrder = [...times].sort((a, b) => a - b)
  const offset = inOrder[0]! % width
  const last = inOrder.at(-1)!
  return {
    status,
    count: rows.length,
    times: unit === 1000 ? 'milliseconds' : 'seconds',
    order: oldestFirst ? 'oldest first' : 'newest first',
    alignment:
      interval === '1w' ? `weekday ${(Math.floor(last / unit / 86_400) + 4) % 7}` : offset === 0 ? 'epoch' : 'other',
    last: last + width > now * unit ? 'open' : 'closed',
    gaps: inOrder.some((time, i) => i > 0 && time - inOrder[i - 1]! !== width),
  }
}

/** All rows of the comparison, in the order of its report. */
export const PROBES: readonly Probe[] = [
  {
    name: 'feeds',
    page: 'docs/feeds.md',
    option: 'feeds',
    ask: ({ requested }) => statuses(byName(requested, id => to.latest(id))),
    toPatch: (theirs: ByFeed<number>, { answers }, ours: ByFeed) =>
      changesOf(theirs, ours, (status, id) => {
        const { body } = answers.find(({ question }) => question.target === to.latest(id).target)?.answer ?? {}
        const base = Number(`${at(body, 'price')}e${at(body, 'expo')}`)
        const isNew = status === 200 && base > 0 && findFeed(catalogueFeeds(), id) === undefined
        return isNew ? { base, drivers: { crypto: 0.5, [id]: 0.4 } } : undefined
      }),
  },
  {
    name: 'no key, a wrong one',
    page: RESPONSES,
    ask: ({ feeds: [id] }) =>
      statuses({
        batch: to.batch([id], { key: 'none' }),
        history: { ...to.history([id], 5), key: 'none' },
        evm: to.evm([id], { key: 'none' }),
        latest: to.latest(id, { key: 'none' }),
        candles: to.candles(id, '1h'),
        wrong: to.latest(id, { key: 'wrong' }),
        bearer: to.latest(id, { key: 'bearer' }),
      }),
  },
  {
    name: 'WWW-Authenticate',
    option: 'policy.wwwAuthenticate',
    *ask({ feeds: [id] }) {
      return (yield to.latest(id, { key: 'none' })).headers['www-authenticate'] ?? ''
    },
    toPatch: (seen: string) => ({ policy: { wwwAuthenticate: seen } }),
  },
  {
    name: 'several mistakes',
    ask: () =>
      statuses({
        'no key, no feedIds': to.query('batch', '', { key: 'none' }),
        'no key, unknown feed': to.batch([UNKNOWN], { key: 'none' }),
        'no minutes, unknown feed': to.query('queryHistory', `feedIds=${UNKNOWN}`),
      }),
  },
  {
    name: 'missing or malformed parameters',
    option: 'policy.missingParameter',
    ask: ({ feeds: [id] }) =>
      statuses({
        'no feedIds': to.query('batch', ''),
        'empty feedIds': to.query('batch', 'feedIds='),
        'feedIds twice': to.query('batch', `feedIds=${id}&feedIds=${id}`),
        'no minutes': to.query('queryHistory', `feedIds=${id}`),
        ...Object.fromEntries(
          ['', '0', '-1', '1.5', '05', '1e1', '+5'].map(text => [`minutes "${text}"`, to.history([id], text)]),
        ),
      }),
    toPatch(seen: Readonly<Record<string, number>>) {
      const status = seen['no feedIds']!
      return status >= 400 && status < 500 ? { policy: { missingParameter: status } } : undefined
    },
  },
  {
    name: 'unknown feed',
    option: 'policy.unknownFeed',
    *ask({ feeds: [id] }) {
      const history = yield to.history([id, UNKNOWN], 5)
      return {
        latest: (yield to.latest(UNKNOWN)).status,
        batch: (yield to.batch([UNKNOWN])).status,
        'batch with a known one': countOr(yield to.batch([id, UNKNOWN])),
        'evm with a known one': countOr(yield to.evm([id, UNKNOWN])),
        'history with a known one':
          history.status === 200 ? countOf(Object.keys(Object(history.body)).length, 'feed') : history.status,
      }
    },
    toPatch(seen: Readonly<Record<string, Seen>>) {
      const isOmitted = ['batch with a known one', 'evm with a known one', 'history with a known one'].some(name =>
        /^1 /.test(String(seen[name])),
      )
      return { policy: { unknownFeed: isOmitted ? 'omit' : 'reject' } }
    },
  },
  {
    name: 'limit of minutes',
    option: 'policy.maxMinutes',
    ask: ({ feeds: [id], limits }) => findLimit(minutes => to.history([id], minutes), 200, limits.minutes, MAX_MINUTES),
    toPatch: ({ most }: { most: number }) => (most === 0 ? undefined : { policy: { maxMinutes: most } }),
  },
  {
    name: 'limit of feed ids',
    option: 'policy.maxFeedIds',
    *ask({ limits }) {
      const ofSome = (count: number): Question =>
        to.batch(Array.from({ length: count }, (_, i) => `X${(i + 1).toString(36).toUpperCase()}`))
      return yield* findLimit(ofSome, (yield ofSome(1)).status, limits.feedIds, MAX_FEED_IDS)
    },
    toPatch: ({ most }: { most: number }) => (most === 0 ? undefined : { policy: { maxFeedIds: most } }),
  },
  {
    name: 'lists of ids',
    ask: ({ feeds: [id] }) =>
      each(
        {
          'an id twice': to.batch([id, id]),
          'nothing between commas': to.query('batch', `feedIds=${id},,`),
          'a blank before an id': to.query('batch', `feedIds=%20${id}`),
          'an unknown parameter': to.query('batch', `feedIds=${id}&unknown=1`),
        },
        countOr,
      ),
  },
  {
    name: 'case of ids',
    *ask({ feeds: [id] }) {
      const lower = id.toLowerCase()
      const latest = yield to.latest(lower)
      const history = yield to.history([lower], 5)
      const key = history.status === 200 ? Object.keys(Object(history.body))[0] : undefined
      return {
        latest: latest.status === 200 ? caseOf(at(latest.body, 'feedId')) : latest.status,
        'key of a history': key === undefined ? history.status : caseOf(key),
        'feedId in a history': key === undefined ? history.status : caseOf(at(history.body, key, 'high', 'feedId')),
      }
    },
  },
  {
    name: 'classes of evm',
    option: 'policy.evmClasses',
    *ask({ classes }) {
      const found: Record<string, number> = {}
      for (const [name, feed] of classes)
        if ((yield to.latest(feed)).status === 200) found[name] = (yield to.evm([feed])).status
      return found
    },
    same: (theirs: Readonly<Record<string, Seen>>, ours: typeof theirs) =>
      Object.keys(theirs).every(name => theirs[name] === ours[name]),
    toPatch(seen: Readonly<Record<string, number>>, { classes }) {
      const served = classes.map(([name]) => name).filter(name => (seen[name] ?? 200) === 200)
      const evmClasses = served.length === classes.length ? 'all' : served
      return { policy: { evmClasses } } as OptionPatch
    },
  },
  ...(['latest', 'batch', 'evm', 'history', 'candles'] as const).map(
    (name): Probe => ({
      name: `reply of ${name}`,
      page: RESPONSES,
      *ask({ feeds }) {
        const [id] = feeds
        const questions = {
          latest: to.latest(id),
          batch: to.batch([id]),
          evm: to.evm([id]),
          history: to.history([id], 5),
        }
        const answer = yield name === 'candles' ? to.candles(id, '1h') : questions[name]
        return answer.status === 200 ? shapeOf(answer.body, feeds, name === 'candles') : `status ${answer.status}`
      },
    }),
  ),
  {
    name: 'feedId of a batch',
    option: 'policy.batchFeedId',
    ask: ({ feeds }) =>
      each(
        byName(feeds, id => to.batch([id])),
        ({ body }, id) => {
          const shown = at(body, 'prices', 0, 'feedId')
          if (typeof shown === 'number') return shown
          return shown === id ? 'text' : typeof shown === 'string' ? 'another text' : 'none'
        },
      ),
    toPatch(theirs: ByFeed, _, ours: ByFeed) {
      const isNumbered = Object.values(theirs).some(shown => typeof shown === 'number')
      const numbers = changesOf(theirs, ours, number => (typeof number === 'number' ? { number } : undefined))
      return { policy: { batchFeedId: isNumbered ? 'integer' : 'symbol' }, ...numbers }
    },
  },
  {
    name: 'expo',
    page: 'docs/feeds.md',
    option: 'feeds',
    ask: ({ feeds }) =>
      each(
        byName(feeds, id => to.latest(id)),
        ({ body }) => {
          const expo = at(body, 'expo')
          return typeof expo === 'number' ? expo : expo === undefined ? 'none' : shapeOf(expo)
        },
      ),
    toPatch: (theirs: ByFeed, _, ours: ByFeed) =>
      changesOf(theirs, ours, expo => (typeof expo === 'number' ? { expo } : undefined)),
  },
  {
    name: 'window of a history',
    *ask({ feeds: [id] }) {
      const { status, body, now } = yield to.history([id], 5)
      if (status !== 200) return status
      const [pair] = Object.values(Object(body))
      const [high, low] = ['high', 'low'].map(name => ({
        price: Number(at(pair, name, 'price')),
        ts: Number(at(pair, name, 'ts')),
      }))
      return {
        'high is not below low': high!.price >= low!.price,
        'within the window': [high!, low!].every(({ ts }) => ts <= now + 1 && ts > now - 300 - 2 * MAX_HEARTBEAT),
      }
    },
  },
  {
    name: 'candles',
    option: 'policy.candles',
    ask: ({ feeds: [id] }) =>
      each(
        byName(['1m', '1h'], interval => to.candles(id, interval)),
        describeCandles,
      ),
    toPatch(seen: Readonly<Record<string, { count?: number }>>) {
      const count = seen['1h']?.count
      return count === undefined || count > 2000 ? undefined : { policy: { candles: count } }
    },
  },
  {
    name: 'intervals',
    ask: ({ feeds: [id] }) =>
      each(
        byName(INTERVALS, interval => to.candles(id, interval)),
        (answer, interval) => {
          const facts = interval === '1w' ? (describeCandles(answer, interval) as { alignment?: Seen }) : {}
          return facts.alignment ?? answer.status
        },
      ),
  },
  {
    name: 'mistakes in a chart',
    *ask({ feeds: [id] }) {
      const feed = id.toLowerCase()
      const all = { feedids: feed, feed, type: '1', interval: '1h' }
      const chart = (change: Partial<Record<keyof typeof all, string>>): Question =>
        to.chart(
          Object.entries({ ...all, ...change })
            .flatMap(([name, value]) => (value === '' ? [] : `${name}=${value}`))
            .join('&'),
        )
      return yield* statuses({
        'no feedids': chart({ feedids: '' }),
        'feedids without feed': chart({ feedids: 'nopeusd' }),
        'no feed': chart({ feed: '' }),
        'unknown feed': chart({ feed: 'nopeusd', feedids: 'nopeusd' }),
        'no type': chart({ type: '' }),
        'type 2': chart({ type: '2' }),
        'no interval': chart({ interval: '' }),
        'interval 24x': chart({ interval: '24x' }),
      })
    },
  },
  {
    name: 'units of a candle',
    page: RESPONSES,
    *ask({ feeds: [id] }) {
      const chart = yield to.candles(id, '1h')
      const { body } = yield to.latest(id)
      const rows = listAt(chart.body, 'data', 'result')
      const newest = rows.reduce((a, b) => (Number(at(b, 'time')) > Number(at(a, 'time')) ? b : a), rows[0])
      const scaled = Number(`${at(body, 'price')}e${at(body, 'expo')}`)
      const ratio = Number(at(newest, 'close')) / scaled
      return ratio > 0.2 && ratio < 5
        ? 'quote units'
        : Number.isNaN(ratio)
          ? 'none'
          : 'other units than price · 10^expo'
    },
  },
  {
    name: 'spelling of paths',
    ask({ feeds: [id] }) {
      const chart = to.candles(id, '1h')
      return statuses({
        '/trading-view': { ...chart, target: chart.target.replace('/charting/', '/trading-view/') },
        queryhistory: to.query('queryhistory', `feedIds=${id}&minutes=5`),
      })
    },
  },
  {
    name: 'body of an error',
    ask: ({ feeds: [id] }) =>
      each(
        {
          'no key': to.latest(id, { key: 'none' }),
          'no feedIds': to.query('batch', ''),
          'unknown feed': to.latest(UNKNOWN),
          'unknown interval': to.candles(id, '24x'),
        },
        ({ status, headers, body }) => (status === 200 ? status : `${typeOf(headers)} ${shapeOf(body)}`),
      ),
  },
  {
    name: 'caching and date',
    *ask({ feeds: [id] }) {
      const latest = yield to.latest(id)
      return {
        'cache-control': latest.headers['cache-control'] ?? 'none',
        date: 'date' in latest.headers,
        type: typeOf(latest.headers),
      }
    },
  },
  {
    name: 'CORS',
    *ask({ feeds: [id] }) {
      const { headers } = yield to.latest(id)
      const preflight = yield to.latest(id, { method: 'OPTIONS', key: 'none' })
      return {
        'allow-origin': headers['access-control-allow-origin'] ?? 'none',
        'may read Date': /\bdate\b|\*/i.test(headers['access-control-expose-headers'] ?? ''),
        preflight: preflight.status,
        'may send Authorization': /authorization/i.test(preflight.headers['access-control-allow-headers'] ?? ''),
      }
    },
  },
  {
    name: 'HEAD',
    *ask({ feeds: [id] }) {
      return (yield to.latest(id, { method: 'HEAD' })).status
    },
  },
  {
    name: 'headers of rate limits',
    *ask({ answers }) {
      const names = answers.flatMap(({ answer }) => Object.keys(answer.headers).filter(name => RATE_LIMIT.test(name)))
      return [...new Set(names)].sort()
    },
  },
  ...SIGNED_PROBES,
  TICK_PROBE,
]

const typeOf = (headers: Answer['headers']): string => (headers['content-type'] ?? 'no type').split(';', 1)[0]!
