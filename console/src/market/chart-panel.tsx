// The chart of the chosen feed, with what the charting endpoint and queryHistory would answer now.
import { useEffect, useRef, useState } from 'preact/hooks'
import { admin, type Explanation, type Inspection } from '../api'
import { formatAge, formatPrice, formatTime, plural } from '../format'
import { chosenFeed, inspection, sessionId, usePart, windowRange } from '../state'
import { useStore } from '../store'
import { onColours } from '../theme'
import { Badge, Choice } from '../ui'
import { type Candles, INTERVALS, type Interval, readCandles } from './candles'
import { type Chart, createCandleChart, type Mark } from './chart'

/** A window of a fault, in seconds since the epoch. */
interface Shade {
  readonly from: number
  /** Null for a window without an end. */
  readonly until: number | null
  readonly label: string
  /** Whether it has begun. */
  readonly isActive: boolean
}

/** Minutes of the high and low that are marked. */
const HISTORY_MINUTES = 60
const NAMES = Object.keys(INTERVALS) as Interval[]

interface Shown extends Candles {
  readonly feed: string
  readonly interval: Interval
  readonly now: number
  readonly marks: readonly Mark[]
}

/** The panel. It loads the library of the chart on first use. */
export function ChartPanel() {
  const id = useStore(sessionId)
  const feed = useStore(chosenFeed)
  const found = useStore(inspection)
  const [interval, setInterval] = useState<Interval>('1m')
  const key = `${id} ${feed} ${interval}`
  const read = usePart(feed === '' ? undefined : `chart ${key}`, (session, at) =>
    readChart(session, at, feed, interval),
  )
  // The chart before is shown until the next one is there.
  const [last, setLast] = useState<Shown>()
  if (read !== undefined && 'candles' in read && read !== last) setLast(read)
  const shown = last
  const problem = read !== undefined && 'problem' in read ? read.problem : ''
  const element = useRef<HTMLDivElement>(null)
  const chart = useRef<Chart | undefined>(undefined)
  const inSight = useRef('')

  useEffect(() => {
    chart.current = createCandleChart(element.current!)
    const stop = onColours(() => chart.current?.paint())
    return () => {
      stop()
      chart.current?.remove()
    }
  }, [])
  useEffect(() => {
    const width = INTERVALS[interval]
    windowRange.set(now => ({ from: Math.max(0, now - 310 * width), to: now + 70 * width }))
  }, [interval])

  const isCurrent = shown?.feed === feed && shown.interval === interval
  useEffect(() => {
    if (!isCurrent || shown === undefined) return
    const { candles, now, marks } = shown
    chart.current?.draw({ candles, width: INTERVALS[interval], now, marks }, inSight.current !== key)
    inSight.current = key
  }, [shown, key])

  const candle = isCurrent ? shown.candles.at(-1) : undefined
  const set = found?.overrides.find(one => one.feed === feed)
  return (
    <section class="panel chart-panel" aria-label={`Chart of ${feed}`}>
      <div class="panel-head">
        <h2>{feed || 'Chart'}</h2>
        <span class="chart-price">{candle === undefined ? '' : formatPrice(candle.close)}</span>
        {set !== undefined && (
          <span class="set-mark" title={`since ${formatTime(set.since)}`}>
            ◆ set to {formatPrice(set.price)}
          </span>
        )}
        <span class="muted count">
          {candle === undefined ? '' : plural(shown!.candles.length, 'candle')}
          {isCurrent && shown.leftOut > 0 ? `, ${shown.leftOut} left out: null, incomplete or twice` : ''}
        </span>
        <Choice label="Interval" options={NAMES} value={interval} onChange={setInterval} />
      </div>
      <div class="plot" data-state={problem === '' ? 'shown' : 'failed'}>
        <div class="canvas" ref={element} data-drawn={isCurrent} />
        {problem !== '' && (
          <p class="plot-notice" role="status">
            {problem}
          </p>
        )}
      </div>
      <Legend found={found} feed={feed} />
    </section>
  )
}

