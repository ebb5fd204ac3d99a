// The axis: one time from left to right. Above what the market did and will do, in the middle the faults, below what the app got.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { GOT, type Got } from '../../../src/service/received.js'
import { admin, type FeedDefinition, type Inspection, type Market, prefixOf, ROOT } from '../api'
import { readColours } from '../colours'
import { formatAge, formatChange, formatInstant, formatPrice, formatTime, plural } from '../format'
import { EntryDetail } from '../journal/entry'
import type { LiveEntry } from '../journal/events'
import { entries, isLive } from '../journal/live'
import { faultsOf, removeFault } from '../scenario'
import {
  chosenFeed,
  feeds,
  inspection,
  refreshAll,
  session,
  sessionId,
  shownSecond,
  usePart,
  windowRange,
} from '../state'
import { useStore } from '../store'
import { onColours } from '../theme'
import { Badge, Copy, GotMark, Panel } from '../ui'
import {
  drawCandles,
  drawFaults,
  drawRequests,
  drawRuler,
  FAULT_HEIGHT,
  REQUEST_HEIGHT,
  requestAt,
  SCALE_WIDTH,
  timeOf,
  toSecond,
  toSheet,
  toX,
} from './draw'
import { axis, open, show } from './shown'
import { CANDLE_STEPS, LANES, limitedSpan, RULER_STEPS, stepOf, toSpan, viewOf, zoomed } from './view'

/** Feeds beside the chosen one whose prices are shown. */
const OTHERS = 6
/** Milliseconds between two drawings while requests come. */
const DRAW_MS = 250

