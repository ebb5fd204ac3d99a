// The probes of the charting endpoint.
import { parseDuration } from '../settings/time.js'
import { type Answer, at, listAt, type Probe, type Question, type Seen, statuses, to } from './probe.js'

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

/** The rows of the charting endpoint. */
export const CHART_PROBES: readonly Probe[] = [
  {
    name: 'candles',
    option: 'policy.candles',
    *ask({ feeds: [id] }) {
      const found: Record<string, Seen> = {}
      for (const interval of ['1m', '1h']) found[interval] = describeCandles(yield to.candles(id!, interval), interval)
      return found
    },
    toPatch(seen: Readonly<Record<string, { count?: number }>>) {
      const count = seen['1h']?.count
      return count === undefined || count > 2000 ? undefined : { policy: { candles: count } }
    },
  },
  {
    name: 'intervals',
    *ask({ feeds: [id] }) {
      const found: Record<string, Seen> = {}
      for (const interval of INTERVALS) {
        const answer = yield to.candles(id!, interval)
        const facts = interval === '1w' ? (describeCandles(answer, interval) as { alignment?: Seen }) : {}
        found[interval] = facts.alignment ?? answer.status
      }
      return found
    },
  },
  {
    name: 'mistakes in a chart',
    *ask({ feeds: [id] }) {
      const feed = id!.toLowerCase()
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
    page: 'docs/responses.md',
    *ask({ feeds: [id] }) {
      const chart = yield to.candles(id!, '1h')
      const { body } = yield to.latest(id!)
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
]