/** Reads the answers of the charting endpoint and of queryHistory at a second, or why there are no candles. */
async function readChart(
  id: string,
  at: number,
  feed: string,
  interval: Interval,
): Promise<Shown | { readonly problem: string }> {
  const name = feed.toLowerCase()
  const [candles, history] = await Promise.all([
    admin.explain(id, `/charting/feeds-data?feedids=${name}&feed=${name}&type=1&interval=${interval}`, at),
    admin.explain(id, `/prices/queryHistory?feedIds=${feed}&minutes=${HISTORY_MINUTES}`, at),
  ])
  const { outcome } = candles
  const read = outcome.status === 200 ? readCandles(outcome.body ?? '') : undefined
  if (read === undefined) return { problem: describeFailure(candles) }
  if (read.candles.length === 0) return { problem: 'The list of candles is empty.' }
  return { ...read, feed, interval, now: at, marks: readMarks(history, feed) }
}

/** The windows on the chart, in words: the colour is not the only sign. */
function Legend({ found, feed }: { found: Inspection | undefined; feed: string }) {
  const shades = shadesOf(found, feed)
  const now = found?.now ?? 0
  return (
    <div class="legend">
      {found !== undefined && shades.length === 0 && <span class="muted">No fault affects {feed}.</span>}
      {shades.slice(0, 4).map(({ label, from, until, isActive }) => (
        <span class="legend-item" key={`${label} ${from}`}>
          <Badge tone={isActive ? 'warn' : 'quiet'}>{isActive ? 'active' : from > now ? 'coming' : 'over'}</Badge>
          <code>{label}</code>
          <span class="muted">{describeWindow(from, until, now)}</span>
        </span>
      ))}
      {shades.length > 4 && <span class="muted">and {plural(shades.length - 4, 'window')} more</span>}
      <a class="muted attribution" href="https://www.tradingview.com/" rel="noreferrer" target="_blank">
        Charts by TradingView
      </a>
    </div>
  )
}

function describeWindow(from: number, until: number | null, now: number): string {
  if (from > now) return `starts in ${formatAge(from - now)}`
  if (until === null) return `since ${formatTime(from)}`
  return until > now ? `ends in ${formatAge(until - now)}` : `${formatTime(from)} to ${formatTime(until)}`
}

/** The windows of all faults that affect a feed: active ones first, then coming ones, then past ones. */
function shadesOf(found: Inspection | undefined, feed: string): Shade[] {
  const now = found?.now ?? 0
  const rank = ({ from, isActive }: Shade): number => (isActive ? 0 : from > now ? 1 : 2)
  return (found?.faults ?? [])
    .filter(({ feeds }) => feeds === null || feeds.includes(feed))
    .flatMap(({ fault, windows }) =>
      windows.map(({ from, until }) => ({
        from,
        until,
        label: fault,
        isActive: from <= now && (until === null || until > now),
      })),
    )
    .sort((a, b) => rank(a) - rank(b) || a.from - b.from)
}

function readMarks({ outcome }: Explanation, feed: string): Mark[] {
  try {
    const { high, low } = JSON.parse(outcome.body ?? '')[feed]
    return (
      [
        ['high', high],
        ['low', low],
      ] as const
    ).flatMap(([kind, { price, expo, ts }]) =>
      [price, expo, ts].every(Number.isFinite) ? [{ kind, ts, price: price * 10 ** expo }] : [],
    )
  } catch {
    return []
  }
}

function describeFailure({ outcome: { kind, status, body = '' }, faults }: Explanation): string {
  const cause = faults.filter(({ applied }) => applied).map(({ fault }) => fault)
  const by = cause.length === 0 ? '' : ` (${cause.join(', ')})`
  if (status === undefined) return `The charting endpoint does not answer: ${kind}${by}.`
  return status === 200
    ? `The reply of the charting endpoint cannot be read${by}: ${body.slice(0, 40)}`
    : `The charting endpoint answers ${status}${by}.`
}