/** The page. */
export function AxisPage() {
  const shown = useStore(axis)
  const id = useStore(sessionId)
  const feed = useStore(chosenFeed)
  const now = useStore(shownSecond)
  const found = useStore(inspection)
  const live = useThrottled(useStore(entries), DRAW_MS)
  const catalogue = useStore(feeds)
  const { span, from, cursor, got } = shown
  const view = viewOf(shown, now ?? 0)
  const step = stepOf(CANDLE_STEPS, span, 110)
  useWindows(shown)
  const candles = usePart(feed === '' ? undefined : `axis ${id} ${feed} ${step}`, (session, at) => {
    const { from, to } = viewOf(axis.get(), at)
    return admin.candles(session, feed, Math.max(0, Math.floor(from)), Math.ceil(to), step)
  })
  const names = [
    feed,
    ...catalogue
      .map(one => one.id)
      .filter(one => one !== feed)
      .slice(0, OTHERS),
  ].join()
  const market = usePart(feed === '' ? undefined : `axis market ${id} ${names} ${cursor ?? 'now'}`, (session, at) =>
    admin.prices(session, names.split(','), cursor ?? at),
  )
  const faults = useMemo(
    () =>
      (found?.faults ?? []).map((fault, i) => {
        const entry = faultsOf(found)[i]
        return { ...fault, isThin: entry?.chance !== undefined || entry?.requests !== undefined }
      }),
    [found],
  )
  const requests = useMemo(
    () =>
      live.filter(entry => timeOf(entry) >= view.from && timeOf(entry) <= view.to && timeOf(entry) < (now ?? 0) + 1),
    [live, view.from, view.to, now],
  )
  const counts = useMemo(() => countBy(requests), [requests])
  const isShown = ({ got: kind }: LiveEntry): boolean => got.length === 0 || got.includes(kind!)

  // ---- Drawing: once for each frame, change of the view and batch of requests; nothing while nothing changes.
  const root = useRef<HTMLDivElement>(null)
  const [paints, repaint] = useState(0)
  useEffect(() => {
    const again = () => repaint(count => count + 1)
    const observer = new ResizeObserver(again)
    observer.observe(root.current!)
    const stop = onColours(again)
    return () => {
      observer.disconnect()
      stop()
    }
  }, [])
  const colour = useMemo(() => (root.current === null ? undefined : readColours(root.current)), [paints])
  useEffect(() => {
    if (colour === undefined || now === undefined) return
    const width = widthOf()
    const sheetOf = (name: string) =>
      toSheet(root.current!.querySelector<HTMLCanvasElement>(`.axis-${name} canvas`)!, view, width, colour)
    if (candles !== undefined) drawCandles(sheetOf('chart'), candles, step, now, market?.feeds[0]?.price)
    drawRuler(sheetOf('ruler'), eventsOf(found))
    drawFaults(sheetOf('faults'), faults, requests, found?.scenario.appliedAt ?? 0, now)
    const [oldest] = live
    const since = oldest === undefined || oldest.n === 1 ? undefined : timeOf(oldest)
    drawRequests(sheetOf('requests'), requests, since, shown.request, isShown)
  })

  // ---- Pointer and keyboard.
  const widthOf = (): number => root.current!.querySelector('.axis-chart canvas')!.clientWidth - SCALE_WIDTH
  const xOf = (event: MouseEvent): number =>
    event.clientX - root.current!.querySelector('.axis-chart canvas')!.getBoundingClientRect().left
  const secondOf = (event: MouseEvent): number => Math.floor(toSecond(xOf(event), view, widthOf()))
  const pan = (seconds: number): void => show({ from: Math.max(0, view.from + seconds) })
  const grab = (event: PointerEvent): void => {
    const start = { x: event.clientX, from: view.from, hasMoved: false }
    const target = event.currentTarget as HTMLElement
    target.setPointerCapture(event.pointerId)
    target.onpointermove = move => {
      if (Math.abs(move.clientX - start.x) > 3) start.hasMoved = true
      if (start.hasMoved) show({ from: Math.max(0, start.from - ((move.clientX - start.x) / widthOf()) * span) })
    }
    target.onpointerup = () => {
      target.onpointermove = target.onpointerup = null
      if (!start.hasMoved) show({ cursor: secondOf(event) })
    }
  }
  const zoom = (event: WheelEvent): void => {
    event.preventDefault()
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey
    if (isSideways) pan(((event.deltaX || event.deltaY) / widthOf()) * span)
    else show(zoomed(shown, event.deltaY > 0 ? 1.25 : 0.8, secondOf(event)))
  }
  // Preact listens passively to wheels, which then scroll the page.
  useEffect(() => {
    const chart = root.current!.querySelector<HTMLElement>('.axis-chart')!
    chart.addEventListener('wheel', zoom, { passive: false })
    return () => chart.removeEventListener('wheel', zoom)
  })
  const openNext = (by: 1 | -1): void => {
    const trouble = live.filter(entry => entry.got !== undefined && entry.got !== 'fresh' && isShown(entry))
    const at = trouble.findIndex(({ n }) => n === shown.request)
    const next = at < 0 ? trouble.at(by === 1 ? 0 : -1) : trouble[at + by]
    if (next !== undefined) open({ request: next.n, cursor: next.now })
  }
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement
      if (event.ctrlKey || event.metaKey || target.closest('input, select, textarea, dialog')) return
      const grid = stepOf(RULER_STEPS, span, widthOf() / 92)
      const action = {
        ArrowLeft: () => show({ cursor: (cursor ?? now!) - (event.shiftKey ? grid : 1) }),
        ArrowRight: () => show({ cursor: (cursor ?? now!) + (event.shiftKey ? grid : 1) }),
        '+': () => show(zoomed(shown, 0.5, cursor)),
        '-': () => show(zoomed(shown, 2, cursor)),
        PageUp: () => pan(-span / 2),
        PageDown: () => pan(span / 2),
        l: () => show({ from: undefined, cursor: undefined }),
        Escape: () => open({ request: undefined, fault: undefined, cursor: undefined, from: undefined }),
        n: () => openNext(1),
        p: () => openNext(-1),
      }[event.key.length === 1 ? event.key.toLowerCase() : event.key]
      const isInList = event.key.startsWith('Page') || event.key.startsWith('Arrow')
      if (action === undefined || (isInList && target.closest('pre, .axis-inspector') !== null)) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })

  const place = (second: number | undefined): string | undefined => {
    const width = root.current === null ? 0 : widthOf()
    const x = second === undefined ? -1 : toX(second, view, width)
    return x < 0 || x > width ? undefined : `translateX(${x}px)`
  }
  const entry = live.find(({ n }) => n === shown.request)
  const at = cursor ?? now
  const isOpen = shown.request !== undefined || shown.fault !== undefined || cursor !== undefined
  return (
    <div class="axis-page" data-open={isOpen} data-ready={candles !== undefined} ref={root}>
      <h2 class="hidden">Axis of {feed}</h2>
      <div class="axis" style={{ '--faults': `${(faults.length || 1) * FAULT_HEIGHT}px` }}>
        <Prices market={market} feed={feed} found={found} at={at} isPast={cursor !== undefined} catalogue={catalogue} />
        <div class="axis-chart" onPointerDown={grab}>
          <canvas aria-hidden="true" />
          {candles === undefined && <p class="axis-note">Reading the market …</p>}
          {candles?.served === null && <p class="axis-note">The faults make this time too costly to show.</p>}
          {candles?.served?.length === 0 && <p class="axis-note">{feed} has no price in this time.</p>}
        </div>
        <div class="axis-tools">
          <button
            type="button"
            class="button small"
            aria-label="Zoom out"
            onClick={() => show(zoomed(shown, 2, cursor))}
          >
            −
          </button>
          <button
            type="button"
            class="button small"
            aria-label="Zoom in"
            onClick={() => show(zoomed(shown, 0.5, cursor))}
          >
            +
          </button>
          <span class="muted">{toSpan(limitedSpan(span))}</span>
          <button
            type="button"
            class="button small push"
            aria-pressed={from === undefined && cursor === undefined}
            onClick={() => show({ from: undefined, cursor: undefined })}
          >
            {from === undefined && cursor === undefined ? 'Live' : 'Go live'}
          </button>
        </div>
        <div
          class="axis-ruler"
          role="slider"
          tabIndex={0}
          aria-label="Time"
          aria-valuemin={Math.floor(view.from)}
          aria-valuemax={Math.ceil(view.to)}
          aria-valuenow={at ?? 0}
          aria-valuetext={describeTime(at, now)}
          onPointerDown={grab}
        >
          <canvas aria-hidden="true" />
        </div>
        <div class="axis-fault-scroll" tabIndex={faults.length > 6 ? 0 : undefined} aria-label="Faults" role="group">
          <div class="axis-names axis-fault-names">
            {found !== undefined && faults.length === 0 && <span class="axis-name muted">no faults</span>}
            {faults.map(({ fault, planned, active, hits }, i) => (
              <button
                type="button"
                class="axis-name"
                key={i}
                aria-pressed={shown.fault === i}
                data-active={active}
                title={`${fault} ${planned}: ${plural(hits, 'hit')}`}
                onClick={() => open({ fault: i, request: undefined })}
              >
                <span>{fault.slice(fault.indexOf('/') + 1)}</span> <small class="muted">{planned}</small>
              </button>
            ))}
          </div>
          <div class="axis-faults">
            <canvas aria-hidden="true" />
            <ol class="axis-counts">
              {faults.map(({ hits }, i) => (
                <li key={i}>{plural(hits, 'hit')}</li>
              ))}
            </ol>
          </div>
        </div>
        <div class="axis-names axis-request-names">
          {LANES.map(lane => (
            <span class="axis-name" key={lane}>
              {lane}
            </span>
          ))}
        </div>
        <div
          class="axis-requests"
          style={{ height: `${LANES.length * REQUEST_HEIGHT}px` }}
          onClick={event => {
            const box = event.currentTarget.getBoundingClientRect()
            const near = requestAt(requests.filter(isShown), xOf(event), event.clientY - box.top, view, widthOf())
            if (near !== undefined) open({ request: near.n, fault: undefined, cursor: near.now })
          }}
        >
          <canvas aria-hidden="true" />
          <NoRequests count={live.length} feed={feed} />
          <ol class="axis-counts">
            {LANES.map(lane => (
              <li key={lane}>{requests.filter(({ endpoint }) => endpoint === lane).length}</li>
            ))}
          </ol>
        </div>
        <div class="axis-over" aria-hidden="true">
          <i class="axis-line" data-line="now" style={{ transform: place(now) }} hidden={place(now) === undefined}>
            now
          </i>
          <i
            class="axis-line"
            data-line="cursor"
            style={{ transform: place(cursor) }}
            hidden={place(cursor) === undefined}
          >
            {cursor === undefined ? '' : formatTime(cursor)}
          </i>
        </div>
        <Legend counts={counts} chosen={got} />
      </div>
      <aside class="axis-inspector" aria-label="Inspector">
        {shown.request !== undefined ? (
          entry === undefined ? (
            <Panel title={`Request ${shown.request}`}>It is not in the journal, which keeps the newest 1,000.</Panel>
          ) : (
            <EntryDetail entry={entry} onClose={() => open({ request: undefined })} />
          )
        ) : shown.fault !== undefined && faults[shown.fault] !== undefined ? (
          <FaultDetail index={shown.fault} found={found!} />
        ) : (
          <SecondDetail at={at} feed={feed} found={found} live={live} />
        )}
      </aside>
    </div>
  )
}

/** Asks for the windows of faults in sight, those closer together than two pixels as one. */
function useWindows({ span, from }: { span: number; from?: number | undefined }): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      windowRange.set(now => {
        const view = viewOf({ span, from }, now)
        return {
          from: Math.max(0, Math.floor(view.from)),
          to: Math.max(0, Math.ceil(view.to)),
          bin: Math.max(1, Math.round(span / 500)),
        }
      })
      refreshAll()
    }, 60)
    return () => clearTimeout(timer)
  }, [span, from])
}

/** A value that changes at most every so many milliseconds. */
function useThrottled<T>(value: T, everyMs: number): T {
  const [shown, setShown] = useState(value)
  const last = useRef(0)
  useEffect(() => {
    const wait = Math.max(0, last.current + everyMs - performance.now())
    const timer = setTimeout(() => {
      last.current = performance.now()
      setShown(() => value)
    }, wait)
    return () => clearTimeout(timer)
  }, [value])
  return shown
}

function countBy(requests: readonly LiveEntry[]): Readonly<Record<Got, number>> {
  const counts = Object.fromEntries(GOT.map(kind => [kind, 0])) as Record<Got, number>
  for (const { got } of requests) if (got !== undefined) counts[got]++
  return counts
}

/** The changes of the session: the start and the end of the scenario, and prices that were set. */
function eventsOf(found: Inspection | undefined): { at: number; text: string }[] {
  if (found === undefined) return []
  const { name, appliedAt, endedAt } = found.scenario
  return [
    ...(found.faults.length === 0 ? [] : [{ at: appliedAt, text: name === 'inline' ? 'your faults' : name }]),
    ...(endedAt === undefined ? [] : [{ at: endedAt, text: 'ended' }]),
    ...found.overrides.map(({ feed, since }) => ({ at: since, text: `${feed} set` })),
  ]
}

function describeTime(at: number | undefined, now: number | undefined): string {
  if (at === undefined || now === undefined) return ''
  const distance = at === now ? 'now' : `${formatAge(Math.abs(now - at))} ${at < now ? 'before' : 'after'} now`
  return `${formatInstant(at)} UTC, ${distance}`
}

/** The price of the chosen feed at the cursor or now, and those of some others. */
function Prices({
  market,
  feed,
  found,
  at,
  isPast,
  catalogue,
}: {
  market: Market | undefined
  feed: string
  found: Inspection | undefined
  at: number | undefined
  isPast: boolean
  catalogue: readonly FeedDefinition[]
}) {
  const row = market?.feeds[0]
  const set = found?.overrides.find(one => one.feed === feed)
  return (
    <div class="axis-prices">
      <label class="hidden" for="axis-feed">
        Feed
      </label>
      <select id="axis-feed" value={feed} onChange={event => chosenFeed.set(event.currentTarget.value)}>
        {catalogue.map(one => (
          <option key={one.id}>{one.id}</option>
        ))}
      </select>
      {row !== undefined && (
        <>
          <strong class="axis-price">{row.price === null ? 'no price' : formatPrice(row.price)}</strong>
          <span class="muted">
            {row.price === null || row.before === null ? '' : `${formatChange(row.price / row.before - 1)} in 1 h`}
          </span>
          <span class="muted">
            {row.ts === null ? '' : `${formatAge(market!.now - row.ts)} old`}
            {isPast ? ` at ${formatTime(at ?? 0)}` : ''}
          </span>
          {set !== undefined && <span class="set-mark">◆ set to {formatPrice(set.price)}</span>}
        </>
      )}
      <ul>
        {market?.feeds.slice(1).map(({ id, price }) => (
          <li key={id}>
            <button type="button" onClick={() => chosenFeed.set(id)}>
              <span>{id}</span> <span>{price === null ? '–' : formatPrice(price)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The command that sends a first request. */
function NoRequests({ count, feed }: { count: number; feed: string }) {
  const isKnown = useStore(isLive)
  const current = useStore(session)
  const id = useStore(sessionId)
  if (!isKnown || count > 0 || current === undefined) return null
  const key = current.apiKey.startsWith('(') ? 'YOUR_KEY' : current.apiKey
  const command = `curl -H 'authorization: ${key}' ${ROOT}${prefixOf(id)}/prices/${feed}/latest`
  return (
    <p class="axis-note axis-none">
      <span>No requests yet. Point your app here, or try:</span> <code>{command}</code>
      <Copy text={command} of="the command" />
    </p>
  )
}

/** Counts of what the app got in this time. A press shows only these. */
function Legend({ counts, chosen }: { counts: Readonly<Record<Got, number>>; chosen: readonly Got[] }) {
  return (
    <div class="axis-legend" role="group" aria-label="What your app got">
      {GOT.map(got => (
        <button
          type="button"
          key={got}
          aria-pressed={chosen.includes(got)}
          onClick={() => show({ got: chosen.includes(got) ? chosen.filter(one => one !== got) : [...chosen, got] })}
        >
          <GotMark got={got} /> {counts[got]}
        </button>
      ))}
      <span class="muted axis-keys">
        <kbd>←</kbd> <kbd>→</kbd> second · <kbd>+</kbd> <kbd>−</kbd> zoom · <kbd>N</kbd> <kbd>P</kbd> trouble ·{' '}
        <kbd>L</kbd> live
      </span>
    </div>
  )
}

/** One fault: its windows, and what it did. */
function FaultDetail({ index, found }: { index: number; found: Inspection }) {
  const { fault, planned, windows, hits, misses, lastMiss, active } = found.faults[index]!
  const entry = faultsOf(found)[index]
  return (
    <Panel
      title={fault}
      side={
        <button type="button" class="button small push" onClick={() => open({ fault: undefined })}>
          Close
        </button>
      }
    >
      <p>
        <Badge tone={active ? 'warn' : 'quiet'}>{active ? 'active' : 'not now'}</Badge> {planned || 'all requests'}
      </p>
      <p class="muted">
        {plural(hits, 'hit')}, {plural(misses, 'request')} without an effect
        {lastMiss === undefined ? '' : `; the last one: ${lastMiss}`}
      </p>
      <h3>Windows in sight</h3>
      <ul class="axis-list">
        {windows.length === 0 && <li class="muted">none</li>}
        {windows.slice(0, 20).map(({ from, until }) => (
          <li key={from}>
            <button type="button" class="link" onClick={() => show({ cursor: from })}>
              {formatTime(from)}
            </button>{' '}
            to {until === null ? 'its end by hand' : formatTime(until)}
          </li>
        ))}
        {windows.length > 20 && <li class="muted">and {windows.length - 20} more</li>}
      </ul>
      {entry !== undefined && found.scenario.endedAt === undefined && (
        <button
          type="button"
          class="button"
          onClick={async () => (await removeFault(entry)) && open({ fault: undefined })}
        >
          Remove it
        </button>
      )}
    </Panel>
  )
}

/** One second: what a request would get then, and what went wrong before. */
function SecondDetail({
  at,
  feed,
  found,
  live,
}: {
  at: number | undefined
  feed: string
  found: Inspection | undefined
  live: readonly LiveEntry[]
}) {
  const id = useStore(sessionId)
  const cursor = useStore(axis).cursor
  const reply = usePart(feed === '' ? undefined : `axis reply ${id} ${feed} ${cursor ?? 'now'}`, (session, second) =>
    admin.explain(session, `/prices/${encodeURIComponent(feed)}/latest`, cursor ?? second),
  )
  const trouble = live
    .filter(({ got, now }) => got !== undefined && got !== 'fresh' && now <= (at ?? 0))
    .slice(-12)
    .reverse()
  return (
    <Panel title={at === undefined ? 'Reading …' : `${formatInstant(at)} UTC`}>
      {reply !== undefined && (
        <>
          <p>
            <code>GET /prices/{feed}/latest</code> {cursor === undefined ? 'gets' : 'as the session is now, gets'}
          </p>
          <p>
            <GotMark got={reply.got} /> {reply.outcome.status ?? 'no status'}
            {reply.why === undefined ? '' : `: ${reply.why}`}
          </p>
        </>
      )}
      <h3>The last that went wrong</h3>
      <ul class="axis-list">
        {trouble.length === 0 && <li class="muted">Nothing up to this second.</li>}
        {trouble.map(({ n, now, endpoint, got, why }) => (
          <li key={n}>
            <button type="button" class="link" onClick={() => open({ request: n, cursor: now })}>
              {formatTime(now)} {endpoint}
            </button>{' '}
            <GotMark got={got!} /> <span class="muted">{why}</span>
          </li>
        ))}
      </ul>
      <h3>Faults at this second</h3>
      {found !== undefined && found.faults.length === 0 && <p class="muted">None. The service works normally.</p>}
      <ul class="axis-list axis-inline">
        {found?.faults.map(({ fault, windows }, i) =>
          windows.some(({ from, until }) => from <= (at ?? 0) && (until === null || until > (at ?? 0))) ? (
            <li key={i}>
              <button type="button" class="link" onClick={() => open({ fault: i })}>
                {fault}
              </button>
            </li>
          ) : null,
        )}
      </ul>
    </Panel>
  )
}
